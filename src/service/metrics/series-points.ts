/** The points of one series: those in chunks, and the minutes that are in no chunk yet. */
import type { Archive } from '../store/archive.ts'
import { type Bucket, bucketsOf, chunkStartMs, mergedBucket, widths, withBuckets } from './chunk.ts'

export type SeriesPoints = {
  readonly id: number
  /** Each is written again, whole, when something was added to it. */
  minutes: { bucket: Bucket; isWritten: boolean }[]
}

const minuteMs = 60_000

export function addSample({ minutes }: SeriesPoints, atMs: number, value: number): void {
  const startMs = Math.floor(atMs / minuteMs) * minuteMs
  const bucket: Bucket = { atMs: startMs, min: value, mean: value, max: value, count: 1 }
  const known = minutes.findLast((minute) => minute.bucket.atMs === startMs)
  if (known === undefined) minutes.push({ bucket, isWritten: false })
  else {
    known.bucket = mergedBucket(known.bucket, bucket)
    known.isWritten = false
  }
}

/** As it was found on disk, where a later writing of a minute takes the place of an earlier one. */
export function restoreMinute(points: SeriesPoints, bucket: Bucket): void {
  points.minutes = points.minutes.filter((minute) => minute.bucket.atMs !== bucket.atMs)
  points.minutes.push({ bucket, isWritten: true })
}

/** All that touch the time between, and perhaps some more. */
export function* bucketsBetween(
  archive: Archive,
  { id, minutes }: SeriesPoints,
  { stepMs, fromMs, untilMs }: { readonly stepMs: number; readonly fromMs: number; readonly untilMs: number },
): Iterable<Bucket> {
  for (const { atMs, body } of archive.chunks(id, stepMs, chunkStartMs(stepMs, fromMs), untilMs)) {
    yield* bucketsOf(body, atMs, stepMs)
  }
  for (const { bucket } of minutes) yield bucket
}

/** When the points of a width begin; null where there are none. */
export function firstMs(archive: Archive, { id, minutes }: SeriesPoints, stepMs: number): number | null {
  const chunk = archive.firstChunk(id, stepMs)
  const [first] = chunk === null ? [] : bucketsOf(chunk.body, chunk.atMs, stepMs)
  const times = [...(first === undefined ? [] : [first]), ...minutes.map(({ bucket }) => bucket)]
  return times.length === 0 ? null : Math.min(...times.map(({ atMs }) => atMs))
}

/** Puts its minutes into the chunks of every width; they are still its minutes. */
export function packMinutesOf(archive: Archive, { id, minutes }: SeriesPoints): void {
  for (const { stepMs } of widths) {
    const byChunk = Map.groupBy(minutes, ({ bucket }) => chunkStartMs(stepMs, bucket.atMs))
    for (const [atMs, group] of byChunk) {
      const [known] = archive.chunks(id, stepMs, atMs, atMs + 1)
      const buckets = group.map(({ bucket }) => bucket)
      archive.putChunk(id, stepMs, { atMs, body: withBuckets(known?.body ?? null, stepMs, buckets) })
    }
  }
}
