/**
 * Measured samples: what points are made of them, that neither count nor age grows without end, and what is kept of servers
 * that are no more.
 */
import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { heartbeatKey } from '../../src/service/alerts/triggers.ts'
import { goneKeptMax, goneKeptMs, openGoneServers } from '../../src/service/metrics/gone-servers.ts'
import type { MetricKey } from '../../src/service/metrics/metric-key.ts'
import { openSeries } from '../../src/service/metrics/series.ts'
import { memoryLedger } from '../../src/service/store/ledger.ts'
import { openRegistry } from '../../src/service/store/registry.ts'
import { newFile, openLedgerFile } from './ledger-file.ts'
import { clockByHand } from './open-service.ts'
import { metricsOf } from './records.ts'
import { configOf, exporterOf, openFleetTown, pass, targetOf } from './scrape/exporters.ts'

const key: MetricKey = { type: 'cpu', source: '', metric: 'cpu_busy' }
const host = 'web-1'
const startMs = Date.UTC(2026, 2, 1, 12)
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

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

test('a clock that was once ahead hides no point that is measured when it is right again, and one that goes back loses none', () => {
  const series = openSeries(memoryLedger())
  series.add(host, key, startMs, 1)
  series.add(host, key, startMs + 40 * dayMs, 99)
  series.write(startMs + 40 * dayMs)
  for (const [minute, value] of [
    [1, 2],
    [2, 3],
    [1, 4],
  ] as const) {
    series.add(host, key, startMs + minute * minuteMs, value)
  }
  series.write(startMs + 2 * minuteMs)
  expect(series.points(host, key, { fromMs: startMs, stepMs: minuteMs, count: 3 })).toEqual([
    [1, 1, 1],
    [2, 3, 4],
    [3, 3, 3],
  ])
  expect(series.latest(host, key)?.value).toBe(4)
  const daily = series.points(host, key, { fromMs: startMs - dayMs / 2, stepMs: dayMs, count: 2 })
  expect(daily).toEqual([[1, 2.5, 4], null])
  const seconds = series.points(host, key, { fromMs: startMs + minuteMs, stepMs: 1_000, count: 61 })
  expect(seconds.filter((point) => point !== null)).toEqual([[2, 3, 4]])
})

test('numbers at the end of all numbers made points without any number', () => {
  const series = openSeries(memoryLedger())
  for (const [second, value] of [1e308, -1e308, 1e308, 5].entries()) {
    series.add(host, key, startMs + second * 1_000, value)
  }
  for (const stepMs of [1_000, minuteMs, dayMs]) {
    const points = series.points(host, key, {
      fromMs: Math.floor(startMs / stepMs) * stepMs,
      stepMs,
      count: 1,
    })
    expect(points.flat().every(Number.isFinite), `${stepMs}`).toBe(true)
  }
  expect(series.add(host, key, startMs, Number.POSITIVE_INFINITY)).toBe(false)
})

test('seconds are kept for two hours, as far apart as they came', () => {
  const series = openSeries(memoryLedger())
  const count = 4 * 240
  for (let at = 0; at < count; at += 1) series.add(host, key, startMs + at * 15_000, at)
  const endMs = startMs + count * 15_000
  expect(series.finestStepMs(host, key, endMs - 30 * minuteMs)).toBe(15_000)
  const fromMs = endMs - 2 * 60 * minuteMs
  const points = series.points(host, key, { fromMs, stepMs: 15_000, count: 480 })
  expect(points).toEqual(Array.from({ length: 480 }, (_, at) => Array(3).fill(count - 480 + at)))
})

test('what is no number is no sample', () => {
  const series = openSeries(memoryLedger())
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) series.add(host, key, startMs, value)
  expect([series.keysOf(host), series.latest(host, key)]).toEqual([[], null])
  series.add(host, key, startMs, 1e300)
  series.write(startMs)
  series.write(startMs + 31 * minuteMs)
  const [point] = series.points(host, key, { fromMs: startMs, stepMs: 30 * minuteMs, count: 1 })
  expect(point?.every(Number.isFinite)).toBe(true)
})

test('more metrics than a server may have are skipped and told once, and those of other servers are kept', () => {
  const told: string[] = []
  const series = openSeries(memoryLedger(), (line) => told.push(line))
  for (let at = 0; at < 210; at += 1) series.add(host, { ...key, metric: `m${at}` }, startMs, at)
  expect(series.keysOf(host)).toHaveLength(200)
  expect(series.latest(host, { ...key, metric: 'm209' })).toBeNull()
  expect(told).toEqual(['web-1 shows more than 200 metrics; what is more is not kept'])
  series.add(host, heartbeatKey, startMs, 15)
  expect(series.latest(host, heartbeatKey)?.value).toBe(15)
  series.add('web-2', key, startMs, 7)
  expect(series.latest('web-2', key)).toEqual({ atMs: startMs, value: 7 })
})

