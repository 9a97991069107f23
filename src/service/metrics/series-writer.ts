/** Writes the points of all series to disk: first as minutes, later in chunks, until they expire. */
import type { Ledger } from '../store/ledger.ts'
import { chunkMs, minutesOf, packMinutes, widths } from './chunk.ts'
import type { SeriesIndex } from './series-index.ts'
import { isEmpty, type MinuteBucket, packMinutesOf, restoreMinute } from './series-points.ts'

/** A kill loses the data since the last write: at most a minute, including the time between two calls. */
const writeEveryMs = 55_000
/** Minutes are collected for this long before they go into chunks, as each chunk is rewritten whole. */
const packAfterMs = 30 * 60_000
/** Series packed in one call: a few milliseconds of work. */
const packedAtOnce = 50
/**
 * Each minute one chunk of each width is forgotten for a hundred series, about three times as fast as they expire: a clock
 * that is temporarily years ahead does not cost years of points.
 */
const forgottenShare = 1 / 100

export type SeriesWriter = {
  /** Call every few seconds: writes once a minute, packs collected minutes, and drops expired points. */
  write(nowMs: number): void
  /** Writes what is not on disk yet. */
  flush(): void
  /** Drops what a server has on disk outside of chunks. */
  drop(hostname: string): void
}

/** Opens the writer, and loads the minutes on disk into the series of the index. */
export function openSeriesWriter(ledger: Ledger, index: SeriesIndex): SeriesWriter {
  const { archive } = ledger
  /** By hostname, the oldest minute on disk that no chunk has. */
  const waitsSinceMs = new Map<string, number>()
  let writtenMs: number | null = null

  function writeMinutes(): void {
    for (const hostname of index.hostnames()) {
      const unwritten: { seriesId: number; bucket: MinuteBucket }[] = []
      for (const { id, minutes } of index.of(hostname)) {
        for (const minute of minutes) if (!minute.isWritten) unwritten.push({ seriesId: id, bucket: minute })
      }
      const [oldest] = unwritten
      if (oldest === undefined) continue
      archive.addMinutes(hostname, packMinutes(unwritten))
      for (const { bucket } of unwritten) bucket.isWritten = true
      if (!waitsSinceMs.has(hostname)) waitsSinceMs.set(hostname, oldest.bucket.atMs)
    }
  }

  function forgetOld(nowMs: number): void {
    const countMax = Math.ceil(index.size() * forgottenShare)
    for (const { stepMs, ageMaxMs } of widths) {
      const ids = archive.removeChunks(stepMs, nowMs - ageMaxMs - chunkMs(stepMs), countMax)
      for (const series of new Set(ids.map(index.byId))) {
        if (series !== undefined && isEmpty(archive, series)) index.remove(series)
      }
    }
  }

  /** Moves a server's minutes into chunks: in one transaction, so that a kill leaves them in exactly one place. */
  function pack(hostname: string): number {
    const packed = [...index.of(hostname)]
    ledger.together(() => {
      for (const series of packed) packMinutesOf(archive, series)
      archive.removeMinutes(hostname)
    })
    for (const series of packed) series.minutes = []
    waitsSinceMs.delete(hostname)
    return packed.length
  }

  function packSome(nowMs: number): void {
    let packed = 0
    for (const [hostname, sinceMs] of waitsSinceMs) {
      if (packed >= packedAtOnce) return
      if (Math.abs(nowMs - sinceMs) >= packAfterMs) packed += pack(hostname)
    }
  }

  for (const { seriesId, bucket } of archive.minutes().flatMap((body) => [...minutesOf(body)])) {
    const series = index.byId(seriesId)
    if (series === undefined) continue
    restoreMinute(series, bucket)
    const sinceMs = waitsSinceMs.get(series.hostname) ?? bucket.atMs
    waitsSinceMs.set(series.hostname, Math.min(sinceMs, bucket.atMs))
  }

  return {
    write(nowMs) {
      if (writtenMs === null || Math.abs(nowMs - writtenMs) >= writeEveryMs) {
        ledger.together(() => {
          writeMinutes()
          forgetOld(nowMs)
        })
        writtenMs = nowMs
      }
      packSome(nowMs)
    },
    flush: () => ledger.together(writeMinutes),
    drop(hostname) {
      archive.removeMinutes(hostname)
      waitsSinceMs.delete(hostname)
    },
  }
}
