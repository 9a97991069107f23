/** Cards that do not reach Slack: those that wait for minutes are told wherever people look; what was refused for good is kept, counted, and tried once more. */
import { expect, test } from 'vitest'
import { summaryCards } from '../../../src/bot/domain/card/storm-cards.ts'
import { boardCard } from '../../../src/bot/domain/card/thread-cards.ts'
import type { Outcome } from '../../../src/bot/domain/delivery/delivery.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { type LateWatch, openLateWatch, openRevive } from '../../../src/bot/flow/outbox/late-cards.ts'
import type { Chat } from '../../../src/bot/flow/ports/ports.ts'
import { renderBoard } from '../../../src/bot/slack/render/cards/board.ts'
import { renderHome } from '../../../src/bot/slack/render/cards/home.ts'
import { renderAnswer } from '../../../src/bot/slack/render/replies/answer.ts'
import { bareWorld } from '../../support/bare-world.ts'
import { deliverTo } from '../../support/delivery-town.ts'
import { anAlert, closing, letPass, opening } from '../../support/delivery-world.ts'
import { stateOf } from '../../support/forgetful-chat.ts'
import { keptJournal } from '../../support/journal.ts'
import { startPart } from '../../support/start-part.ts'
import { aStatus, well } from '../slack/answers.ts'
import { wordsOf } from '../slack/card-views.ts'

const badly: Outcome = { kind: 'bad_payload', why: 'invalid_blocks' }

/** `restart` is a new process on the same memory. */
async function town() {
  const { clock, store, chat } = await bareWorld()
  let now = deliverTo(chat, store, clock)
  const restart = async (over: Partial<Chat> = {}) => {
    await now.deliver.stop()
    await store.recoverSending()
    const retried = await store.retryDead()
    now = deliverTo({ ...chat, ...over }, store, clock)
    await letPass(clock, 10_000)
    return { retried, deliver: now.deliver }
  }
  const show = async () => {
    now.deliver.wake()
    await letPass(clock, 10_000)
  }
  const dead = async () => (await store.countCards()).byState.get('dead') ?? 0
  return { clock, store, chat, restart, show, dead }
}

test('a card that an older version could not draw was never shown, though its alert was still open', async () => {
  const { clock, store, chat, restart, show, dead } = await town()
  await restart({ post: async () => badly })
  await store.commit(opening([anAlert('1'), anAlert('2')], 'C1', clock.nowMs()))
  await show()
  await store.commit(closing(anAlert('2'), clock.nowMs()))
  await show()
  expect([await dead(), chat.messages]).toEqual([2, []])
  expect((await restart()).retried).toBe(1)
  expect(chat.messages.map(({ key, plain }) => [key, plain])).toEqual([['alert:1:C1', false]])
  // What is over and was never told is not told now.
  expect(await dead()).toBe(1)
})

test('a card whose closing an older version could not draw stayed red', async () => {
  const { clock, store, chat, restart, show } = await town()
  await store.commit(opening([anAlert('1')], 'C1', clock.nowMs()))
  await show()
  await restart({ update: async () => badly })
  await store.commit(closing(anAlert('1'), clock.nowMs()))
  await show()
  expect(chat.messages.map(stateOf)).toEqual(['open'])
  await restart()
  expect(chat.messages.map(stateOf)).toEqual(['closed'])
})

test('what is refused again is dead again, and costs two calls a start', async () => {
  const { clock, store, restart, show, dead } = await town()
  let posts = 0
  const refusing: Partial<Chat> = {
    post: async () => {
      posts += 1
      return badly
    },
  }
  await restart(refusing)
  await store.commit(opening([anAlert('1')], 'C1', clock.nowMs()))
  await show()
  for (let start = 1; start <= 3; start += 1) {
    posts = 0
    expect((await restart(refusing)).retried).toBe(1)
    expect([posts, await dead()]).toEqual([2, 1])
  }
})

test('a list whose thread was deleted before it was posted never came, though its alerts were open', async () => {
  const { clock, store, chat, restart } = await town()
  const alerts = Array.from({ length: 5 }, (_, n) => anAlert(String(n)))
  const cards = summaryCards(alerts, { channel: 'C1', mention: null }, clock.nowMs())
  // Somebody deletes the summary while its list is under way.
  const post: Chat['post'] = async (to, view) => {
    const isThere = to.threadTs === null || chat.messages.some(({ ts }) => ts === to.threadTs)
    if (!isThere) return { kind: 'gone', why: 'cannot_reply_to_message' }
    const outcome = await chat.post(to, view)
    if (to.threadTs === null && chat.postTimes.length === 1) chat.messages.splice(0)
    return outcome
  }
  await restart({ post })
  await store.commit({ ...opening(alerts, 'C1', clock.nowMs()), cards })
  await restart({ post })
  const [summary, page] = chat.messages
  expect([summary?.view.kind, page?.view.kind]).toEqual(['summary', 'page'])
  expect(page?.threadTs).toBe(summary?.ts)
  expect((await store.countCards()).byState).toEqual(new Map([['shown', 2]]))
})

const unlisted: Outcome = { kind: 'unlisted', why: 'some_new_code' }

