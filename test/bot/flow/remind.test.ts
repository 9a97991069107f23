/** Reminders of alerts that nobody acknowledged: late enough, once, and not about what is muted. */
import { expect, test } from 'vitest'
import type { Alert } from '../../../src/bot/domain/alert/alert.ts'
import type { NewCard } from '../../../src/bot/domain/card/card.ts'
import type { NoticeTopic } from '../../../src/bot/domain/card/kinds.ts'
import type { ReminderStep } from '../../../src/bot/domain/card/reminders.ts'
import { flapReminder, reminderCard, staleAckNotice } from '../../../src/bot/domain/card/thread-cards.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import type { WireSettings } from '../../../src/bot/wire.ts'
import { aMute } from '../../support/acting-rows.ts'
import { deliveryTown } from '../../support/delivery-town.ts'
import { letPass } from '../../support/delivery-world.ts'
import {
  changeAlert,
  type ExpiryWorld,
  expiryWorld,
  hourMs,
  minuteMs,
  runningWorld,
  step,
} from '../../support/expiry-world.ts'
import { movingTown, toDb, usual } from '../../support/moving-town.ts'
import { cards, nameOf } from '../../support/poll-world.ts'

const reminderAfterMs = 15 * minuteMs

test('an alert that nobody acknowledged is told of once more in its thread, once', async () => {
  const town = await runningWorld({ reminderAfterMs })
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.poll()
  expect(await town.said()).toEqual([`post ${alertId} open`])
  await town.pass(14)
  expect(await town.said()).toEqual([])
  await town.pass(2)
  const [job, ...none] = await cards(town)
  expect(none).toEqual([])
  expect(job).toMatchObject({
    parentTs: '1.1',
    view: { kind: 'notice', topic: 'unacknowledged', alerts: [{ alertId }] },
  })
  await town.pass(60)
  expect(await town.said()).toEqual([])
  expect(await town.audit()).toEqual([])
})

test('time under a mute does not count: people had no reason to look', async () => {
  const town = await runningWorld({ reminderAfterMs })
  town.service.open({ hostname: 'web-1' })
  await town.poll()
  await town.mute('web-1', 19)
  await town.pass(20)
  const atTheEnd = await town.said()
  expect(atTheEnd).toContain('post mute_ended')
  expect(atTheEnd).not.toContain('post unacknowledged')
  await town.pass(16)
  expect(await town.said()).toContain('post unacknowledged')
})

test('an alert that was open long before monbot saw it gets its time as well', async () => {
  const town = await expiryWorld({ reminderAfterMs })
  town.service.open({ hostname: 'web-1' })
  town.clock.advance(24 * 60 * minuteMs)
  await town.poll()
  town.start()
  await town.pass(14)
  expect(await town.said()).toEqual(['post 1 open'])
  await town.pass(2)
  expect(await town.said()).toEqual(['post unacknowledged'])
})

test('after many alerts reminders come a few at a time: new alerts wait behind each of them', async () => {
  const town = await runningWorld({ reminderAfterMs })
  // Three at a time, each of which gets a card of its own.
  for (let n = 0; n < 30; n += 3) {
    for (const hostname of [n, n + 1, n + 2]) town.service.open({ hostname: `web-${hostname}` })
    await town.poll()
    expect(await town.said()).toHaveLength(3)
  }
  await town.pass(16)
  const first = (await town.said()).length
  expect(first).toBeGreaterThan(0)
  expect(first).toBeLessThanOrEqual(20)
  await town.pass(3)
  expect(first + (await town.said()).length).toBe(30)
})

test('switched off, nothing is reminded of', async () => {
  const town = await runningWorld({ reminderAfterMs: null })
  town.service.open({ hostname: 'web-1' })
  await town.poll()
  await town.said()
  await town.pass(120)
  expect(await town.said()).toEqual([])
})

const root = { cardId: 'alert:1:C1', channel: 'C1' }

/** Kind and alerts of each message that is new. */
async function posted(town: ExpiryWorld): Promise<string[]> {
  return (await cards(town)).flatMap(({ task, view }) => {
    if (task !== 'post' || view.kind === 'mute_expiring' || view.kind === 'mute_ended') return []
    const ids = 'alerts' in view ? view.alerts : 'alert' in view ? [view.alert] : []
    return [`${nameOf(view)} ${ids.map(({ alertId }) => alertId).join(' ')}`]
  })
}

/** A storm of four, 1 to 4; it runs for a minute at least. */
async function stormOf(steps: readonly ReminderStep[], more = {}) {
  const town = await runningWorld({ reminders: { steps, ...more } })
  town.clock.advance(minuteMs)
  const alertIds = ['a', 'b', 'c', 'd'].map((metric) => town.service.open({ hostname: 'web-1', metric }))
  await town.poll()
  await posted(town)
  return { ...town, alertIds }
}

test('whoever joined a storm later than its first alert was never reminded of', async () => {
  const town = await stormOf([step(15)])
  town.clock.advance(40_000)
  const late = town.service.open({ hostname: 'db-1', metric: 'a' })
  await town.poll()
  await town.pass(16)
  expect(await posted(town)).toEqual([`unacknowledged ${[...town.alertIds, late].join(' ')}`])
  await town.pass(40)
  expect(await posted(town)).toEqual([])
})

