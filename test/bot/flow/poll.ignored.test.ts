/** What the policy leaves out: it is counted, and shown nowhere; and what becomes of a card when the policy changes. */
import { describe, expect, test } from 'vitest'
import type { AlertRecord } from '../../../src/bot/domain/alert/alert.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { headline } from '../../../src/bot/slack/render/text/headline.ts'
import { inText } from '../../../src/bot/slack/render/text/phrases.ts'
import { someDetails } from '../../support/delivery-world.ts'
import { minuteMs, movingTown } from '../../support/moving-town.ts'
import { paging } from '../../support/pager-world.ts'
import { cards, type PollWorld, polledWorld, states } from '../../support/poll-world.ts'

const forms = ['flip', 'pair'] as const
const ignore = [{ match: { labels: { namespace: 'test-*' } } }]
const inTest = { hostname: 'web-1', details: someDetails({ labels: { namespace: 'test-1' } }) }
const watchdog: Partial<AlertRecord> = { hostname: 'global', plugin: 'Watchdog', saidSeverity: 'none' }

/** Where people and the bot look for alerts. */
async function seen({ store, clock }: PollWorld) {
  const all = { state: 'all', hostname: null, offset: 0, limit: 10 } as const
  const report = await store.report(0, clock.nowMs() + 1, [0])
  return {
    open: (await store.openAlerts(null)).length,
    lost: (await store.lostAlerts(null)).length,
    listed: (await store.findAlerts(all)).total,
    closed: (await store.findAlerts({ ...all, state: 'closed' })).total,
    reported: report.opened + report.oneoffs + report.closed + report.servers.length,
    counted: await store.countAlerts({ subjects: null, sinceMs: 0 }),
    reminded: (await store.alertsForReminders({ isAcked: false, beforeMs: clock.nowMs() + 1 })).length,
    ignored: await store.countIgnored(),
  }
}
const nothing = { open: 0, lost: 0, listed: 0, closed: 0, reported: 0, counted: 0, reminded: 0, ignored: 0 }

describe.each(forms)('in %s form', (form) => {
  test('what is ignored is nowhere but in the count, until it is over', async () => {
    const world = await polledWorld({ form, ignore })
    const alertId = world.service.open(inTest)
    expect(await world.saidAfter(2)).toEqual([])
    expect(await seen(world)).toEqual({ ...nothing, ignored: 1 })
    world.service.close(alertId)
    expect(await world.saidAfter(3)).toEqual([])
    expect(await seen(world)).toEqual(nothing)
  })

  test('what came and went between two polls, and a one-off, are neither told nor counted', async () => {
    const world = await polledWorld({ form, ignore: [...ignore, { match: { plugin: 'CPU' } }] })
    world.service.close(world.service.open(inTest))
    world.service.oneoff()
    expect(await world.saidAfter(3)).toEqual([])
    expect(await seen(world)).toEqual(nothing)
  })

  test('an alert that becomes ignored stays on its card, which says so, and closes there in silence', async () => {
    const world = await polledWorld({ form })
    const alertId = world.service.open(inTest)
    expect(await world.saidAfter(1)).toEqual([`post ${alertId} open`])
    world.restart({ ignore })
    await world.tick()
    const [job, ...none] = await cards(world)
    expect(none).toEqual([])
    expect(states(job === undefined ? [] : [job])).toEqual([`update ${alertId} ignored`])
    if (job?.view.kind !== 'alert') throw new Error('it is the card of the alert')
    expect(headline(job.view.alert, inText)).toContain('⚪ web-1 CPU: last minute is ignored by the policy')
    expect(await seen(world)).toEqual({ ...nothing, ignored: 1 })
    world.service.close(alertId)
    expect(await world.saidAfter(3)).toEqual([`update ${alertId} ignored`])
    expect(await seen(world)).toEqual(nothing)
  })

  test('what is ignored no longer is open on the card that it had, and closes there', async () => {
    const world = await polledWorld({ form })
    const alertId = world.service.open(inTest)
    await world.tick()
    await world.said()
    world.restart({ ignore })
    await world.tick()
    await world.said()
    world.restart({ ignore: [] })
    expect(await world.saidAfter(1)).toEqual([`update ${alertId} open`])
    expect(await seen(world)).toMatchObject({ open: 1, listed: 1, reminded: 1, ignored: 0 })
    world.service.close(alertId)
    expect(await world.saidAfter(2)).toEqual([`update ${alertId} closed`])
  })

  test('what never had a card gets one when it is ignored no longer, and only one', async () => {
    const world = await polledWorld({ form, ignore })
    const alertId = world.service.open(inTest)
    await world.tick(2)
    world.restart({ ignore: [] })
    expect(await world.saidAfter(1)).toEqual([`post ${alertId} open`])
    expect(await world.saidAfter(2)).toEqual([])
    world.restart({ ignore })
    expect(await world.saidAfter(1)).toEqual([`update ${alertId} ignored`])
    world.restart({ ignore: [] })
    expect(await world.saidAfter(1)).toEqual([`update ${alertId} open`])
  })
})

