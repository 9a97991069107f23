/** What agents push over OTLP/HTTP becomes servers and metrics of the API; what cannot be taken is said to whoever sent it. */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from './ledger-file.ts'
import { key, openTown, startMs, type Town } from './open-service.ts'
import { bearer, dataPoints, exportOf, gauge, host, lastOf, push } from './pushes.ts'

test('the official exporter of OpenTelemetry is taken as it comes: gauges, counters as rates, one server', async () => {
  const town = await openTown()
  const exporter = new OTLPMetricExporter({
    url: `${town.service.url}/v1/metrics`,
    headers: { authorization: `Bearer ${key}` },
    temporalityPreference: AggregationTemporality.CUMULATIVE,
  })
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const provider = new MeterProvider({ resource: resourceFromAttributes(host), readers: [reader] })
  onTestFinished(() => provider.shutdown())
  const meter = provider.getMeter('shop')
  meter.createObservableGauge('shop.orders.waiting').addCallback((result) => result.observe(42))
  const sold = meter.createCounter('shop.orders')
  sold.add(1, { country: 'se' })
  await provider.forceFlush()
  const firstMs = Date.now()
  sold.add(600, { country: 'se' })
  await expect.poll(() => Date.now() - firstMs).toBeGreaterThan(200)
  await provider.forceFlush()
  const elapsedS = (Date.now() - firstMs) / 1_000

  const custom = (name: string) => `metric_type=custom_metric&metric_source_name=${name}&metric_name=${name}`
  expect(await lastOf(town, `${custom('shop.orders.waiting')}&server=web-1`)).toBe(42)
  const rate = (await lastOf(town, custom('shop.orders'))) ?? 0
  expect(rate).toBeGreaterThan(600 / (elapsedS + 1))
  expect(rate).toBeLessThan(600 / 0.2)
  expect(town.service.state()).toMatchObject({
    servers: [{ hostname: 'web-1', kind: 'pushed', environment: 'staging' }],
  })
})

const megabyte = 1024 * 1024
const jobs = 'metric_type=custom_metric&metric_source_name=jobs&metric_name=jobs'

test('deltas are as good as sums since the start, and two processes of a host are added up', async () => {
  const town = await openTown()
  const send = (pid: string, value: number, atMs: number, temporality: number | string) =>
    push(
      town,
      exportOf(
        { ...host, 'process.pid': pid },
        {
          name: 'jobs',
          sum: {
            dataPoints: dataPoints([{ value, atMs }]),
            aggregationTemporality: temporality,
            isMonotonic: true,
          },
        },
      ),
    )
  await send('1', 500, startMs, 1)
  await send('2', 7_000, startMs, 'AGGREGATION_TEMPORALITY_CUMULATIVE')
  town.clock.pass(60_000)
  await send('1', 60, startMs + 60_000, 1)
  await send('2', 7_120, startMs + 60_000, 2)
  expect(await lastOf(town, jobs)).toBe(3)
  // The second process begins anew, and what it has is its growth.
  town.clock.pass(60_000)
  await send('1', 60, startMs + 120_000, 1)
  await send('2', 60, startMs + 120_000, 2)
  expect(await lastOf(town, jobs, 0)).toBe(2)
})

test('a message packed in gzip is taken, and one that unpacks to more than 10 MiB is not', async () => {
  const town = await openTown()
  const packed = (text: string) =>
    town.ask('/v1/metrics', {
      method: 'POST',
      headers: { ...bearer, 'content-encoding': 'gzip' },
      body: gzipSync(text),
    })
  expect(await packed(JSON.stringify(exportOf(host, gauge('jobs', { value: 3 }))))).toMatchObject({
    status: 200,
    body: {},
  })
  expect(await lastOf(town, jobs)).toBe(3)
  expect(await packed(' '.repeat(11 * megabyte))).toMatchObject({
    status: 413,
    body: { message: 'body: expected at most 10485760 bytes when unpacked; came more' },
  })
})

