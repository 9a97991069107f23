/** Reminders reach people: step by step, after flaps, and after an acknowledgement that somebody forgot; each once, also over kills. */
import { expect, test } from 'vitest'
import type { ReminderStep } from '../../../src/bot/domain/card/reminders.ts'
import { reminderCard } from '../../../src/bot/domain/card/thread-cards.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import {
  changeAlert,
  type ExpiryWorld,
  expiryWorld,
  hourMs,
  minuteMs,
  runningWorld,
  step,
} from '../../support/expiry-world.ts'
import { cards, nameOf } from '../../support/poll-world.ts'

const steps = [step(15), step(30, { mention: '<!subteam^S1>' }), step(60, { channel: 'C0LEADS' })]

async function withAlert(setting: Parameters<typeof expiryWorld>[0] = { reminders: { steps } }) {
  const town = await runningWorld(setting)
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.poll()
  expect(await town.said()).toEqual([`post ${alertId} open`])
  return { ...town, alertId }
}

/** What was newly posted, by kind and mention; also in the leads' channel. */
async function posted(town: ExpiryWorld): Promise<string[]> {
  const found = [...(await cards(town)), ...(await cards(town, 'C0LEADS'))]
  return found.flatMap(({ task, view }) =>
    task === 'post' && view.kind !== 'board'
      ? [`${nameOf(view)} ${'mention' in view ? (view.mention ?? '') : ''}`.trim()]
      : [],
  )
}

/** After which nobody has to be called any more. */
const endings: readonly [string, (town: ExpiryWorld & { alertId: string }) => Promise<unknown>][] = [
  ['acknowledged', (town) => changeAlert(town, town.alertId, { ackedBy: 'U1', ackedMs: town.clock.nowMs() })],
  ['muted', (town) => town.mute('web-1', null)],
  ['closed', async (town) => town.service.close(town.alertId)],
]

test('each step comes once and to whom it names, the last one in another channel that knows where the card is', async () => {
  const town = await withAlert()
  await town.pass(16)
  expect(await posted(town)).toEqual(['unacknowledged'])
  await town.pass(15)
  expect(await posted(town)).toEqual(['unacknowledged <!subteam^S1>'])
  await town.pass(28)
  expect(await posted(town)).toEqual([])
  await town.pass(2)
  expect(await town.said()).toEqual([])
  const [job, ...none] = await cards(town, 'C0LEADS')
  expect(none).toEqual([])
  expect(job).toMatchObject({
    parentTs: null,
    view: { kind: 'notice', topic: 'unacknowledged', above: { channel: 'C1', ts: '1.1' } },
  })
  await town.pass(120)
  expect(await posted(town)).toEqual([])
})

test('a start after long does not catch up: only the last step that is due is told', async () => {
  const town = await withAlert()
  await town.dies()
  town.clock.advance(40 * minuteMs)
  town.start()
  await town.poll()
  await town.pass(1)
  expect(await posted(town)).toEqual(['unacknowledged <!subteam^S1>'])
  await town.pass(60)
  expect(await posted(town)).toEqual(['unacknowledged'])
})

test('a reminder that was committed and not posted when the process died is posted once', async () => {
  const town = await withAlert()
  await town.pass(15)
  await town.dies()
  town.start()
  town.start()
  await town.poll()
  await town.pass(5)
  expect(await posted(town)).toEqual(['unacknowledged'])
  await town.pass(9)
  expect(await posted(town)).toEqual([])
})

test.each(endings)('nobody is reminded any more once it is %s', async (_, happens) => {
  const town = await withAlert()
  await town.pass(16)
  expect(await posted(town)).toEqual(['unacknowledged'])
  await happens(town)
  await town.pass(120)
  expect(await posted(town)).toEqual([])
})

test('handed back, an alert is reminded of again, from that moment on', async () => {
  const town = await withAlert()
  await town.pass(16)
  expect(await posted(town)).toEqual(['unacknowledged'])
  await changeAlert(town, town.alertId, { ackedBy: 'U1', ackedMs: town.clock.nowMs() })
  await town.pass(60)
  await changeAlert(town, town.alertId, {
    ackedBy: null,
    ackedMs: null,
    ownershipConfirmedMs: town.clock.nowMs(),
  })
  await town.pass(14)
  expect(await posted(town)).toEqual([])
  await town.pass(2)
  expect(await posted(town)).toEqual(['unacknowledged'])
  await town.pass(15)
  expect(await posted(town)).toEqual(['unacknowledged <!subteam^S1>'])
})

