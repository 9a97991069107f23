/** What is done once: a request, a confirmation, a marker. */
import { expect, test } from 'vitest'
import { changeNotice } from '../../../../src/bot/domain/card/thread-cards.ts'
import { emptyPlan } from '../../../../src/bot/domain/plan.ts'
import type { Change } from '../../../../src/bot/domain/request/actions.ts'
import { anEntry } from '../../../support/acting-rows.ts'
import type { OpenMemory } from '../../../support/memory-store.ts'

export function requestsContract(memoryStore: OpenMemory): void {
  const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)

  test('a key is claimed once, whatever other keys come with it', async () => {
    const store = await memoryStore()
    expect(await store.claim(['a', 'click', 'a'], nowMs)).toBe('new')
    expect(await store.claim(['b', 'click'], nowMs)).toBe('repeat')
    expect(await store.claim(['b'], nowMs)).toBe('repeat')
    expect(await store.claim(['c'], nowMs)).toBe('new')
    expect(await store.claim([], nowMs)).toBe('new')
  })

  test('of two claims at the same time one is new', async () => {
    const store = await memoryStore()
    const claims = await Promise.all([store.claim(['a', 'b'], nowMs), store.claim(['b', 'c'], nowMs)])
    expect(claims.sort()).toEqual(['new', 'repeat'])
  })

  test('what was not done may be asked for again', async () => {
    const store = await memoryStore()
    await store.claim(['a', 'b'], nowMs)
    await store.release(['a'])
    expect(await store.claim(['a'], nowMs)).toBe('new')
    expect(await store.claim(['b'], nowMs)).toBe('repeat')
  })

  test('a change that waits for its confirmation is taken by one click', async () => {
    const store = await memoryStore()
    const change: Change = { kind: 'add_marker', text: 'quoted \' " 🔥' }
    await store.keepPending({ pendingId: 'p1', userId: 'U0ANA', change, atMs: nowMs })
    const taken = await Promise.all([store.takePending('p1'), store.takePending('p1')])
    expect(taken.filter((one) => one !== null)).toEqual([{ userId: 'U0ANA', change, atMs: nowMs }])
    expect(await store.takePending('p2')).toBeNull()
  })

  test('old keys and changes that nobody confirmed are forgotten, the others are kept', async () => {
    const store = await memoryStore()
    const change: Change = { kind: 'unmute_account' }
    await store.claim(['old'], nowMs - 1)
    await store.claim(['new'], nowMs)
    await store.keepPending({ pendingId: 'old', userId: 'U0ANA', change, atMs: nowMs - 1 })
    await store.keepPending({ pendingId: 'new', userId: 'U0ANA', change, atMs: nowMs })
    await store.forgetRequests(nowMs)
    expect(await store.claim(['old'], nowMs)).toBe('new')
    expect(await store.claim(['new'], nowMs)).toBe('repeat')
    expect(await store.takePending('old')).toBeNull()
    expect(await store.takePending('new')).not.toBeNull()
  })

  test('the Home tabs that are looked at are known, the newest first, and not too many', async () => {
    const store = await memoryStore()
    for (let n = 0; n < 60; n += 1) await store.noteHome(`U${n}`, nowMs + n)
    await store.noteHome('U3', nowMs + 100)
    const homes = await store.homes(nowMs)
    expect(homes).toHaveLength(50)
    expect(homes.slice(0, 3)).toEqual(['U3', 'U59', 'U58'])
    expect(await store.homes(nowMs + 100)).toEqual(['U3'])
  })

  test('a marker waits for its message, goes without one that will never be, and is dropped once', async () => {
    const store = await memoryStore()
    const entry = anEntry('a1')
    const card = changeNotice(entry, { channel: 'C1', cardId: null })
    const linked = { markerId: 'm1', text: 'muted web-1', cardId: card.cardId }
    const plan = { ...emptyPlan(nowMs), audit: [entry], cards: [card] }
    await store.commit({ ...plan, markers: [linked] })
    expect(await store.nextMarker(nowMs)).toEqual({ job: null, nextMs: null })
    await store.settle(card.cardId, { state: 'shown', ts: '1.1', shown: 1 })
    expect(await store.nextMarker(nowMs)).toMatchObject({
      job: { markerId: 'm1', text: 'muted web-1', attempts: 0, card: { cardId: card.cardId, ts: '1.1' } },
      nextMs: null,
    })
    await store.settleMarker('m1', { attempts: 1, notBeforeMs: nowMs + 5, why: 'unreachable' })
    expect(await store.nextMarker(nowMs)).toEqual({ job: null, nextMs: nowMs + 5 })
    await store.settle(card.cardId, { state: 'dead' })
    expect((await store.nextMarker(nowMs + 5)).job).toMatchObject({ markerId: 'm1', attempts: 1 })
    await store.settleMarker('m1', { state: 'dropped' })
    expect(await store.nextMarker(nowMs + 5)).toEqual({ job: null, nextMs: null })
  })

  test('a marker without a card waits for nothing; one that a crash interrupted is not dropped again', async () => {
    const store = await memoryStore()
    const markers = ['m1', 'm2'].map((markerId) => ({ markerId, text: 'roles', cardId: null }))
    await store.commit({ ...emptyPlan(nowMs), markers })
    await store.settleMarker('m1', { state: 'sending' })
    expect(await store.recoverMarkers()).toBe(1)
    expect((await store.nextMarker(nowMs)).job).toMatchObject({ markerId: 'm2', card: null })
    await store.settleMarker('m2', { state: 'failed' })
    expect((await store.nextMarker(nowMs)).job).toBeNull()
    expect(await store.recoverMarkers()).toBe(0)
  })
}