const refused: readonly [
  what: string,
  headers: Record<string, string>,
  body: string,
  status: number,
  words: RegExp,
][] = [
  ['no key', { 'content-type': 'application/json' }, '{}', 401, /^expected an API key as bearer token/],
  ['another key', { ...bearer, authorization: 'Bearer nobody' }, '{}', 401, /^expected an API key/],
  [
    'protobuf',
    { ...bearer, 'content-type': 'application/x-protobuf' },
    'x',
    415,
    /OTEL_EXPORTER_OTLP_PROTOCOL=http\/json/,
  ],
  ['another packing', { ...bearer, 'content-encoding': 'zstd' }, '{}', 415, /expected gzip or none/],
  ['no gzip', { ...bearer, 'content-encoding': 'gzip' }, '{}', 422, /^body: expected gzip/],
  ['no JSON', bearer, '{', 422, /^body: expected JSON/],
  ['a list', bearer, '[]', 422, /^body: expected an ExportMetricsServiceRequest/],
]

test.each(refused)(
  '%s is refused with a sentence that does not repeat the key',
  async (_, headers, body, status, words) => {
    const town = await openTown()
    const answer = await town.ask('/v1/metrics', { method: 'POST', headers, body })
    expect(answer).toMatchObject({ status, body: { message: expect.stringMatching(words) } })
    expect(JSON.stringify(answer)).not.toContain(key)
  },
)

test('what cannot be taken of a request is counted and named, and the rest is taken', async () => {
  const town = await openTown({ fleet: 12 })
  const { body } = await push(town, {
    resourceMetrics: [
      ...exportOf(
        { 'host.name': 'shop-1' },
        gauge('jobs', { value: 5 }, { value: Number.NaN }),
        { name: 'seconds', histogram: { dataPoints: [{}, {}] } },
        { name: 'idle', gauge: { dataPoints: [{ timeUnixNano: '1', flags: 1 }] } },
        { gauge: {} },
      ).resourceMetrics,
      ...exportOf({ 'service.name': 'shop' }, gauge('jobs', { value: 6 })).resourceMetrics,
      ...exportOf({ 'host.name': '..' }, gauge('jobs', { value: 6 })).resourceMetrics,
      ...exportOf({ 'host.name': 'web-2' }, gauge('jobs', { value: 7 }, { labels: { a: 'b' }, value: 8 }))
        .resourceMetrics,
    ],
  })
  expect(body).toEqual({
    partialSuccess: {
      rejectedDataPoints: '8',
      errorMessage: [
        'a data point without a number or a time',
        'histograms and summaries are not kept, only gauges and sums',
        'a metric without a name, or of a form that the protocol does not have',
        'expected the resource attribute host.name, which names the server; came none',
        'host.name: expected a hostname; came one of which it is empty or made of dots',
        'web-2 is a simulated server here',
      ].join('; '),
    },
  })
})

test('a server that pushes is there again after a restart, with its points', async () => {
  const folder = newFolder()
  const file = join(folder, 'monitor.db')
  const first = await openTown({ file })
  await push(first, exportOf(host, gauge('jobs', { value: 5 })))
  await first.service.close()
  const again = await openTown({ file, nowMs: () => startMs + 120_000 })
  expect(again.service.state()).toMatchObject({ servers: [{ hostname: 'web-1', kind: 'pushed' }] })
  const { status } = await again.api(`/metrics.json?${jobs}`)
  expect(status).toBe(200)
})

test('a server that pushes no more for three minutes is an alert, which its next push closes', async () => {
  const town = await openTown()
  const open = async () => {
    const { body } = await town.api('/alerts.json?lifecycle=start')
    return (body as { results: { server_hostname: string; plugin_name: string }[] }).results.map(
      ({ server_hostname, plugin_name }) => `${plugin_name} on ${server_hostname}`,
    )
  }
  await push(town, exportOf(host, gauge('jobs', { value: 5 })))
  await town.pass(179)
  expect(await open()).toEqual([])
  await town.pass(1)
  expect(await open()).toEqual(['Heartbeat on web-1'])
  await push(town, exportOf(host, gauge('jobs', { value: 5 })))
  await town.pass(1)
  expect(await open()).toEqual([])
})

