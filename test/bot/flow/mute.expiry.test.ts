/** Mutes end by themselves, whatever happens meanwhile: real SQLite, a clock by hand, an API that is away on demand. */
import { describe, expect, test } from 'vitest'
import { letPass } from '../../support/delivery-world.ts'
import { expiryWorld, hourMs, runningWorld } from '../../support/expiry-world.ts'

test('a mute ends at its deadline and not before: notifications are on again, and everyone is told', async () => {
  const town = await runningWorld()
  const { muteId } = await town.mute('web-1', 15)
  await town.pass(14)
  expect(town.calls).toEqual([])
  await town.pass(1)
  expect(town.calls).toEqual(['web-1 on'])
  expect(await town.said()).toEqual(['post mute_ended'])
  expect(await town.store.muteById(muteId)).toMatchObject({ state: 'ended', endedBy: 'deadline' })
  expect(await town.audit()).toEqual(['end_mute done'])
  const { job } = await town.store.nextMarker(town.clock.nowMs())
  expect(job?.text).toContain('unmuted web-1')
})

test('an API that is away at the deadline is asked until it is back, once a minute, and everyone is told of it once', async () => {
  const town = await runningWorld()
  const { muteId } = await town.mute('web-1', 15)
  town.fails('unreachable')
  await town.pass(15 + 60, { outage: true })
  expect(town.calls.length).toBeGreaterThan(60)
  expect(town.calls.length).toBeLessThan(75)
  expect(await town.store.muteById(muteId)).toMatchObject({
    state: 'ended',
    confirmation: 'stuck',
    endedBy: 'deadline',
  })
  expect(await town.said()).toEqual(['post change_notice'])
  town.fails(null)
  await town.pass(2)
  expect(await town.said()).toEqual(['post mute_ended'])
  expect(await town.audit()).toEqual(['end_mute unknown', 'end_mute unknown', 'end_mute done'])
  // What got no clear answer is said again, and nobody is told of that.
  const calls = town.calls.length
  await town.pass(60)
  expect(town.calls.slice(calls)).toEqual(['web-1 on', 'web-1 on'])
  expect(await town.said()).toEqual([])
})

describe('after a crash a new start goes on', () => {
  test('with a mute that was only asked for: it stands, and is said again in case it came late', async () => {
    const town = await expiryWorld()
    const { muteId } = await town.mute('web-1', 60, { confirmation: 'waiting' })
    town.start()
    await town.pass(1)
    expect(town.calls).toEqual(['web-1 off'])
    expect(await town.store.muteById(muteId)).toMatchObject({ state: 'active', confirmation: 'confirmed' })
  })

  test('with one whose deadline passed while nobody was there', async () => {
    const town = await expiryWorld()
    const { muteId } = await town.mute('web-1', 60)
    town.clock.advance(5 * hourMs)
    town.start()
    await town.pass(1)
    expect(town.calls).toEqual(['web-1 on'])
    expect(await town.store.muteById(muteId)).toMatchObject({ state: 'ended', endedBy: 'deadline' })
    // Its time was over: nobody is asked whether it should be longer.
    expect(await town.said()).toEqual(['post mute_ended'])
  })

  test('with one that was being ended', async () => {
    const town = await expiryWorld()
    const mute = await town.mute('web-1', 60)
    await town.parts().ends([mute], 'person', 'U2')
    town.start()
    await town.pass(1)
    expect(town.calls).toEqual(['web-1 on'])
    expect(await town.store.muteById(mute.muteId)).toMatchObject({ state: 'ended', endedByUserId: 'U2' })
  })

  test('and leaves one alone whose time has not come', async () => {
    const town = await expiryWorld()
    const { muteId } = await town.mute('web-1', 60)
    town.start()
    await town.pass(5)
    expect(town.calls).toEqual([])
    expect(await town.store.muteById(muteId)).toMatchObject({ state: 'active' })
  })
})

test('a mute that a person is just asking for is not taken for one that was interrupted', async () => {
  const town = await expiryWorld()
  const process = town.start()
  const answers = town.hangs('web-1')
  await town.mute('web-1', 60, { confirmation: 'waiting' })
  const asking = process.tell(['web-1'])
  process.wake()
  await town.pass(3)
  answers()
  await letPass(town.clock, 0)
  expect((await asking).get('web-1')).toEqual({ kind: 'waiting' })
  expect(town.calls).toEqual(['web-1 off'])
  expect((await town.store.mutes()).mutes).toMatchObject([{ state: 'active', confirmation: 'confirmed' }])
})

test('a mute without an end is left to people', async () => {
  const town = await expiryWorld()
  town.start()
  await town.mute('web-1', null)
  await town.pass(600, { outage: true })
  expect([town.calls, await town.said()]).toEqual([[], []])
})

