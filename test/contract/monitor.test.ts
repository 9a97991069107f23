/** The client's operations against the real service: both read docs/api.md, and must mean the same by it. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectMonitor } from '../../src/bot/monitor/client.ts'
import { sweep } from '../../src/bot/monitor/listing/sweep.ts'
import type { ServiceOptions } from '../../src/service/options.ts'
import { openService, type Service } from '../../src/service/service.ts'
import { handClock } from '../bot/monitor/local-api.ts'

const key = 'contract-key-7c1'

async function open(over: ServiceOptions = {}) {
  const service = await openService({ key, sample: false, sampleMs: null, fleet: 12, seed: 3, ...over })
  onTestFinished(() => service.close())
  const monitor = connectMonitor({
    baseUrl: `${service.url}/`,
    apiKey: { reveal: () => service.keys[0] ?? '' },
    clock: handClock(),
    random: () => 0,
  })
  onTestFinished(() => monitor.close())
  return { service, monitor }
}

/** The service's own account of itself, not by way of the API. */
function serverOf(service: Service, hostname: string): unknown {
  const state = service.state()
  if (!('servers' in state) || !Array.isArray(state.servers)) throw new Error('the state tells no servers')
  return state.servers.find((server) => server.hostname === hostname)
}

describe('alerts', () => {
  test.each(['flip', 'pair'] as const)('open, close, and are filtered (%s)', async (form) => {
    const { service, monitor } = await open({ form })
    const opened = service.openAlert({ server: 'web-1', plugin: 'Load Average', value: 3.5, title: 'Load' })
    const other = service.openAlert({ server: 'db-1', plugin: 'Disk', value: 90, title: 'Disk' })
    const start = await monitor.alerts({ lifecycle: 'start', offset: 0 })
    expect(start).toMatchObject({ size: 2, skipped: 0 })
    expect(start.records.find(({ alertId }) => alertId === String(opened))).toMatchObject({
      hostname: 'web-1',
      lifecycle: 'start',
      title: 'Load',
      plugin: 'Load Average',
      value: 3.5,
    })
    const ended = service.closeAlert(opened)
    const still = await monitor.alerts({ lifecycle: 'start', offset: 0 })
    const stillOpen = still.records.map(({ alertId }) => alertId)
    expect(stillOpen).toContain(String(other))
    if (form === 'flip') expect(stillOpen).not.toContain(String(opened))
    const end = await monitor.alerts({ lifecycle: 'end', offset: 0 })
    expect(end.records).toMatchObject([{ alertId: String(ended), lifecycle: 'end', hostname: 'web-1' }])
    const all = await monitor.alerts({ lifecycle: 'all', offset: 0 })
    expect(all).toMatchObject({ size: form === 'flip' ? 2 : 3, skipped: 0 })
  })

  test('that neither open nor close are one-offs without a metric', async () => {
    const { service, monitor } = await open()
    const id = service.oneoff({ server: 'web-1', plugin: 'Backup', title: 'Backup took long' })
    const { records } = await monitor.alerts({ lifecycle: 'all', offset: 0 })
    expect(records).toMatchObject([{ alertId: String(id), lifecycle: 'oneoff', metric: null, value: null }])
  })

  test('more than a page of them are swept whole', async () => {
    const { service, monitor } = await open()
    const ids = Array.from({ length: 120 }, (_, n) =>
      String(service.openAlert({ server: `web-${n}`, plugin: 'Load Average' })),
    )
    const listing = await sweep((offset) => monitor.alerts({ lifecycle: 'start', offset }), {
      requestsMax: 10,
    })
    expect(listing).toMatchObject({ complete: true, requests: 3, skipped: 0 })
    expect(listing.alertRecords.map(({ alertId }) => alertId).sort()).toEqual(ids.sort())
  })
})

test('triggers have an id, a condition and a duration', async () => {
  const { triggers, skipped } = await (await open()).monitor.triggers()
  expect(skipped).toBe(0)
  expect(triggers.length).toBeGreaterThan(0)
  for (const trigger of triggers) {
    expect(trigger.triggerId).toMatch(/^\d+$/)
    expect(trigger.condition).not.toBe('')
    expect(trigger.durationSeconds).toBeGreaterThanOrEqual(0)
  }
})

test('roles are read, and servers join them: known, new, and called __proto__', async () => {
  const { monitor } = await open()
  expect((await monitor.roles()).roles.get('web')).toContain('web-1')
  expect(await monitor.addRoles('web-1', ['web', 'db', 'brand new', '__proto__'])).toContain('web-1')
  const { roles } = await monitor.roles()
  expect(roles.get('db')).toContain('web-1')
  expect(roles.get('brand new')).toEqual(['web-1'])
  expect(roles.get('__proto__')).toEqual(['web-1'])
})