const silence = { kind: 'silence', id: 's1', by: 'ana', untilMs: null, why: '', isOurs: false } as const

/** What hides it, and after how many minutes it is over. */
const muted: readonly [string, number, (town: ExpiryWorld & { alertId: string }) => Promise<unknown>][] = [
  ['for a time', 20, (town) => town.mute('web-1', 20)],
  [
    'until somebody ended that',
    20,
    async (town) => {
      const mute = await town.mute('web-1', null)
      await town.pass(20)
      await town.parts().unmutes(mute)
    },
  ],
  ['by several mutes', 20, (town) => Promise.all([town.mute('web-1', 20), town.mute(null, 10)])],
  // The service lists no silence: after five minutes of readings without it, it is over.
  ['elsewhere', 6, (town) => changeAlert(town, town.alertId, { mutedBy: [silence] })],
]

test.each(muted)('what was reminded of and then muted %s came back silently', async (_, overAfter, hide) => {
  const town = await withAlert()
  await town.pass(16)
  expect(await posted(town)).toEqual(['unacknowledged'])
  const mutedMs = town.clock.nowMs()
  await hide(town)
  const passUntil = (minute: number) => town.pass(minute - (town.clock.nowMs() - mutedMs) / minuteMs)
  await passUntil(overAfter + 14)
  expect(await posted(town)).not.toContain('unacknowledged')
  await passUntil(overAfter + 16)
  expect(await posted(town)).toEqual(['unacknowledged'])
  await town.dies()
  town.start()
  await town.poll()
  await passUntil(overAfter + 29)
  expect(await posted(town)).toEqual([])
  await passUntil(overAfter + 31)
  expect(await posted(town)).toEqual(['unacknowledged <!subteam^S1>'])
})

test('alerts that were told in a summary were never reminded of: their list is, once for each step, whoever of it still waits', async () => {
  const town = await expiryWorld({ reminders: { steps } })
  const alertIds = ['a', 'b', 'c', 'd'].map((metric) => town.service.open({ hostname: 'web-1', metric }))
  await town.poll()
  town.start()
  expect(await town.said()).toContain('post summary 4')
  await town.pass(16)
  const [whole] = (await cards(town)).filter(({ task }) => task === 'post')
  expect(whole).toMatchObject({
    parentTs: expect.any(String),
    view: { kind: 'notice', topic: 'unacknowledged', alerts: { length: 4 } },
  })
  await changeAlert(town, alertIds[0] ?? '', { ackedBy: 'U1', ackedMs: town.clock.nowMs() })
  await town.pass(15)
  const [job, ...none] = (await cards(town)).filter(({ task }) => task === 'post')
  expect(none).toEqual([])
  expect(job?.view).toMatchObject({
    kind: 'notice',
    topic: 'unacknowledged',
    isOfList: true,
    mention: '<!subteam^S1>',
  })
  expect(job?.view.kind === 'notice' && 'alerts' in job.view && job.view.alerts).toHaveLength(3)
})

async function flapped(setting: Parameters<typeof expiryWorld>[0]) {
  const town = await runningWorld(setting)
  for (let n = 0; n < 2; n += 1) {
    const alertId = town.service.open({ hostname: 'web-1', metric: 'flaps' })
    await town.pass(1)
    if (n === 1) await changeAlert(town, alertId, { ackedBy: 'U1', ackedMs: town.clock.nowMs() })
    town.service.close(alertId)
    await town.pass(1)
  }
  await town.said()
  const third = town.service.open({ hostname: 'web-1', metric: 'flaps' })
  await town.poll()
  const [update, ...none] = await cards(town)
  expect(none).toEqual([])
  expect(update).toMatchObject({
    task: 'update',
    view: { kind: 'alert', alert: { alertId: third, ackedBy: null }, ackedBefore: 'U1', flaps: { times: 2 } },
  })
  return { ...town, alertId: third }
}

test('the third firing was silent: open for a while, it is told in the channel, once', async () => {
  const town = await flapped({ reminders: { flapSettleMs: 2 * minuteMs } })
  await town.pass(1)
  expect(await posted(town)).toEqual([])
  await town.pass(2)
  const [job, ...none] = await cards(town)
  expect(none).toEqual([])
  expect(job).toMatchObject({
    parentTs: '1.1',
    view: {
      kind: 'notice',
      topic: 'flap_reminder',
      alerts: [{ alertId: town.alertId }],
      flaps: { times: 2 },
    },
  })
  await town.dies()
  town.start()
  await town.poll()
  await town.pass(30)
  expect(await posted(town)).toEqual([])
})

