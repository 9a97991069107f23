/**
 * What is pushed: counters that begin anew, deltas that come no more, what is told as refused, and hosts that are scraped as
 * well.
 */
import { expect, test } from 'vitest'
import type { TriggerRule } from '../../src/service/alerts/triggers.ts'
import { pushedSilentMs } from '../../src/service/alerts/usual-triggers.ts'
import { openSenders } from '../../src/service/push/senders.ts'
import { clockByHand, openTown, startMs, type Town } from './open-service.ts'
import { counter, dataPoints, exportOf, gauge, host, lastOf, push } from './pushes.ts'
import { configOf, exporterOf, openFleetTown, openOn, pass, targetOf } from './scrape/exporters.ts'

const custom = (name: string) => `metric_type=custom_metric&metric_source_name=${name}&metric_name=${name}`

/** A counter that says when it began. */
function since(name: string, startedMs: number, value: number, atMs: number) {
  const points = dataPoints([{ value, atMs }]).map((one) => ({
    ...one,
    startTimeUnixNano: `${startedMs}000000`,
  }))
  return { name, sum: { dataPoints: points, aggregationTemporality: 2, isMonotonic: true } }
}

test('a counter that began anew and is higher already was told to have grown by the difference only', async () => {
  const town = await openTown()
  const say = async (startedMs: number, value: number) => {
    await push(town, exportOf(host, since('sold', startedMs, value, town.clock.nowMs())))
    town.clock.pass(60_000)
  }
  await say(startMs - 600_000, 60)
  await say(startMs + 30_000, 120)
  expect(await lastOf(town, custom('sold'))).toBe(2)
  await say(startMs + 30_000, 180)
  expect(await lastOf(town, custom('sold'))).toBe(1)
})

test('a start that only wavers, or cannot be read, is no new one', async () => {
  const town = await openTown()
  const starts = [startMs - 600_000, startMs - 599_000, 0, Number.NaN]
  for (const [n, startedMs] of starts.entries()) {
    await push(town, exportOf(host, since('sold', startedMs, 10_000 + n * 60, town.clock.nowMs())))
    town.clock.pass(60_000)
  }
  expect(await lastOf(town, custom('sold'))).toBe(1)
})

test('host metrics of a host that began anew are not told of the time in which it was away', async () => {
  const town = await openTown()
  const say = async (startedMs: number, idle: number, busy: number) => {
    const points = [
      { labels: { cpu: '0', state: 'idle' }, value: idle, atMs: town.clock.nowMs() },
      { labels: { cpu: '0', state: 'interrupt' }, value: busy / 2, atMs: town.clock.nowMs() },
      { labels: { cpu: '0', state: 'steal' }, value: busy / 2, atMs: town.clock.nowMs() },
    ]
    const { name, sum } = counter('system.cpu.time', ...points)
    const dataPoints = sum.dataPoints.map((one) => ({ ...one, startTimeUnixNano: `${startedMs}000000` }))
    await push(town, exportOf(host, { name, sum: { ...sum, dataPoints } }))
    town.clock.pass(60_000)
  }
  await say(startMs - 1_000, 1, 0)
  await say(startMs + 20_000, 38, 2)
  expect(await lastOf(town, 'metric_type=cpu&metric_name=cpu_busy')).toBeUndefined()
  await say(startMs + 20_000, 68, 32)
  expect(await lastOf(town, 'metric_type=cpu&metric_name=cpu_busy')).toBeCloseTo(50)
})

test('the CPUs of a host as the JavaScript SDK names them are several', async () => {
  const town = await openTown()
  for (const seconds of [0, 60]) {
    const points = ['0', '1'].flatMap((cpu) =>
      ['idle', 'user'].map((mode) => ({
        labels: { 'system.cpu.logical_number': cpu, 'system.cpu.state': mode },
        value: (mode === 'idle') === (cpu === '0') ? seconds : 0,
        atMs: startMs + seconds * 1_000,
      })),
    )
    await push(town, exportOf(host, counter('system.cpu.time', ...points)))
    town.clock.pass(60_000)
  }
  expect(await lastOf(town, 'metric_type=cpu&metric_name=cpu_busy')).toBe(50)
})

test('what deltas added up to was kept for as long as their process lived', () => {
  const clock = clockByHand()
  const sender = openSenders(() => true, clock.nowMs).of('shop')
  const delta = (name: string) =>
    ({ name, labels: new Map(), value: 5, counter: 'delta', atMs: clock.nowMs(), startMs: null }) as const
  const add = (name: string) => {
    const sum = sender?.summed(delta(name)).value
    sender?.prune()
    return sum
  }
  expect([add('often'), add('once')]).toEqual([5, 5])
  clock.pass(120_000)
  expect(add('often')).toBe(10)
  clock.pass(120_000)
  expect([add('often'), add('once')]).toEqual([15, 5])
})

const refusedOf = async (town: Town, ...metrics: object[]) =>
  (await push(town, exportOf(host, ...metrics))).body

test('of a push of which one metric is shown by the exporter, all points were told as refused', async () => {
  const url = await exporterOf(() => 'shop_orders 150\n')
  const town = await openTown({ config: configOf([targetOf('web-1', url)], { customMetrics: ['shop_*'] }) })
  await town.pass(1)
  const twice = gauge('shop_orders', { value: 5, labels: { k: 'a' } }, { value: 5, labels: { k: 'b' } })
  expect(await refusedOf(town, twice, gauge('jobs', { value: 1 }), gauge('more', { value: 2 }))).toEqual({
    partialSuccess: {
      rejectedDataPoints: '2',
      errorMessage: 'the exporter of web-1 shows a metric of this name already',
    },
  })
  expect(await lastOf(town, custom('jobs'))).toBe(1)
  expect(await lastOf(town, custom('shop_orders'), 0)).toBe(150)
})

