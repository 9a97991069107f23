/** Who has an alert: taken over, handed back, and what the thread, the audit and the report say of it. */
import { expect, test } from 'vitest'
import { staleAckNotice } from '../../../src/bot/domain/card/thread-cards.ts'
import type { Held } from '../../../src/bot/domain/request/alert-actions.ts'
import { actingOn, actingWorld, minuteMs } from '../../support/acting-world.ts'
import { anAlert, closing, opening } from '../../support/delivery-world.ts'
import { manualClock } from '../../support/manual-clock.ts'

const ben = { userId: 'U0BEN' } as const
const one: Held = { by: 'alert', alert: '#1' }

async function withAlert() {
  const startedMs = manualClock().nowMs() - 10 * minuteMs
  const world = await actingOn(anAlert('1', { hostname: 'web-1', startedMs }))
  const alert = async () => {
    const [now] = await world.store.recallByIds(['1'])
    if (now === undefined) throw new Error('the alert was just there')
    return now
  }
  /** What its thread says, by its rows in the audit. */
  const told = async () => {
    const cards = await world.store.noticesOf('change_notice')
    expect(new Set(cards.map(({ parentId }) => parentId))).toEqual(new Set(['alert:1:C0OPS']))
    const rows = await Promise.all(cards.map(({ subjectId }) => world.store.auditById(subjectId ?? '')))
    return rows.map((row) => [row?.act, row?.userId, row?.detail.owner].join(' ').trim())
  }
  return { ...world, alert, told }
}

test('an alert that somebody has is taken over, and the thread names whom it was taken from', async () => {
  const world = await withAlert()
  await world.does({ kind: 'acknowledge', alert: '1' })
  expect(await world.does({ kind: 'acknowledge', alert: '1' }, ben)).toMatchObject({
    kind: 'stale',
    changed: { what: 'acknowledged' },
  })
  world.clock.advance(5 * minuteMs)
  expect(await world.does({ kind: 'take_over', of: one }, ben)).toMatchObject({
    kind: 'done',
    act: 'take_over',
    owner: 'U0ANA',
  })
  expect(await world.alert()).toMatchObject({ ackedBy: 'U0BEN', ackedBefore: 'U0ANA' })
  expect(await world.told()).toEqual(['acknowledge U0ANA', 'take_over U0BEN U0ANA'])
})

test('who has it already is told so, and nothing is said in the thread', async () => {
  const world = await withAlert()
  await world.does({ kind: 'acknowledge', alert: '1' })
  expect(await world.does({ kind: 'take_over', of: one })).toMatchObject({ act: 'take_over', alerts: [] })
  expect(await world.told()).toEqual(['acknowledge U0ANA'])
  expect((await world.audit()).map(({ outcome }) => outcome)).toEqual(['done', 'nothing'])
})

test('taking over an alert that nobody has acknowledges it', async () => {
  const world = await withAlert()
  expect(await world.does({ kind: 'take_over', of: one })).toMatchObject({ act: 'take_over', owner: null })
  expect(await world.alert()).toMatchObject({ ackedBy: 'U0ANA', ackedBefore: null })
})

test('an alert is handed back by anybody, and its owner is named; nobody has it then', async () => {
  const world = await withAlert()
  await world.does({ kind: 'acknowledge', alert: '1' })
  expect(await world.does({ kind: 'unacknowledge', of: one }, ben)).toMatchObject({ owner: 'U0ANA' })
  const ownershipConfirmedMs = world.clock.nowMs()
  expect(await world.alert()).toMatchObject({
    ackedBy: null,
    ackedMs: null,
    ackedBefore: 'U0ANA',
    ownershipConfirmedMs,
  })
  expect(await world.told()).toEqual(['acknowledge U0ANA', 'unacknowledge U0BEN U0ANA'])
  expect(await world.does({ kind: 'unacknowledge', of: one }, ben)).toMatchObject({
    kind: 'stale',
    changed: { what: 'unacknowledged' },
  })
})

test('a report counts the first acknowledgement, whoever took it over or handed it back since', async () => {
  const world = await withAlert()
  await world.does({ kind: 'acknowledge', alert: '1' })
  world.clock.advance(60 * minuteMs)
  await world.does({ kind: 'take_over', of: one }, ben)
  await world.does({ kind: 'unacknowledge', of: one }, ben)
  const nowMs = world.clock.nowMs()
  expect(await world.store.report(nowMs - 100 * minuteMs, nowMs + 1, [nowMs - 100 * minuteMs])).toMatchObject(
    {
      acknowledged: 1,
      toAcknowledgeMs: 10 * minuteMs,
    },
  )
})