test.each(endings)('a flap that is %s before it has settled calls nobody', async (_, happens) => {
  const town = await flapped({ reminders: { flapSettleMs: 2 * minuteMs } })
  await happens(town)
  await town.pass(30)
  expect(await posted(town)).toEqual([])
})

test('that a flap is open still is not said while the API is away', async () => {
  const town = await flapped({ reminders: { flapSettleMs: 2 * minuteMs } })
  await town.pass(10, { outage: true })
  expect(await posted(town)).toEqual([])
  await town.pass(2)
  expect(await posted(town)).toEqual(['flap_reminder'])
})

test('whoever took an alert long ago is asked once, and again after they said to be on it', async () => {
  const town = await withAlert({ reminders: { staleAckAfterMs: 4 * hourMs } })
  const ackedMs = town.clock.nowMs()
  await changeAlert(town, town.alertId, { ackedBy: 'U0ANA', ackedMs })
  await town.pass(239)
  expect(await posted(town)).toEqual([])
  await town.pass(2)
  const [job, ...none] = (await cards(town)).filter(({ task }) => task === 'post')
  expect(none).toEqual([])
  expect(job).toMatchObject({
    parentTs: '1.1',
    view: { kind: 'notice', topic: 'stale_ack', owner: 'U0ANA', alerts: [{}] },
  })
  await town.dies()
  town.start()
  await town.poll()
  await town.pass(300)
  expect(await posted(town)).toEqual([])
  await changeAlert(town, town.alertId, { ownershipConfirmedMs: town.clock.nowMs() })
  await town.pass(239)
  expect(await posted(town)).toEqual([])
  await town.pass(2)
  expect(await posted(town)).toEqual(['stale_ack'])
})

test.each<[string, readonly ReturnType<typeof step>[], number, readonly string[]]>([
  ['later', [step(15), step(35, { mention: '<!subteam^S1>' }), step(60, { channel: 'C0LEADS' })], 40, []],
  ['earlier', [step(15), step(25, { mention: '<!subteam^S1>' }), step(60, { channel: 'C0LEADS' })], 40, []],
  [
    'each of them',
    [step(10), step(32, { mention: '<!subteam^S1>' }), step(60, { channel: 'C0LEADS' })],
    40,
    [],
  ],
  ['beyond what has passed', [step(15), step(50, { mention: '<!subteam^S1>' })], 55, []],
  ['and the people', [step(15), step(35, { mention: '<!here>' })], 40, ['unacknowledged <!here>']],
  [
    'of the one before, which is gone',
    [step(30, { mention: '<!subteam^S1>' }), step(60, { channel: 'C0LEADS' })],
    65,
    ['unacknowledged'],
  ],
  ['of nothing', steps, 65, ['unacknowledged']],
])(
  'a step whose time was tuned (%s) reminded again of everything',
  async (_, tuned, untilMinute, expected) => {
    const setting = { reminders: { steps: steps as readonly ReturnType<typeof step>[] } }
    const town = await withAlert(setting)
    await town.pass(32)
    expect(await posted(town)).toHaveLength(2)
    await town.dies()
    setting.reminders = { steps: tuned }
    town.start()
    await town.pass(untilMinute - 32)
    expect(await posted(town)).toEqual(expected)
  },
)

const toLeads = (minutes: number) => step(minutes, { channel: 'C0LEADS' })
const toTeam = (minutes: number) => step(minutes, { mention: '<!subteam^S1>' })

/** What is due in the channel of the card and in that of the leads, after the first of the steps before reminded at minute 15. */
const firstSteps: readonly [
  string,
  {
    before: readonly ReminderStep[]
    after: readonly ReminderStep[]
    here?: readonly string[]
    leads?: number
  },
][] = [
  ['removed', { before: [step(15), toLeads(60)], after: [toLeads(60)], leads: 1 }],
  ['removed, with another one to the same people', { before: [step(15), step(60)], after: [step(60)] }],
  ['preceded by a new one', { before: [step(15)], after: [step(5), step(15)] }],
  ['preceded by one to others', { before: [step(15)], after: [toTeam(5), step(15)] }],
  [
    'removed, and a new one put first',
    { before: [step(15), toLeads(60)], after: [step(5), toLeads(60)], leads: 1 },
  ],
  [
    'replaced, as all are',
    { before: [step(15), toLeads(60)], after: [step(40), toTeam(50)], here: ['<!subteam^S1>'] },
  ],
  [
    'replaced, as all are, by what is due already',
    { before: [step(15), toLeads(60)], after: [step(5), toTeam(10)], here: ['<!subteam^S1>'] },
  ],
  [
    'behind the one that came after it',
    { before: [step(15), toLeads(60)], after: [toLeads(10), step(60)], leads: 1 },
  ],
  ['as it was', { before: [step(15), toLeads(60)], after: [step(15), toLeads(60)], leads: 1 }],
]

