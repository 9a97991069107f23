/** Measured samples: what points are made of them, and that neither count nor age grows without end. */
import { describe, expect, test } from 'vitest'
import type { MetricKey } from '../../src/service/metrics/metric-key.ts'
import { openSeries } from '../../src/service/metrics/series.ts'
import type { Ledger } from '../../src/service/store/ledger.ts'
import { memoryLedger } from '../../src/service/store/ledger.ts'

const key: MetricKey = { type: 'cpu', source: '', metric: 'cpu_busy' }
const host = 'web-1'
const startMs = Date.UTC(2026, 2, 1, 12)
const minuteMs = 60_000

/** A ledger that can be looked into. */
function openGlassLedger(): { ledger: Ledger; documents: Map<string, unknown> } {
  const documents = new Map<string, unknown>()
  return {
    documents,
    ledger: {
      ...memoryLedger(),
      load: () => [...documents].map(([one, value]) => ({ key: one, value })),
      put: (_, one, value) => void documents.set(one, structuredClone(value)),
      remove: (_, one) => void documents.delete(one),
    },
  }
}

test('a point is the lowest, mean and highest sample of its time; a time without samples is null', () => {
  const series = openSeries(memoryLedger())
  for (const [seconds, value] of [
    [0, 10],
    [2, 20],
    [59, 60],
    [130, 5],
  ] as const) {
    series.add(host, key, startMs + seconds * 1_000, value)
  }
  expect(series.points(host, key, { fromMs: startMs, stepMs: minuteMs, count: 4 })).toEqual([
    [10, 30, 60],
    null,
    [5, 5, 5],
    null,
  ])
  expect(series.points(host, key, { fromMs: startMs - minuteMs, stepMs: minuteMs, count: 2 })).toEqual([
    null,
    [10, 30, 60],
  ])
  expect(
    series.points(host, { ...key, metric: 'other' }, { fromMs: startMs, stepMs: minuteMs, count: 2 }),
  ).toEqual([null, null])
  expect(series.latest(host, key)).toEqual({ atMs: startMs + 130_000, value: 5 })
})

test('a wide point is made of all the samples in it, not of the means of narrow ones', () => {
  const series = openSeries(memoryLedger())
  const values = [1, 1, 1, 1, 101]
  for (const [at, value] of values.entries()) series.add(host, key, startMs + at * 1_000, value)
  series.add(host, key, startMs + 10 * minuteMs, 3)
  const [point] = series.points(host, key, { fromMs: startMs, stepMs: 30 * minuteMs, count: 1 })
  expect(point).toEqual([1, (4 + 101 + 3) / 6, 101])
})

describe('a year of samples', () => {
  const { ledger, documents } = openGlassLedger()
  const series = openSeries(ledger)
  const stepMs = 10 * minuteMs
  const count = 410 * 24 * 6
  for (let at = 0; at < count; at += 1) series.add(host, key, startMs + at * stepMs, at)
  const endMs = startMs + count * stepMs

  test('is bounded, on disk as well', () => {
    // 26 h of minutes, 15 d of half hours, 400 d of two hours, at most.
    expect(documents.size).toBeLessThan(26 * 60 + 15 * 48 + 400 * 12 + 10)
    expect(documents.size).toBeGreaterThan(400 * 12)
  })

  test('still answers for a whole year', () => {
    const dayMs = 24 * 60 * minuteMs
    const points = series.points(host, key, { fromMs: endMs - 365 * dayMs, stepMs: dayMs, count: 365 })
    expect(points.filter((point) => point === null)).toEqual([])
    expect(points.at(-1)?.[2]).toBe(count - 1)
    expect(points.at(-1)?.[0]).toBe(count - 144)
  })

  test('is there again after a restart, but for the seconds', () => {
    series.flush()
    const again = openSeries(ledger)
    const window = { fromMs: endMs - 24 * 60 * minuteMs, stepMs: 5 * minuteMs, count: 288 }
    expect(again.points(host, key, window)).toEqual(series.points(host, key, window))
    expect(again.latest(host, key)).toBeNull()
    expect(again.finestStepMs(host, key, endMs - 20 * minuteMs)).toBe(minuteMs)
    expect(series.finestStepMs(host, key, endMs - 20 * minuteMs)).toBe(1_000)
    expect(series.finestStepMs(host, key, endMs - 30 * 24 * 60 * minuteMs)).toBe(120 * minuteMs)
  })
})

test('a clock that goes back adds to the newest bucket, and loses nothing', () => {
  const series = openSeries(memoryLedger())
  series.add(host, key, startMs + minuteMs, 1)
  series.add(host, key, startMs, 9)
  expect(series.points(host, key, { fromMs: startMs, stepMs: minuteMs, count: 2 })).toEqual([null, [1, 5, 9]])
})

test('more metrics than a server may have are skipped and told once, and those of other servers are kept', () => {
  const told: string[] = []
  const series = openSeries(memoryLedger(), (line) => told.push(line))
  for (let at = 0; at < 210; at += 1) series.add(host, { ...key, metric: `m${at}` }, startMs, at)
  expect(series.keysOf(host)).toHaveLength(200)
  expect(series.latest(host, { ...key, metric: 'm209' })).toBeNull()
  expect(told).toEqual(['web-1 shows more than 200 metrics; what is more is not kept'])
  series.add('web-2', key, startMs, 7)
  expect(series.latest('web-2', key)).toEqual({ atMs: startMs, value: 7 })
})

test('a stale series has no latest value until its next sample, and keeps its points', () => {
  const series = openSeries(memoryLedger())
  const other = { ...key, metric: 'cpu_user' }
  for (const one of [key, other]) series.add(host, one, startMs, 5)
  series.markStale(host, key)
  expect([series.latest(host, key), series.lastMs(host, key)]).toEqual([null, startMs])
  expect(series.latest(host, other)).not.toBeNull()
  series.markStale(host)
  expect(series.latest(host, other)).toBeNull()
  expect(series.points(host, key, { fromMs: startMs, stepMs: minuteMs, count: 1 })).toEqual([[5, 5, 5]])
  series.add(host, key, startMs + minuteMs, 6)
  expect(series.latest(host, key)).toEqual({ atMs: startMs + minuteMs, value: 6 })
})

test('a server that is dropped loses its series, and no other does', () => {
  const series = openSeries(memoryLedger())
  for (const one of [host, 'web-2']) series.add(one, key, startMs, 5)
  series.drop(host)
  expect(series.keysOf(host)).toEqual([])
  expect(series.points(host, key, { fromMs: startMs, stepMs: minuteMs, count: 1 })).toEqual([null])
  expect(series.keysOf('web-2')).toEqual([key])
})