test('of a push with more metrics than are kept, all points were told as refused', async () => {
  const town = await openTown()
  const many = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) =>
      gauge(`metric.${from + n}`, { value: 1, labels: { k: 'a' } }, { value: 1, labels: { k: 'b' } }),
    )
  expect(await refusedOf(town, ...many(100, 202))).toEqual({
    partialSuccess: { rejectedDataPoints: '6', errorMessage: 'more metrics than are kept of one server' },
  })
})

test('what another process of the host has left no room for is told as refused', async () => {
  const lines: string[] = []
  const town = await openTown({ report: (line) => lines.push(line) })
  const many = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => gauge(`metric.${from + n}`, { value: 1 }))
  expect(await refusedOf(town, ...many(100, 150))).toEqual({})
  const second = exportOf({ ...host, 'process.pid': '2' }, ...many(200, 105))
  expect((await push(town, second)).body).toEqual({
    partialSuccess: { rejectedDataPoints: '5', errorMessage: 'more metrics than are kept of one server' },
  })
  expect(lines).toEqual(['web-1 shows more than 200 metrics; what is more is not kept'])
})

const rules = (durationMs: number): TriggerRule[] =>
  (
    [
      ['plugin', 'last_minute'],
      ['custom_metric', 'jobs'],
    ] as const
  ).map(([type, metric]) => ({
    type,
    metric,
    servers: 'real',
    maxValue: 4,
    lowValue: null,
    durationMs,
  }))

test('the time of a trigger on a pushed metric of a scraped host goes on from push to push', async () => {
  const url = await exporterOf(() => 'node_load1 1\n')
  const town = await openFleetTown(configOf([targetOf('web-1', url)], { triggers: rules(300_000) }))
  for (let minute = 0; minute < 5; minute += 1) {
    await push(town, exportOf(host, gauge('jobs', { value: 9 })))
    await pass(town, 60)
    expect(await openOn(town)).toEqual([])
  }
  await push(town, exportOf(host, gauge('jobs', { value: 9 })))
  await pass(town, 15)
  expect(await openOn(town)).toEqual(['web-1 jobs'])
})

test('a pushed metric of a scraped host that comes no more neither opens nor closes', async () => {
  const url = await exporterOf(() => 'node_load1 1\n')
  const town = await openFleetTown(configOf([targetOf('web-1', url)], { triggers: rules(240_000) }))
  await push(town, exportOf(host, gauge('jobs', { value: 9 })))
  await pass(town, 600)
  expect(await openOn(town)).toEqual([])
})

test('a host that pushes once was believed by its exporter for three minutes more', async () => {
  let text = 'node_load1 9\n'
  const url = await exporterOf(() => text)
  const town = await openFleetTown(configOf([targetOf('web-1', url)], { triggers: rules(120_000) }))
  await push(town, exportOf(host, gauge('jobs', { value: 1 })))
  await pass(town, 45)
  // For longer than three intervals and less than three minutes nobody can read it: the time begins again.
  text = ''
  await pass(town, 90)
  expect(pushedSilentMs).toBeGreaterThan(90_000)
  text = 'node_load1 9\n'
  await pass(town, 60)
  expect((await openOn(town)).filter((one) => one.endsWith('last_minute'))).toEqual([])
  await pass(town, 75)
  expect((await openOn(town)).filter((one) => one.endsWith('last_minute'))).toEqual(['web-1 last_minute'])
})

const open = async (town: Awaited<ReturnType<typeof openTown>>) => {
  const { body } = await town.api('/alerts.json?lifecycle=start')
  return (body as { results: { plugin_name: string }[] }).results.map((one) => one.plugin_name)
}

test('while this process slept, everybody who pushes was told to be silent', async () => {
  const town = await openTown()
  await push(town, exportOf(host, gauge('jobs', { value: 5 })))
  await town.pass(60)
  town.clock.pass(8 * 60 * 60_000)
  await town.pass(115)
  expect(await open(town)).toEqual([])
  await town.pass(10)
  expect(await open(town)).toEqual(['Heartbeat'])
})

test('a clock that was set back held the silence of those that push up', async () => {
  const town = await openTown()
  await push(town, exportOf(host, gauge('jobs', { value: 5 })))
  await town.pass(60)
  town.clock.pass(-60 * 60_000)
  await town.pass(115)
  expect(await open(town)).toEqual([])
  await town.pass(10)
  expect(await open(town)).toEqual(['Heartbeat'])
})

test('a sum lost the parts that were not pushed yet when the clock was set', async () => {
  const town = await openTown()
  const say = (pid: string, value: number) =>
    push(town, exportOf({ ...host, 'process.pid': pid }, gauge('jobs', { value })))
  await say('1', 3)
  await say('2', 4)
  const jobs = 'metric_type=custom_metric&metric_source_name=jobs&metric_name=jobs'
  for (const jumpMs of [60 * 60_000, -120 * 60_000]) {
    town.clock.pass(jumpMs)
    await say('1', 3)
    expect(await lastOf(town, jobs, 0)).toBe(7)
  }
})
