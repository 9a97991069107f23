/** Polls of alerts that are more or less severe: who is called, what comes first, and what follows when that changes. */
import { describe, expect, test } from 'vitest'
import { anAlert, opening } from '../support/delivery-world.ts'
import { memoryStore } from '../support/memory-store.ts'
import { cards, pollWorld, states } from '../support/poll-world.ts'

const disks = { match: { plugin: 'Disk *' }, is: 'critical' } as const
const calledForCriticals = [
  { match: { severity: 'critical' }, channel: 'C1', mention: '<!here>' },
  { match: {}, channel: 'C1', mention: null },
] as const

describe('a new alert', () => {
  test('calls somebody only if it is critical', async () => {
    const town = await pollWorld({ severity: [disks], routes: calledForCriticals })
    await town.poll()
    const [cpu, disk, said] = [
      town.service.open({ plugin: 'CPU' }),
      town.service.open({ hostname: 'web-2', plugin: 'Disk /' }),
      town.service.open({ hostname: 'web-3', plugin: 'Memory', saidSeverity: 'critical' }),
    ]
    await town.tick()
    const called = (await cards(town)).map(({ view }) =>
      view.kind === 'alert' ? [view.alert.alertId, view.alert.severity, view.mention] : [],
    )
    expect(called.toSorted()).toEqual(
      [
        [cpu, 'warning', null],
        [disk, 'critical', '<!here>'],
        [said, 'critical', '<!here>'],
      ].toSorted(),
    )
  })

  test('is judged by the roles of its server as well', async () => {
    const town = await pollWorld({ severity: [{ match: { role: 'web' }, is: 'critical' }] })
    await town.poll()
    town.service.open({ hostname: 'web-1' })
    town.service.open({ hostname: 'db-1' })
    await town.tick()
    const found = (await cards(town)).map(({ view }) =>
      view.kind === 'alert' ? `${view.alert.hostname} ${view.alert.severity}` : '',
    )
    expect(found.toSorted()).toEqual(['db-1 warning', 'web-1 critical'])
  })
})

describe('an open alert', () => {
  test('that becomes critical is shown so once, and less so when it eases', async () => {
    const town = await pollWorld()
    await town.poll()
    const alertId = town.service.open({ saidSeverity: 'warning' })
    await town.tick()
    await cards(town)
    town.service.change(alertId, { saidSeverity: 'critical' })
    await town.tick()
    const [job, ...others] = await cards(town)
    expect(others).toEqual([])
    expect(job?.view).toMatchObject({ alert: { severity: 'critical', state: 'open' } })
    await town.tick()
    expect(await cards(town)).toEqual([])
    town.service.change(alertId, { saidSeverity: 'info' })
    await town.tick()
    expect((await cards(town))[0]?.view).toMatchObject({ alert: { severity: 'info' } })
    expect(town.logger.entries.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['alert:worsened', 'alert:eased']),
    )
  })

  test('of which one record says nothing is as bad as it was', async () => {
    const town = await pollWorld()
    await town.poll()
    const alertId = town.service.open({ saidSeverity: 'critical' })
    await town.tick()
    await cards(town)
    town.service.change(alertId, { saidSeverity: null })
    await town.tick()
    expect(await cards(town)).toEqual([])
  })

  test('follows a policy that changed while the bot was stopped, there and back', async () => {
    const town = await pollWorld()
    await town.poll()
    town.service.open({ plugin: 'Disk /' })
    await town.tick()
    await cards(town)
    town.restart('auto', [disks])
    await town.tick()
    expect((await cards(town))[0]?.view).toMatchObject({ alert: { severity: 'critical' } })
    town.restart('auto', [])
    await town.tick()
    expect((await cards(town))[0]?.view).toMatchObject({ alert: { severity: 'warning' } })
  })

  test('is as bad as it was once it is closed', async () => {
    const town = await pollWorld()
    await town.poll()
    const alertId = town.service.open({ saidSeverity: 'critical' })
    await town.tick()
    await cards(town)
    town.service.close(alertId)
    await town.tick()
    await town.tick()
    expect((await cards(town))[0]?.view).toMatchObject({ alert: { severity: 'critical', state: 'closed' } })
  })
})

test('a storm lists the critical alerts first', async () => {
  const town = await pollWorld({ severity: [disks] })
  await town.poll()
  const plugins = ['CPU', 'Disk /', 'CPU', 'Disk /tmp', 'CPU']
  const opened = plugins.map((plugin, n) => town.service.open({ hostname: `web-${n}`, plugin }))
  await town.tick()
  const jobs = await cards(town)
  expect(states(jobs)).toEqual(['post storm 5', 'post page 5'])
  for (const { view } of jobs) {
    const order = 'alerts' in view ? view.alerts.map(({ alertId }) => alertId) : []
    expect(new Set(order.slice(0, 2))).toEqual(new Set([opened[1], opened[3]]))
  }
})

test('open alerts are listed worst first, page by page, and what is over in the order of time', async () => {
  const store = await memoryStore()
  const at = (n: number) => ({ startedMs: 1_000 * n, hostname: 'web-1' })
  const alerts = [
    anAlert('1', { ...at(1), severity: 'critical' }),
    anAlert('2', { ...at(2), severity: 'info' }),
    anAlert('3', { ...at(3), severity: 'warning' }),
    anAlert('4', { ...at(4), severity: 'critical' }),
    anAlert('5', { ...at(5), severity: 'warning', state: 'closed', closedMs: 6_000, closedBy: 'record' }),
    anAlert('6', { ...at(6), severity: 'critical', state: 'closed', closedMs: 7_000, closedBy: 'record' }),
  ]
  await store.commit(opening(alerts, 'C1', 8_000))
  const idsOf = (found: readonly { alertId: string }[]) => found.map(({ alertId }) => alertId)
  expect(idsOf(await store.openAlerts(null))).toEqual(['4', '1', '3', '2'])
  const page = (state: 'open' | 'closed' | 'all', offset: number) =>
    store.findAlerts({ state, hostname: null, offset, limit: 2 })
  expect(idsOf((await page('open', 0)).alerts)).toEqual(['4', '1'])
  expect(idsOf((await page('open', 2)).alerts)).toEqual(['3', '2'])
  expect(idsOf((await page('closed', 0)).alerts)).toEqual(['6', '5'])
  expect(idsOf((await page('all', 0)).alerts)).toEqual(['6', '5'])
})
