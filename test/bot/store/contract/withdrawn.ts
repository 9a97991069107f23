/** What waits in a channel and may be withdrawn, and what is left of it once it is. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { alertCard } from '../../../../src/bot/domain/card/card.ts'
import { stormCards } from '../../../../src/bot/domain/card/storm-cards.ts'
import { changeNotice, reminderCard } from '../../../../src/bot/domain/card/thread-cards.ts'
import type { Store } from '../../../../src/bot/flow/ports/store.ts'
import { aMute, anEntry } from '../../../support/acting-rows.ts'
import { anAlert } from '../../../support/delivery-world.ts'
import { type OpenMemory, queueIn, storedMs, write } from '../../../support/memory-store.ts'

export function withdrawnContract(memoryStore: OpenMemory): void {
  const nowMs = storedMs
  const at = { channel: 'C1', mention: '<@U1>' }
  const [one, two, three] = [anAlert('1'), anAlert('2'), anAlert('3')]

  describe('a card that waits', () => {
    const card = alertCard(one, at)

    test('is found with its alert and who it calls, and goes with its picture', async () => {
      const store = await memoryStore()
      await write(store, {
        alerts: [{ alert: one, was: null }],
        cards: [card],
        pictures: [{ cardId: card.cardId, alertId: '1', way: 'chart' }],
      })
      expect(await queueIn(store)).toEqual({
        waiting: [{ cardId: card.cardId, alert: one, mention: '<@U1>' }],
        unsure: 0,
        storms: [],
        summaries: [],
      })
      expect(await queueIn(store, 'C2')).toEqual({ waiting: [], unsure: 0, storms: [], summaries: [] })
      expect(await write(store, { withdrawn: [card.cardId], cards: stormCards([one], at, nowMs) })).toBe(
        'saved',
      )
      expect(await store.cardById(card.cardId)).toBeNull()
      expect(await store.nextPicture(nowMs)).toEqual({ job: null, nextMs: null })
      expect((await store.carded(['1'])).size).toBe(1)
    })

    test.each<[string, (store: Store) => Promise<unknown>, number]>([
      ['is being sent', (store) => store.settle(card.cardId, { state: 'sending', sendingMs: nowMs }), 0],
      ['may have been sent', (store) => store.settle(card.cardId, { state: 'unknown' }), 1],
      ['was sent perhaps, and is to be sent again', (store) => store.settle(card.cardId, { tidies: 1 }), 1],
      ['is shown', (store) => store.settle(card.cardId, { state: 'shown', ts: '1.1', shown: 1 }), 0],
      ['was shown, and is posted anew', (store) => store.settle(card.cardId, { shown: 1 }), 0],
      ['will never be shown', (store) => store.settle(card.cardId, { state: 'dead' }), 0],
      [
        'has something in its thread',
        (store) =>
          write(store, {
            cards: [reminderCard('1', [one], { root: { ...at, cardId: card.cardId }, mention: null })],
          }),
        1,
      ],
      [
        'is where a mute is told of',
        (store) => write(store, { mutes: [{ mute: aMute('m', { cardId: card.cardId }), was: null }] }),
        1,
      ],
      [
        'is what a marker links to',
        (store) => write(store, { markers: [{ markerId: 'k', text: 'x', cardId: card.cardId }] }),
        1,
      ],
      [
        'shows two flaps',
        (store) =>
          write(store, {
            alerts: [{ alert: two, was: null }],
            folds: [{ cardId: card.cardId, alertId: '2' }],
          }),
        1,
      ],
    ])('is not withdrawn when it %s', async (_, happen, unsure) => {
      const store = await memoryStore()
      await write(store, { alerts: [{ alert: one, was: null }], cards: [card] })
      await happen(store)
      expect(await queueIn(store)).toEqual({ waiting: [], unsure, storms: [], summaries: [] })
      const plan = { alerts: [{ alert: three, was: null }], withdrawn: [card.cardId] }
      expect(await write(store, plan)).toBe('stale')
      expect(await store.recallByIds(['3'])).toEqual([])
      expect(await store.cardById(card.cardId)).not.toBeNull()
    })

    test('may go when the mute and the marker that named it are over', async () => {
      const store = await memoryStore()
      const mute = aMute('m', { cardId: card.cardId, state: 'ended', endedMs: nowMs, endedBy: 'person' })
      await write(store, {
        alerts: [{ alert: one, was: null }],
        cards: [card],
        mutes: [{ mute, was: null }],
        markers: [{ markerId: 'k', text: 'x', cardId: card.cardId }],
      })
      await store.settleMarker('k', { state: 'dropped' })
      expect(await write(store, { withdrawn: [card.cardId] })).toBe('saved')
    })

    test('that was withdrawn is not there to be settled, so that nothing is sent', async () => {
      const store = await memoryStore()
      await write(store, { alerts: [{ alert: one, was: null }], cards: [card] })
      expect(await store.settle(card.cardId, { state: 'wanted' })).toBe(true)
      const job = await store.nextJob('C1', nowMs, ['post'])
      await write(store, { withdrawn: [card.cardId] })
      expect(job?.cardId).toBe(card.cardId)
      expect(await store.settle(card.cardId, { state: 'sending', sendingMs: nowMs })).toBe(false)
    })

    test('that is withdrawn while it is read is no card that cannot be read', async () => {
      const other = alertCard(two, { channel: 'C2', mention: null })
      const store = await memoryStore()
      await write(store, { alerts: [one, two].map((alert) => ({ alert, was: null })) })
      // The withdrawal comes between each two statements once, on a database that answers at once and on one that does not.
      for (let turns = 0; turns < 200; turns += 1) {
        await write(store, { cards: [card, other] })
        const asked = store.nextJob({ except: { channels: [], cards: [] } }, nowMs, ['post'])
        for (let turn = 0; turn < turns; turn += 1) await (turn % 2 === 0 ? null : nextTurn())
        await write(store, { withdrawn: [card.cardId] })
        expect([card.cardId, other.cardId]).toContain((await asked)?.cardId)
        await store.forgetCard(other.cardId)
      }
    })

    test('what somebody wrote in its thread at that moment is told in the channel', async () => {
      const store = await memoryStore()
      await write(store, { alerts: [{ alert: one, was: null }], cards: [card] })
      await write(store, { withdrawn: [card.cardId] })
      const told = changeNotice(anEntry('a'), { channel: 'C1', cardId: card.cardId })
      expect(await write(store, { audit: [anEntry('a')], cards: [told] })).toBe('saved')
      expect(await store.cardById(told.cardId)).toMatchObject({ parentId: null, channel: 'C1' })
    })

    test('gets no picture from a plan that was made before', async () => {
      const store = await memoryStore()
      await write(store, { alerts: [{ alert: one, was: null }], cards: [card] })
      await write(store, { withdrawn: [card.cardId] })
      const picture = { cardId: card.cardId, alertId: one.alertId, way: 'episode' } as const
      expect(await write(store, { pictures: [picture] })).toBe('saved')
      expect(await store.nextPicture(nowMs)).toEqual({ job: null, nextMs: null })
    })
  })
}
