/** What is over and old is forgotten; what is open, in force or still to be shown stays, with all that it refers to. */
import { expect, test } from 'vitest'
import type { Alert } from '../../../../src/bot/domain/alert/alert.ts'
import { alertsKeptMs, forgettingAt, recordsKeptMs } from '../../../../src/bot/domain/base/retention.ts'
import { alertCard, type NewCard } from '../../../../src/bot/domain/card/card.ts'
import {
  boardCard,
  changeNotice,
  expiringCard,
  muteEndedCard,
  noteCard,
} from '../../../../src/bot/domain/card/thread-cards.ts'
import { emptyPlan, type Plan } from '../../../../src/bot/domain/plan.ts'
import type { Store } from '../../../../src/bot/flow/ports/store.ts'
import { aMute, aNote, anEntry } from '../../../support/acting-rows.ts'
import { anAlert } from '../../../support/delivery-world.ts'
import type { OpenMemory } from '../../../support/memory-store.ts'
import { rowsIn } from '../../../support/rows-in.ts'

export function pruneContract(memoryStore: OpenMemory): void {
  const longAgoMs = Date.UTC(2026, 6, 1, 3, 0, 0)
  const laterMs = longAgoMs + alertsKeptMs + 2
  const muchLaterMs = longAgoMs + recordsKeptMs + 2
  const at = { channel: 'C1', mention: null }

  function old(alertId: string, over: Partial<Alert> = {}): Alert {
    const closed = { state: 'closed', closedMs: longAgoMs, closedBy: 'record' } as const
    return anAlert(alertId, { startedMs: longAgoMs, firstSeenMs: longAgoMs, ...closed, ...over })
  }

  async function write(store: Store, plan: Partial<Plan>, atMs = longAgoMs): Promise<void> {
    expect(await store.commit({ ...emptyPlan(atMs), ...plan })).toBe('saved')
  }

  const asNew = (alerts: readonly Alert[]) => alerts.map((alert) => ({ alert, was: null }))

  async function show(store: Store, ...cards: readonly NewCard[]): Promise<void> {
    for (const { cardId } of cards) await store.settle(cardId, { state: 'shown', ts: cardId, shown: 1 })
  }

  /** Until nothing is left to go; answers how many rows went. */
  async function forget(store: Store, nowMs: number, batchRows = 2): Promise<number> {
    for (let rows = 0; ; ) {
      const gone = await store.prune(forgettingAt(nowMs), batchRows)
      rows += gone
      if (gone === 0) return rows
    }
  }

  const isThere = async (store: Store, cardId: string) => (await store.cardById(cardId)) !== null

  test('an alert goes with its card, its picture, its notes and their cards, and not a moment too early', async () => {
    const store = await memoryStore()
    const alert = old('1')
    const card = alertCard(alert, at)
    const note = aNote('n1', { atMs: longAgoMs })
    const reply = noteCard(note, { channel: 'C1', cardId: card.cardId })
    const pictures = [{ cardId: card.cardId, alertId: '1', way: 'episode' as const }]
    await write(store, { alerts: asNew([alert]), cards: [card], pictures })
    await write(store, { notes: [note], cards: [reply] })
    await show(store, card, reply)
    expect(await forget(store, longAgoMs + alertsKeptMs)).toBe(0)
    expect(await forget(store, laterMs)).toBe(3)
    expect(await store.recallByIds(['1'])).toEqual([])
    expect(await rowsIn(store, 'select * from notes')).toEqual([])
    expect([await isThere(store, card.cardId), await isThere(store, reply.cardId)]).toEqual([false, false])
  })

  test.each<[string, Partial<Alert>]>([
    ['is open', { state: 'open', closedMs: null, closedBy: null }],
    ['closed lately', { closedMs: laterMs - 1000 }],
    ['was seen lately for the first time', { firstSeenMs: laterMs - 1000 }],
    ['started lately', { startedMs: laterMs - 1000, closedMs: null }],
  ])('an alert that %s stays, and so does its card', async (_, over) => {
    const store = await memoryStore()
    const alert = old('1', over)
    const card = alertCard(alert, at)
    await write(store, { alerts: asNew([alert]), cards: [card] })
    await show(store, card)
    expect(await forget(store, laterMs)).toBe(0)
    expect(await isThere(store, card.cardId)).toBe(true)
  })

  test.each<[string, Parameters<Store['settle']>[1]]>([
    ['is still to be posted', { state: 'wanted' }],
    ['is being posted', { state: 'sending' }],
    ['was posted perhaps', { state: 'unknown' }],
    ['is behind', { state: 'shown', ts: '1.1', shown: 0 }],
    ['may have copies', { state: 'shown', ts: '1.1', shown: 1, tidyMs: laterMs }],
  ])('a card that %s stays, and its alert with it', async (_, patch) => {
    const store = await memoryStore()
    const card = alertCard(old('1'), at)
    await write(store, { alerts: asNew([old('1')]), cards: [card] })
    await store.settle(card.cardId, patch)
    expect(await forget(store, laterMs)).toBe(0)
    await store.settle(card.cardId, { state: 'shown', ts: '1.1', shown: 1, tidyMs: null })
    expect(await forget(store, laterMs)).toBe(2)
  })

  test('a card of several alerts stays while one of them does, and all of them with it', async () => {
    const store = await memoryStore()
    const alerts = [old('1'), old('2', { state: 'open', closedMs: null, closedBy: null })]
    const card: NewCard = { ...alertCard(old('1'), at), alertIds: ['1', '2'] }
    await write(store, { alerts: asNew(alerts), cards: [card] })
    await show(store, card)
    expect(await forget(store, laterMs)).toBe(0)
    expect(await store.recallByIds(['1', '2'])).toHaveLength(2)
  })

  test('a board never goes, and a thread goes before the message that it stands under', async () => {
    const store = await memoryStore()
    const board = boardCard('C1')
    const card = alertCard(old('1'), at)
    await write(store, { alerts: asNew([old('1')]), cards: [board, card] })
    const entry = anEntry('a1', { atMs: laterMs - 1000 })
    const reply = changeNotice(entry, { channel: 'C1', cardId: card.cardId })
    await write(store, { audit: [entry], cards: [reply] }, laterMs - 1000)
    await show(store, board, card, reply)
    expect(await forget(store, laterMs)).toBe(0)
    expect(await forget(store, laterMs + alertsKeptMs)).toBe(3)
    expect(await isThere(store, board.cardId)).toBe(true)
  })

  test('a mute in force keeps its cards, where it is told, and the count of what it hides', async () => {
    const store = await memoryStore()
    const card = alertCard(old('1'), at)
    const mute = aMute('m1', { mode: 'open', untilMs: null, startedMs: longAgoMs, cardId: card.cardId })
    const handback = expiringCard(mute)
    const hidden = old('2', { hostname: 'web-1', startedMs: longAgoMs + 1 })
    await write(store, { alerts: asNew([old('1'), hidden]), cards: [card] })
    await write(store, { mutes: [{ mute, was: null }], cards: [handback] })
    await show(store, card, handback)
    expect(await forget(store, longAgoMs + recordsKeptMs)).toBe(0)

    const ended = { ...mute, state: 'ended', endedMs: longAgoMs + 2, endedBy: 'person', version: 2 } as const
    const last = muteEndedCard(ended)
    await write(store, { mutes: [{ mute: ended, was: 1 }], cards: [last] }, longAgoMs + 2)
    await show(store, last)
    await store.settle(handback.cardId, { shown: 2 })
    await forget(store, laterMs + 2)
    expect(await store.recallByIds(['1', '2'])).toEqual([])
    expect(await store.muteById('m1')).toMatchObject({ state: 'ended' })
    await forget(store, muchLaterMs + 2)
    expect(await store.muteById('m1')).toBe(null)
  })

  test('the audit goes after a quarter of a year, but not what a card shows or what was done about something open', async () => {
    const store = await memoryStore()
    const open = old('1', { hostname: 'db-1', state: 'open', closedMs: null, closedBy: null })
    const entries = ['of-a-card', 'of-the-alert', 'of-its-server', 'of-another'].map((id) =>
      anEntry(id, {
        atMs: longAgoMs,
        hostname: id === 'of-its-server' ? 'db-1' : id === 'of-another' ? 'web-9' : null,
        alertId: id === 'of-the-alert' ? '1' : null,
      }),
    )
    const told = changeNotice({ auditId: 'of-a-card' }, { channel: 'C1', cardId: null })
    await write(store, { alerts: asNew([open]), audit: entries, cards: [told] })
    const ids = async () => {
      const { entries: found } = await store.audit({ hostname: null, sinceMs: 0, offset: 0, limit: 10 })
      return found.map(({ auditId }) => auditId).sort()
    }
    expect(await forget(store, longAgoMs + recordsKeptMs)).toBe(0)
    expect(await forget(store, muchLaterMs)).toBe(1)
    expect(await ids()).toEqual(['of-a-card', 'of-its-server', 'of-the-alert'])
    await show(store, told)
    expect(await forget(store, muchLaterMs)).toBe(2)
    expect(await ids()).toEqual(['of-its-server', 'of-the-alert'])
  })

  test('what was done about an alert that is forgotten is still of its server', async () => {
    const store = await memoryStore()
    const entry = anEntry('a1', { atMs: longAgoMs, act: 'acknowledge', hostname: null, alertId: '1' })
    await write(store, { alerts: asNew([old('1', { hostname: 'db-1' })]), audit: [entry] })
    const ofServer = () => store.audit({ hostname: 'db-1', sinceMs: 0, offset: 0, limit: 10 })
    expect(await ofServer()).toMatchObject({ total: 1 })
    expect(await forget(store, laterMs)).toBe(1)
    expect(await ofServer()).toMatchObject({ total: 1, entries: [{ auditId: 'a1', alertId: '1' }] })
  })

  test('a marker that is still to be dropped stays, with the card that it links to', async () => {
    const store = await memoryStore()
    const card = alertCard(old('1'), at)
    const markers = [{ markerId: 'k1', text: 'web-1 muted', cardId: card.cardId }]
    await write(store, { alerts: asNew([old('1')]), cards: [card], markers })
    await show(store, card)
    expect(await forget(store, laterMs)).toBe(0)
    await store.settleMarker('k1', { state: 'dropped' })
    expect(await forget(store, laterMs)).toBe(3)
  })

  test('who has not looked at the Home tab for long is forgotten', async () => {
    const store = await memoryStore()
    await store.noteHome('U1', longAgoMs)
    await store.noteHome('U2', laterMs)
    expect(await forget(store, laterMs)).toBe(1)
    expect(await store.homes(0)).toEqual(['U2'])
  })

  test('a mute that nobody ever ends does not keep what it hides for ever', async () => {
    const store = await memoryStore()
    const mute = aMute('m1', { mode: 'open', untilMs: null, startedMs: longAgoMs })
    const hidden = old('1', { hostname: 'web-1' })
    await write(store, { alerts: asNew([hidden]), mutes: [{ mute, was: null }] })
    expect(await forget(store, longAgoMs + recordsKeptMs)).toBe(0)
    expect(await forget(store, muchLaterMs)).toBe(1)
    expect(await store.muteById('m1')).toMatchObject({ state: 'active' })
  })

  test('a server where something is always open does not keep its audit for ever', async () => {
    const store = await memoryStore()
    const openedMs = longAgoMs + 12 * 60 * 60_000
    const open = anAlert('1', { hostname: 'db-1', startedMs: openedMs, firstSeenMs: openedMs })
    const before = anEntry('before', { atMs: longAgoMs, hostname: 'db-1' })
    const since = anEntry('since', { atMs: openedMs + 1, hostname: 'db-1' })
    await write(store, { alerts: asNew([open]), audit: [before, since] })
    expect(await forget(store, muchLaterMs + 24 * 60 * 60_000)).toBe(1)
    const { entries } = await store.audit({ hostname: null, sinceMs: 0, offset: 0, limit: 10 })
    expect(entries.map(({ auditId }) => auditId)).toEqual(['since'])
  })

  test('a mute that is extended for ever does not keep the hand-back of every deadline that it had', async () => {
    const store = await memoryStore()
    const mute = aMute('m1', { startedMs: longAgoMs, untilMs: laterMs })
    const before = expiringCard({ ...mute, untilMs: longAgoMs })
    const now = expiringCard(mute)
    await write(store, { mutes: [{ mute, was: null }], cards: [before, now] })
    await show(store, before, now)
    expect(await forget(store, laterMs)).toBe(1)
    expect([await isThere(store, before.cardId), await isThere(store, now.cardId)]).toEqual([false, true])
  })
}