test('only its owner is still on it', async () => {
  const world = await withAlert()
  await world.does({ kind: 'acknowledge', alert: '1' })
  const ackedMs = world.clock.nowMs()
  world.clock.advance(60 * minuteMs)
  expect(await world.does({ kind: 'still_on_it', of: one }, ben)).toMatchObject({ kind: 'stale' })
  expect(await world.does({ kind: 'still_on_it', of: one })).toMatchObject({ act: 'still_on_it' })
  expect(await world.alert()).toMatchObject({
    ackedBy: 'U0ANA',
    ackedMs,
    ownershipConfirmedMs: world.clock.nowMs(),
  })
})

test('all that a card asks about changes hands together, in one line', async () => {
  const world = await actingWorld()
  const both = [
    anAlert('1', { ackedBy: 'U0BEN', ackedMs: 1 }),
    anAlert('2', { ackedBy: 'U0BEN', ackedMs: 1 }),
  ]
  const plan = opening(both, 'C0OPS', world.clock.nowMs())
  const [card] = plan.cards
  if (card === undefined) throw new Error('a card was made')
  await world.store.commit({ ...plan, cards: [{ ...card, alertIds: ['1', '2'] }] })
  const of: Held = { by: 'card', cardId: card.cardId }
  expect(await world.does({ kind: 'take_over', of })).toMatchObject({ alerts: [{}, {}], owner: 'U0BEN' })
  expect(await world.audit()).toMatchObject([{ act: 'take_over', detail: { alerts: 2, owner: 'U0BEN' } }])
})

test('what somebody else took meanwhile was handed back by the answer of whoever was asked about it', async () => {
  const world = await actingWorld()
  const nowMs = world.clock.nowMs()
  const both = ['1', '2'].map((alertId) => anAlert(alertId, { ackedBy: 'U0ANA', ackedMs: 1 }))
  const plan = opening(both, 'C0OPS', nowMs)
  const asking = staleAckNotice(both, plan.cards[0] ?? { cardId: '', channel: '' }, {
    owner: 'U0ANA',
    sinceMs: 1,
  })
  await world.store.commit({ ...plan, cards: [...plan.cards, asking] })
  await world.does({ kind: 'take_over', of: one }, ben)
  const of: Held = { by: 'card', cardId: asking.cardId }
  const pressed = { card: { cardId: asking.cardId, version: 1 } } as const
  expect(await world.does({ kind: 'unacknowledge', of }, pressed)).toMatchObject({
    alerts: [{ alertId: '2' }],
  })
  expect(await world.store.recallByIds(['1', '2'])).toMatchObject([{ ackedBy: 'U0BEN' }, { ackedBy: null }])
  const late = await world.does({ kind: 'unacknowledge', of: one }, pressed)
  expect(late).toMatchObject({ kind: 'stale', changed: { what: 'acknowledged' } })
  const cleo = { ...pressed, userId: 'U0CLEO' }
  expect(await world.does({ kind: 'take_over', of: one }, cleo)).toMatchObject({ kind: 'stale' })
  expect(await world.does({ kind: 'take_over', of }, cleo)).toMatchObject({ alerts: [{ alertId: '2' }] })
})

test('a card that shows an earlier owner does not hand back what somebody else has now', async () => {
  const world = await withAlert()
  await world.does({ kind: 'acknowledge', alert: '1' })
  const version = (await world.store.cardById('alert:1:C0OPS'))?.version ?? 0
  await world.does({ kind: 'take_over', of: one }, ben)
  const old = { card: { cardId: 'alert:1:C0OPS', version } } as const
  expect(await world.does({ kind: 'unacknowledge', of: one }, old)).toMatchObject({
    kind: 'stale',
    changed: { what: 'acknowledged', alert: { ackedBy: 'U0BEN' } },
  })
  expect(await world.does({ kind: 'unacknowledge', of: one }, { ...old, ...ben })).toMatchObject({
    kind: 'done',
  })
})

test('what has closed meanwhile stays as it was', async () => {
  const world = await withAlert()
  await world.does({ kind: 'acknowledge', alert: '1' })
  await world.store.commit(closing(await world.alert(), world.clock.nowMs()))
  for (const kind of ['take_over', 'unacknowledge', 'still_on_it'] as const)
    expect(await world.does({ kind, of: one }, ben)).toMatchObject({
      kind: 'stale',
      changed: { what: 'closed' },
    })
  expect(await world.alert()).toMatchObject({ ackedBy: 'U0ANA' })
})