describe('what is ignored no longer waits anew from then on', () => {
  const ignored = { ignore: [{ match: { server: 'db-*' } }] }
  const reminder = { afterMs: 15 * minuteMs, mention: null, channel: null }
  const leads = { ...paging(120), channel: 'C0LEADS' }
  const reminders = { steps: [reminder, leads], flapSettleMs: null, staleAckAfterMs: null }
  const settings = { slackChannel: 'C0OPS', routes: [], reminders }

  test.each([
    ['before the first reminder', 5],
    ['after it', 20],
  ])('ignored %s', async (_, minutes) => {
    const it = await movingTown(settings)
    const alertId = it.service.open({ hostname: 'db-1' })
    await it.pass(minutes)
    await it.start({ ...settings, ...ignored })
    await it.pass(3 * 60)
    const before = it.seen().length
    const since = () => it.seen().slice(before)
    await it.start(settings)
    await it.pass(12)
    expect([since(), it.pager.heard()]).toEqual([[], []])
    await it.pass(5)
    expect(since()).toEqual(['C0OPS unacknowledged in thread'])
    await it.pass(110)
    expect(since()).toEqual(['C0OPS unacknowledged in thread', 'C0LEADS unacknowledged'])
    expect(it.pager.heard()).toEqual([`triggered ${alertId}`])
    await it.stop()
  })

  test('by a silence that hides it still, it waits for its end', async () => {
    const world = await polledWorld({ ignore })
    const by = { kind: 'silence', id: 's1', by: null, why: null, untilMs: null, isOurs: false } as const
    const alertId = world.service.open({ ...inTest, mutedBy: [by] })
    await world.tick(2)
    world.restart({ ignore: [] })
    expect(await world.saidAfter(2)).toEqual([])
    expect(await world.store.recallByIds([alertId])).toMatchObject([{ state: 'open', unmutedMs: null }])
  })
})

describe('the severity of what was ignored', () => {
  const critical = { match: { severity: 'critical' as const }, channel: 'C1', mention: null }

  test.each([
    ['while it was', true],
    ['as it was no longer', false],
  ])('it became critical %s: the channel is told, once', async (_, isBefore) => {
    const world = await polledWorld({ routes: [critical] })
    const alertId = world.service.open(inTest)
    await world.tick()
    await world.said()
    world.restart({ ignore })
    await world.saidAfter(1)
    const worsens = () => world.service.change(alertId, { saidSeverity: 'critical' })
    if (isBefore) {
      worsens()
      await world.tick()
      expect((await world.tick()).changes).toBe(0)
      await world.said()
    } else worsens()
    world.restart({ ignore: [] })
    expect((await world.saidAfter(1)).toSorted()).toEqual([
      'post became_critical 1',
      `update ${alertId} open`,
    ])
    world.restart({ ignore })
    expect(await world.saidAfter(2)).toEqual([`update ${alertId} ignored`, 'update became_critical 1'])
    world.restart({ ignore: [] })
    expect(await world.saidAfter(2)).toEqual([`update ${alertId} open`, 'update became_critical 1'])
  })

  test('it was critical before, or never had a card: nothing is said of a change', async () => {
    const world = await polledWorld({ ignore: [{ match: { server: 'db-*' } }] })
    const [shown, fresh] = [
      world.service.open({ ...inTest, saidSeverity: 'critical' }),
      world.service.open({ hostname: 'db-1' }),
    ]
    await world.saidAfter(1)
    world.restart({ ignore: [{ match: {} }] })
    world.service.change(fresh, { saidSeverity: 'critical' })
    await world.saidAfter(2)
    world.restart({ ignore: [] })
    expect((await world.saidAfter(1)).toSorted()).toEqual([`post ${fresh} open`, `update ${shown} open`])
  })

  test('a rule that ignores one severity decides by what it is now', async () => {
    const world = await polledWorld({ ignore: [{ match: { severity: 'critical' } }] })
    const alertId = world.service.open({ ...inTest, saidSeverity: 'warning' })
    await world.saidAfter(1)
    world.service.change(alertId, { saidSeverity: 'critical' })
    expect(await world.saidAfter(2)).toEqual([`update ${alertId} ignored`])
    world.service.change(alertId, { saidSeverity: 'warning' })
    expect(await world.saidAfter(2)).toEqual([`update ${alertId} open`])
    world.restart({ ignore: [{ match: { severity: 'info' } }] })
    world.service.change(alertId, { saidSeverity: 'info' })
    expect(await world.saidAfter(2)).toEqual([`update ${alertId} ignored`])
    world.service.change(alertId, { saidSeverity: 'critical' })
    expect((await world.saidAfter(2)).toSorted()).toEqual([
      'post became_critical 1',
      `update ${alertId} open`,
    ])
  })
})