const minute = 60_000
const openNow = async (town: Town) => {
  const { body } = await town.api('/alerts.json?lifecycle=start')
  return (body as { results: { server_hostname: string }[] }).results.map((one) => one.server_hostname)
}
/** With an evaluation every minute. */
async function passMinutes(town: Town, minutes: number): Promise<void> {
  for (let at = 0; at < minutes; at += 1) {
    town.clock.pass(minute)
    await town.service.tick()
  }
}
const configOf = (given: object) => ({
  ...{ scrape: null, triggers: null, customMetrics: [], prometheus: null, forgetMs: 24 * 60 * minute },
  ...given,
})

test('a host that pushed once and went kept its alert for ever: it is forgotten after a day of silence', async () => {
  const lines: string[] = []
  const town = await openTown({ report: (line) => lines.push(line) })
  await push(town, exportOf(host, gauge('jobs', { value: 5 })))
  await push(town, exportOf({ 'host.name': 'web-2' }, gauge('jobs', { value: 5 })))
  await passMinutes(town, 24 * 60 - 1)
  expect(await openNow(town)).toEqual(expect.arrayContaining(['web-1', 'web-2']))
  await push(town, exportOf({ 'host.name': 'web-2' }, gauge('jobs', { value: 5, atMs: town.clock.nowMs() })))
  await passMinutes(town, 1)
  expect(await openNow(town)).toEqual([])
  expect(town.service.state()).toMatchObject({ servers: [{ hostname: 'web-2' }] })
  expect(lines).toEqual(['"web-1" has pushed nothing for 1d, and is forgotten with its alerts'])
  // It comes back as any other does.
  await push(town, exportOf(host, gauge('jobs', { value: 6, atMs: town.clock.nowMs() })))
  expect(town.service.state()).toMatchObject({ servers: [{ hostname: 'web-1' }, { hostname: 'web-2' }] })
  await passMinutes(town, 3)
  expect(await openNow(town)).toEqual(expect.arrayContaining(['web-1', 'web-2']))
})

test('time in which the service did not run is no silence, and silence before a restart counts', async () => {
  const file = join(newFolder(), 'monitor.db')
  const given = { file, config: configOf({ forgetMs: 60 * minute }), report: () => {} }
  const first = await openTown(given)
  await push(first, exportOf(host, gauge('jobs', { value: 5 })))
  await passMinutes(first, 30)
  await first.service.close()
  const again = await openTown({ ...given, nowMs: first.clock.nowMs })
  const pass = async (minutes: number) => {
    for (let at = 0; at < minutes; at += 1) {
      first.clock.pass(minute)
      await again.service.tick()
    }
  }
  // Days without it, which also the process itself may sleep through.
  first.clock.pass(3 * 24 * 60 * minute)
  await again.service.tick()
  await pass(29)
  expect(await openNow(again)).toEqual(['web-1'])
  await pass(1)
  expect(await openNow(again)).toEqual([])
})

test('with forget: off a host is never forgotten, and another file counts at once', async () => {
  const town = await openTown({ config: configOf({ forgetMs: null }), report: () => {} })
  await push(town, exportOf(host, gauge('jobs', { value: 5 })))
  await passMinutes(town, 2 * 24 * 60)
  expect(await openNow(town)).toEqual(['web-1'])
  town.service.useConfig(configOf({ forgetMs: 24 * 60 * minute }))
  await town.service.tick()
  expect(await openNow(town)).toEqual([])
})

test('it listens on the address that it is told, and takes pushes there', async () => {
  const town = await openTown({ host: '127.0.0.2' })
  expect(new URL(town.service.url).hostname).toBe('127.0.0.2')
  expect(await push(town, exportOf(host, gauge('jobs', { value: 5 })))).toMatchObject({
    status: 200,
    body: {},
  })
  const everywhere = await openTown({ host: '0.0.0.0' })
  expect(new URL(everywhere.service.url).hostname).toBe('127.0.0.1')
})
