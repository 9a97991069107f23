/** The bot's own client and the service understand each other: all eleven operations, and every refusal as its kind. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { OutsideFailure } from '../../src/bot/domain/base/failure.ts'
import { connectMonitor } from '../../src/bot/monitor/client.ts'
import { realClock } from '../../src/shared/clock.ts'
import { key, openTown, type Town } from '../service/open-service.ts'
import { serverOf, stateOf } from '../service/records.ts'

function clientOf(town: Town, apiKey = key) {
  const monitor = connectMonitor({
    baseUrl: town.service.url,
    apiKey: { reveal: () => apiKey },
    clock: realClock,
    random: () => 0.5,
    limits: { retriesMax: 0 },
  })
  onTestFinished(() => monitor.close())
  return monitor
}

async function refusalOf(call: Promise<unknown>): Promise<OutsideFailure> {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof OutsideFailure)) throw new Error('expected an OutsideFailure')
  return error
}

describe.each(['flip', 'pair'] as const)('alerts in the form %s', (form) => {
  test('are read whole, page by page, with no record skipped', async () => {
    const town = await openTown({ fleet: true, form })
    const monitor = clientOf(town)
    town.service.startScenario('storm', { count: 60, seconds: 600 })
    const oneoff = town.service.oneoff({ server: 'web-1', plugin: 'Log', title: 'x' })
    const id = town.service.openAlert({ server: 'web-1', plugin: 'Load Average', value: 3.5 })
    const open = await monitor.alerts({ lifecycle: 'start', offset: 0 })
    expect([open.size, open.records.length, open.skipped]).toEqual([50, 50, 0])
    expect(open.records[0]).toMatchObject({
      alertId: String(id),
      timeMs: town.clock.nowMs(),
      hostname: 'web-1',
      plugin: 'Load Average',
      lifecycle: 'start',
      value: 3.5,
    })
    expect((await monitor.alerts({ lifecycle: 'start', offset: 50 })).size).toBe(11)
    town.clock.pass(1_000)
    town.service.closeAlert(id)
    const ends = await monitor.alerts({ lifecycle: 'end', offset: 0 })
    expect(ends.records).toMatchObject([{ lifecycle: 'end', plugin: 'Load Average', hostname: 'web-1' }])
    expect(ends.records[0]?.alertId === String(id)).toBe(form === 'flip')
    const all = await monitor.alerts({ lifecycle: 'all', offset: 0 })
    expect(all.records.map(({ alertId }) => alertId)).toContain(String(oneoff))
    expect(all.skipped).toBe(0)
  })
})

test('triggers, roles and metrics are read with nothing skipped', async () => {
  const town = await openTown({ fleet: true })
  const monitor = clientOf(town)
  const { triggers, skipped } = await monitor.triggers()
  expect([triggers.length > 5, skipped]).toEqual([true, 0])
  expect((await monitor.roles()).roles.get('db')).toEqual(['db-1', 'db-2'])
  const answer = await monitor.metrics({
    metric: 'disk_used_percent',
    type: 'disk',
    source: '/',
    server: '/^web-/',
    role: 'web',
    duration: '1 year',
    display: 'breakout',
  })
  expect(answer.skipped).toBe(0)
  expect(answer.series.map(({ label }) => label)).toEqual(['web-1', 'web-2', 'web-3', 'web-4'])
  for (const { points } of answer.series) expect(points.filter((point) => point === null)).toEqual([])
})

test('what the bot changes is changed', async () => {
  const town = await openTown({ fleet: true })
  const monitor = clientOf(town)
  expect(await monitor.setServerNotifications('web-1', false)).toBe('web-1: notifications are off')
  await monitor.setNoDataGroup('web-1', 'night & day')
  await monitor.addRoles('web-1', ['canary', '__proto__'])
  await monitor.setAccountNotifications(false)
  await monitor.addMarker('deploy "42" + more')
  await monitor.deleteServer('lb-1')
  await monitor.deleteCustomMetrics(['signups', 'jobs_waiting'])
  expect(await serverOf(town, 'web-1')).toMatchObject({
    notifications: false,
    no_data_notification_group: 'night & day',
    roles: expect.arrayContaining(['canary', '__proto__']),
  })
  expect((await monitor.roles()).roles).toEqual(expect.objectContaining({ size: 10 }))
  expect(await stateOf(town)).toMatchObject({
    account: { notifications: false },
    markers: [{ notes: 'deploy "42" + more' }],
  })
})

test('a refusal arrives as its kind, with the words of the service', async () => {
  const town = await openTown({ fleet: true })
  const monitor = clientOf(town)
  expect(await refusalOf(clientOf(town, 'wrong').roles())).toMatchObject({ kind: 'forbidden' })
  const missing = await refusalOf(monitor.deleteServer('nope'))
  expect(missing.kind).toBe('missing')
  expect(missing.message).toContain('no server is called "nope"')
  const wrong = await refusalOf(monitor.metrics({ metric: 'x', type: 'disk' }))
  expect(wrong.kind).toBe('rejected')
  expect(wrong.message).toContain('metric_source_name: expected the volume name')
})