/** Whom the reminders that are newly posted there mention. */
async function remindedAt(town: ExpiryWorld, channel: string): Promise<string[]> {
  return (await cards(town, channel)).flatMap(({ task, view }) =>
    task === 'post' && view.kind === 'notice' && view.topic === 'unacknowledged' ? [view.mention ?? ''] : [],
  )
}

test.each(firstSteps)(
  'the first step reminded and is then %s: none comes twice, and none is lost',
  async (_, { before, after, here = [], leads = 0 }) => {
    const setting = { reminders: { steps: before } }
    const town = await withAlert(setting)
    await town.pass(16)
    expect(await remindedAt(town, 'C1')).toEqual([''])
    await town.dies()
    setting.reminders = { steps: after }
    town.start()
    await town.pass(120)
    expect(await remindedAt(town, 'C1')).toEqual(here)
    expect(await remindedAt(town, 'C0LEADS')).toHaveLength(leads)
  },
)

test.each<[string, { steps: readonly ReminderStep[]; here?: number; leads?: number }]>([
  ['the same steps', { steps: [step(15), toLeads(60)], leads: 1 }],
  ['two steps to the same people', { steps: [step(15), step(30)], here: 1 }],
  ['the first step at another time', { steps: [step(20), toLeads(60)], leads: 1 }],
  ['no first step', { steps: [toLeads(60)], leads: 1 }],
])(
  'the reminder of a first step that an older version made is known after an upgrade, with %s',
  async (_, { steps, here = 0, leads = 0 }) => {
    const town = await expiryWorld({ reminders: { steps } })
    const alertId = town.service.open({ hostname: 'web-1' })
    await town.poll()
    const [alert] = await town.store.recallByIds([alertId])
    if (alert === undefined) throw new Error('the alert was just there')
    town.clock.advance(15 * minuteMs)
    // Its id said no time.
    const root = { cardId: `alert:${alertId}:C1`, channel: 'C1' }
    const made = reminderCard(`${alertId}:C1`, [alert], { root, mention: null })
    await town.store.commit({ ...emptyPlan(town.clock.nowMs()), cards: [made] })
    await posted(town)
    town.start()
    await town.pass(120)
    expect(await remindedAt(town, 'C1')).toHaveLength(here)
    expect(await remindedAt(town, 'C0LEADS')).toHaveLength(leads)
  },
)

test('a first step that was tuned reminded again of what had joined a storm late', async () => {
  const setting = { reminders: { steps: [step(15)] } }
  const town = await runningWorld(setting)
  town.clock.advance(minuteMs)
  for (const metric of ['a', 'b', 'c', 'd']) town.service.open({ hostname: 'web-1', metric })
  await town.poll()
  await posted(town)
  town.clock.advance(50_000)
  for (const hostname of ['web-2', 'web-3']) town.service.open({ hostname, metric: 'a' })
  await town.poll()
  await town.pass(17)
  expect(await posted(town)).toEqual(['unacknowledged'])
  await town.dies()
  setting.reminders = { steps: [step(0.5)] }
  town.start()
  await town.pass(5)
  expect(await posted(town)).toEqual([])
})

test('a card that was posted anew repeated the reminders of before', async () => {
  const town = await withAlert()
  await town.pass(32)
  expect(await posted(town)).toHaveLength(2)
  const [card] = await town.store.cardsOf([town.alertId])
  // Somebody deletes its message, and an update finds that out.
  await town.store.settle(card?.cardId ?? '', { state: 'wanted', ts: null, notBeforeMs: 0 })
  expect(await posted(town)).toEqual(['alert'])
})

test('a step to a person is a direct message with the way to the card', async () => {
  const town = await withAlert({ reminders: { steps: [step(15, { channel: 'U0LEAD' })] } })
  await town.pass(16)
  const [job, ...none] = await cards(town, 'U0LEAD')
  expect(none).toEqual([])
  expect(job).toMatchObject({
    channel: 'U0LEAD',
    parentTs: null,
    view: { kind: 'notice', topic: 'unacknowledged', above: { channel: 'C1', ts: '1.1' } },
  })
  await town.pass(120)
  expect(await cards(town, 'U0LEAD')).toEqual([])
})
