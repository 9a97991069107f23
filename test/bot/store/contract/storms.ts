/** A storm on disk: what joins it, what it shows, and in which order it and its pages come. */

import { describe, expect, test } from 'vitest'
import { stormCards, summaryCards } from '../../../../src/bot/domain/card/storm-cards.ts'
import { boardCard } from '../../../../src/bot/domain/card/thread-cards.ts'
import { ranks } from '../../../../src/bot/domain/delivery/pace.ts'
import type { Store } from '../../../../src/bot/flow/ports/store.ts'
import { aMute } from '../../../support/acting-rows.ts'
import { anAlert, closing, opening } from '../../../support/delivery-world.ts'
import { type OpenMemory, queueIn, storedMs, write } from '../../../support/memory-store.ts'
import { cards } from '../../../support/poll-world.ts'
import { manyAlerts, storming } from '../../../support/storm-rows.ts'

export function stormsContract(memoryStore: OpenMemory): void {
  const nowMs = storedMs
  const at = { channel: 'C1', mention: '<@U1>' }
  const [one, two, three, four] = [anAlert('1'), anAlert('2'), anAlert('3'), anAlert('4')]
  const stormId = `storm:${nowMs}:C1`

  async function aStorm(store: Store, alerts = [one, two], atMs = nowMs): Promise<void> {
    const plan = {
      alerts: alerts.map((alert) => ({ alert, was: null })),
      cards: stormCards(alerts, at, atMs),
    }
    expect(await write(store, plan, atMs)).toBe('saved')
  }

  async function show(store: Store, ...cardIds: readonly string[]): Promise<void> {
    for (const cardId of cardIds) await store.settle(cardId, { state: 'shown', ts: `1.${cardId}`, shown: 1 })
  }

  async function order(store: Store, atMs = nowMs): Promise<string[]> {
    return (await cards({ store, clock: { nowMs: () => atMs } })).map(({ cardId }) => cardId)
  }

  describe('a storm', () => {
    test('is known with its alerts and its pages, and as posted once it is', async () => {
      const store = await memoryStore()
      await aStorm(store)
      const pages = [{ cardId: `${stormId}/1`, page: 1, mention: null, isDead: false, alertIds: ['1', '2'] }]
      const storm = { cardId: stormId, mention: '<@U1>', createdMs: nowMs, alerts: [one, two], pages }
      expect((await queueIn(store)).storms).toEqual([{ ...storm, isWaiting: true }])
      await store.settle(stormId, { state: 'unknown' })
      expect((await queueIn(store)).storms[0]).toMatchObject({ isWaiting: true })
      await show(store, stormId)
      await store.settle(`${stormId}/1`, { state: 'dead' })
      expect((await queueIn(store)).storms[0]).toMatchObject({ isWaiting: false, pages: [{ isDead: true }] })
      // Somebody deleted the message: it is to be there again, and is no younger for that.
      await store.settle(stormId, { state: 'wanted', ts: null })
      expect((await queueIn(store)).storms[0]).toMatchObject({ isWaiting: false })
      await store.settle(stormId, { state: 'dead' })
      expect((await queueIn(store)).storms).toEqual([])
    })

    test('that was begun last is the one, also when the clock was set back meanwhile', async () => {
      const store = await memoryStore()
      await aStorm(store)
      await aStorm(store, [three, four], nowMs - 3_600_000)
      expect((await queueIn(store)).storms[0]?.alerts).toEqual([three, four])
    })

    test('takes what joins as its last ones, and is shown anew with that page only', async () => {
      const store = await memoryStore()
      await aStorm(store)
      await show(store, stormId, `${stormId}/1`)
      const join = { alerts: [three, four].map((alert) => ({ alert, was: null })) }
      const joins = [stormId, `${stormId}/1`].map((cardId) => ({ cardId, alertIds: ['4', '3'] }))
      expect(await write(store, { ...join, joins })).toBe('saved')
      expect((await queueIn(store)).storms[0]).toMatchObject({
        alerts: [one, two, four, three],
        pages: [{ alertIds: ['1', '2', '4', '3'] }],
      })
      expect(await order(store)).toEqual([stormId, `${stormId}/1`])
    })

    test('a plan that joins a card which others joined meanwhile is stale', async () => {
      const store = await memoryStore()
      await aStorm(store)
      const alerts = [{ alert: three, was: null }]
      const joins = (after: number) => [{ cardId: stormId, alertIds: ['3'], after }]
      expect(await write(store, { alerts, joins: joins(1) })).toBe('stale')
      expect(await write(store, { alerts, joins: joins(2) })).toBe('saved')
    })

    test('a plan that joins what Slack will never show is stale', async () => {
      const store = await memoryStore()
      await aStorm(store)
      await store.settle(stormId, { state: 'dead' })
      const plan = { alerts: [{ alert: three, was: null }], joins: [{ cardId: stormId, alertIds: ['3'] }] }
      expect(await write(store, plan)).toBe('stale')
      expect(await store.recallByIds(['3'])).toEqual([])
    })

    test.each([
      ['storm', stormCards],
      ['summary', summaryCards],
    ] as const)(
      'a second %s of the same moment is stale, as its alerts would be told nowhere',
      async (_, cardsOf) => {
        const store = await memoryStore()
        const plan = (alerts: (typeof one)[]) => ({
          alerts: alerts.map((alert) => ({ alert, was: null })),
          cards: cardsOf(alerts, at, nowMs),
        })
        expect(await write(store, plan([one, two]))).toBe('saved')
        expect(await write(store, plan([three, four]))).toBe('stale')
      },
    )

    test('shows the mutes in force of the servers of its open alerts, and that of the account', async () => {
      const store = await memoryStore()
      await aStorm(store)
      const closed = closing(two, nowMs)
      const mutes = [
        aMute('m1', { subject: 'web-1' }),
        aMute('m2', { subject: 'web-2' }),
        aMute('m3', { subject: 'elsewhere' }),
        aMute('m4', { subject: null, state: 'ended', confirmation: 'waiting' }),
      ]
      await write(store, { ...closed, mutes: mutes.map((mute) => ({ mute, was: null })) })
      const job = await store.nextJob('C1', nowMs, ['post'])
      if (job?.view.kind !== 'storm') throw new Error('a storm is shown first')
      expect(job.view).toMatchObject({
        mention: '<@U1>',
        stamp: { cardId: stormId },
        alerts: [one, { alertId: '2' }],
      })
      expect(job.view.mutes.map(({ muteId }) => muteId).sort()).toEqual(['m1', 'm4'])
    })

    test('is reminded of as a summary is, once people can see it', async () => {
      const store = await memoryStore()
      await aStorm(store)
      const waiting = await store.alertsForReminders({ isAcked: false, beforeMs: nowMs + 1 })
      expect(waiting.map(({ isWaiting }) => isWaiting)).toEqual([true, true])
      await show(store, stormId)
      const found = await store.alertsForReminders({ isAcked: false, beforeMs: nowMs + 1 })
      expect(found).toMatchObject([one, two].map((alert) => ({ alert, cardId: stormId, kind: 'storm' })))
    })
  })

  describe('in which order', () => {
    test('alerts and storms are posted before the pages that list them', async () => {
      const store = await memoryStore()
      await aStorm(store)
      // One that opened and closed between two polls, and is less urgent for that.
      await write(
        store,
        opening([{ ...three, state: 'closed', closedMs: nowMs }], 'C1', nowMs + 1),
        nowMs + 1,
      )
      expect(await order(store)).toEqual([stormId, 'alert:3:C1', `${stormId}/1`])
    })

    test('alerts are brought up to date before storms, then come pages, and boards last', async () => {
      const store = await memoryStore()
      await write(store, { cards: [boardCard('C1')] }, nowMs - 1)
      await aStorm(store)
      await write(store, opening([three], 'C1', nowMs + 1), nowMs + 1)
      await order(store)
      await store.settle('board:C1', { notBeforeMs: nowMs })
      await write(store, { ...closing(one, nowMs), dirty: ['1', '3'] })
      expect(await order(store)).toEqual(['alert:3:C1', stormId, `${stormId}/1`, 'board:C1'])
    })

    test('each kind of call is due at a time of its own, and the first of a rank whose turn it is can be asked for', async () => {
      const store = await memoryStore()
      await write(store, opening([one, two], 'C1', nowMs))
      await write(store, opening([three], 'C2', nowMs))
      await show(store, 'alert:1:C1')
      await write(store, { dirty: ['1'] })
      expect(await store.due(nowMs, ['post', 'update'])).toEqual({ now: 3, nextMs: null })
      await store.settle('alert:1:C1', { notBeforeMs: nowMs + 5 })
      expect(await store.due(nowMs, ['update'])).toEqual({ now: 0, nextMs: nowMs + 5 })
      expect(await store.due(nowMs, ['post'])).toEqual({ now: 2, nextMs: null })
      const except = { channels: ['C1'], cards: [] }
      expect(await store.nextJob({ except }, nowMs, ['post'])).toMatchObject({ cardId: 'alert:3:C2' })
      const last = await store.nextJob('C1', nowMs + 5, ['post', 'update'], (ranks) => ranks.at(-1))
      expect(last).toMatchObject({ cardId: 'alert:1:C1', rank: ranks.alert })
    })

    test('what changed by itself is shown before cards that a mute of the account changed, and those of before', async () => {
      const store = await memoryStore()
      await write(store, opening([one, two, three], 'C1', nowMs))
      await order(store)
      await write(store, { dirtySubjects: [null] })
      await write(store, { dirty: ['3'] })
      expect(await order(store)).toEqual(['alert:3:C1', 'alert:1:C1', 'alert:2:C1'])
    })
  })

  const hourMs = 3_600_000

  test('three storms were told as flapping, and one counted what only happened as well', async () => {
    const store = await memoryStore()
    for (const hours of [1, 2, 3]) {
      const at = { startedMs: nowMs - hours * hourMs, firstSeenMs: nowMs - hours * hourMs }
      const alerts = manyAlerts(5).map((alert, n) => {
        const state = n === 0 ? ('oneoff' as const) : ('open' as const)
        return { ...alert, ...at, state, alertId: `${hours}-${alert.alertId}` }
      })
      await store.commit(storming(alerts, 'C0DB', nowMs - hours * hourMs).plan)
    }
    const { storms, flaps } = await store.unrest(nowMs - 12 * hourMs)
    expect(storms.map(({ alerts, open }) => [alerts, open])).toEqual([
      [4, 4],
      [4, 4],
      [4, 4],
    ])
    expect(flaps).toEqual([])
  })
}
