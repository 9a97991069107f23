/** Makes the points of a chart from buckets that are no wider than they are. Pure. */
import type { Take } from './chunk.ts'
import type { Point, Window } from './metric-key.ts'

/** `pour` hands over every bucket, in any order; those outside of the window are left out. Null where there was none. */
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
    // Packed numbers are rounded, and a mean outside of its range would look like a mistake.
    return had === 0 ? null : [low, Math.min(high, Math.max(low, known)), high]
  })
}
