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

/** Metrics that one service measures; more than that is a mistake in a sampler. */
const seriesMax = 200

type Bucket = { atMs: number; min: number; sum: number; max: number; count: number }
type Shelf = {
  readonly stepMs: number
  readonly ageMaxMs: number
  readonly isKept: boolean
  buckets: Bucket[]
}
type Series = {
  readonly key: MetricKey
  readonly shelves: readonly Shelf[]
  latest: { atMs: number; value: number } | null
}

const bucketRecord = z.object({
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
  /** Times do not go backwards; a sample older than the newest bucket is counted in that one. */
  add(key: MetricKey, atMs: number, value: number): void
  keys(): readonly MetricKey[]
  latest(key: MetricKey): { readonly atMs: number; readonly value: number } | null
  /** Null where nothing was measured. */
  points(key: MetricKey, window: Window): (Point | null)[]
  /** The finest width that still reaches back to `fromMs`. */
  finestStepMs(key: MetricKey, fromMs: number): number
  /** Writes the buckets that are not full yet. */
  flush(): void
}

export function openSeries(ledger: Ledger): SeriesStore {
  const all = new Map<string, Series>()

  function seriesOf(key: MetricKey): Series {
    const text = textOf(key)
    const known = all.get(text)
    if (known !== undefined) return known
    if (all.size >= seriesMax) throw new Error(`more than ${seriesMax} metrics are measured`)
    const series: Series = { key, shelves: tiers.map((tier) => ({ ...tier, buckets: [] })), latest: null }
    all.set(text, series)
    return series
  }

  const documentKey = (key: MetricKey, stepMs: number, atMs: number): string =>
    `${textOf(key)} ${stepMs} ${atMs}`

  function keep(key: MetricKey, shelf: Shelf, bucket: Bucket): void {
    if (!shelf.isKept) return
    ledger.put('bucket', documentKey(key, shelf.stepMs, bucket.atMs), { key, stepMs: shelf.stepMs, bucket })
  }

  function dropOld(key: MetricKey, shelf: Shelf, nowMs: number): void {
    while (shelf.buckets[0] !== undefined && shelf.buckets[0].atMs < nowMs - shelf.ageMaxMs) {
      const [old] = shelf.buckets.splice(0, 1)
      if (old !== undefined && shelf.isKept) ledger.remove('bucket', documentKey(key, shelf.stepMs, old.atMs))
    }
  }

  const loaded = ledger.load('bucket').map(({ value }) => bucketRecord.parse(value))
  for (const { key, stepMs, bucket } of loaded.sort((a, b) => a.bucket.atMs - b.bucket.atMs)) {
    seriesOf(key)
      .shelves.find((shelf) => shelf.stepMs === stepMs)
      ?.buckets.push({ ...bucket })
  }

  return {
    add(key, atMs, value) {
      const series = seriesOf(key)
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
        if (last !== undefined) keep(key, shelf, last)
        shelf.buckets.push({ atMs: startMs, min: value, sum: value, max: value, count: 1 })
        dropOld(key, shelf, atMs)
      }
      series.latest = { atMs, value }
    },
    keys: () => [...all.values()].map(({ key }) => key),
    latest: (key) => all.get(textOf(key))?.latest ?? null,
    points(key, window) {
      const shelves = all.get(textOf(key))?.shelves ?? []
      const shelf = shelves.findLast((one) => one.stepMs <= window.stepMs)
      return shelf === undefined ? Array(window.count).fill(null) : gather(shelf.buckets, window)
    },
    finestStepMs(key, fromMs) {
      const shelves = all.get(textOf(key))?.shelves ?? []
      const startMs = (shelf: Shelf): number => shelf.buckets[0]?.atMs ?? Number.POSITIVE_INFINITY
      // Before the first bucket there is nothing that a wider one could add.
      const firstMs = Math.min(...shelves.map((shelf) => startMs(shelf) + shelf.stepMs))
      const enough = shelves.find((shelf) => startMs(shelf) <= Math.max(fromMs, firstMs))
      return (enough ?? shelves.at(-1))?.stepMs ?? secondMs
    },
    flush() {
      ledger.together(() => {
        for (const { key, shelves } of all.values()) {
          for (const shelf of shelves) {
            const last = shelf.buckets.at(-1)
            if (last !== undefined) keep(key, shelf, last)
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