test('what was muted while the others of its list were reminded of has its own turn', async () => {
  const town = await stormOf([step(15), step(30, { mention: '<!here>' })])
  town.clock.advance(1_000)
  const late = town.service.open({ hostname: 'db-1', metric: 'a' })
  await town.poll()
  await town.mute('db-1', 20)
  await town.pass(16)
  expect(await posted(town)).toEqual([`unacknowledged ${town.alertIds.join(' ')}`])
  for (const alertId of town.alertIds) town.service.close(alertId)
  await town.pass(17)
  expect(await posted(town)).not.toContain(`unacknowledged ${late}`)
  await town.pass(3)
  expect(await posted(town)).toEqual([`unacknowledged ${late}`])
  await town.pass(15)
  expect(await posted(town)).toEqual([`unacknowledged ${late}`])
})

test('one of a storm that came back again and again put off the reminders of all others', async () => {
  const town = await stormOf([step(15), step(30)])
  const found: string[] = []
  for (let n = 0; n < 6; n += 1) {
    await town.pass(10)
    await changeAlert(town, town.alertIds[0] ?? '', { reopenedMs: town.clock.nowMs() })
    found.push(...(await posted(town)))
  }
  expect(found).toEqual([
    `unacknowledged ${town.alertIds.join(' ')}`,
    `unacknowledged ${town.alertIds.slice(1).join(' ')}`,
  ])
})

test('that alerts of a storm were open again was an edit that nobody saw; it is told once, in one message', async () => {
  const town = await stormOf([step(15)], { flapSettleMs: 2 * minuteMs })
  await town.pass(10)
  const [one = '', two = ''] = town.alertIds
  for (const alertId of [one, two]) await changeAlert(town, alertId, { reopenedMs: town.clock.nowMs() })
  await town.pass(3)
  expect(await posted(town)).toEqual([`unacknowledged ${one} ${two}`])
  await town.dies()
  town.start()
  await town.poll()
  await town.pass(9)
  expect(await posted(town)).toEqual([`unacknowledged ${town.alertIds.slice(2).join(' ')}`])
})

test('a clock that was set back by hours silenced reminders for as long', async () => {
  const town = await runningWorld({ reminders: { steps: [step(15)], flapSettleMs: 2 * minuteMs } })
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.poll()
  expect(await posted(town)).toEqual([`alert ${alertId}`])
  town.clock.set(-3 * hourMs)
  await town.pass(20)
  expect(await posted(town)).toEqual([`unacknowledged ${alertId}`])
  await town.pass(240)
  expect(await posted(town)).toEqual([])
})

test('an alert whose own channel takes nothing reached nobody, not even in the channel that it escalates to', async () => {
  const steps = [step(15), step(30, { channel: 'C0LEADS' }), step(60)]
  const town = await runningWorld({ reminders: { steps } })
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.pass(70)
  const inLeads = () => town.store.nextJob('C0LEADS', town.clock.nowMs(), ['post'])
  const job = await inLeads()
  expect(job?.view).toMatchObject({
    kind: 'notice',
    topic: 'unacknowledged',
    alerts: [{ alertId }],
    above: { channel: 'C1', ts: null },
  })
  await town.store.settle(job?.cardId ?? '', { state: 'shown', ts: '2.1', shown: 1 })
  // The channel is open again: what it is told first is the alert.
  expect(await posted(town)).toEqual([`alert ${alertId}`])
  await town.pass(15)
  expect(await posted(town)).toEqual([`unacknowledged ${alertId}`])
  expect(await inLeads()).toBeNull()
})

test('a mute that the API does not let end silences nothing, and reminders neither', async () => {
  const town = await runningWorld({ reminders: { steps: [step(15)] } })
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.poll()
  await posted(town)
  town.fails('unreachable')
  await town.mute('web-1', 5)
  await town.pass(40)
  expect(await posted(town)).toContain(`unacknowledged ${alertId}`)
})

test.each<[NoticeTopic, (alert: Alert) => NewCard]>([
  ['unacknowledged', (alert: Alert) => reminderCard('1:C1', [alert], { root, mention: '<!here>' })],
  ['flap_reminder', (alert: Alert) => flapReminder(alert, root, '<!here>')],
  ['stale_ack', (alert: Alert) => staleAckNotice([alert], root, { owner: 'U1', sinceMs: 0 })],
])(
  '%s: one that still waited for Slack when its server was muted called people all the same',
  async (topic, made) => {
    const { clock, chat, store, open, commit } = await deliveryTown()
    await open('1')
    await letPass(clock, minuteMs)
    const [alert] = await store.recallByIds(['1'])
    if (alert === undefined) throw new Error('the alert was just there')
    const owned =
      topic === 'stale_ack' ? { ...alert, ackedBy: 'U1', ackedMs: 0, version: alert.version + 1 } : null
    const mute = aMute('m1', { subject: alert.hostname })
    await commit({
      ...emptyPlan(clock.nowMs()),
      alerts: owned === null ? [] : [{ alert: owned, was: alert.version }],
      cards: [made(alert)],
      mutes: [{ mute, was: null }],
    })
    await letPass(clock, minuteMs)
    expect(chat.messages.map(({ key }) => key)).toEqual(['alert:1:C1'])
    expect(await store.noticesOf(topic)).toEqual([])
  },
)

