/** `/healthz` and `/metrics` of the service: answered without a key, whatever is behind it, and with the name of nothing. */
import { request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { version } from '../../src/shared/version.ts'
import { patienceMs } from '../support/patience.ts'
import { openTown } from './open-service.ts'
import { openFront } from './prometheus/front.ts'
import { openGateway, success } from './prometheus/gateway.ts'

const t = { onTestFinished }
const soon = { timeout: patienceMs, interval: 100 }

/** The value of each series. */
async function metricsAt(url: string): Promise<ReadonlyMap<string, number>> {
  const { statusCode, headers, body } = await request(`${url}/metrics`)
  expect([statusCode, headers['content-type']]).toEqual([200, expect.stringContaining('text/plain')])
  const lines = (await body.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

test('it says that it is alive, and how it is, without a key', async () => {
  const town = await openTown({})
  const { statusCode, body } = await request(`${town.service.url}/healthz`)
  expect([statusCode, await body.json()]).toEqual([200, { status: 'alive', version }])
  const metrics = await metricsAt(town.service.url)
  expect(metrics.get(`monbot_service_build_info{version="${version}",node="${process.versions.node}"}`)).toBe(
    1,
  )
  expect(metrics.get('monbot_service_open_alerts')).toBe(0)
  expect(metrics.get('monbot_service_reading_age_seconds')).toBe(0)
  expect(metrics.get('process_start_time_seconds')).toBeGreaterThan(0)
  expect((await request(`${town.service.url}/metrics`, { method: 'POST' })).statusCode).toBe(404)
})

test('it counts what it asks, by outcome, how old its knowledge is, and how long polls take; alive all the while', async () => {
  const labels = { alertname: 'Disk', instance: 'secret-host:9100' }
  const prometheus = await openGateway(t, null)
  const alert = { labels, annotations: {}, state: 'firing', activeAt: '2026-11-22T10:00:00Z', value: '1' }
  const rule = { type: 'alerting', name: 'Disk', query: 'x > 0', duration: 0, labels: {}, health: 'ok' }
  prometheus.answers = (path) =>
    path === '/api/v1/rules'
      ? success({ groups: [{ rules: [{ ...rule, alerts: [alert] }] }] })
      : success({ resultType: 'vector', result: [{ metric: labels, value: [1, '1'] }] })
  const manager = await openGateway(t, null)
  const managed = {
    fingerprint: 'f1',
    labels,
    annotations: {},
    startsAt: '2026-11-22T10:00:00Z',
    endsAt: '2126-11-22T10:00:00Z',
    updatedAt: '2026-11-22T10:00:00Z',
    status: { state: 'suppressed', silencedBy: ['of-ana'], inhibitedBy: [] },
  }
  manager.answers = (path) => {
    const found = path.endsWith('/alerts') ? [managed] : path.endsWith('/status') ? {} : []
    return { status: 200, text: JSON.stringify(found) }
  }
  let aheadMs = 0
  const front = await openFront(
    t,
    { prometheus: prometheus.url, alertmanagers: [manager.url] },
    { nowMs: () => Date.now() + aheadMs, upMs: () => Date.now() + aheadMs },
  )
  const { url } = front.service
  await front.open()
  const before = await metricsAt(url)
  const figure = (name: string, from = before) => from.get(`monbot_service_${name}`)
  expect(figure('hidden_alerts')).toBe(1)
  expect(figure('readings_total{outcome="ok"}')).toBeGreaterThan(0)
  expect(figure('readings_total{outcome="away"}')).toBe(0)
  for (const product of ['prometheus', 'alertmanager'])
    expect(figure(`upstream_requests_total{product="${product}",outcome="ok"}`)).toBeGreaterThan(1)
  expect(figure('request_duration_seconds_count{operation="GET /alerts.json"}')).toBe(1)
  expect(figure('reading_duration_seconds_count')).toBe(figure('readings_total{outcome="ok"}'))
  expect(figure('reading_age_seconds')).toBeLessThan(60)

  for (const [outcome, status] of [
    ['wrong', 500],
    ['refused', 401],
  ] as const) {
    prometheus.answers = () => ({ status, text: '' })
    aheadMs += 100_000
    expect(await front.open()).toEqual([expect.stringMatching(/^502: /)])
    const after = await metricsAt(url)
    expect(figure(`readings_total{outcome="${outcome}"}`, after)).toBeGreaterThan(0)
    expect(
      figure(`upstream_requests_total{product="prometheus",outcome="${outcome}"}`, after),
    ).toBeGreaterThan(0)
  }
  await expect
    .poll(async () => figure('reading_age_seconds', await metricsAt(url)), soon)
    .toBeGreaterThan(190)
  expect((await request(`${url}/healthz`)).statusCode).toBe(200)
  const page = await (await request(`${url}/metrics`)).body.text()
  expect(page).not.toMatch(/secret-host|Disk|of-ana|key-of-the-account|127\.0\.0\.1/)
})

test('it counts the silences that it holds, and what is in doubt', async () => {
  const prometheus = await openGateway(t, null)
  prometheus.answers = (path) =>
    path === '/api/v1/rules'
      ? success({ groups: [] }, { warnings: ['a ruler is away'] })
      : success({ resultType: 'vector', result: [{ metric: { instance: 'web-1:9100' }, value: [1, '1'] }] })
  const manager = await openGateway(t, null)
  manager.answers = (path) => ({ status: 200, text: path.endsWith('/status') ? '{}' : '[]' })
  const front = await openFront(t, { prometheus: prometheus.url, alertmanagers: [manager.url] })
  const figures = async () => {
    const all = await metricsAt(front.service.url)
    return [all.get('monbot_service_silences_held'), all.get('monbot_service_doubts')]
  }
  expect(await figures()).toEqual([0, 1])
  manager.answers = (path) =>
    path.endsWith('/silences') ? { status: 200, text: '{"silenceID":"s1"}' } : { status: 200, text: '[]' }
  const { status } = await front.ask('/servers/web-1', { notifications: 'false' })
  expect(status).toBe(200)
  expect(await figures()).toEqual([1, 1])
})
