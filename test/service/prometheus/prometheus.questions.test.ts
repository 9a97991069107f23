/** Whom a question is about, what rules and the file say, and what goes wrong, against a real Prometheus. */
import { describe, expect, test } from 'vitest'
import type { MetricKey } from '../../../src/service/metrics/metric-key.ts'
import { exporter, exporterOf } from '../scrape/exporters.ts'
import { pastOf } from './cluster-hosts.ts'
import { openMetricsTown, untilSeries } from './metrics-town.ts'
import { lacks } from './programs.ts'
import { openPrometheus } from './real.ts'

const load: MetricKey = { type: 'plugin', source: 'Load Average', metric: 'last_minute' }
const custom = (metric: string): MetricKey => ({ type: 'custom_metric', source: metric, metric })
const ofRule = (name: string): MetricKey => ({ type: 'plugin', source: name, metric: name })

/** Also how long a scrape may take: one that a busy machine missed would end its series, in the midst of the questions. */
const intervalMs = 5_000

/**
 * web-1 with two ports, web-2 and db.1 with one each, and an application without a server. Known for a while: a rule is read at
 * each quarter of a minute, and one that falls between the first scrapes of two ports would have only one of them.
 */
async function openHosts(t: Parameters<typeof openPrometheus>[0]) {
  const ports = [
    ['node', 'web-1:9100', 1],
    ['shop', 'web-1:8080', 2],
    ['node2', 'web-2:9100', 3],
    ['node3', 'db.1:9100', 4],
    ['stranger', 'dbx1:9100', 5],
  ] as const
  const targets = ports.map(([job, instance, value]) => {
    return { name: job, instance, labels: { job }, text: () => `node_load1 ${value}\nshop_orders ${value}` }
  })
  const prometheus = await openPrometheus(t, { past: pastOf(targets, Date.now()) })
  await untilSeries(prometheus.url, 'node_load1', ports.length)
  return prometheus
}

