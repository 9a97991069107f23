/**
 * Time as an argument: the real clock in the process, a manual one in tests. And clock times in people's zones: a wall time is what a clock
 * in the zone shows, as if it were UTC, in epoch milliseconds.
 */

export type Clock = {
  /** Epoch milliseconds. */
  nowMs(): number
  /** Milliseconds that setting the clock does not change. */
  steadyMs(): number
  /** Resolves after `ms`, or at once when the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
}

/** Longer waits are cut: a timer above 2^31 ms would fire at once. */
const waitMaxMs = 24 * 60 * 60_000

export const realClock: Clock = {
  nowMs: () => Date.now(),
  steadyMs: () => performance.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        // In a turn of its own: whoever wakes several loops must not hold up everybody until the last one is done.
        setImmediate(resolve)
      }
      const timer = setTimeout(done, Math.min(Math.max(ms, 0), waitMaxMs))
      signal?.addEventListener('abort', done)
    }),
}

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/** Each takes a while to make. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** An IANA name; an offset such as `+02:00` is right nowhere all year. */
export function isZone(zone: string): boolean {
  try {
    formatOf(zone)
    return /^[A-Za-z]/.test(zone)
  } catch {
    return false
  }
}

export function wallOf(ms: number, zone: string): number {
  return Date.parse(`${formatOf(zone).format(ms)}Z`) + (((ms % second) + second) % second)
}

/** The first moment at which the clock shows this; where it leaps over it, as if it had not leapt yet (RFC 5545). */
export function momentOf(wallMs: number, zone: string): number {
  const offsetAt = (ms: number) => wallOf(ms, zone) - ms
  const [before, after] = [wallMs - offsetAt(wallMs - day), wallMs - offsetAt(wallMs + day)]
  const shown = [before, after].filter((ms) => wallOf(ms, zone) === wallMs)
  return shown.length > 0 ? Math.min(...shown) : before
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  // Sweden writes 2026-12-01 09:00:00.
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  formats.set(zone, format)
  return format
}
