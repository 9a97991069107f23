/** The measured data of every server: each series' recent samples, and its points for 400 days. */
import { z } from 'zod'
import { heartbeatKey } from '../alerts/triggers.ts'
import type { Ledger } from '../store/ledger.ts'
import { chunkMs, minutesOf, packMinutes, widths } from './chunk.ts'
import { gather } from './gather.ts'
import { type MetricKey, metricTypes, type Point, textOf, type Window } from './metric-key.ts'
import { openSamples, type Samples } from './samples.ts'
import {
  addSample,
  eachBucketBetween,
  firstMs,
  isEmpty,
  type MinuteBucket,
  packMinutesOf,
  restoreMinute,
  type SeriesPoints,
} from './series-points.ts'

const minuteMs = 60_000
/** The float32 range: beyond it, a mean cannot be stored. */
const valueMax = 3.4e38

/** Most series per server, not counting its heartbeat. */
const seriesMax = 200
/** A series without samples for this long, while its server reported, makes room for a new one. */
const silentMs = 15 * minuteMs

/** A kill loses the data since the last write: at most a minute, including the time between two calls. */
const writeEveryMs = 55_000
/** Minutes are collected for this long before they go into chunks, as each chunk is rewritten whole. */
const packAfterMs = 30 * minuteMs
/** Series packed in one call: a few milliseconds of work. */
const packedAtOnce = 50
/**
 * Each minute one chunk of each width is forgotten for a hundred series, about three times as fast as they expire: a clock
 * that is temporarily years ahead does not cost years of points.
 */
const forgottenShare = 1 / 100

type Sampled = { readonly atMs: number; readonly value: number }

type Series = SeriesPoints & {
  readonly hostname: string
  readonly key: MetricKey
  samples: Samples
  last: Sampled | null
  isStale: boolean
  /** A successful reading did not include it. */
  isMissing: boolean
}

type Server = {
  readonly series: Map<string, Series>
  /** When it was first measured in this run. */
  sinceMs: number | null
  /** The oldest minute on disk that no chunk has. */
  waitsSinceMs: number | null
  isTold: boolean
}

export type SeriesStore = {
  /** Never throws on bad data: values that are not numbers, and names beyond a server's limit, are skipped and return false. */
  add(hostname: string, key: MetricKey, atMs: number, value: number): boolean
  /** All with points, stale or not. */
  keysOf(hostname: string): readonly MetricKey[]
  has(hostname: string, key: MetricKey): boolean
  /** The last sample of this run; null if there is none or the series is stale. */
  latest(hostname: string, key: MetricKey): Sampled | null
  /** When it was last sampled in this run, stale or not; null: not yet. */
  lastMs(hostname: string, key: MetricKey): number | null
  /** Null if nothing was measured. */
  points(hostname: string, key: MetricKey, window: Window): (Point | null)[]
  /** The finest width that still reaches back to `fromMs`. */
  finestStepMs(hostname: string, key: MetricKey, fromMs: number): number
  /**
   * Marks as stale a series that a successful reading did not include, or, without a key, all series of an unreachable server, until the next
   * sample. `isMissing` is false for a series that could not be read either.
   */
  markStale(hostname: string, key?: MetricKey, isMissing?: boolean): void
  /** All with points. */
  hostnames(): readonly string[]
  /** Frees the memory of a server that sends nothing more; its points stay. */
  rest(hostname: string): void
  /** Forgets a server with all its points. */
  drop(hostname: string): void
  /** Call every few seconds: writes once a minute, packs collected minutes, and drops expired points. */
  write(nowMs: number): void
  /** Writes what is not on disk yet. */
  flush(): void
}

