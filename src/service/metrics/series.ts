/** What was really measured: samples kept in buckets of four widths, bounded in count and age. */
import { z } from 'zod'
import type { Ledger } from '../store/ledger.ts'
import { type MetricKey, metricTypes, type Point, textOf, type Window } from './metric-key.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Each width is kept for as long as the durations that need it; `kept` ones survive a restart. */
const tiers = [
  { stepMs: secondMs, ageMaxMs: 2 * hourMs, isKept: false },
  { stepMs: minuteMs, ageMaxMs: 26 * hourMs, isKept: true },
  { stepMs: 30 * minuteMs, ageMaxMs: 15 * dayMs, isKept: true },
  { stepMs: 2 * hourMs, ageMaxMs: 400 * dayMs, isKept: true },
] as const

/** Metrics that are measured of one server; what is too much is skipped, and told once. */
const seriesMax = 200

type Bucket = { atMs: number; min: number; sum: number; max: number; count: number }
type Shelf = {
  readonly stepMs: number
  readonly ageMaxMs: number
  readonly isKept: boolean
  buckets: Bucket[]
}
type Sampled = { readonly atMs: number; readonly value: number }
type Series = {
  readonly hostname: string
  readonly key: MetricKey
  readonly shelves: readonly Shelf[]
  last: Sampled | null
  isStale: boolean
}

const bucketRecord = z.object({
  hostname: z.string(),
  key: z.object({ type: z.enum(metricTypes), source: z.string(), metric: z.string() }),
  stepMs: z.number(),
  bucket: z.object({
    atMs: z.number(),
    min: z.number(),
    sum: z.number(),
    max: z.number(),
    count: z.number().positive(),
  }),
})

export type SeriesStore = {
  /** Never throws for what is measured: more names than a server may have are skipped. */
  add(hostname: string, key: MetricKey, atMs: number, value: number): void
  /** Those that have points, stale or not. */
  keysOf(hostname: string): readonly MetricKey[]
  has(hostname: string, key: MetricKey): boolean
  /** The last sample of this run; null where there is none, and while the series is stale. */
  latest(hostname: string, key: MetricKey): Sampled | null
  /** When it was last sampled in this run, stale or not; null: not yet. */
  lastMs(hostname: string, key: MetricKey): number | null
  /** Null where nothing was measured. */
  points(hostname: string, key: MetricKey, window: Window): (Point | null)[]
  /** The finest width that still reaches back to `fromMs`. */
  finestStepMs(hostname: string, key: MetricKey, fromMs: number): number
  /** A series that a good look did not show, or without a key all of a server that could not be looked at: until the next sample. */
  markStale(hostname: string, key?: MetricKey): void
  /** Forgets all points of a server. */
  drop(hostname: string): void
  /** Writes what is not on disk yet. */
  flush(): void
}

