/** What is told of mutes that end: ten minutes before it, once for each end, and of all servers of a storm together. */
import { expect, test } from 'vitest'
import type { CardView } from '../../../src/bot/domain/card/kinds.ts'
import { extendTerms, replaceTerms } from '../../../src/bot/domain/mute/mute.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { render } from '../../../src/bot/slack/render/render.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { expiryWorld, minuteMs, runningWorld } from '../../support/expiry-world.ts'
import { cards } from '../../support/poll-world.ts'
import { manyAlerts, storming } from '../../support/storm-rows.ts'

test('a mute is handed back ten minutes before its end, with what is open and a fresh chart of it', async () => {
  const town = await runningWorld()
  const { muteId, untilMs } = await town.mute('web-1', 60)
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.pass(49)
  expect(await town.said()).toEqual([])
  await town.pass(1)
  const [job, ...none] = await cards(town)
  expect(none).toEqual([])
  expect(job?.view).toMatchObject({ kind: 'mute_expiring', mute: { muteId }, open: [{ alertId }], hidden: 1 })
  const { job: picture } = await town.store.nextPicture(town.clock.nowMs())
  expect(picture).toMatchObject({ way: 'chart', cardId: `handback:${muteId}:${untilMs}`, alert: { alertId } })
  expect(await town.audit()).toEqual(['mute_expiring done'])
  await town.pass(9)
  expect(await town.said()).toEqual([])
})

test('of the account called alerts closed that stay open under a mute of their own, and so did its end', async () => {
  const town = await runningWorld()
  await town.mute('web-1', 240)
  await town.mute('web-2', 45)
  await town.mute(null, 60)
  for (const hostname of ['web-1', 'web-2']) town.service.open({ hostname })
  const said = async (kind: 'mute_expiring' | 'mute_ended') => {
    const views = (await cards(town)).map(({ view }) => view)
    const view = views.find((one) => one.kind === kind && one.mute.subject === null)
    return render(view as CardView).text
  }
  await town.pass(30)
  await town.said()
  await town.pass(20)
  const before = await said('mute_expiring')
  expect(before).toContain('\nOpen now:\n🔴 web-2 ')
  expect(before).toContain(
    '\nAnd 1 on individually muted servers, which stay muted.\n2 alerts came since it began ·',
  )
  await town.pass(10)
  const after = await said('mute_ended')
  expect(after).toContain(
    '\nAnd 1 on individually muted servers, which stay muted.\n2 alerts came while it was muted ·',
  )
  expect(after).not.toContain('closed')
})

test('where nothing is open there is no chart', async () => {
  const town = await runningWorld()
  await town.mute('web-1', 20)
  await town.pass(11)
  expect(await town.said()).toEqual(['post mute_expiring'])
  expect(await town.store.nextPicture(town.clock.nowMs())).toEqual({ job: null, nextMs: null })
})

test('one of 20 min was not handed back, as a moment passes between asking for it and its beginning', async () => {
  const town = await runningWorld()
  await town.mute('web-1', 19.9)
  await town.pass(11)
  expect(await town.said()).toEqual(['post mute_expiring'])
})

test('a short mute is not handed back: it has only just been asked for', async () => {
  const town = await runningWorld()
  await town.mute('web-1', 19)
  await town.pass(18)
  expect(await town.said()).toEqual([])
})

test('one that was extended is handed back again before its new end, and ends then', async () => {
  const town = await runningWorld()
  const { muteId } = await town.mute('web-1', 30)
  await town.pass(21)
  expect(await town.said()).toEqual(['post mute_expiring'])
  const mute = await town.store.muteById(muteId)
  if (mute === null) throw new Error('the mute was just there')
  await town.change(mute, extendTerms(mute, (mute.untilMs ?? 0) + 60 * minuteMs))
  town.expiry.wake()
  await town.pass(50)
  // The first hand-back shows that it was extended.
  expect(await town.said()).toEqual(['update mute_expiring'])
  await town.pass(10)
  expect(await town.said()).toContain('post mute_expiring')
  expect(town.calls).toEqual([])
  await town.pass(10)
  expect(town.calls).toEqual(['web-1 on'])
})

test('terms that replace others are what counts, also where they end sooner', async () => {
  const town = await runningWorld()
  const mute = await town.mute('web-1', 600)
  await town.pass(5)
  const untilMs = town.clock.nowMs() + 40 * minuteMs
  const place = { channel: 'C1', cardId: null }
  const terms = { mode: 'timed', untilMs, userId: 'U2', reason: 'sooner' } as const
  await town.change(mute, replaceTerms(mute, terms, place, town.clock.nowMs()))
  town.expiry.wake()
  await town.pass(31)
  expect(await town.said()).toEqual(['post mute_expiring'])
  await town.pass(10)
  expect(town.calls).toEqual(['web-1 on'])
})

test("the account's mute is handed back too", async () => {
  const town = await runningWorld()
  await town.mute(null, 30)
  await town.pass(21)
  expect(await town.said()).toEqual(['post mute_expiring'])
})

test('a restart does not hand back what was handed back', async () => {
  const town = await runningWorld()
  await town.mute('web-1', 30)
  await town.pass(21)
  await town.said()
  await town.expiry.stop()
  town.start()
  await town.pass(2)
  expect(await town.said()).toEqual([])
  expect(await town.audit()).toEqual(['mute_expiring done'])
})

const count = 40

async function mutedStorm() {
  const world = await expiryWorld()
  await world.poll()
  const { plan, cardId } = storming(manyAlerts(count), 'C1', world.clock.nowMs())
  await world.store.commit(plan)
  const untilMs = world.clock.nowMs() + 60 * minuteMs
  for (let n = 1; n <= count; n += 1) await world.mute(`web-${n}`, null, { mode: 'timed', untilMs, cardId })
  const told = async () => {
    const cards = await world.store.noticesOf('change_notice')
    const entries = await Promise.all(cards.map(({ subjectId }) => world.store.auditById(subjectId ?? '')))
    expect(cards.filter(({ parentId }) => parentId !== cardId)).toEqual([])
    return entries.map((entry) => `${entry?.act} ${entry?.outcome} of ${entry?.detail.names?.length}`)
  }
  const others = async () => [
    ...(await world.store.cardsOfKind('mute_expiring')),
    ...(await world.store.cardsOfKind('mute_ended')),
  ]
  return { ...world, cardId, told, others }
}

test('forty mutes of one storm called their owner forty times when they were handed back', async () => {
  const world = await mutedStorm()
  world.start()
  await world.pass(51)
  expect(await world.told()).toEqual([`mute_expiring done of ${count}`])
  expect(await world.others()).toEqual([])
})

test('forty mutes of one storm were told to have ended forty times, with as many markers', async () => {
  const world = await mutedStorm()
  world.start()
  await world.pass(62)
  expect(await world.told()).toEqual([`mute_expiring done of ${count}`, `end_mute done of ${count}`])
  expect(await world.others()).toEqual([])
  expect((await world.store.mutes()).mutes).toEqual([])
  const rows = (await world.audit()).filter((row) => row === 'end_mute done')
  // Each has its own row as well, which whoever counts what was done leaves out.
  expect(rows).toHaveLength(1)
  // A marker waits for its card, unless that will never be shown.
  for (const { cardId } of await world.store.noticesOf('change_notice'))
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
  expect(await world.told()).toEqual([`mute_expiring done of ${count}`, `end_mute unknown of ${count}`])
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
  expect(await world.others()).toMatchObject([{ kind: 'mute_expiring' }])
})
