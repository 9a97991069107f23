/** The clock is set while the bot runs, back and ahead: nothing waits for the same time to come again, and nothing hides. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { isUndoable } from '../../../src/bot/domain/mute/mute.ts'
import { askSwitch } from '../../../src/bot/domain/mute/switch.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { openHomes } from '../../../src/bot/flow/outbox/home.ts'
import { openRoleBook } from '../../../src/bot/flow/poll/roles.ts'
import { openServers } from '../../../src/bot/flow/servers.ts'
import { aMute } from '../../support/acting-rows.ts'
import { actingWorld, muting } from '../../support/acting-world.ts'
import { bareWorld } from '../../support/bare-world.ts'
import { anAlert, calm, letPass, opening } from '../../support/delivery-world.ts'
import { expiryWorld, hourMs, minuteMs, runningWorld } from '../../support/expiry-world.ts'
import { keptJournal } from '../../support/journal.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { modelService } from '../../support/model-service.ts'
import { pollWorld } from '../../support/poll-world.ts'
import { startPart } from '../../support/start-part.ts'

const dayMs = 24 * hourMs
/** By NTP, by hand or by a wrong time zone, and by a battery that was empty. */
const backMs = [-5_000, -hourMs, -dayMs] as const

async function muted(minutes: number) {
  const town = await runningWorld()
  const mute = await town.mute('web-1', minutes)
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.poll()
  expect(await town.said()).toEqual([])
  return { ...town, mute, alertId }
}

test.each(backMs)(
  'set back by %i ms, the clock ends a mute when it shows what people were told',
  async (ms) => {
    const town = await muted(15)
    town.clock.set(ms)
    await town.pass(14 - ms / minuteMs, { outage: true })
    expect(town.calls).toEqual([])
    await town.pass(2)
    expect(town.calls).toEqual(['web-1 on'])
    expect(await town.said()).toContain(`post ${town.alertId} open`)
  },
)

test.each([hourMs, dayMs])(
  'set ahead by %i ms, it ends a mute early, and what that hid is told',
  async (ms) => {
    const town = await muted(15)
    town.clock.set(ms)
    await town.pass(1)
    expect(town.calls).toEqual(['web-1 on'])
    expect(await town.said()).toContain(`post ${town.alertId} open`)
    // Set right again, it does not begin anew.
    town.clock.set(-ms)
    await town.pass(20)
    expect(town.calls).toEqual(['web-1 on'])
  },
)

test.each(backMs)(
  'a mute whose end the API refused is tried again although the clock went back by %i ms',
  async (ms) => {
    const town = await muted(15)
    town.fails('unreachable')
    await town.pass(17, { outage: true })
    town.fails(null)
    const tries = town.calls.length
    town.clock.set(ms)
    await town.pass(2)
    expect(town.calls.length).toBeGreaterThan(tries)
    expect((await town.store.mutes()).mutes).toEqual([])
  },
)

test('a mute that a crash left half asked for is said again although the clock was set back by a day', async () => {
  const town = await expiryWorld()
  await town.poll()
  await town.mute('web-1', 60, { confirmation: 'waiting' })
  const [row] = await town.store.switches()
  if (row === undefined) throw new Error('the API is to be told of it')
  await town.store.noteAsked(askSwitch(row, town.clock.nowMs()), row.version)
  town.clock.set(-dayMs)
  town.start()
  await town.pass(2)
  // Once more after a minute: what the crash left under way may be carried out late.
  expect(town.calls).toEqual(['web-1 off', 'web-1 off'])
})

test('a mute until healthy does not wait for a day because its last alert closed before the clock was set back', async () => {
  const town = await runningWorld()
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.poll()
  const untilMs = town.clock.nowMs() + 30 * dayMs
  await town.mute('web-1', 60, { mode: 'healthy', untilMs })
  town.service.close(alertId)
  await town.pass(2)
  town.clock.set(-dayMs)
  await town.pass(20)
  expect(town.calls).toEqual(['web-1 on'])
})

test('a mute for an hour that was given while the clock was a year ahead does not hide anything for a year', async () => {
  const town = await muted(60)
  town.clock.set(-365 * dayMs)
  await town.pass(2)
  expect(town.calls).toEqual(['web-1 on'])
})

test('after a start without the API, a clock that is set back does not keep mutes from ending', async () => {
  const town = await expiryWorld()
  await town.mute('web-1', 1)
  await letPass(town.clock, 3 * hourMs)
  town.start()
  await letPass(town.clock, 1_000)
  town.clock.set(-hourMs)
  await letPass(town.clock, 2 * minuteMs)
  expect(town.calls).toEqual(['web-1 on'])
})

test('the whole list is read within its time although the clock was set back by a day', async () => {
  const { service, clock, poll, tick } = await pollWorld()
  for (let n = 0; n < 120; n += 1) service.close(service.open({ hostname: 'web-1' }))
  await poll()
  // Its newest page, and the page of what is open.
  expect(await tick()).toMatchObject({ requests: 2 })
  clock.set(-dayMs)
  // Three pages of the whole list, and for the end of each list a look behind it.
  expect(await tick()).toMatchObject({ requests: 1 + 3 + 4 + 4 })
  expect(await tick()).toMatchObject({ requests: 2 })
})

