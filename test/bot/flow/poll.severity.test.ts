/** Polls of alerts that are more or less severe: who is called, what comes first, and what follows when that changes. */
import { describe, expect, test } from 'vitest'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { aMute } from '../../support/acting-rows.ts'
import { anAlert, opening } from '../../support/delivery-world.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { cards, nameOf, polledWorld, type pollWorld, states } from '../../support/poll-world.ts'

const disks = { match: { plugin: 'Disk *' }, is: 'critical' } as const
const calledForCriticals = [
  { match: { severity: 'critical' }, channel: 'C1', mention: '<!here>' },
  { match: {}, channel: 'C1', mention: null },
] as const

describe('a new alert', () => {
  test('calls somebody only if it is critical', async () => {
    const town = await polledWorld({ severity: [disks], routes: calledForCriticals })
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
    const town = await polledWorld({ severity: [{ match: { role: 'web' }, is: 'critical' }] })
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
    const town = await polledWorld()
    const alertId = town.service.open({ saidSeverity: 'warning' })
    await town.saidAfter(1)
    town.service.change(alertId, { saidSeverity: 'critical' })
    await town.tick()
    const jobs = await cards(town)
    expect(states(jobs)).toEqual(['post became_critical 1', `update ${alertId} open`])
    expect(jobs[1]?.view).toMatchObject({ alert: { severity: 'critical', state: 'open' } })
    expect(await town.saidAfter(1)).toEqual([])
    town.service.change(alertId, { saidSeverity: 'info' })
    await town.tick()
    expect((await cards(town)).find(({ view }) => view.kind === 'alert')?.view).toMatchObject({
      alert: { severity: 'info' },
    })
    expect(town.logger.entries.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['alert:worsened', 'alert:eased']),
    )
  })

  test('of which one record says nothing is as bad as it was', async () => {
    const town = await polledWorld()
    const alertId = town.service.open({ saidSeverity: 'critical' })
    await town.saidAfter(1)
    town.service.change(alertId, { saidSeverity: null })
    expect(await town.saidAfter(1)).toEqual([])
  })

  test('follows a policy that changed while the bot was stopped, there and back', async () => {
    const town = await polledWorld()
    town.service.open({ plugin: 'Disk /' })
    await town.saidAfter(1)
    town.restart({ severity: [disks] })
    await town.tick()
    expect((await cards(town)).find(({ view }) => view.kind === 'alert')?.view).toMatchObject({
      alert: { severity: 'critical' },
    })
    town.restart({ severity: [] })
    await town.tick()
    expect((await cards(town)).find(({ view }) => view.kind === 'alert')?.view).toMatchObject({
      alert: { severity: 'warning' },
    })
  })

  test('is as bad as it was once it is closed', async () => {
    const town = await polledWorld()
    const alertId = town.service.open({ saidSeverity: 'critical' })
    await town.saidAfter(1)
    town.service.close(alertId)
    await town.tick(2)
    expect((await cards(town))[0]?.view).toMatchObject({ alert: { severity: 'critical', state: 'closed' } })
  })
})

