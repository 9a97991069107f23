/** Mutes of all servers of a storm end at one time: everyone is told once, however many they are. */
import { expect, test } from 'vitest'
import { emptyPlan } from '../../src/domain/plan.ts'
import { anAlert } from '../support/delivery-world.ts'
import { expiryWorld, minuteMs } from '../support/expiry-world.ts'
import { manyAlerts, storming } from '../support/storm-rows.ts'

const count = 40

async function mutedStorm() {
  const world = await expiryWorld()
  await world.poll()
  const { plan, cardId } = storming(manyAlerts(count), 'C1', world.clock.nowMs())
  await world.store.commit(plan)
  const untilMs = world.clock.nowMs() + 60 * minuteMs
  for (let n = 1; n <= count; n += 1) await world.mute(`web-${n}`, null, { mode: 'timed', untilMs, cardId })
  const told = async () => {
    const cards = await world.store.cardsOfKind('told')
    const entries = await Promise.all(cards.map(({ subjectId }) => world.store.auditById(subjectId ?? '')))
    expect(cards.filter(({ parentId }) => parentId !== cardId)).toEqual([])
    return entries.map((entry) => `${entry?.act} ${entry?.outcome} of ${entry?.detail.names?.length}`)
  }
  const others = async () => [
    ...(await world.store.cardsOfKind('handback')),
    ...(await world.store.cardsOfKind('mute_ended')),
  ]
  return { ...world, cardId, told, others }
}

test('forty mutes of one storm called their owner forty times when they were handed back', async () => {
  const world = await mutedStorm()
  world.start()
  await world.pass(51)
  expect(await world.told()).toEqual([`hand_back done of ${count}`])
  expect(await world.others()).toEqual([])
})

test('forty mutes of one storm were told to have ended forty times, with as many markers', async () => {
  const world = await mutedStorm()
  world.start()
  await world.pass(62)
  expect(await world.told()).toEqual([`hand_back done of ${count}`, `end_mute done of ${count}`])
  expect(await world.others()).toEqual([])
  expect((await world.store.mutes()).mutes).toEqual([])
  const rows = (await world.audit()).filter((row) => row === 'end_mute done')
  // Each has its own row as well, which whoever counts what was done leaves out.
  expect(rows).toHaveLength(1)
  // A marker waits for its card, unless that will never be shown.
  for (const { cardId } of await world.store.cardsOfKind('told'))
    await world.store.settle(cardId, { state: 'dead' })
  const { job } = await world.store.nextMarker(Number.MAX_SAFE_INTEGER)
  expect(job?.text).toBe('unmuted the servers of one list (its time was over) — deploying')
  await world.store.settleMarker(job?.markerId ?? '', { state: 'dropped' })
  expect((await world.store.nextMarker(Number.MAX_SAFE_INTEGER)).job).toBeNull()
})

test('forty mutes of one storm that the API does not let end were told of forty times', async () => {
  const world = await mutedStorm()
  world.start()
  await world.pass(58)
  world.fails('unreachable')
  await world.pass(5, { outage: true })
  expect(await world.told()).toEqual([`hand_back done of ${count}`, `end_mute unknown of ${count}`])
})

test('what only happened under mutes of a storm was told nowhere when they ended', async () => {
  const world = await mutedStorm()
  world.start()
  const happened = {
    state: 'oneoff',
    hostname: 'web-3',
    firstSeenMs: world.clock.nowMs() + minuteMs,
  } as const
  const alert = anAlert('once', { ...happened, startedMs: happened.firstSeenMs })
  await world.store.commit({ ...emptyPlan(world.clock.nowMs()), alerts: [{ alert, was: null }] })
  await world.pass(62)
  expect((await world.store.carded(['once'])).has('once')).toBe(true)
  await world.pass(5)
  expect(await world.store.cardsOfKind('alert')).toHaveLength(1)
})

test('a mute of one server that was made elsewhere is handed back by itself', async () => {
  const world = await mutedStorm()
  await world.mute('db-1', 60)
  world.start()
  await world.pass(51)
  expect(await world.others()).toMatchObject([{ kind: 'handback' }])
})