test('a poll that was noted by a clock that was ahead does not keep absences from being noticed', async () => {
  const { store, clock, tick, poll } = await pollWorld()
  await poll()
  clock.set(-dayMs)
  await tick()
  expect((await store.recall()).facts.polledMs).toBe(clock.nowMs())
})

test('a clock that was set back by an hour is no absence', async () => {
  const { service, store, clock, tick, poll } = await pollWorld({ lifecycle: 'flip' })
  await poll()
  clock.set(-hourMs)
  service.close(service.open({ hostname: 'web-1' }))
  await tick()
  expect((await store.countCards()).behind).toBe(1)
})

test('a Home tab is kept up to date although the clock was set back', async () => {
  const { clock, store, logger, chat: slack } = await bareWorld()
  const shown: number[] = []
  const failures = [new OutsideFailure('rate_limited', 'ratelimited', { retryAfterMs: 30_000 })]
  const publishHome = async () => {
    const failure = failures.shift()
    if (failure !== undefined) throw failure
    shown.push(clock.nowMs())
  }
  const chat = { ...slack, publishHome }
  const health = () => calm(clock.nowMs())
  const homes = startPart(openHomes({ store, chat, clock, logger, health }))
  await homes.opened('U1')
  await letPass(clock, 1_000)
  clock.set(-dayMs)
  await store.commit(opening([anAlert('1')], 'C1', clock.nowMs()))
  homes.wake()
  await letPass(clock, minuteMs)
  expect(shown.length).toBeGreaterThan(0)
  await homes.stop()
})

test('a receipt of before the clock was set back is not confirmed a day later', async () => {
  const town = await actingWorld()
  const asked = await town.does(muting(['web-1', 'web-2']))
  if (asked.kind !== 'confirm') throw new Error(`expected a receipt; came ${asked.kind}`)
  town.clock.set(-dayMs)
  town.clock.advance(dayMs - minuteMs * 15)
  expect(await town.does({ kind: 'confirm', pendingId: asked.pendingId })).toMatchObject({
    kind: 'refused',
    refusal: { why: 'pending_gone' },
  })
  expect(town.calls).toEqual([])
})

test('a marker that waits for its next try is not late by the day that the clock was set back', async () => {
  const store = await memoryStore()
  const nowMs = Date.UTC(2026, 10, 21, 4)
  await store.commit({ ...emptyPlan(nowMs), markers: [{ markerId: 'k1', text: 'muted', cardId: null }] })
  await store.settleMarker('k1', { state: 'wanted', notBeforeMs: nowMs + 30 * minuteMs })
  expect(await store.nextMarker(nowMs)).toEqual({ job: null, nextMs: nowMs + 30 * minuteMs })
  expect(await store.nextMarker(nowMs - dayMs)).toMatchObject({ job: { markerId: 'k1' } })
})

test('a picture that waits for its next try is not late by the day that the clock was set back', async () => {
  const store = await memoryStore()
  const nowMs = Date.UTC(2026, 10, 21, 4)
  const cardId = 'alert:1:C1'
  await store.commit({
    ...opening([anAlert('1')], 'C1', nowMs),
    pictures: [{ cardId, alertId: '1', way: 'chart' }],
  })
  await store.settle(cardId, { state: 'shown', ts: '1.1', shown: 1 })
  await store.settlePicture(cardId, { notBeforeMs: nowMs + minuteMs })
  expect(await store.nextPicture(nowMs)).toEqual({ job: null, nextMs: nowMs + minuteMs })
  expect(await store.nextPicture(nowMs - dayMs)).toMatchObject({ job: { cardId } })
})

test('an Undo that is over is not possible again for a day because the clock was set back', () => {
  const nowMs = Date.UTC(2026, 10, 21, 4)
  const mute = aMute('m1', { termsMs: nowMs })
  expect(isUndoable(mute, 'U0ANA', nowMs + 30_000)).toBe(true)
  expect(isUndoable(mute, 'U0ANA', nowMs - hourMs)).toBe(false)
})

test('roles are read anew although the clock was set back: they say who hears of an alert', async () => {
  const clock = manualClock()
  const { monitor } = modelService({ form: 'flip', nowMs: clock.nowMs })
  let reads = 0
  const counted = {
    ...monitor,
    roles: async () => {
      reads += 1
      return monitor.roles()
    },
  }
  const logger = keptJournal()
  const book = openRoleBook({ monitor: counted, clock, logger })
  const servers = openServers({ monitor: counted, store: await memoryStore(), clock, logger })
  const ask = async () => {
    await book.rolesOf(['web-1'])
    await servers.roles()
  }
  await ask()
  await ask()
  expect(reads).toBe(2)
  clock.set(-dayMs)
  await ask()
  expect(reads).toBe(4)
})
