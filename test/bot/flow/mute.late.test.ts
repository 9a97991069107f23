/** Requests that the API carries out long after it was asked: each test is the sentence of a bug. Real SQLite, a clock by hand. */
import { describe, expect, test } from 'vitest'
import type { OpenStore } from '../../../src/bot/store/open/open-store.ts'
import {
  actingWorld,
  minuteMs,
  muting,
  mutingAccount,
  showing,
  unmuting,
} from '../../support/acting-world.ts'
import { letPass } from '../../support/delivery-world.ts'
import { memoryStore } from '../../support/memory-store.ts'

/** An API that carries out what is asked of it when a test says so, and is as it was told last. */
async function lateTown(store?: OpenStore) {
  const world = await actingWorld({ isRunning: true, ...(store === undefined ? {} : { store }) })
  const { clock, script } = world
  const isOn = new Map<string, boolean>()
  const late: { atMs: number; call: string }[] = []
  let lateBy: { readonly call: string; readonly minutes: number } | null = null

  function carryOut(call: string): void {
    const [what = '', name = '', how] = call.split(' ')
    isOn.set(what === 'account' ? what : name, (how ?? name) === 'on')
  }
  script.answerTo = (call) => {
    if (lateBy !== null && call.startsWith(lateBy.call)) {
      late.push({ atMs: clock.nowMs() + lateBy.minutes * minuteMs, call })
      return 'time-out'
    }
    carryOut(call)
    return 200
  }
  return {
    ...world,
    isOn,
    /** Without the markers. */
    switches: () => world.calls.filter((call) => !call.startsWith('marker')),
    /** From now on such a call times out, and is carried out so long after. */
    comesLate: (call: string, minutes: number) => {
      lateBy = { call, minutes }
    },
    inTime: () => {
      lateBy = null
    },
    pass: async (minutes: number) => {
      for (let half = 0; half < 2 * minutes; half += 1) {
        await letPass(clock, minuteMs / 2)
        for (const one of late.splice(0)) {
          if (one.atMs <= clock.nowMs()) carryOut(one.call)
          else late.push(one)
        }
        await letPass(clock, 0)
      }
    },
    told: async () => (await world.store.noticesOf('change_notice')).length,
  }
}

const unmute = unmuting('web-1')
const forEver = muting('web-1', { end: { kind: 'unmuted' }, shown: showing('web-1') })
const unmuteAccount = { kind: 'unmute_account' } as const
describe.each([0.75, 3, 20])('carried out %s min late,', (minutes) => {
  test('a mute that timed out left the server silent for good', async () => {
    const town = await lateTown()
    town.comesLate('server web-1 off', minutes)
    expect(await town.does(muting('web-1'))).toMatchObject({
      kind: 'muted',
      results: [{ mute: { confirmation: 'waiting' } }],
    })
    town.inTime()
    await town.pass(32)
    expect(town.isOn.get('web-1')).toBe(false)
    expect(await town.mutes()).toMatchObject([{ confirmation: 'confirmed' }])
    expect(await town.store.switches()).toEqual([])
    // Nobody is told of the repeats.
    expect(await town.told()).toBe(1)
    await town.pass(30)
    expect(town.isOn.get('web-1')).toBe(true)
    const calls = town.switches().length
    await town.pass(60)
    expect(town.switches()).toHaveLength(calls)
  })

  test('a mute that timed out and was taken back came all the same', async () => {
    const town = await lateTown()
    town.comesLate('server web-1 off', minutes)
    await town.does(muting('web-1'))
    town.inTime()
    expect(await town.does(unmute)).toMatchObject({ kind: 'unmuted', isSure: true })
    await town.pass(minutes)
    expect(town.isOn.get('web-1')).toBe(false)
    await town.pass(32)
    expect(town.isOn.get('web-1')).toBe(true)
    expect(await town.store.switches()).toEqual([])
  })

  test('a mute of the account that timed out left it silent for good', async () => {
    const town = await lateTown()
    town.comesLate('account off', minutes)
    await town.does(mutingAccount)
    town.inTime()
    await town.pass(65)
    expect(town.isOn.get('account')).toBe(true)
  })

  test('new terms that timed out outlived the unmute that followed', async () => {
    const town = await lateTown()
    await town.does(muting('web-1'))
    town.comesLate('server web-1 off', minutes)
    await town.does(muting('web-1', { reason: 'longer' }))
    town.inTime()
    expect(await town.does(unmute)).toMatchObject({ kind: 'unmuted', isSure: true })
    await town.pass(32)
    expect(town.isOn.get('web-1')).toBe(true)
  })

  test('an unmute that timed out cancelled the mute that was made after it', async () => {
    const town = await lateTown()
    await town.does(muting('web-1'))
    town.comesLate('server web-1 on', minutes)
    await town.does(unmute)
    town.inTime()
    expect(await town.does(forEver)).toMatchObject({ kind: 'muted' })
    await town.pass(32)
    expect(town.isOn.get('web-1')).toBe(false)
    expect(await town.mutes()).toMatchObject([{ state: 'active' }])
  })

  test('a crash forgot that a mute was under way', async () => {
    const store = await memoryStore()
    const first = await lateTown(store)
    // The process is gone while it waits for the answer.
    first.script.meanwhile = () => Promise.reject(new Error('gone'))
    await first.does(muting('web-1'))
    await first.bot.stop()
    const second = await lateTown(store)
    second.clock.advance(first.clock.nowMs() - second.clock.nowMs())
    await second.does(unmute)
    await second.pass(minutes)
    second.isOn.set('web-1', false)
    await second.pass(32)
    expect(second.isOn.get('web-1')).toBe(true)
  })
})