/** `report` is called once for each server with more series than are kept. */
export function openSeries(ledger: Ledger, report: (line: string) => void = () => {}): SeriesStore {
  const { archive } = ledger
  const servers = new Map<string, Server>()
  const byId = new Map<number, Series>()
  let writtenMs: number | null = null

  const find = (hostname: string, key: MetricKey): Series | undefined =>
    servers.get(hostname)?.series.get(textOf(key))

  function serverOf(hostname: string): Server {
    const known = servers.get(hostname)
    if (known !== undefined) return known
    const fresh: Server = { series: new Map(), sinceMs: null, waitsSinceMs: null, isTold: false }
    servers.set(hostname, fresh)
    return fresh
  }

  function shelve(server: Server, id: number, hostname: string, key: MetricKey): Series {
    const series: Series = {
      ...{ id, hostname, key, samples: openSamples(), minutes: [] },
      ...{ last: null, isStale: false, isMissing: false },
    }
    server.series.set(textOf(key), series)
    byId.set(id, series)
    return series
  }

  /** Null if the server has too many active series. */
  function seriesFor(hostname: string, key: MetricKey, atMs: number): Series | null {
    const server = serverOf(hostname)
    server.sinceMs ??= atMs
    const text = textOf(key)
    const known = server.series.get(text)
    if (known !== undefined) return known
    if (server.series.size >= seriesMax && text !== heartbeat && !makeRoom(server, atMs)) {
      if (!server.isTold) report(`${hostname} shows more than ${seriesMax} metrics; what is more is not kept`)
      server.isTold = true
      return null
    }
    return shelve(server, archive.addSeries(hostname, text), hostname, key)
  }

  /** Changing names (mounts, interfaces) make room for new ones; right after a start it is unknown which are gone. */
  function makeRoom(server: Server, nowMs: number): boolean {
    let longest: { series: Series; heardMs: number } | null = null
    for (const series of server.series.values()) {
      const heardMs = series.last?.atMs ?? server.sinceMs ?? nowMs
      const isGone = series.isMissing || nowMs - heardMs >= silentMs
      if (isGone && (longest === null || heardMs < longest.heardMs)) longest = { series, heardMs }
    }
    if (longest !== null) forget(longest.series)
    return longest !== null
  }

  function forget({ id, hostname, key }: Series): void {
    archive.removeSeries(id)
    byId.delete(id)
    servers.get(hostname)?.series.delete(textOf(key))
  }

  function writeMinutes(nowMs: number | null): void {
    ledger.together(() => {
      for (const [hostname, server] of servers) {
        const unwritten: { seriesId: number; bucket: MinuteBucket }[] = []
        for (const { id, minutes } of server.series.values()) {
          for (const minute of minutes)
            if (!minute.isWritten) unwritten.push({ seriesId: id, bucket: minute })
        }
        const [oldest] = unwritten
        if (oldest === undefined) continue
        archive.addMinutes(hostname, packMinutes(unwritten))
        for (const { bucket } of unwritten) bucket.isWritten = true
        server.waitsSinceMs ??= oldest.bucket.atMs
      }
      if (nowMs !== null) forgetOld(nowMs)
    })
  }

  function forgetOld(nowMs: number): void {
    const countMax = Math.ceil(byId.size * forgottenShare)
    for (const { stepMs, ageMaxMs } of widths) {
      const ids = archive.removeChunks(stepMs, nowMs - ageMaxMs - chunkMs(stepMs), countMax)
      for (const series of new Set(ids.map((id) => byId.get(id)))) {
        if (series !== undefined && isEmpty(archive, series)) forget(series)
      }
    }
  }

  /** Moves a server's minutes into chunks: in one transaction, so that a kill leaves them in exactly one place. */
  function pack(hostname: string, server: Server): void {
    ledger.together(() => {
      for (const series of server.series.values()) packMinutesOf(archive, series)
      archive.removeMinutes(hostname)
    })
    for (const series of server.series.values()) series.minutes = []
    server.waitsSinceMs = null
  }

  function packSome(nowMs: number): void {
    let packed = 0
    for (const [hostname, server] of servers) {
      const { waitsSinceMs, series } = server
      if (packed >= packedAtOnce) return
      if (waitsSinceMs === null || Math.abs(nowMs - waitsSinceMs) < packAfterMs) continue
      pack(hostname, server)
      packed += series.size
    }
  }

  for (const { id, hostname, key } of archive.series()) {
    const [type, source, metric] = keyText.parse(JSON.parse(key))
    shelve(serverOf(hostname), id, hostname, { type, source, metric })
  }
  for (const { seriesId, bucket } of archive.minutes().flatMap((body) => [...minutesOf(body)])) {
    const series = byId.get(seriesId)
    if (series === undefined) continue
    restoreMinute(series, bucket)
    const server = serverOf(series.hostname)
    server.waitsSinceMs = Math.min(server.waitsSinceMs ?? bucket.atMs, bucket.atMs)
  }

  return {
    add(hostname, key, atMs, given) {
      const series = Number.isFinite(given) ? seriesFor(hostname, key, atMs) : null
      if (series === null) return false
      const value = Math.max(-valueMax, Math.min(valueMax, given))
      series.samples.add(atMs, value)
      addSample(series, atMs, value)
      series.last = { atMs, value }
      series.isStale = false
      series.isMissing = false
      return true
    },
    keysOf: (hostname) => [...(servers.get(hostname)?.series.values() ?? [])].map(({ key }) => key),
    has: (hostname, key) => find(hostname, key) !== undefined,
    latest(hostname, key) {
      const series = find(hostname, key)
      return series === undefined || series.isStale ? null : series.last
    },
    lastMs: (hostname, key) => find(hostname, key)?.last?.atMs ?? null,
    points(hostname, key, window) {
      const series = find(hostname, key)
      if (series === undefined) return Array(window.count).fill(null)
      const width = widths.findLast(({ stepMs }) => stepMs <= window.stepMs)
      return gather(window, (take) => {
        if (width === undefined) {
          series.samples.each((atMs, value) => take(atMs, value, value, value, 1))
          return
        }
        const untilMs = window.fromMs + window.count * window.stepMs
        const between = { stepMs: width.stepMs, fromMs: window.fromMs, untilMs }
        eachBucketBetween(archive, series, between, take)
      })
    },
    finestStepMs(hostname, key, fromMs) {
      const series = find(hostname, key)
      if (series === undefined) return 1_000
      const shelves = [
        { stepMs: series.samples.spacingMs(), startMs: series.samples.firstMs() },
        ...widths.map(({ stepMs }) => ({ stepMs, startMs: firstMs(archive, series, stepMs) })),
      ].map(({ stepMs, startMs }) => ({ stepMs, startMs: startMs ?? Number.POSITIVE_INFINITY }))
      // Wider buckets start no earlier, so they add nothing before the first one.
      const beginMs = Math.min(...shelves.map(({ stepMs, startMs }) => startMs + stepMs))
      const enough = shelves.find(({ startMs }) => startMs <= Math.max(fromMs, beginMs))
      return (enough ?? shelves.at(-1))?.stepMs ?? 1_000
    },
    markStale(hostname, key, isMissing = key !== undefined) {
      const text = key === undefined ? null : textOf(key)
      for (const [own, series] of servers.get(hostname)?.series ?? []) {
        if (text !== null && text !== own) continue
        series.isStale = true
        series.isMissing ||= isMissing
      }
    },
    hostnames: () => [...servers].flatMap(([hostname, { series }]) => (series.size === 0 ? [] : [hostname])),
    rest(hostname) {
      for (const series of servers.get(hostname)?.series.values() ?? []) {
        series.samples = openSamples()
        series.last = null
      }
    },
    drop(hostname) {
      ledger.together(() => {
        for (const series of [...(servers.get(hostname)?.series.values() ?? [])]) forget(series)
        archive.removeMinutes(hostname)
      })
      servers.delete(hostname)
    },
    write(nowMs) {
      if (writtenMs === null || Math.abs(nowMs - writtenMs) >= writeEveryMs) {
        writeMinutes(nowMs)
        writtenMs = nowMs
      }
      packSome(nowMs)
    },
    flush: () => writeMinutes(null),
  }
}

const heartbeat = textOf(heartbeatKey)
const keyText = z.tuple([z.enum(metricTypes), z.string(), z.string()])
