/** The index of all series: at most 200 per server, where a new name replaces one that is gone. */
import { z } from 'zod'
import { heartbeatKey } from '../alerts/triggers.ts'
import type { Archive } from '../store/ledger.ts'
import { type MetricKey, metricTypes, textOf } from './metric-key.ts'
import { openSamples, type Samples } from './samples.ts'
import type { SeriesPoints } from './series-points.ts'

/** Most series per server, not counting its heartbeat. */
const seriesMax = 200
/** A series without samples for this long, while its server reported, makes room for a new one. */
const silentMs = 15 * 60_000

export type Sampled = { readonly atMs: number; readonly value: number }

export type Series = SeriesPoints & {
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
  isTold: boolean
}

export type SeriesIndex = {
  find(hostname: string, key: MetricKey): Series | undefined
  /** New if it is not known yet; null if the server has too many active series. */
  claim(hostname: string, key: MetricKey, nowMs: number): Series | null
  byId(id: number): Series | undefined
  /** All of a server. */
  of(hostname: string): Iterable<Series>
  /** Those that have a series. */
  hostnames(): readonly string[]
  /** How many there are of all servers. */
  size(): number
  /** Forgets it with its points. */
  remove(series: Series): void
  /** Forgets a server with all its series. */
  removeServer(hostname: string): void
}

const heartbeat = textOf(heartbeatKey)
const keyText = z.tuple([z.enum(metricTypes), z.string(), z.string()])

/** Starts with the series of the archive. `report` is called once for each server with more series than are kept. */
export function openSeriesIndex(archive: Archive, report: (line: string) => void): SeriesIndex {
  const servers = new Map<string, Server>()
  const byId = new Map<number, Series>()

  function serverOf(hostname: string): Server {
    const known = servers.get(hostname)
    if (known !== undefined) return known
    const fresh: Server = { series: new Map(), sinceMs: null, isTold: false }
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

  /** Changing names (mounts, interfaces) make room for new ones; right after a start it is unknown which are gone. */
  function makeRoom(server: Server, nowMs: number): boolean {
    let longest: { series: Series; heardMs: number } | null = null
    for (const series of server.series.values()) {
      const heardMs = series.last?.atMs ?? server.sinceMs ?? nowMs
      const isGone = series.isMissing || nowMs - heardMs >= silentMs
      if (isGone && (longest === null || heardMs < longest.heardMs)) longest = { series, heardMs }
    }
    if (longest !== null) remove(longest.series)
    return longest !== null
  }

  function remove({ id, hostname, key }: Series): void {
    archive.removeSeries(id)
    byId.delete(id)
    servers.get(hostname)?.series.delete(textOf(key))
  }

  for (const { id, hostname, key } of archive.series()) {
    const [type, source, metric] = keyText.parse(JSON.parse(key))
    shelve(serverOf(hostname), id, hostname, { type, source, metric })
  }

  return {
    find: (hostname, key) => servers.get(hostname)?.series.get(textOf(key)),
    claim(hostname, key, nowMs) {
      const server = serverOf(hostname)
      server.sinceMs ??= nowMs
      const text = textOf(key)
      const known = server.series.get(text)
      if (known !== undefined) return known
      if (server.series.size >= seriesMax && text !== heartbeat && !makeRoom(server, nowMs)) {
        if (!server.isTold)
          report(`${hostname} shows more than ${seriesMax} metrics; what is more is not kept`)
        server.isTold = true
        return null
      }
      return shelve(server, archive.addSeries(hostname, text), hostname, key)
    },
    byId: (id) => byId.get(id),
    of: (hostname) => servers.get(hostname)?.series.values() ?? [],
    hostnames: () => [...servers].flatMap(([hostname, { series }]) => (series.size === 0 ? [] : [hostname])),
    size: () => byId.size,
    remove,
    removeServer(hostname) {
      for (const series of servers.get(hostname)?.series.values() ?? []) remove(series)
      servers.delete(hostname)
    },
  }
}