describe.skipIf(lacks('prometheus'))('a question', () => {
  test('is about the servers that pass its filter, and of two ports of one host the highest counts, or the sum', async (t) => {
    const { url } = await openHosts(t)
    const rules = {
      Load: 'node_load1 > 3',
      Idle: 'node_load1 < 3',
      Shop: 'sum by (job) (shop_orders) > 9',
      Odd: 'what [ is',
    }
    const metrics = { disk_free: 'node_load1{$server} * 10' }
    const town = openMetricsTown(t, { url, servers: ['web-1', 'web-2', 'db.1', 'shop'], rules, metrics })
    const means = async (key: MetricKey, given = {}) =>
      Object.fromEntries(Object.entries(await town.last(key, given)).map(([name, point]) => [name, point[1]]))

    expect(await means(load)).toEqual({ 'web-1': 2, 'web-2': 3, 'db.1': 4 })
    expect(await means(load, { server: 'web-*' })).toEqual({ 'web-1': 2, 'web-2': 3 })
    expect(await means(load, { server: 'db.1' })).toEqual({ 'db.1': 4 })
    expect(await means(load, { role: 'web' })).toEqual({ 'web-1': 2, 'web-2': 3 })
    expect(await means(load, { environment: 'staging' })).toEqual({})
    expect(await means(custom('shop_orders'))).toEqual({ 'web-1': 3, 'web-2': 3, 'db.1': 4 })
    await expect(town.ask(load, { server: 'web-9' })).rejects.toMatchObject({ status: 404 })
    await expect(town.ask(load, { role: 'mail' })).rejects.toMatchObject({ status: 404 })

    expect(await means(ofRule('Load'))).toEqual({ 'web-1': 2, 'web-2': 3, 'db.1': 4 })
    expect(await means(ofRule('Idle'), { server: 'web-1' })).toEqual({ 'web-1': 1 })
    expect(await means(ofRule('Shop'), { server: 'shop' })).toEqual({ shop: 2 })
    await expect(town.ask(ofRule('Odd'))).rejects.toMatchObject({ status: 502 })
    await expect(town.ask(ofRule('None'))).rejects.toMatchObject({ status: 404 })

    const disk: MetricKey = { type: 'disk', source: '/', metric: 'disk_free' }
    expect(await means(disk, { server: 'web-2' })).toEqual({ 'web-2': 30 })
    expect(await means(disk)).toEqual({ 'web-1': 20, 'web-2': 30, 'db.1': 40 })

    expect(await town.unknownCustom(['shop_orders', 'shop_.*', 'nothing'])).toEqual(['shop_.*', 'nothing'])
    town.registry.deleteCustomMetric('shop_orders')
    expect(await town.unknownCustom(['shop_orders'])).toEqual(['shop_orders'])
    await expect(town.ask(custom('shop_orders'))).rejects.toMatchObject({ status: 404 })
  })

  test('for the heartbeat tells how long ago a host was scraped well', async (t) => {
    const broken = await exporter((_, response) => {
      response.statusCode = 500
      response.end('node_load1 1\n')
    })
    const whole = await exporterOf(() => 'node_load1 1\n')
    const { url } = await openPrometheus(t, {
      intervalMs,
      jobs: [
        { job: 'broken', targets: [broken], instance: 'web-1:9100' },
        { job: 'whole', targets: [whole], instance: 'web-2:9100' },
      ],
    })
    await untilSeries(url, 'up', 2)
    const heartbeat: MetricKey = { type: 'plugin', source: 'Heartbeat', metric: 'seconds_since_report' }
    const servers = ['web-1', 'web-2']
    const live = await openMetricsTown(t, { url, servers }).last(heartbeat)
    expect(live).toEqual({ 'web-2': [expect.any(Number), expect.any(Number), expect.any(Number)] })
    expect(live['web-2']?.[2]).toBeLessThan(60)
    const later = await openMetricsTown(t, { url, servers, nowMs: () => Date.now() + 600_000 }).last(
      heartbeat,
    )
    expect(later['web-2']?.[2]).toBeGreaterThan(590)
    expect(later['web-2']?.[2]).toBeLessThan(660)
  })

  test('that more than two hundred servers could answer is refused, and one of two hundred is answered in parts', async (t) => {
    const names = Array.from({ length: 201 }, (_, at) => `a-server-with-a-rather-long-name-${at}`)
    const text = names.map((name) => `node_load1{instance="${name}:9100"} 1`).join('\n')
    const url0 = await exporterOf(() => `${text}\n`)
    const jobs = [{ job: 'all', targets: [url0], honorLabels: true }]
    const { url } = await openPrometheus(t, { jobs, intervalMs })
    await untilSeries(url, 'node_load1', 201)
    const town = openMetricsTown(t, { url, servers: [...names, 'web-1'] })
    await expect(town.ask(load)).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('201'),
    })
    const { metrics } = await town.ask(load, { server: '/(?:[1-9]|[1-9]\\d|1\\d\\d|200)$/' })
    expect(metrics).toHaveLength(200)
  })
})

describe('an engine', () => {
  test('that is away, slow or wrong is told as such, and never an empty answer', async (t) => {
    const away = openMetricsTown(t, { url: 'http://127.0.0.1:1', servers: ['web-1'] })
    await expect(away.ask(load)).rejects.toMatchObject({ status: 503 })
    await expect(away.ask(custom('shop_orders'))).rejects.toMatchObject({ status: 503 })
    await expect(away.unknownCustom(['a'])).rejects.toMatchObject({ status: 503 })
    const mute = await exporter(() => {})
    const slow = openMetricsTown(t, { url: new URL(mute).origin, servers: ['web-1'], timeoutMs: 200 })
    await expect(slow.ask(load)).rejects.toMatchObject({ status: 504 })
    const half = await exporter((_, response) => {
      response.end(
        JSON.stringify({
          status: 'success',
          warnings: ['a store is away'],
          data: { resultType: 'matrix', result: [] },
        }),
      )
    })
    const partial = openMetricsTown(t, { url: new URL(half).origin, servers: ['web-1'] })
    await expect(partial.ask(load)).rejects.toMatchObject({ status: 502 })
  })
})