test('two processes on one memory end a mute once', async () => {
  const town = await runningWorld()
  town.start()
  await town.mute('web-1', 30)
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.pass(31)
  expect((await town.said()).sort()).toEqual(
    [`post ${alertId} open`, 'post mute_expiring', 'post mute_ended'].sort(),
  )
  expect(await town.audit()).toEqual(['mute_expiring done', 'end_mute done'])
})

describe('a mute until healthy', () => {
  test('ends when nothing was open for a quarter of an hour since the last alert closed', async () => {
    const town = await expiryWorld()
    const alertId = town.service.open({ hostname: 'web-1' })
    await town.poll()
    town.start()
    const { muteId } = await town.mute('web-1', 600, { mode: 'healthy' })
    await town.pass(30)
    expect(town.calls).toEqual([])
    town.service.close(alertId)
    await town.pass(15)
    expect(town.calls).toEqual([])
    await town.pass(2)
    expect(town.calls).toEqual(['web-1 on'])
    expect(await town.store.muteById(muteId)).toMatchObject({ endedBy: 'healthy' })
  })

  test('ends a quarter of an hour after it began when nothing was open, and other servers do not matter', async () => {
    const town = await expiryWorld()
    town.service.open({ hostname: 'web-2' })
    await town.poll()
    town.start()
    await town.mute('web-1', 600, { mode: 'healthy' })
    await town.pass(14)
    expect(town.calls).toEqual([])
    await town.pass(3)
    expect(town.calls).toEqual(['web-1 on'])
  })

  test('is not ended while nobody knows whether an alert is open, and is once it has closed', async () => {
    let isGone = false
    const town = await expiryWorld({
      over: ({ alerts }) => ({
        alerts: async (ask) =>
          isGone && ask.lifecycle === 'start' ? { records: [], size: 0, skipped: 0 } : alerts(ask),
      }),
    })
    const alertId = town.service.open({ hostname: 'web-1' })
    await town.poll()
    town.start()
    await town.mute('web-1', 600, { mode: 'healthy' })
    isGone = true
    await town.pass(60)
    expect(await town.store.lostAlerts(null)).toMatchObject([{ alertId }])
    expect(town.calls).toEqual([])
    town.service.close(alertId)
    await town.pass(40)
    expect(town.calls).toEqual(['web-1 on'])
  })

  test('ended when what was open grew too old to be listed', async () => {
    const isGone = { is: false }
    const town = await expiryWorld({
      over: ({ alerts }) => ({
        alerts: async (ask) => {
          const page = await alerts(ask)
          const records = page.records.filter(({ hostname }) => !isGone.is || hostname === 'web-2')
          return { records, size: records.length, skipped: 0 }
        },
      }),
    })
    const dayMs = 24 * hourMs
    town.service.open({ hostname: 'web-2' })
    town.service.open({ hostname: 'web-1', timeMs: town.clock.nowMs() - 30 * dayMs + 60_000 })
    await town.poll()
    town.start()
    await town.mute('web-1', 600, { mode: 'healthy' })
    isGone.is = true
    await town.pass(60)
    expect(town.calls).toEqual([])
  })

  test('is not ended by the silence of an API that cannot be read', async () => {
    const town = await runningWorld()
    await town.mute('web-1', 600, { mode: 'healthy' })
    await town.pass(60, { outage: true })
    expect(town.calls).toEqual([])
    await town.pass(2)
    expect(town.calls).toEqual(['web-1 on'])
  })

  test('is not ended while not all of what is open can be read: the server may be what cannot', async () => {
    const town = await runningWorld()
    await town.mute('web-1', 600, { mode: 'healthy' })
    await town.pass(60, { unclear: true })
    expect(town.calls).toEqual([])
    await town.pass(2)
    expect(town.calls).toEqual(['web-1 on'])
  })

  test('ends at its cap while something is still open', async () => {
    const town = await expiryWorld()
    town.service.open({ hostname: 'web-1' })
    await town.poll()
    town.start()
    const { muteId } = await town.mute('web-1', 40, { mode: 'healthy' })
    await town.pass(41)
    expect(await town.store.muteById(muteId)).toMatchObject({ endedBy: 'deadline', state: 'ended' })
  })
})

test("the account's mute ends and leaves the servers' own mutes alone", async () => {
  const town = await runningWorld()
  const own = await town.mute('web-1', 120)
  await town.mute(null, 15)
  await town.pass(16)
  expect(town.calls).toEqual(['account on'])
  expect(await town.store.muteById(own.muteId)).toMatchObject({ state: 'active', version: own.version })
})

test('an API that hangs on one server holds up no other', async () => {
  const town = await runningWorld()
  const release = town.hangs('web-1')
  await town.mute('web-1', 1)
  await town.mute('web-2', 5)
  await town.pass(6)
  expect(town.calls).toEqual(['web-1 on', 'web-2 on'])
  expect((await town.store.mutes()).mutes).toMatchObject([
    { subject: 'web-1', state: 'ended', confirmation: 'waiting' },
  ])
  release()
  await town.pass(1)
  expect((await town.store.mutes()).mutes).toEqual([])
})