test('names that change make room for others once they are gone, and none goes that was only not heard of yet', () => {
  const told: string[] = []
  const series = openSeries(memoryLedger(), (line) => told.push(line))
  const mount = (at: number): MetricKey => ({ type: 'disk', source: `/mnt/${at}`, metric: 'disk_free' })
  for (let at = 0; at < 200; at += 1) series.add(host, mount(at), startMs, at)

  series.markStale(host)
  series.add(host, mount(200), startMs + minuteMs, 1)
  expect(series.has(host, mount(200))).toBe(false)

  series.markStale(host, mount(7))
  series.add(host, mount(200), startMs + minuteMs, 1)
  expect([series.has(host, mount(7)), series.has(host, mount(200))]).toEqual([false, true])

  for (let minute = 2; minute < 20; minute += 1) series.add(host, mount(9), startMs + minute * minuteMs, 1)
  for (let at = 201; at < 300; at += 1) series.add(host, mount(at), startMs + 20 * minuteMs, 1)
  expect(series.keysOf(host)).toHaveLength(200)
  expect([series.has(host, mount(9)), series.has(host, mount(299))]).toEqual([true, true])
  expect(told).toHaveLength(1)
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

/** A store whose process can be ended and begun again. */
function openStore() {
  const file = newFile()
  const clock = clockByHand()
  let ledger = openLedgerFile(file)
  const openAll = () => {
    const registry = openRegistry(ledger)
    const series = openSeries(ledger)
    return { registry, series, gone: openGoneServers({ registry, series, ledger, nowMs: clock.nowMs }) }
  }
  let parts = openAll()
  return {
    clock,
    parts: () => parts,
    /** A server that lives for an hour. */
    liveAndGo(hostname: string) {
      const { registry, series } = parts
      registry.addServer({ hostname, environment: 'production', kind: 'scraped' }, [])
      for (let minute = 0; minute < 60; minute += 20) {
        series.add(hostname, key, clock.nowMs(), minute)
        series.write(clock.nowMs())
        clock.pass(20 * 60_000)
      }
      registry.deleteServer(hostname)
      parts.gone.settle()
    },
    passDays(days: number) {
      for (let minute = 0; minute < days * 24 * 60; minute += 20) {
        clock.pass(20 * 60_000)
        parts.gone.settle()
      }
    },
    begin() {
      ledger.close()
      ledger = openLedgerFile(file)
      parts = openAll()
    },
    bytes() {
      ledger.close()
      const { size } = statSync(file)
      ledger = openLedgerFile(file)
      parts = openAll()
      return size
    },
  }
}

test('servers that came and went for a year left the disk and the memory full of their points', () => {
  const store = openStore()
  for (let n = 0; n < goneKeptMax; n += 1) store.liveAndGo(`job-${n}`)
  store.passDays(goneKeptMs / dayMs)
  const before = store.bytes()
  for (let n = goneKeptMax; n < 3 * goneKeptMax; n += 1) {
    store.liveAndGo(`job-${n}`)
    if (n % 50 === 0) store.begin()
  }
  store.passDays(goneKeptMs / dayMs + 1)
  const kept = store.parts().series.hostnames()
  expect(kept).toHaveLength(goneKeptMax)
  expect(kept).toContain(`job-${3 * goneKeptMax - 1}`)
  // What was given back is written again before the file grows: a half more for the week in which all are kept.
  expect(store.bytes()).toBeLessThan(before * 4)
  store.passDays(30)
  expect(store.parts().series.hostnames()).toHaveLength(goneKeptMax)
})

test('a whole fleet that is out of the file by mistake has a week to come back, over a restart too', () => {
  const store = openStore()
  const names = Array.from({ length: goneKeptMax + 20 }, (_, n) => `web-${n}`)
  for (const hostname of names) {
    store.parts().registry.addServer({ hostname, environment: 'production', kind: 'scraped' }, [])
    store.parts().series.add(hostname, key, store.clock.nowMs(), 1)
  }
  store.parts().series.flush()
  for (const hostname of names) store.parts().registry.deleteServer(hostname)
  store.passDays(6)
  store.begin()
  expect(store.parts().series.hostnames()).toHaveLength(names.length)
  for (const hostname of names)
    store.parts().registry.addServer({ hostname, environment: 'production', kind: 'scraped' }, [])
  store.passDays(3)
  expect(store.parts().series.hostnames()).toHaveLength(names.length)
})

test('a server that is named again has its points again', async () => {
  const url = await exporterOf(() => 'node_load1 1.5\n')
  const here = configOf([targetOf('web-1', url), targetOf('web-2', url)])
  const town = await openFleetTown(here)
  await pass(town, 120)
  town.service.useConfig(configOf([targetOf('web-2', url)]))
  await pass(town, 3_600)
  town.service.useConfig(here)
  const load = { metric_type: 'plugin', metric_source_name: 'Load Average', metric_name: 'last_minute' }
  const { metrics } = await metricsOf(town, { ...load, server: 'web-1' })
  expect(metrics[0]?.points.filter(([, mean]) => mean !== null)).toHaveLength(3)
})
