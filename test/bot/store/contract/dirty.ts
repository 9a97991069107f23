/** Which cards a commit makes wanted anew, and in which order they come. */
import { expect, test } from 'vitest'
import { summaryCards } from '../../../../src/bot/domain/card/storm-cards.ts'
import {
  boardCard,
  changeNotice,
  expiringCard,
  reminderCard,
} from '../../../../src/bot/domain/card/thread-cards.ts'
import { afterUpdate } from '../../../../src/bot/domain/delivery/delivery.ts'
import { emptyPlan, type Plan } from '../../../../src/bot/domain/plan.ts'
import type { Store } from '../../../../src/bot/flow/ports/store.ts'
import { aMute, anEntry } from '../../../support/acting-rows.ts'
import { anAlert, closing, opening } from '../../../support/delivery-world.ts'
import type { OpenMemory } from '../../../support/memory-store.ts'
import { cards } from '../../../support/poll-world.ts'

export function dirtyContract(memoryStore: OpenMemory): void {
  const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)
  const [one, two] = [anAlert('1'), anAlert('2')]
  const three = anAlert('3', { hostname: 'web-1' })
  const [own, account] = [aMute('own', { subject: 'web-2' }), aMute('account', { subject: null })]

  /** Cards of every kind, all of them shown as they should be. */
  async function aWorld(): Promise<Store> {
    const store = await memoryStore()
    await store.commit({
      ...opening([one, two, three], 'C1', nowMs),
      mutes: [own, account].map((mute) => ({ mute, was: null })),
    })
    await store.commit(closing(three, nowMs))
    const summary = summaryCards([one, two], { channel: 'C1', mention: null }, 7)
    await store.commit({
      ...emptyPlan(nowMs),
      cards: [
        ...summary,
        reminderCard('2:C1', [two], { root: { channel: 'C1', cardId: 'alert:2:C1' }, mention: null }),
        boardCard('C1'),
        expiringCard(own),
        expiringCard(account),
      ],
    })
    await showAll(store)
    // As a board is that was shown just now.
    await store.settle('board:C1', { notBeforeMs: nowMs })
    return store
  }

  async function showAll(store: Store): Promise<string[]> {
    return (await cards({ store, clock: { nowMs: () => nowMs } })).map(({ cardId }) => cardId)
  }

  async function touchedBy(plan: Partial<Plan>): Promise<string[]> {
    const store = await aWorld()
    expect(await store.commit({ ...emptyPlan(nowMs), ...plan })).toBe('saved')
    return (await showAll(store)).sort()
  }

  const [ownBack, accountBack] = [expiringCard(own).cardId, expiringCard(account).cardId]
  const summary = ['summary:7:C1', 'summary:7:C1/1']
  const acknowledged = { ...one, ackedBy: 'U0ANA', ackedMs: nowMs, version: 2 }

  test('a server that is touched has the cards of its open alerts shown anew, a summary but not its pages', async () => {
    expect(await touchedBy({ dirtySubjects: ['web-1'] })).toEqual(['alert:1:C1', 'summary:7:C1'])
  })

  test('when the account is touched the cards of all open alerts are shown anew', async () => {
    expect(await touchedBy({ dirtySubjects: ['web-1', null] })).toEqual([
      'alert:1:C1',
      'alert:2:C1',
      'summary:7:C1',
    ])
  })

  test('cards that a plan names are shown anew, once', async () => {
    expect(await touchedBy({ dirtyCards: ['alert:3:C1'], dirty: ['3'] })).toEqual(['alert:3:C1'])
  })

  test('a change of an alert is a change of the boards and of the hand-backs that hide it', async () => {
    expect(await touchedBy({ alerts: [{ alert: acknowledged, was: 1 }], dirty: ['1'] })).toEqual([
      'alert:1:C1',
      'board:C1',
      accountBack,
      ...summary,
    ])
  })

  test('a change of a mute is a change of the boards, of its own hand-back, and of that of the account', async () => {
    const over = { ...own, state: 'ended', endedMs: nowMs, endedBy: 'person', version: 2 } as const
    expect(await touchedBy({ mutes: [{ mute: over, was: 1 }] })).toEqual(['board:C1', accountBack, ownBack])
  })

  test('what only writes history down touches nothing', async () => {
    expect(await touchedBy({ audit: [anEntry('a1')], facts: { polledMs: 1 } })).toEqual([])
  })

  test('a board is brought up to date after everything else', async () => {
    const store = await aWorld()
    const entry = anEntry('a1')
    await store.commit({
      ...closing(one, nowMs),
      dirtyCards: ['alert:2:C1'],
      audit: [entry],
      cards: [changeNotice(entry, { channel: 'C1', cardId: null })],
    })
    const order = await showAll(store)
    expect(order[0]).toBe('told:a1:C1')
    expect(order[1]).toBe('alert:1:C1')
    expect(order.at(-1)).toBe('board:C1')
  })

  test('a new board waits until the alerts before it are told', async () => {
    const store = await memoryStore()
    await store.commit({ ...emptyPlan(nowMs - 1), cards: [boardCard('C1')] })
    await store.commit(opening([one], 'C1', nowMs))
    expect(await showAll(store)).toEqual(['alert:1:C1', 'board:C1'])
  })

  test('a reply waits for its thread, and goes to the channel when there will never be one', async () => {
    const store = await memoryStore()
    const entry = anEntry('a1')
    await store.commit({
      ...opening([one], 'C1', nowMs),
      audit: [entry],
    })
    const told = changeNotice(entry, { channel: 'C1', cardId: 'alert:1:C1' })
    await store.commit({ ...emptyPlan(nowMs), cards: [told] })
    await store.settle('alert:1:C1', { notBeforeMs: nowMs + 1 })
    expect(await store.nextJob('C1', nowMs, ['post'])).toBeNull()
    expect(await store.due(nowMs, ['post'])).toEqual({ now: 0, nextMs: nowMs + 1 })
    await store.settle('alert:1:C1', { state: 'dead', why: 'invalid_blocks' })
    expect(await store.nextJob('C1', nowMs, ['post'])).toMatchObject({ cardId: told.cardId, parentTs: null })
  })

  test('cards are counted by state, and those that are behind', async () => {
    const store = await aWorld()
    const shown = (await store.countCards()).byState.get('shown') ?? 0
    await store.commit({ ...opening([anAlert('4'), anAlert('5')], 'C1', nowMs), dirty: ['1'] })
    await store.settle('alert:5:C1', { state: 'dead' })
    // Alerts 1 and 4, the summary with its page, the hand-back of the account, and the board.
    expect(await store.countCards()).toEqual({
      byState: new Map([
        ['shown', shown],
        ['wanted', 1],
        ['dead', 1],
      ]),
      behind: 6,
      behindIn: new Map([['C1', 6]]),
    })
  })

  test('a mute that is extended again and again has one hand-back that changes with its alerts, not one more each time', async () => {
    const store = await aWorld()
    let mute = own
    const made: string[] = []
    for (let version = 2; version < 12; version += 1) {
      const next = { ...mute, untilMs: nowMs + version, version }
      const card = expiringCard(next)
      made.push(card.cardId)
      await store.commit({
        ...emptyPlan(nowMs + version),
        mutes: [{ mute: next, was: mute.version }],
        cards: [card],
      })
      mute = next
    }
    await showAll(store)
    // The card of another alert there says that it is open, too.
    const opened = anAlert('4', { hostname: 'web-2' })
    await store.commit({ ...emptyPlan(nowMs + 20), alerts: [{ alert: opened, was: null }] })
    expect((await showAll(store)).sort()).toEqual(['alert:2:C1', 'board:C1', accountBack, made.at(-1)].sort())
  })

  test('a card that changes all the time keeps none that was made after it from being brought up to date', async () => {
    const store = await aWorld()
    const change = (...alertIds: string[]) =>
      store.commit({ ...emptyPlan(nowMs), dirtyCards: alertIds.map((id) => `alert:${id}:C1`) })
    const shown: string[] = []
    await change('1', '2')
    for (let at = nowMs; at < nowMs + 4; at += 1) {
      const job = await store.nextJob('C1', at, ['update'])
      if (job === null) break
      shown.push(job.cardId)
      await store.settle(job.cardId, afterUpdate(job, { kind: 'shown', ts: '1.1' }, at, 'open'))
      await change('1')
    }
    expect(shown.slice(0, 3)).toEqual(['alert:1:C1', 'alert:2:C1', 'alert:1:C1'])
  })
}
