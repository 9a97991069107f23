/** The measured data of every server: each series' recent samples, and its points for 400 days. */
import type { Archive, Ledger } from '../store/ledger.ts'
import { widths } from './chunk.ts'
import type { MetricKey, Point, Window } from './metric-key.ts'
import { openSamples } from './samples.ts'
import { openSeriesIndex, type Sampled, type Series } from './series-index.ts'
import { addSample, eachBucketBetween, firstMs, gather } from './series-points.ts'
import { openSeriesWriter, type SeriesWriter } from './series-writer.ts'

/** The float32 range: beyond it, a mean cannot be stored. */
const valueMax = 3.4e38

export type SeriesStore = Pick<SeriesWriter, 'write' | 'flush'> & {
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
}

/** `report` is called once for each server with more series than are kept. */
export function openSeries(ledger: Ledger, report: (line: string) => void = () => {}): SeriesStore {
  const { archive } = ledger
  const index = openSeriesIndex(archive, report)
  const writer = openSeriesWriter(ledger, index)

  return {
    add(hostname, key, atMs, given) {
      const series = Number.isFinite(given) ? index.claim(hostname, key, atMs) : null
      if (series === null) return false
      const value = Math.max(-valueMax, Math.min(valueMax, given))
      series.samples.add(atMs, value)
      addSample(series, atMs, value)
      series.last = { atMs, value }
      series.isStale = false
      series.isMissing = false
      return true
    },
    keysOf: (hostname) => Array.from(index.of(hostname), ({ key }) => key),
    has: (hostname, key) => index.find(hostname, key) !== undefined,
    latest(hostname, key) {
      const series = index.find(hostname, key)
      return series === undefined || series.isStale ? null : series.last
    },
    lastMs: (hostname, key) => index.find(hostname, key)?.last?.atMs ?? null,
    points(hostname, key, window) {
      const series = index.find(hostname, key)
      return series === undefined ? Array(window.count).fill(null) : pointsOf(archive, series, window)
    },
    finestStepMs(hostname, key, fromMs) {
      const series = index.find(hostname, key)
      return series === undefined ? 1_000 : finestStepOf(archive, series, fromMs)
    },
    markStale(hostname, key, isMissing = key !== undefined) {
      for (const series of key === undefined ? index.of(hostname) : [index.find(hostname, key)]) {
        if (series === undefined) continue
        series.isStale = true
        series.isMissing ||= isMissing
      }
    },
    hostnames: index.hostnames,
    rest(hostname) {
      for (const series of index.of(hostname)) {
        series.samples = openSamples()
        series.last = null
      }
    },
    drop(hostname) {
      ledger.together(() => {
        index.removeServer(hostname)
        writer.drop(hostname)
      })
    },
    write: writer.write,
    flush: writer.flush,
  }
}

function pointsOf(archive: Archive, series: Series, window: Window): (Point | null)[] {
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
}

function finestStepOf(archive: Archive, series: Series, fromMs: number): number {
  const shelves = [
    { stepMs: series.samples.spacingMs(), startMs: series.samples.firstMs() },
    ...widths.map(({ stepMs }) => ({ stepMs, startMs: firstMs(archive, series, stepMs) })),
  ].map(({ stepMs, startMs }) => ({ stepMs, startMs: startMs ?? Number.POSITIVE_INFINITY }))
  // Wider buckets start no earlier, so they add nothing before the first one.
  const beginMs = Math.min(...shelves.map(({ stepMs, startMs }) => startMs + stepMs))
  const enough = shelves.find(({ startMs }) => startMs <= Math.max(fromMs, beginMs))
  return (enough ?? shelves.at(-1))?.stepMs ?? 1_000
}