/** `report` is told once of each server that shows more than is kept. */
export function openSeries(ledger: Ledger, report: (line: string) => void = () => {}): SeriesStore {
  const servers = new Map<string, Map<string, Series>>()
  const told = new Set<string>()

  const find = (hostname: string, key: MetricKey): Series | undefined =>
    servers.get(hostname)?.get(textOf(key))

  function seriesOf(hostname: string, key: MetricKey): Series | null {
    const text = textOf(key)
    const own = servers.get(hostname) ?? new Map<string, Series>()
    const known = own.get(text)
    if (known !== undefined) return known
    if (own.size >= seriesMax) {
      if (!told.has(hostname)) {
        report(`${hostname} shows more than ${seriesMax} metrics; what is more is not kept`)
      }
      told.add(hostname)
      return null
    }
    const shelves = tiers.map((tier) => ({ ...tier, buckets: [] }))
    const series: Series = { hostname, key, shelves, last: null, isStale: false }
    own.set(text, series)
    servers.set(hostname, own)
    return series
  }

  const documentKey = ({ hostname, key }: Series, stepMs: number, atMs: number): string =>
    `${JSON.stringify(hostname)} ${textOf(key)} ${stepMs} ${atMs}`

  function keep(series: Series, { isKept, stepMs }: Shelf, bucket: Bucket): void {
    if (!isKept) return
    const { hostname, key } = series
    ledger.put('bucket', documentKey(series, stepMs, bucket.atMs), { hostname, key, stepMs, bucket })
  }

  function forget(series: Series, { isKept, stepMs }: Shelf, bucket: Bucket): void {
    if (isKept) ledger.remove('bucket', documentKey(series, stepMs, bucket.atMs))
  }

  function dropOld(series: Series, shelf: Shelf, nowMs: number): void {
    while (shelf.buckets[0] !== undefined && shelf.buckets[0].atMs < nowMs - shelf.ageMaxMs) {
      for (const old of shelf.buckets.splice(0, 1)) forget(series, shelf, old)
    }
  }

  const loaded = ledger.load('bucket').flatMap(({ value }) => bucketRecord.safeParse(value).data ?? [])
  for (const { hostname, key, stepMs, bucket } of loaded.sort((a, b) => a.bucket.atMs - b.bucket.atMs)) {
    seriesOf(hostname, key)
      ?.shelves.find((shelf) => shelf.stepMs === stepMs)
      ?.buckets.push({ ...bucket })
  }

  return {
    add(hostname, key, atMs, value) {
      const series = seriesOf(hostname, key)
      if (series === null) return
      for (const shelf of series.shelves) {
        const startMs = Math.floor(atMs / shelf.stepMs) * shelf.stepMs
        const last = shelf.buckets.at(-1)
        if (last !== undefined && startMs <= last.atMs) {
          last.min = Math.min(last.min, value)
          last.max = Math.max(last.max, value)
          last.sum += value
          last.count += 1
          continue
        }
        if (last !== undefined) keep(series, shelf, last)
        shelf.buckets.push({ atMs: startMs, min: value, sum: value, max: value, count: 1 })
        dropOld(series, shelf, atMs)
      }
      series.last = { atMs, value }
      series.isStale = false
    },
    keysOf: (hostname) => [...(servers.get(hostname)?.values() ?? [])].map(({ key }) => key),
    has: (hostname, key) => find(hostname, key) !== undefined,
    latest(hostname, key) {
      const series = find(hostname, key)
      return series === undefined || series.isStale ? null : series.last
    },
    lastMs: (hostname, key) => find(hostname, key)?.last?.atMs ?? null,
    points(hostname, key, window) {
      const shelves = find(hostname, key)?.shelves ?? []
      const shelf = shelves.findLast((one) => one.stepMs <= window.stepMs)
      return shelf === undefined ? Array(window.count).fill(null) : gather(shelf.buckets, window)
    },
    finestStepMs(hostname, key, fromMs) {
      const shelves = find(hostname, key)?.shelves ?? []
      const startMs = (shelf: Shelf): number => shelf.buckets[0]?.atMs ?? Number.POSITIVE_INFINITY
      // Before the first bucket there is nothing that a wider one could add.
      const firstMs = Math.min(...shelves.map((shelf) => startMs(shelf) + shelf.stepMs))
      const enough = shelves.find((shelf) => startMs(shelf) <= Math.max(fromMs, firstMs))
      return (enough ?? shelves.at(-1))?.stepMs ?? secondMs
    },
    markStale(hostname, key) {
      const text = key === undefined ? null : textOf(key)
      for (const [own, series] of servers.get(hostname) ?? []) {
        if (text === null || text === own) series.isStale = true
      }
    },
    drop(hostname) {
      for (const series of servers.get(hostname)?.values() ?? []) {
        for (const shelf of series.shelves) for (const old of shelf.buckets) forget(series, shelf, old)
      }
      servers.delete(hostname)
      told.delete(hostname)
    },
    flush() {
      ledger.together(() => {
        for (const series of [...servers.values()].flatMap((own) => [...own.values()])) {
          for (const shelf of series.shelves) {
            const last = shelf.buckets.at(-1)
            if (last !== undefined) keep(series, shelf, last)
          }
        }
      })
    },
  }
}

function gather(buckets: readonly Bucket[], { fromMs, stepMs, count }: Window): (Point | null)[] {
  const sums: (Bucket | null)[] = Array(count).fill(null)
  for (const bucket of buckets) {
    const at = Math.floor((bucket.atMs - fromMs) / stepMs)
    if (at < 0 || at >= count) continue
    const sum = sums[at] ?? null
    sums[at] =
      sum === null
        ? { ...bucket }
        : {
            atMs: sum.atMs,
            min: Math.min(sum.min, bucket.min),
            max: Math.max(sum.max, bucket.max),
            sum: sum.sum + bucket.sum,
            count: sum.count + bucket.count,
          }
  }
  return sums.map((sum) => (sum === null ? null : [sum.min, sum.sum / sum.count, sum.max]))
}
