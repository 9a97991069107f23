/**
 * No more is asked of Slack than it takes, by channel and in all; and what is urgent in one of a hundred channels comes before
 * what is not in all the others.
 */
import { expect, test } from 'vitest'
import { boardCard } from '../../../src/bot/domain/card/thread-cards.ts'
import type { Outcome } from '../../../src/bot/domain/delivery/delivery.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { openBoards } from '../../../src/bot/flow/outbox/board.ts'
import { type DeliverySetting, deliverTo, deliveryTown } from '../../support/delivery-town.ts'
import { anAlert, closing, letPass, opening } from '../../support/delivery-world.ts'
import { type Fate, type ForgetfulChat, forgetfulChat, stateOf } from '../../support/forgetful-chat.ts'
import { keptJournal } from '../../support/journal.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { startPart } from '../../support/start-part.ts'
import { mostInAMinute } from '../../support/storm-delivery.ts'

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
  await commit({ ...emptyPlan(clock.nowMs()), dirtySubjects: [null] })
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

const channels = Array.from({ length: 100 }, (_, n) => `C${n}`)

/** A hundred boards, all of them posted, and freshened for some minutes. */
async function boardsIn(setting: DeliverySetting = {}, minutes = 2) {
  const shown: { readonly channel: string; readonly key: string; readonly atMs: number }[] = []
  const town = await deliveryTown({
    ...setting,
    over: (chat, clock) => ({
      ...chat,
      update: (at, view) => {
        shown.push({ channel: at.channel, key: at.key, atMs: clock.nowMs() })
        return (setting.over?.(chat, clock).update ?? chat.update)(at, view)
      },
    }),
  })
  const { store, clock, deliver } = town
  startPart(
    openBoards(
      { store, chat: town.chat, clock, logger: keptJournal(), onChanged: deliver.wake },
      { channels },
    ),
  )
  for (const [n, channel] of channels.slice(0, 8).entries()) await town.openIn(channel, String(n))
  await letPass(clock, minutes * minuteMs)
  return { ...town, shown }
}

test('an alert that closes turns green within 5 s although a hundred channels have a board to freshen', async () => {
  const { clock, chat, close, shown } = await boardsIn({}, 9)
  for (const id of ['0', '1', '2', '3', '4', '5']) await close(id)
  await letPass(clock, 5_000)
  expect(['0', '1', '2', '3', '4', '5'].map((id) => states(chat).get(`alert:${id}:C${id}`))).toEqual(
    Array.from({ length: 6 }, () => 'closed'),
  )
  expect(mostInAMinute(chat.updateTimes)).toBeLessThanOrEqual(50)
  // All in turn, and at half of what Slack takes.
  const boards = shown.filter(
    ({ key, atMs }) => key.startsWith('board:') && atMs > clock.nowMs() - 7 * minuteMs,
  )
  expect(new Set(boards.map(({ channel }) => channel)).size).toBe(channels.length)
  expect(boards.length).toBeLessThan((7 * minuteMs) / 3_400 + 6)
})

test('a board, too, is freshened while alerts never stop to change', async () => {
  const { clock, commit, shown } = await boardsIn()
  const fromMs = clock.nowMs()
  for (let n = 0; n < 180; n += 1) {
    await commit({ ...emptyPlan(clock.nowMs()), dirty: ['0', '1', '2', '3', '4', '5', '6', '7'] })
    await letPass(clock, 1_000)
  }
  const late = shown.filter(({ atMs }) => atMs > fromMs + minuteMs)
  const boards = late.filter(({ key }) => key.startsWith('board:'))
  expect(boards.length).toBeGreaterThanOrEqual(5)
  expect(boards.length).toBeLessThan(late.length / 4)
})

test('a card that somebody pressed does not wait behind those that a mute of the account changed', async () => {
  const { clock, chat, openIn, shown, commit } = await boardsIn()
  for (const n of [20, 21, 22, 23, 24]) {
    await openIn(`C${n}`, ...Array.from({ length: 10 }, (_, at) => `${n}-${at}`))
  }
  await letPass(clock, minuteMs)
  expect(chat.messages.filter(({ key }) => key.startsWith('alert:'))).toHaveLength(58)
  const mutedMs = clock.nowMs()
  await commit({ ...emptyPlan(mutedMs), dirtySubjects: [null] })
  await letPass(clock, 20_000)
  const pressedMs = clock.nowMs()
  await commit({ ...emptyPlan(pressedMs), dirty: ['24-9'] })
  await letPass(clock, 3 * minuteMs)
  const pressed = shown.find(({ key, atMs }) => key === 'alert:24-9:C24' && atMs >= pressedMs)
  expect((pressed?.atMs ?? Number.POSITIVE_INFINITY) - pressedMs).toBeLessThanOrEqual(1_700)
  const muted = shown.filter(({ key, atMs }) => key.startsWith('alert:') && atMs >= mutedMs)
  expect(new Set(muted.map(({ key }) => key)).size).toBe(58)
})

test('a channel whose updates all fail takes few calls from the others', async () => {
  const broken: Outcome = { kind: 'unknown', why: 'internal_error' }
  const { clock, chat, openIn, shown, close } = await boardsIn({
    over: (chat) => ({
      update: async (at, view) => (at.channel === 'C50' ? broken : chat.update(at, view)),
    }),
  })
  const ids = Array.from({ length: 40 }, (_, n) => `bad-${n}`)
  await openIn('C50', ...ids)
  await letPass(clock, minuteMs)
  for (const id of ids) await close(id)
  await letPass(clock, 2 * minuteMs)
  const fromMs = clock.nowMs()
  await close('7')
  await letPass(clock, 2_000)
  expect(states(chat).get('alert:7:C7')).toBe('closed')
  await letPass(clock, 5 * minuteMs)
  expect(shown.filter(({ channel, atMs }) => channel === 'C50' && atMs > fromMs).length).toBeLessThan(12)
})

test('a thousand lists to post in ninety channels keep no new alert waiting', async () => {
  const { clock, chat, openIn, commit } = await boardsIn()
  const pages = channels.slice(10, 90).flatMap((channel) =>
    Array.from({ length: 12 }, (_, page) => ({
      ...boardCard(channel),
      cardId: `page:${page}:${channel}`,
      kind: 'page' as const,
      page,
      alertIds: ['0'],
    })),
  )
  await commit({ ...emptyPlan(clock.nowMs()), cards: pages })
  await letPass(clock, 10_000)
  const openedMs = clock.nowMs()
  await openIn('C95', 'new')
  await letPass(clock, 2_000)
  const post = chat.messages.find(({ key }) => key === 'alert:new:C95')
  expect(post).toBeDefined()
  expect(
    (chat.postTimes.find(({ channel, atMs }) => channel === 'C95' && atMs >= openedMs)?.atMs ?? 0) - openedMs,
  ).toBeLessThanOrEqual(500)
})

function states({ messages }: ForgetfulChat): ReadonlyMap<string, string | undefined> {
  return new Map(messages.map((message) => [message.key, stateOf(message)]))
}