test('a word of refusal that Slack lists nowhere, said twice, left an open alert without a card until a restart', async () => {
  const { clock, store, chat, restart, show, dead } = await town()
  const calls: number[] = []
  await restart({
    post: async (to, view) => (calls.push(clock.nowMs()) <= 2 ? unlisted : chat.post(to, view)),
  })
  await store.commit(opening([anAlert('1')], 'C1', clock.nowMs()))
  await show()
  expect([await dead(), chat.messages.map(stateOf), chat.messages[0]?.plain]).toEqual([0, ['open'], false])
  expect(calls.map((ms) => ms - (calls[0] ?? ms))).toEqual([0, 1_000, 3_000])
})

test('refused for ever by a word that nobody knows, a card is tried without its blocks, and once a minute at most', async () => {
  const { clock, store, restart, dead } = await town()
  const tries: { plain: boolean; atMs: number }[] = []
  await restart({
    post: async ({ plain }) => {
      tries.push({ plain, atMs: clock.nowMs() })
      return unlisted
    },
  })
  await store.commit(opening([anAlert('1')], 'C1', clock.nowMs()))
  await letPass(clock, 60 * 60_000)
  expect(tries.filter(({ plain }) => !plain)).toHaveLength(5)
  expect(tries.length).toBeGreaterThan(50)
  expect(tries.length).toBeLessThan(70)
  expect(await dead()).toBe(0)
})

test('what was refused for good is told, and tried again when it has changed', async () => {
  const { clock, store, chat, restart, show, dead } = await town()
  let isRefusing = true
  await restart({ post: async (to, view) => (isRefusing ? badly : chat.post(to, view)) })
  await store.commit(opening([anAlert('1')], 'C1', clock.nowMs()))
  await show()
  expect([await dead(), await store.countUnshown()]).toEqual([1, 1])
  isRefusing = false
  await store.commit({ ...emptyPlan(clock.nowMs()), dirty: ['1'] })
  await show()
  expect([await dead(), await store.countUnshown(), chat.messages.map(stateOf)]).toEqual([0, 0, ['open']])
})

test('what was refused for good is tried again within hours, without a restart', async () => {
  const { clock, store, chat, restart, show } = await town()
  let isRefusing = true
  const { deliver } = await restart({ post: async (to, view) => (isRefusing ? badly : chat.post(to, view)) })
  startPart(openRevive({ store, clock, logger: keptJournal(), onChanged: deliver.wake }))
  await store.commit(opening([anAlert('1')], 'C1', clock.nowMs()))
  await show()
  isRefusing = false
  await letPass(clock, 7 * 60 * 60_000)
  expect(chat.messages.map(stateOf)).toEqual(['open'])
})

const minuteMs = 60_000
async function world() {
  const { clock, store, logger, chat } = await bareWorld()
  const watch: LateWatch = startPart(openLateWatch({ store, clock, logger }))
  const deliver = () => deliverTo(chat, store, clock).deliver
  return { clock, store, watch, deliver }
}

test('cards that nobody brought to Slack for minutes left everything green', async () => {
  const { clock, store, watch, deliver } = await world()
  const sinceMs = clock.nowMs()
  await store.commit(opening([anAlert('1'), anAlert('2')], 'C0ALERTS01', sinceMs))
  await letPass(clock, 2 * minuteMs)
  expect(watch.now()).toEqual([])
  await letPass(clock, 2 * minuteMs)
  const late = watch.now()
  expect(late).toEqual([{ channel: 'C0ALERTS01', count: 2, sinceMs: expect.any(Number) }])
  expect(Math.abs((late[0]?.sinceMs ?? 0) - sinceMs)).toBeLessThanOrEqual(15_000)

  const health = well({ late })
  const board = wordsOf(renderBoard({ kind: 'board', open: [], mutes: [], health }).blocks)
  const home = wordsOf(renderHome({ open: [], mutes: [], health }))
  const status = wordsOf(renderAnswer(aStatus({ late })).blocks)
  for (const words of [board, home, status]) {
    expect(words[0]).toContain('Slack trouble')
    expect(words.join('\n')).toContain('2 cards have not reached <#C0ALERTS01> since')
  }

  deliver()
  await letPass(clock, minuteMs)
  expect(watch.now()).toEqual([])
})

test('a closing that is not shown is late, and a board or what only stands around an alert is not', async () => {
  const { clock, store, watch, deliver } = await world()
  await store.commit(opening([anAlert('1'), anAlert('2')], 'C0ALERTS01', clock.nowMs()))
  const running = deliver()
  await letPass(clock, minuteMs)
  await running.stop()
  await store.commit({ ...emptyPlan(clock.nowMs()), cards: [boardCard('C0ALERTS01')] })
  await store.commit({ ...emptyPlan(clock.nowMs()), dirtySubjects: [null] })
  await letPass(clock, 10 * minuteMs)
  expect(watch.now()).toEqual([])
  await store.commit(closing(anAlert('1'), clock.nowMs()))
  await letPass(clock, 4 * minuteMs)
  expect(watch.now()).toMatchObject([{ channel: 'C0ALERTS01', count: 1 }])
})