describe('what became critical', () => {
  /** `count` warnings that are shown, one poll each. */
  async function warned(count: number, setting: Parameters<typeof pollWorld>[0] = {}) {
    const town = await polledWorld({ routes: calledForCriticals, ...setting })
    const ids: string[] = []
    for (let n = 0; n < count; n += 1) {
      ids.push(town.service.open({ hostname: `web-${n}`, metric: `m${n}`, saidSeverity: 'warning' }))
      await town.saidAfter(1)
    }
    const rise = (saidSeverity: 'critical' | 'warning' = 'critical') => {
      for (const id of ids) town.service.change(id, { saidSeverity })
    }
    return { ...town, ids, rise }
  }

  test('is said in the thread of its card, and calls whom the routes name for criticals', async () => {
    const town = await warned(1)
    town.rise()
    await town.tick()
    const [reply] = await cards(town)
    expect(reply).toMatchObject({
      task: 'post',
      channel: 'C1',
      parentTs: '1.1',
      view: {
        kind: 'notice',
        topic: 'became_critical',
        mention: '<!here>',
        alerts: [{ alertId: town.ids[0] }],
      },
    })
  })

  test('is said once of an alert, however often it changes, and over restarts', async () => {
    const town = await warned(1)
    const said = []
    for (let n = 0; n < 4; n += 1) {
      town.rise(n % 2 === 0 ? 'critical' : 'warning')
      await town.tick()
      said.push(...(await town.said()).filter((one) => one.startsWith('post')))
      town.restart()
      await town.tick()
    }
    expect(said).toEqual(['post became_critical 1'])
  })

  test('is said though it was said before of another that rises with it', async () => {
    const town = await warned(2)
    const [first = '', second = ''] = town.ids
    town.service.change(first, { saidSeverity: 'critical' })
    await town.saidAfter(1)
    town.service.change(first, { saidSeverity: 'warning' })
    await town.saidAfter(1)
    town.rise()
    await town.tick()
    const said = (await cards(town)).filter(
      ({ task, view }) => task === 'post' && 'topic' in view && view.topic === 'became_critical',
    )
    expect(said).toMatchObject([{ view: { alerts: [{ alertId: second }] } }])
  })

  test('is one reply, however many did at once', async () => {
    const town = await warned(5)
    town.rise()
    await town.tick()
    expect((await town.said()).filter((one) => one.startsWith('post'))).toEqual(['post became_critical 5'])
  })

  test('on a storm is said in the thread of the storm', async () => {
    const town = await polledWorld({ routes: calledForCriticals })
    const ids = [1, 2, 3, 4].map((n) => town.service.open({ hostname: `web-${n}`, saidSeverity: 'info' }))
    await town.tick()
    const [storm] = await cards(town)
    town.service.change(ids[2] ?? '', { saidSeverity: 'critical' })
    await town.tick()
    town.clock.advance(20_000)
    const reply = (await cards(town)).find(({ view }) => 'topic' in view && view.topic === 'became_critical')
    expect(storm?.view.kind).toBe('storm')
    expect(reply).toMatchObject({ parentTs: '1.1', view: { alerts: [{ alertId: ids[2] }] } })
  })

  test.each([
    [1, ['alert 1', 'became_critical 1']],
    [3, ['alert 1', 'alert 1', 'alert 1', 'became_critical 3']],
    [4, ['became_critical 4', 'storm 4']],
  ])(
    '(%s of them) was said below the old card alone, and not where the routes of today tell of criticals',
    async (count, expected) => {
      const town = await warned(count)
      town.restart({ routes: [{ match: { severity: 'critical' }, channel: 'C2', mention: '<!here>' }] })
      town.rise()
      await town.tick()
      const said = [...(await cards(town)), ...(await cards(town, 'C2'))].filter(
        ({ task }) => task === 'post',
      )
      const shown = said.map(({ view }) => `${nameOf(view)} ${'alerts' in view ? view.alerts.length : 1}`)
      expect(shown.filter((one) => !one.startsWith('page')).toSorted()).toEqual(expected)
      const called = said.map(({ channel, view }) =>
        'mention' in view && view.mention !== null ? channel : '',
      )
      expect(new Set(called.filter(Boolean))).toEqual(new Set(['C2']))
      for (const level of ['warning', 'critical'] as const) {
        town.rise(level)
        await town.tick()
        expect((await cards(town, 'C2')).filter(({ task }) => task === 'post')).toEqual([])
      }
    },
  )

  test('on a muted server calls nobody', async () => {
    const town = await warned(1)
    const mute = aMute('m1', { subject: 'web-0' })
    await town.store.commit({ ...emptyPlan(town.clock.nowMs()), mutes: [{ mute, was: null }] })
    town.rise()
    await town.tick()
    expect((await town.said()).filter((one) => one.startsWith('post'))).toEqual([])
  })

  test('to info, or back to a warning, is said by the card alone', async () => {
    const town = await warned(1)
    town.service.change(town.ids[0] ?? '', { saidSeverity: 'info' })
    await town.saidAfter(1)
    town.rise('warning')
    expect(await town.saidAfter(1)).toEqual([`update ${town.ids[0]} open`])
  })
})

test('a storm lists the critical alerts first', async () => {
  const town = await polledWorld({ severity: [disks] })
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
