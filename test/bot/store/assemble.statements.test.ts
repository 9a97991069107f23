/** What the bot does most takes few statements: on Postgres each is a journey there and back. */
import { expect, test } from 'vitest'
import { summaryCards } from '../../../src/bot/domain/card/storm-cards.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import type { OpenStore } from '../../../src/bot/store/open/open-store.ts'
import { actingWorld } from '../../support/acting-world.ts'
import { type CountedStore, countedStore, type Dialect } from '../../support/counted-store.ts'
import { anAlert, opening } from '../../support/delivery-world.ts'
import { storedMs, write } from '../../support/memory-store.ts'
import { pollWorld } from '../../support/poll-world.ts'

/** Four of them are asked side by side. */
test.each<[Dialect, number]>([
  ['sqlite', 8],
  ['postgres', 8],
])('an idle poll: %s, %i', async (dialect, statements) => {
  const { store, taken } = await countedStore(dialect)
  const world = await pollWorld({ before: () => store })
  await world.poll()
  await world.tick(2)
  taken()
  await world.tick()
  expect(taken()).toHaveLength(statements)
})

async function withAlert(dialect: Dialect): Promise<CountedStore> {
  const counted = await countedStore(dialect)
  await write(counted.store, opening([anAlert('1')], 'C0OPS', storedMs))
  counted.taken()
  return counted
}

test.each<[Dialect, number]>([
  ['sqlite', 15],
  ['postgres', 19],
])('a post: %s, %i', async (dialect, statements) => {
  const { store, taken } = await withAlert(dialect)
  const job = await store.nextJob('C0OPS', storedMs, ['post'])
  if (job === null) throw new Error('It waits')
  const claim = { sendingMs: storedMs, firstSendingMs: storedMs }
  expect(await store.claimPost(job.cardId, claim)).toBe(true)
  expect(await store.settle(job.cardId, { state: 'shown', ts: '1.1', shown: 1 }, claim)).toBe(true)
  expect(taken()).toHaveLength(statements)
})

test.each<[Dialect, number]>([
  ['sqlite', 16],
  ['postgres', 18],
])('an acknowledgement: %s, %i', async (dialect, statements) => {
  const { store, taken } = await withAlert(dialect)
  const world = await actingWorld({ store: store as OpenStore })
  taken()
  expect(await world.does({ kind: 'acknowledge', alert: '1' })).toMatchObject({ kind: 'done' })
  expect(taken()).toHaveLength(statements)
})

test.each<[Dialect, number]>([
  ['sqlite', 196],
  ['postgres', 18],
])('ten thousand alerts with long numbers at a first start: %s, %i', async (dialect, statements) => {
  const { store, taken } = await countedStore(dialect)
  const alerts = Array.from({ length: 10_000 }, (_, n) =>
    anAlert(String(17_000_000_000_000 + n), { metric: `m${n}` }),
  )
  const cards = summaryCards(alerts, { channel: 'C1', mention: null }, storedMs)
  const plan = { ...emptyPlan(storedMs), alerts: alerts.map((alert) => ({ alert, was: null })), cards }
  expect(await store.commit(plan)).toBe('saved')
  expect(taken()).toHaveLength(statements)
})