test('the repeat of an unmute cancelled a mute that somebody made meanwhile', async () => {
  const town = await lateTown()
  town.comesLate('server web-1 off', 0)
  await town.does(muting('web-1'))
  town.inTime()
  await town.pass(0.5)
  expect(await town.does(forEver)).toMatchObject({ kind: 'muted' })
  const before = town.switches().length
  await town.pass(40)
  expect(
    town
      .switches()
      .slice(before)
      .filter((call) => call.endsWith(' on')),
  ).toEqual([])
  expect(town.isOn.get('web-1')).toBe(false)
})

test('an unmute of what monbot had not muted was forgotten where its answer was lost', async () => {
  const town = await lateTown()
  town.comesLate('account on', 2)
  expect(await town.does(unmuteAccount)).toMatchObject({ kind: 'unmuted', isSure: false })
  town.inTime()
  await town.does(mutingAccount)
  await town.pass(10)
  expect(town.isOn.get('account')).toBe(false)
})

test('repeats that the API does not take were given up in silence', async () => {
  const town = await lateTown()
  town.comesLate('server web-1 off', 0.5)
  await town.does(muting('web-1'))
  town.inTime()
  await town.does(unmute)
  await town.pass(0.5)
  town.script.answerTo = (call) => (call.includes(' on') ? 422 : 200)
  await town.pass(60)
  const told = (await town.audit()).filter(({ act }) => act === 'repeat_switch')
  expect(told).toMatchObject([{ outcome: 'failed', why: 'rejected', hostname: 'web-1', userId: null }])
  expect(await town.told()).toBe(2)
  town.script.answerTo = () => 200
  const before = town.switches().length
  await town.pass(5)
  expect(town.switches().slice(before)).toEqual(['server web-1 on'])
  expect(await town.store.switches()).toEqual([])
})

test('a single 404 ended the repeats, and the late mute lasted', async () => {
  const town = await lateTown()
  town.comesLate('server web-1 off', 20)
  await town.does(muting('web-1'))
  town.inTime()
  await town.does(unmute)
  await town.pass(29)
  expect(town.isOn.get('web-1')).toBe(false)
  const { answerTo } = town.script
  town.script.answerTo = (call) => (call === 'server web-1 on' ? 404 : answerTo(call))
  await town.pass(2)
  town.script.answerTo = answerTo
  await town.pass(2)
  expect(town.isOn.get('web-1')).toBe(true)
  expect(await town.store.switches()).toEqual([])
})

test('a server that was deleted is asked about no longer than its repeats last', async () => {
  const town = await lateTown()
  town.comesLate('server web-1 off', 0.5)
  await town.does(muting('web-1'))
  town.inTime()
  await town.does(unmute)
  town.script.answerTo = () => 404
  await town.pass(40)
  expect(await town.store.switches()).toEqual([])
  expect(await town.told()).toBe(1)
})

test('where every answer is clear, nothing is said again', async () => {
  const town = await lateTown()
  await town.does(muting('web-1'))
  await town.does(unmute)
  await town.pass(40)
  expect(town.switches()).toEqual(['server web-1 off', 'server web-1 on'])
})
