/** The raw samples of one series for the last two hours, or the last hour if they come every second; in memory only. */

const ageMaxSeconds = 2 * 60 * 60
/** Two hours at one sample every two seconds; about one hour at a higher rate. */
const samplesMax = 3_600
const roomFirst = 32

export type Samples = {
  /** Times are in whole seconds. If the clock is set back, samples from its future are dropped. */
  add(atMs: number, value: number): void
  each(take: (atMs: number, value: number) => void): void
  /** Null if there are none. */
  firstMs(): number | null
  /** How far apart they are, in whole seconds; one second while there is only one. */
  spacingMs(): number
}

/** Eight bytes per sample, as a fleet has millions of them. */
export function openSamples(): Samples {
  let seconds = new Uint32Array(roomFirst)
  let values = new Float32Array(roomFirst)
  let count = 0

  function forget(oldest: number): void {
    seconds.copyWithin(0, oldest, count)
    values.copyWithin(0, oldest, count)
    count -= oldest
  }

  function grow(): void {
    const room = Math.min(seconds.length * 2, samplesMax)
    const [oldSeconds, oldValues] = [seconds, values]
    seconds = new Uint32Array(room)
    values = new Float32Array(room)
    seconds.set(oldSeconds)
    values.set(oldValues)
  }

  function makeRoom(now: number): void {
    const young = seconds.subarray(0, count).findIndex((second) => second >= now - ageMaxSeconds)
    forget(young === -1 ? count : young)
    if (count < (seconds.length * 3) / 4) return
    if (seconds.length < samplesMax) grow()
    else forget(samplesMax / 4)
  }

  return {
    add(atMs, value) {
      const second = Math.floor(atMs / 1_000)
      while (count > 0 && (seconds[count - 1] ?? 0) > second) count -= 1
      if (count === seconds.length) makeRoom(second)
      seconds[count] = second
      values[count] = value
      count += 1
    },
    each(take) {
      for (let at = 0; at < count; at += 1) take((seconds[at] ?? 0) * 1_000, values[at] ?? 0)
    },
    firstMs: () => (count === 0 ? null : (seconds[0] ?? 0) * 1_000),
    spacingMs() {
      const spanned = (seconds[count - 1] ?? 0) - (seconds[0] ?? 0)
      return Math.max(1, Math.ceil(spanned / Math.max(1, count - 1))) * 1_000
    },
  }
}