test('without a word of the policy, what has the severity none is ignored, also in a label alone', async () => {
  const world = await polledWorld()
  world.service.open(watchdog)
  world.service.open({
    ...watchdog,
    saidSeverity: null,
    details: someDetails({ labels: { severity: 'None' } }),
  })
  const info = world.service.open({ ...watchdog, saidSeverity: 'info' })
  expect(await world.saidAfter(2)).toEqual([`post ${info} open`])
  expect(await world.store.countIgnored()).toBe(2)
})

test('a policy of its own may show it, as harmless as it is', async () => {
  const world = await polledWorld({ ignore: [] })
  const alertId = world.service.open(watchdog)
  expect(await world.saidAfter(1)).toEqual([`post ${alertId} open`])
  expect(await world.store.recallByIds([alertId])).toMatchObject([{ severity: 'info', saidSeverity: 'none' }])
})

test('a Watchdog from before the bot knew the word is taken off its card', async () => {
  const world = await polledWorld({ ignore: [] })
  const alertId = world.service.open({ ...watchdog, saidSeverity: 'info' })
  await world.tick()
  await world.said()
  world.service.change(alertId, { saidSeverity: 'none' })
  world.restart({ ignore: [{ match: { severity: 'none' } }] })
  expect(await world.saidAfter(1)).toEqual([`update ${alertId} ignored`])
  expect(await seen(world)).toEqual({ ...nothing, ignored: 1 })
})

test('labels that change while it is open decide anew', async () => {
  const world = await polledWorld({ ignore })
  const alertId = world.service.open(inTest)
  await world.tick()
  world.service.change(alertId, { details: someDetails({ labels: { namespace: 'live-1' } }) })
  expect(await world.saidAfter(1)).toEqual([`post ${alertId} open`])
})

test('a rule by role ignores what is on such a server', async () => {
  const world = await polledWorld({ ignore: [{ match: { role: 'web' } }] })
  world.service.open({ hostname: 'web-1' })
  const other = world.service.open({ hostname: 'db-1' })
  expect(await world.saidAfter(2)).toEqual([`post ${other} open`])
})

test('many that are ignored are no storm, and do not stop one', async () => {
  const world = await polledWorld({ ignore })
  for (let n = 0; n < 300; n += 1) world.service.open({ ...inTest, hostname: `web-${n}` })
  const alertIds = Array.from({ length: 2 }, () => world.service.open({ hostname: 'db-1' }))
  expect((await world.saidAfter(1)).toSorted()).toEqual(alertIds.map((alertId) => `post ${alertId} open`))
  expect(await world.store.countIgnored()).toBe(300)
  expect((await world.tick()).changes).toBe(0)
})

test('what is ignored for a year is still known, and what was is forgotten', async () => {
  const world = await polledWorld({ ignore })
  const [open, over] = [world.service.open(inTest), world.service.open(inTest)]
  await world.tick()
  world.service.close(over)
  await world.tick(3)
  const beforeMs = world.clock.nowMs() + 1
  await world.store.prune({ alertsBeforeMs: beforeMs, recordsBeforeMs: beforeMs }, 100)
  await world.store.prune({ alertsBeforeMs: beforeMs, recordsBeforeMs: beforeMs }, 100)
  expect((await world.store.recallByIds([open, over])).map(({ alertId }) => alertId)).toEqual([open])
  expect(await world.store.commit(emptyPlan(beforeMs))).toBe('saved')
})