test('metrics have as many points as timestamps, for one server and for many', async () => {
  const { monitor } = await open()
  const one = await monitor.metrics({
    metric: 'cpu_busy',
    type: 'cpu',
    server: 'web-1',
    duration: '12 hours',
  })
  expect(one).toMatchObject({ skipped: 0, series: [{ label: 'web-1' }] })
  expect(one.timestampsMs.length).toBeGreaterThan(10)
  expect(one.series[0]?.points).toHaveLength(one.timestampsMs.length)
  const last = one.series[0]?.points.findLast((point) => point !== null) ?? [Number.NaN, 0, 0]
  expect(last[0]).toBeLessThanOrEqual(last[1])
  expect(last[1]).toBeLessThanOrEqual(last[2])
  const many = await monitor.metrics({
    metric: 'disk_used_percent',
    type: 'disk',
    source: '/',
    server: '/^web-[0-9]+$/',
    role: 'web',
    environment: 'production',
    display: 'breakout',
  })
  expect(many.skipped).toBe(0)
  expect(many.series.length).toBeGreaterThan(0)
  for (const { label } of many.series) expect(label).toMatch(/^web-\d+$/)
})

test('notifications are switched, for a server and for the account', async () => {
  const { service, monitor } = await open()
  expect(await monitor.setServerNotifications('web-1', false)).not.toBe('')
  expect(serverOf(service, 'web-1')).toMatchObject({ notifications: false })
  await monitor.setServerNotifications('web-1', true)
  expect(serverOf(service, 'web-1')).toMatchObject({ notifications: true })
  expect(await monitor.setAccountNotifications(false)).not.toBe('')
  expect(service.state()).toMatchObject({ account: { notifications: false } })
  await monitor.setAccountNotifications(true)
  expect(service.state()).toMatchObject({ account: { notifications: true } })
})

test('the no-data group of a server is set', async () => {
  const { service, monitor } = await open()
  expect(await monitor.setNoDataGroup('web-1', 'On call & co')).not.toBe('')
  expect(serverOf(service, 'web-1')).toMatchObject({ no_data_notification_group: 'On call & co' })
})

test('a marker arrives letter by letter', async () => {
  const { service, monitor } = await open()
  const notes = 'deploy 1.2 & 50% — done ✓'
  expect(await monitor.addMarker(notes)).not.toBe('')
  expect(service.state()).toMatchObject({ markers: [{ notes }] })
})

test('a server with an awkward name is deleted, and no other', async () => {
  const { service, monitor } = await open()
  service.openAlert({ server: 'wéb 1?', plugin: 'Load Average' })
  expect(serverOf(service, 'wéb 1?')).toBeDefined()
  expect(await monitor.deleteServer('wéb 1?')).not.toBe('')
  expect(serverOf(service, 'wéb 1?')).toBeUndefined()
  expect(serverOf(service, 'web-1')).toBeDefined()
})

test('custom metrics are deleted', async () => {
  const { monitor } = await open()
  const question = { metric: 'signups', type: 'custom_metric', source: 'signups', server: 'web-1' } as const
  expect((await monitor.metrics(question)).series).toHaveLength(1)
  expect(await monitor.deleteCustomMetrics(['signups', 'jobs_waiting'])).not.toBe('')
  const after = await monitor.metrics(question).catch((error: unknown) => error)
  expect(after).not.toMatchObject({ series: [{ label: 'web-1' }] })
})

describe('refusals', () => {
  test('name what is wrong, each by its kind', async () => {
    const { monitor } = await open()
    await expect(monitor.deleteServer('no-such-server')).rejects.toMatchObject({
      kind: 'missing',
      status: 404,
    })
    await expect(monitor.addMarker('')).rejects.toMatchObject({ kind: 'rejected', status: 422 })
    await expect(monitor.addMarker('')).rejects.toThrow(/^the monitoring API returned HTTP 422: .*notes/)
  })

  test('of a key that was removed say so, and do not quote it', async () => {
    const { service, monitor } = await open({ keys: ['another-key-2f'] })
    expect((await monitor.roles()).roles.size).toBeGreaterThan(0)
    service.removeKey(key)
    const failure: unknown = await monitor.roles().catch((error: unknown) => error)
    expect(failure).toMatchObject({ kind: 'forbidden', status: 401, message: 'the API key was refused' })
  })

  test('pass when they are a moment of weakness of a read, and are told when a change met them', async () => {
    const { service, monitor } = await open()
    service.orderFault({ status: 503, body: 'html' })
    service.orderFault({ reset: true })
    expect((await monitor.roles()).roles.size).toBeGreaterThan(0)
    service.orderFault({ reset: true, applied: true })
    await expect(monitor.addMarker('once')).rejects.toThrow(/timed out$|no whole answer/)
    expect(service.state()).toMatchObject({ markers: [{ notes: 'once' }] })
  })
})
