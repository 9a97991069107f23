/** Message timestamps: strings of ten digits, a dot and six digits, unique and increasing in the whole workspace. */

/** `next` gives the clock's time, or one microsecond after the last where that is later. */
export function openTimestamps(nowMs: () => number): { next(): string } {
  let lastMicros = 0
  return {
    next() {
      lastMicros = Math.max(Math.floor(nowMs() * 1_000), lastMicros + 1)
      return written(lastMicros)
    },
  }
}

/** The timestamp of a moment, to compare with those of messages. */
export function timestampAt(ms: number): string {
  return written(Math.floor(ms * 1_000))
}

export function isTimestamp(text: string): boolean {
  return /^\d{10}\.\d{6}$/.test(text)
}

/** A caller's `oldest`, `latest` or `ts` (`1700000000`, `1700000000.5`) in full length; undefined when it is no time. */
export function readTimestamp(text: string): string | undefined {
  const parts = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text)
  if (parts === null) return undefined
  return `${(parts[1] ?? '').padStart(10, '0')}.${(parts[2] ?? '').padEnd(6, '0')}`
}

function written(micros: number): string {
  const digits = String(micros).padStart(16, '0')
  return `${digits.slice(0, 10)}.${digits.slice(10)}`
}
