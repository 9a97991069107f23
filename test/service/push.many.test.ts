/** Several processes of one host, blocks of one process, and clocks that are wrong: what is pushed is added up once, and in time. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from './ledger-file.ts'
import { openTown, startMs, type Town } from './open-service.ts'
import { counter, exportOf, gauge, host, lastOf, push } from './pushes.ts'
import { configOf, exporterOf, targetOf } from './scrape/exporters.ts'

const custom = (name: string) => `metric_type=custom_metric&metric_source_name=${name}&metric_name=${name}`
const together = (...exports: ReturnType<typeof exportOf>[]) => ({
  resourceMetrics: exports.flatMap(({ resourceMetrics }) => resourceMetrics),
})
const openOn = async (town: Town) => {
  const { body } = await town.api('/alerts.json?lifecycle=start')
  return (body as { results: { id: number; plugin_name: string }[] }).results
}

test('a hundred processes of two hundred metrics each in one push held everybody up for minutes', async () => {
  const town = await openTown()
  const metrics = Array.from({ length: 199 }, (_, n) => gauge(`metric.${n}`, { value: 1 }))
  const all = Array.from({ length: 100 }, (_, pid) =>
    exportOf({ ...host, 'process.pid': `${pid}` }, ...metrics),
  )
  const { status, body } = await push(town, together(...all.slice(0, 40)))
  expect([status, body]).toEqual([200, {}])
  await push(town, together(...all.slice(40)))
  expect(await lastOf(town, custom('metric.7'))).toBe(100)
})

test('what the Collector cuts into a block for each of its scrapers is one host', async () => {
  const town = await openTown()
  for (const seconds of [0, 60]) {
    const atMs = startMs + seconds * 1_000
    const cpu = { labels: { cpu: '0', state: 'idle' }, value: seconds / 2, atMs }
    await push(
      town,
      together(
        exportOf(host, counter('system.cpu.time', cpu)),
        exportOf(host, gauge('system.cpu.load_average.1m', { value: 3, atMs })),
        exportOf(host, gauge('jobs', { value: 70, atMs })),
        exportOf(host, gauge('other', { value: 1, atMs })),
      ),
    )
    town.clock.pass(60_000)
  }
  const perCore = 'metric_type=plugin&metric_source_name=Load+Average&metric_name=last_minute_per_core'
  expect(await lastOf(town, perCore)).toBe(3)
  await push(town, exportOf({ ...host, 'process.pid': '2' }, gauge('jobs', { value: 5 })))
  expect(await lastOf(town, custom('jobs'))).toBe(75)
})

test('two parts of one process have a metric of one name each', async () => {
  const town = await openTown()
  const [one] = exportOf(host, gauge('pool', { value: 3 })).resourceMetrics
  const scopes = [3, 400].map((value, n) => ({
    scope: { name: `part-${n}` },
    metrics: [gauge('pool', { value })],
  }))
  await push(town, { resourceMetrics: [{ ...one, scopeMetrics: scopes }] })
  expect(await lastOf(town, custom('pool'))).toBe(403)
})

test('a process that began anew is not added to the one that it was, once that one has missed its pushes', async () => {
  const town = await openTown()
  const say = (pid: string) =>
    push(town, exportOf({ ...host, 'process.pid': pid }, gauge('jobs', { value: 60 })))
  for (let n = 0; n < 3; n += 1) {
    await say('1')
    town.clock.pass(10_000)
  }
  for (let n = 0; n < 13; n += 1) {
    await say('2')
    town.clock.pass(10_000)
  }
  expect(await lastOf(town, custom('jobs'))).toBe(60)
})

test('a restart closed the alert of a sum and opened it again, as one part pushed before the other', async () => {
  const folder = newFolder()
  const triggers = [
    {
      type: 'custom_metric',
      metric: 'jobs',
      servers: 'real',
      maxValue: 100,
      lowValue: null,
      durationMs: 0,
    },
  ] as const
  const options = { file: join(folder, 'monitor.db'), triggers }
  const say = (town: Town, pid: string) =>
    push(town, exportOf({ ...host, 'process.pid': pid }, gauge('jobs', { value: 60 })))
  const first = await openTown(options)
  await say(first, '1')
  await say(first, '2')
  await first.pass(1)
  const [alert] = await openOn(first)
  await first.service.close()
  const again = await openTown(options)
  await say(again, '1')
  await again.pass(3)
  await say(again, '2')
  await again.pass(3)
  expect(await openOn(again)).toMatchObject([{ id: alert?.id }])
})

test('a new host that pushes only counters said at its first push that it sends no data', async () => {
  const town = await openTown()
  await town.pass(200)
  await push(town, exportOf(host, counter('sold', { value: 1, atMs: town.clock.nowMs() })))
  await town.pass(3)
  expect(await openOn(town)).toEqual([])
  await town.pass(180)
  expect(await openOn(town)).toMatchObject([{ plugin_name: 'Heartbeat' }])
})

test('one point whose clock is years ahead took the rates of all others away', async () => {
  const town = await openTown()
  for (const n of [0, 1, 2]) {
    const atMs = startMs + n * 10_000
    await push(
      town,
      exportOf(
        host,
        counter('sold', { value: n * 100, atMs }),
        counter('bought', { value: n * 50, atMs }),
        gauge('sensor', { value: 1, atMs: Date.UTC(2099, 0) }),
      ),
    )
    town.clock.pass(10_000)
  }
  expect(await lastOf(town, custom('sold'))).toBe(10)
})

test('a metric that the exporter shows is not taken from two sides', async () => {
  const url = await exporterOf(() => 'shop_orders 150\n')
  const town = await openTown({ config: configOf([targetOf('web-1', url)], { customMetrics: ['shop_*'] }) })
  await town.pass(1)
  expect((await push(town, exportOf(host, gauge('shop_orders', { value: 5 })))).body).toMatchObject({
    partialSuccess: { errorMessage: 'the exporter of web-1 shows a metric of this name already' },
  })
  expect(await lastOf(town, custom('shop_orders'), 0)).toBe(150)
})

test('one resource that cannot be read, or an attribute without a value, refuses no other', async () => {
  const town = await openTown()
  const [odd] = exportOf({ 'host.name': 'odd-1' }, gauge('jobs', { value: 1 })).resourceMetrics
  const attributes = [
    ...(odd?.resource.attributes ?? []),
    { key: 'x', value: null },
    { key: 'deployment.environment.name', value: { doubleValue: null } },
  ]
  const { body } = await push(town, {
    resourceMetrics: [
      'text',
      { ...odd, resource: { attributes } },
      ...exportOf(host, gauge('jobs', { value: 2 })).resourceMetrics,
    ],
  })
  expect(body).toMatchObject({ partialSuccess: { rejectedDataPoints: '1' } })
  expect(town.service.state()).toMatchObject({
    servers: [{ hostname: 'odd-1', environment: 'production' }, { hostname: 'web-1' }],
  })
})
