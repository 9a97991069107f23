/** Mutes in the memory: one that has not ended for each server, none lost, and no decision on mutes that have changed. */
import { expect, test } from 'vitest'
import type { Mute } from '../../../src/bot/domain/mute/mute.ts'
import { emptyPlan, type Plan } from '../../../src/bot/domain/plan.ts'
import type { OpenStore } from '../../../src/bot/store/open/open-store.ts'
import { aMute } from '../../support/acting-rows.ts'
import { anAlert, opening } from '../../support/delivery-world.ts'
import { memoryStore } from '../../support/memory-store.ts'

const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)

function writing(mute: Mute, was: number | null): Plan {
  return { ...emptyPlan(nowMs), mutes: [{ mute, was }] }
}

const ended = {
  state: 'ended',
  endedMs: nowMs,
  endedBy: 'person',
  endedByUserId: 'U0BEN',
  version: 2,
} as const

async function live(store: OpenStore): Promise<string[]> {
  return (await store.mutes()).mutes.map(({ muteId }) => muteId)
}

test('a mute comes back word for word', async () => {
  const store = await memoryStore()
  const terms = { mode: 'timed', untilMs: 5, userId: 'U0BEN', reason: 'before' } as const
  const mute = aMute('m1', {
    hostname: null,
    mode: 'open',
    untilMs: null,
    previous: terms,
    expiryNoticeMs: 7,
  })
  await store.commit(writing(mute, null))
  expect(await store.muteById('m1')).toEqual(mute)
  expect((await store.recall()).mutes).toEqual([mute])
  expect(await store.muteById('m2')).toBeNull()
})

test('a server has one mute that has not ended; the account and other servers have their own', async () => {
  const store = await memoryStore()
  expect(await store.commit(writing(aMute('m1'), null))).toBe('saved')
  expect(await store.commit(writing(aMute('m2', { state: 'active', confirmation: 'waiting' }), null))).toBe(
    'stale',
  )
  expect(await store.commit(writing(aMute('m3', { hostname: 'web-2', untilMs: null }), null))).toBe('saved')
  expect(await store.commit(writing(aMute('m4', { hostname: null }), null))).toBe('saved')
  expect(await store.commit(writing(aMute('m5', { hostname: null }), null))).toBe('stale')
  expect(await live(store)).toEqual(['m4', 'm1', 'm3'])
  expect(await store.commit(writing(aMute('m1', ended), 1))).toBe('saved')
  expect(await store.commit(writing(aMute('m2'), null))).toBe('saved')
  expect(await live(store)).toEqual(['m4', 'm2', 'm3'])
})

test('a mute that has ended does not come back beside another one', async () => {
  const store = await memoryStore()
  await store.commit(writing(aMute('m1'), null))
  await store.commit(writing(aMute('m1', ended), 1))
  await store.commit(writing(aMute('m2'), null))
  expect(await store.commit(writing(aMute('m1', { version: 3 }), 2))).toBe('stale')
  expect(await store.muteById('m1')).toMatchObject({ state: 'ended', endedByUserId: 'U0BEN' })
})

test('a plan made on an older version of a mute is stale, and nothing of it is written', async () => {
  const store = await memoryStore()
  await store.commit(writing(aMute('m1'), null))
  await store.commit(writing(aMute('m1', { state: 'ended', confirmation: 'waiting', version: 2 }), 1))
  const late = { ...opening([anAlert('1')], 'C1', nowMs), ...{ mutes: writing(aMute('m1', ended), 1).mutes } }
  expect(await store.commit(late)).toBe('stale')
  expect(await store.recallByIds(['1'])).toEqual([])
  expect(await store.muteById('m1')).toMatchObject({ state: 'ended', confirmation: 'waiting', version: 2 })
})

test('every change of a mute makes what was decided on the mutes before it stale', async () => {
  const store = await memoryStore()
  const { muteEpoch } = await store.recall()
  expect(await store.commit({ ...opening([anAlert('1')], 'C1', nowMs), muteEpoch })).toBe('saved')
  await store.commit(writing(aMute('m1'), null))
  expect(await store.commit({ ...opening([anAlert('2')], 'C1', nowMs), muteEpoch })).toBe('stale')
  expect(await store.commit({ ...opening([anAlert('2')], 'C1', nowMs), muteEpoch: null })).toBe('saved')
  const after = await store.mutes()
  expect(after.muteEpoch).not.toBe(muteEpoch)
  await store.commit(writing(aMute('m1', ended), 1))
  expect(await store.commit({ ...emptyPlan(nowMs), muteEpoch: after.muteEpoch })).toBe('stale')
})

test('a stale plan leaves the mutes as fresh as they were', async () => {
  const store = await memoryStore()
  await store.commit(writing(aMute('m1'), null))
  const { muteEpoch } = await store.mutes()
  await store.commit(writing(aMute('m2'), null))
  expect(await store.mutes()).toMatchObject({ muteEpoch })
})

test('a chart is told of the mutes of its server and of the account that silenced something since then', async () => {
  const store = await memoryStore()
  const over = { ...ended, version: 1 }
  const mutes = [
    aMute('long-over', { ...over, startedMs: 1_000, endedMs: 2_000 }),
    aMute('over', { ...over, startedMs: 2_000, endedMs: 4_000 }),
    aMute('never', { ...over, endedBy: 'interrupted', startedMs: 3_000, endedMs: 4_000 }),
    aMute('other', { hostname: 'web-2' }),
    aMute('asked', { state: 'active', confirmation: 'waiting', startedMs: 5_000 }),
    aMute('account', { hostname: null, startedMs: 6_000 }),
  ]
  for (const mute of mutes) await store.commit(writing(mute, null))
  const found = await store.mutesSince('web-1', 3_000)
  expect(found.map(({ muteId }) => muteId)).toEqual(['over', 'asked', 'account'])
})