/** The settings with reminders at these minutes, to whom the route mentions. */
const remindingAt = (
  minutes: readonly number[],
  over: Partial<WireSettings> = {},
): Partial<WireSettings> => ({
  ...usual,
  reminders: { steps: minutes.map((at) => step(at)), flapSettleMs: 2 * minuteMs, staleAckAfterMs: null },
  ...over,
})
const dbTo = (mention: string | null, channel = toDb.channel) => ({ routes: [{ ...toDb, mention, channel }] })

/** Whom each notice of the topic mentions, in the order of posting. */
function calledBy(it: Awaited<ReturnType<typeof movingTown>>, topic: NoticeTopic): (string | null)[] {
  return it.chat.messages.flatMap(({ view }) =>
    view.kind === 'notice' && view.topic === topic ? [('mention' in view && view.mention) || null] : [],
  )
}

const [old, next] = ['<!subteam^SDB>', '<!subteam^SNEW>']

test.each<[string, number, Partial<WireSettings>, readonly (string | null)[], { before?: string | null }?]>([
  ['before the first', 5, remindingAt([15, 30], dbTo(next)), [next, next]],
  ['between them', 20, remindingAt([15, 30], dbTo(next)), [old, next]],
  ['after the last', 40, remindingAt([15, 30], dbTo(next)), [old, old]],
  ['with its time', 20, remindingAt([22, 30], dbTo(next)), [old, next]],
  ['with the time of the last', 40, remindingAt([15, 45], dbTo(next)), [old, old]],
  ['to nobody', 5, remindingAt([15, 30], dbTo(null)), [null, null]],
  ['from nobody', 5, remindingAt([15, 30], dbTo(next)), [next, next], { before: null }],
  ['from nobody, between them', 20, remindingAt([15, 30], dbTo(next)), [null, next], { before: null }],
  ['in no way', 5, remindingAt([15, 30]), [old, old]],
])(
  'a reminder mentioned the team of before, whose route was given to another one (%s)',
  async (_, atMinute, after, expected, { before = old } = {}) => {
    const it = await movingTown(remindingAt([15, 30], dbTo(before)))
    it.service.open({ hostname: 'db-1' })
    await it.pass(atMinute)
    await it.start(after)
    await it.pass(120)
    expect(calledBy(it, 'unacknowledged')).toEqual(expected)
  },
)

test('what became critical was reminded of without those whom its route mentions since', async () => {
  const toCritical = {
    match: { severity: 'critical' },
    channel: 'C0OPS',
    mention: '<!subteam^SCRIT>',
  } as const
  const settings = remindingAt([15, 30], { routes: [toCritical] })
  const it = await movingTown(settings)
  it.service.open({ hostname: 'db-1' })
  await it.pass(5)
  await it.start({ ...settings, severity: [{ match: { server: 'db-*' }, is: 'critical' }] })
  await it.pass(60)
  expect(calledBy(it, 'became_critical')).toEqual([toCritical.mention])
  expect(calledBy(it, 'unacknowledged')).toEqual([toCritical.mention, toCritical.mention])
})

test('a list is reminded of to the teams of today whose alerts still wait', async () => {
  const toWeb = { match: { server: 'web-*' }, channel: 'C0DB', mention: '<!subteam^SWEB>' }
  const it = await movingTown(remindingAt([15, 30], { routes: [toDb, toWeb] }))
  for (const hostname of ['db-1', 'db-2', 'db-3']) it.service.open({ hostname })
  const web = it.service.open({ hostname: 'web-1' })
  await it.pass(5)
  expect(it.seen()[0]).toBe('C0DB storm 4')
  await it.start(remindingAt([15, 30], { routes: [{ ...toDb, mention: next }, toWeb] }))
  await it.pass(15)
  const [both] = calledBy(it, 'unacknowledged')
  expect(both?.split(' ').toSorted()).toEqual([next, toWeb.mention])
  it.service.close(web)
  await it.pass(60)
  expect(calledBy(it, 'unacknowledged').slice(1)).toEqual([next])
})

test('an alert that stands where its route does not lead still calls those whom its card called', async () => {
  const toCritical = {
    match: { severity: 'critical' },
    channel: 'C0CRIT',
    mention: '<!subteam^SCRIT>',
  } as const
  const settings = remindingAt([15], { routes: [toCritical, toDb] })
  const it = await movingTown({ ...settings, severity: [{ match: { server: 'db-*' }, is: 'critical' }] })
  it.service.open({ hostname: 'db-1' })
  await it.pass(5)
  await it.start(settings)
  await it.pass(60)
  expect(it.seen()).toContain('C0CRIT unacknowledged in thread')
  expect(calledBy(it, 'unacknowledged')).toEqual([toCritical.mention])
})
