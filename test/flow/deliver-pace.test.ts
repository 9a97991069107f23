/** No more is asked of Slack than it takes: posts by channel and in all, updates and reads in all. */
import { expect, test } from 'vitest'
import { emptyPlan } from '../../src/domain/plan.ts'
import { deliveryTown } from '../support/delivery-town.ts'
import { anAlert, closing, deliverTo, letPass, opening } from '../support/delivery-world.ts'
import { type Fate, forgetfulChat, stateOf } from '../support/forgetful-chat.ts'
import { manualClock } from '../support/manual-clock.ts'
import { memoryStore } from '../support/memory-store.ts'
import { mostInAMinute } from '../support/storm-delivery.ts'

const minuteMs = 60_000

test('posts keep a second apart in each channel, updates keep under fifty a minute for the workspace', async () => {
  const { clock, chat, store, commit } = await deliveryTown()
  const alerts = Array.from({ length: 60 }, (_, n) => anAlert(String(n)))
  await store.commit(opening(alerts.slice(0, 30), 'C1', clock.nowMs()))
  await commit(opening(alerts.slice(30), 'C2', clock.nowMs()))
  await letPass(clock, 40_000)
  expect(chat.messages).toHaveLength(60)
  for (const alert of alerts) await commit(closing(alert, clock.nowMs()))
  await letPass(clock, 3 * minuteMs)
  expect(chat.messages.every((message) => stateOf(message) === 'closed')).toBe(true)
  for (const channel of ['C1', 'C2']) {
    const times = chat.postTimes.filter((post) => post.channel === channel).map((post) => post.atMs)
    expect(Math.min(...times.slice(1).map((atMs, n) => atMs - (times[n] ?? 0)))).toBeGreaterThanOrEqual(1_000)
  }
  expect(mostInAMinute(chat.updateTimes)).toBeLessThanOrEqual(50)
})

test('a card that closes is updated at once although dozens wait to have their surroundings or pictures freshened', async () => {
  const { clock, chat, store, commit, close } = await deliveryTown()
  const alerts = Array.from({ length: 60 }, (_, n) => anAlert(String(n)))
  await commit(opening(alerts, 'C1', clock.nowMs()))
  await letPass(clock, 2 * minuteMs)
  await commit({ ...emptyPlan(clock.nowMs()), dirtyServers: [null] })
  for (const { alertId } of alerts.slice(0, 10)) {
    await letPass(clock, 4_000)
    const before = chat.updateTimes.length
    await close(alertId)
    await letPass(clock, 0)
    expect(chat.updateTimes.length).toBe(before + 1)
  }
  await letPass(clock, 3 * minuteMs)
  expect(await store.due(clock.nowMs(), ['update'])).toMatchObject({ now: 0 })
  expect(mostInAMinute(chat.updateTimes)).toBeLessThanOrEqual(50)
})

test('posts in ten channels keep under three hundred a minute in all', async () => {
  const { clock, chat, store, deliver } = await deliveryTown()
  for (let n = 0; n < 10; n += 1) {
    const alerts = Array.from({ length: 40 }, (_, at) => anAlert(`${n}-${at}`))
    await store.commit(opening(alerts, `C${n}`, clock.nowMs()))
  }
  deliver.wake()
  await letPass(clock, 3 * minuteMs)
  expect(chat.messages).toHaveLength(400)
  expect(mostInAMinute(chat.postTimes.map(({ atMs }) => atMs))).toBeLessThan(300)
})

test('after an outage the history is read at a pace that Slack allows', async () => {
  const clock = manualClock()
  const readTimes: number[] = []
  const fates: Fate[] = Array.from({ length: 80 }, () => 'taken_answer_lost')
  const chat = forgetfulChat({
    nowMs: clock.nowMs,
    fateOf: (call) => {
      if (call === 'find') readTimes.push(clock.nowMs())
      return call === 'post' ? (fates.shift() ?? 'ok') : 'ok'
    },
    historyLagMs: () => 30_000,
  })
  const store = await memoryStore()
  const { commit } = deliverTo(chat, store, clock)
  const alerts = Array.from({ length: 80 }, (_, n) => anAlert(String(n)))
  await commit(opening(alerts, 'C1', clock.nowMs()))
  await letPass(clock, 20 * minuteMs)
  expect(chat.postTimes).toHaveLength(80)
  expect((await store.countCards()).byState).toEqual(new Map([['shown', 80]]))
  expect(mostInAMinute(readTimes)).toBeLessThanOrEqual(50)
})

test('a history of many parts is read at a pace that Slack allows, and holds up no new alert', async () => {
  const readTimes: number[] = []
  const { clock, chat, open } = await deliveryTown({
    fates: [
      'taken_answer_lost',
      'taken_answer_lost',
      'taken_answer_lost',
      'taken_answer_lost',
      'taken_answer_lost',
    ],
    over: (real, { nowMs }) => ({
      find: async (where, mayGoOn) => {
        for (let part = 0; part < 20; part += 1) {
          if (part > 0) await mayGoOn?.()
          readTimes.push(nowMs())
        }
        return real.find(where)
      },
    }),
  })
  await open('1', '2', '3', '4', '5')
  await letPass(clock, 20_000)
  await open('6')
  await letPass(clock, 100)
  expect(chat.messages).toHaveLength(6)
  await letPass(clock, 5 * minuteMs)
  expect(readTimes).toHaveLength(100)
  expect(mostInAMinute(readTimes)).toBeLessThanOrEqual(50)
})
