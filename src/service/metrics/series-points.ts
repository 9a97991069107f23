/** The points of one series: in chunks, and the minutes that are in no chunk yet. */
import type { Archive } from '../store/ledger.ts'
import { type Bucket, bucketsOf, chunkStartMs, eachBucket, type Take, widths, withBuckets } from './chunk.ts'
import type { Point, Window } from './metric-key.ts'

export type SeriesPoints = {
  readonly id: number
  /** A chunk is rewritten whole when something is added to it. */
  minutes: MinuteBucket[]
}

/** Changed in place, to avoid an object for each sample of a fleet. */
export type MinuteBucket = { -readonly [Field in keyof Bucket]: Bucket[Field] } & { isWritten: boolean }

const minuteMs = 60_000

export function addSample({ minutes }: SeriesPoints, atMs: number, value: number): void {
  const startMs = Math.floor(atMs / minuteMs) * minuteMs
  const known = minutes.findLast((minute) => minute.atMs === startMs)
  if (known === undefined) {
    minutes.push({ atMs: startMs, min: value, mean: value, max: value, count: 1, isWritten: false })
    return
  }
  known.min = Math.min(known.min, value)
  known.max = Math.max(known.max, value)
  known.count += 1
  known.mean += (value - known.mean) / known.count
  known.isWritten = false
}

/** Loads a minute from disk; a later record of the same minute replaces an earlier one. */
export function restoreMinute(points: SeriesPoints, bucket: Bucket): void {
  points.minutes = points.minutes.filter(({ atMs }) => atMs !== bucket.atMs)
  points.minutes.push({ ...bucket, isWritten: true })
}

/** All buckets that overlap this time, and possibly some more. */
export function eachBucketBetween(
  archive: Archive,
  { id, minutes }: SeriesPoints,
  { stepMs, fromMs, untilMs }: { readonly stepMs: number; readonly fromMs: number; readonly untilMs: number },
  take: Take,
): void {
  for (const { atMs, body } of archive.chunks(id, stepMs, chunkStartMs(stepMs, fromMs), untilMs)) {
    eachBucket(body, atMs, stepMs, take)
  }
  for (const { atMs, min, mean, max, count } of minutes) take(atMs, min, mean, max, count)
}

/** Start of the points of a width; null if there are none. */
export function firstMs(archive: Archive, { id, minutes }: SeriesPoints, stepMs: number): number | null {
  const chunk = archive.firstChunk(id, stepMs)
  const [first] = chunk === null ? [] : bucketsOf(chunk.body, chunk.atMs, stepMs)
  const times = [...(first === undefined ? [] : [first]), ...minutes]
  return times.length === 0 ? null : Math.min(...times.map(({ atMs }) => atMs))
}

export function isEmpty(archive: Archive, { id, minutes }: SeriesPoints): boolean {
  return minutes.length === 0 && widths.every(({ stepMs }) => archive.firstChunk(id, stepMs) === null)
}

/** Copies its minutes into the chunks of every width; they remain its minutes as well. */
export function packMinutesOf(archive: Archive, { id, minutes }: SeriesPoints): void {
  for (const { stepMs } of widths) {
    const byChunk = Map.groupBy(minutes, (minute) => chunkStartMs(stepMs, minute.atMs))
    for (const [atMs, buckets] of byChunk) {
      const [known] = archive.chunks(id, stepMs, atMs, atMs + 1)
      archive.putChunk(id, stepMs, { atMs, body: withBuckets(known?.body ?? null, stepMs, buckets) })
    }
  }
}

/**
 * Collects buckets into the points of a window; null if there was none. `pour` passes them in any order; those outside the window
 * are skipped.
 */
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
