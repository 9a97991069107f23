/** Ten minutes before a mute ends it is handed back to who muted, once for each end that it had. */
import { expect, test } from 'vitest'
import { extendTerms, replaceTerms } from '../../src/domain/mute/transitions.ts'
import { minuteMs, runningWorld } from '../support/expiry-world.ts'
import { cards } from '../support/poll-world.ts'

test('a mute is handed back ten minutes before its end, with what is open and a fresh chart of it', async () => {
  const town = await runningWorld()
  const { muteId, untilMs } = await town.mute('web-1', 60)
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.pass(49)
  expect(await town.said()).toEqual([])
  await town.pass(1)
  const [job, ...none] = await cards(town)
  expect(none).toEqual([])
  expect(job?.view).toMatchObject({ kind: 'handback', mute: { muteId }, open: [{ alertId }], hidden: 1 })
  const { job: picture } = await town.store.nextPicture(town.clock.nowMs())
  expect(picture).toMatchObject({ way: 'chart', cardId: `handback:${muteId}:${untilMs}`, alert: { alertId } })
  expect(await town.audit()).toEqual(['hand_back done'])
  await town.pass(9)
  expect(await town.said()).toEqual([])
})

test('where nothing is open there is no chart', async () => {
  const town = await runningWorld()
  await town.mute('web-1', 20)
  await town.pass(11)
  expect(await town.said()).toEqual(['post handback'])
  expect(await town.store.nextPicture(town.clock.nowMs())).toEqual({ job: null, nextMs: null })
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
  expect(await town.said()).toEqual(['post handback'])
  const mute = await town.store.muteById(muteId)
  if (mute === null) throw new Error('the mute was just there')
  await town.change(mute, extendTerms(mute, (mute.untilMs ?? 0) + 60 * minuteMs))
  town.expiry.wake()
  await town.pass(50)
  // The first hand-back shows that it was extended.
  expect(await town.said()).toEqual(['update handback'])
  await town.pass(10)
  expect(await town.said()).toContain('post handback')
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
  expect(await town.said()).toEqual(['post handback'])
  await town.pass(10)
  expect(town.calls).toEqual(['web-1 on'])
})

test("the account's mute is handed back too", async () => {
  const town = await runningWorld()
  await town.mute(null, 30)
  await town.pass(21)
  expect(await town.said()).toEqual(['post handback'])
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
  expect(await town.audit()).toEqual(['hand_back done'])
})
