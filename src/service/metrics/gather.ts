/** Merges buckets into the points of a chart, which are at least as wide. Pure. */
import type { Take } from './chunk.ts'
import type { Point, Window } from './metric-key.ts'

/** `pour` passes in the buckets, in any order; those outside the window are skipped. Null if there was none. */
export function gather({ fromMs, stepMs, count }: Window, pour: (take: Take) => void): (Point | null)[] {
  const lowest = new Float64Array(count).fill(Number.POSITIVE_INFINITY)
  const highest = new Float64Array(count).fill(Number.NEGATIVE_INFINITY)
  const means = new Float64Array(count)
  const samples = new Float64Array(count)
  pour((atMs, min, mean, max, weight) => {
    const at = Math.floor((atMs - fromMs) / stepMs)
    const [low, high, known, had] = [lowest[at], highest[at], means[at], samples[at]]
    if (low === undefined || high === undefined || known === undefined || had === undefined) return
    lowest[at] = Math.min(low, min)
    highest[at] = Math.max(high, max)
    means[at] = known + (mean - known) * (weight / (had + weight))
    samples[at] = had + weight
  })
  return Array.from(samples, (had, at) => {
    const [low = 0, high = 0, known = 0] = [lowest[at], highest[at], means[at]]
    // Packed numbers are rounded, and a mean outside its range would look wrong.
    return had === 0 ? null : [low, Math.min(high, Math.max(low, known)), high]
  })
}
