/** What Slack answers with, and what it is believed: lost answers, limits, closed doors, messages that may not be edited. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import type { Outcome } from '../../../src/bot/domain/delivery/delivery.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import type { Chat } from '../../../src/bot/flow/ports/ports.ts'
import { type DeliverySetting, deliveryTown } from '../../support/delivery-town.ts'
import { anAlert, letPass, opening } from '../../support/delivery-world.ts'
import { type Fate, type ForgetfulChat, stateOf } from '../../support/forgetful-chat.ts'
import { manualClock } from '../../support/manual-clock.ts'

const minuteMs = 60_000

const startMs = manualClock().nowMs()
test.each<[string, DeliverySetting, number]>([
  [
    'even when the history could not be read for ten minutes',
    { fates: ['taken_answer_lost'], finds: (nowMs) => nowMs > startMs + 12 * minuteMs },
    2,
  ],
  [
    'even when the second post had to wait',
    { fates: ['taken_answer_lost', 'rate_limited'], lagsMs: [90_000] },
    3,
  ],
  [
    'and none is left by a second post whose answer was lost too',
    { fates: ['taken_answer_lost', 'taken_answer_lost'], lagsMs: [61_500] },
    2,
  ],
  ['when a minute was not enough to see it', { fates: ['taken_late'], lateMs: 90_000 }, 2],
  [
    "with a Slack's clock two minutes behind",
    { fates: ['taken_answer_lost'], slackAheadMs: -2 * minuteMs },
    1,
  ],
  ["with a Slack's clock two minutes ahead", { fates: ['taken_answer_lost'], slackAheadMs: 2 * minuteMs }, 1],
])('a copy is deleted %s', async (_, setting, posts) => {
  const { clock, chat, open } = await deliveryTown(setting)
  await open('1')
  await letPass(clock, 120 * minuteMs)
  expect(chat.postTimes).toHaveLength(posts)
  expect(chat.messages).toHaveLength(1)
})

test('an opening does not wait behind updates that Slack limits', async () => {
  const limitedUpdate = (chat: ForgetfulChat) => ({
    update: async (...call: Parameters<Chat['update']>): Promise<Outcome> => {
      const outcome = await chat.update(...call)
      return outcome.kind === 'later' ? { ...outcome, retryAfterMs: minuteMs } : outcome
    },
  })
  const { clock, chat, open, close } = await deliveryTown({
    fates: ['ok', 'ok', 'rate_limited'],
    over: limitedUpdate,
  })
  await open('1', '2')
  await letPass(clock, 3_000)
  await close('1')
  await close('2')
  await letPass(clock, 3_000)
  const openedMs = clock.nowMs()
  await open('3')
  await letPass(clock, 50_000)
  expect((chat.postTimes.at(-1)?.atMs ?? 0) - openedMs).toBeLessThan(2_000)
  expect(chat.updateTimes).toHaveLength(1)
  await letPass(clock, 20_000)
  expect(chat.messages.map(stateOf).sort()).toEqual(['closed', 'closed', 'open'])
})

test('a Retry-After of nothing is no reason to ask without end', async () => {
  let calls = 0
  const { clock, open } = await deliveryTown({
    over: () => ({
      post: async () => {
        calls += 1
        return { kind: 'later', why: 'ratelimited', retryAfterMs: 0 }
      },
    }),
  })
  await open('1')
  await letPass(clock, minuteMs)
  expect(calls).toBeLessThan(10)
})

test('a Retry-After of a day is not believed', async () => {
  const answers: Outcome[] = [{ kind: 'later', why: 'ratelimited', retryAfterMs: 24 * 60 * minuteMs }]
  const { clock, chat, open } = await deliveryTown({
    over: (real) => ({ post: async (to, view) => answers.shift() ?? real.post(to, view) }),
  })
  await open('1')
  await letPass(clock, 11 * minuteMs)
  expect(chat.messages).toHaveLength(1)
})

test.each<[string, Fate[]]>([
  ['an opening', ['channel_unavailable']],
  ['a closing', ['ok', 'channel_unavailable']],
])('a channel that was closed for a while still gets %s', async (_, fates) => {
  const { clock, chat, open, close, store } = await deliveryTown({ fates })
  await open('1')
  await letPass(clock, 2_000)
  await close('1')
  await letPass(clock, 4 * minuteMs)
  expect(chat.messages.map(stateOf)).not.toContain('closed')
  await letPass(clock, 2 * minuteMs)
  expect(chat.messages.map(stateOf)).toEqual(['closed'])
  expect((await store.countCards()).byState).toEqual(new Map([['shown', 1]]))
})

test('a closed channel is asked again with one card, not with all of them', async () => {
  const { clock, chat, open } = await deliveryTown({
    fates: Array.from({ length: 12 }, () => 'channel_unavailable'),
  })
  await open(...Array.from({ length: 20 }, (_, n) => String(n)))
  await letPass(clock, 14 * minuteMs)
  expect(chat.postTimes).toHaveLength(3)
})

test('a refused token is tried again every minute, with one card for all channels', async () => {
  let calls = 0
  const { clock, open } = await deliveryTown({
    over: () => ({
      post: async () => {
        calls += 1
        return { kind: 'no_token', why: 'token_revoked' }
      },
    }),
  })
  await open('1', '2', '3', '4', '5')
  await letPass(clock, 5 * minuteMs - 1)
  expect(calls).toBe(5)
})

test('a history that Slack limits is not read again before Retry-After', async () => {
  const reads: number[] = []
  const { clock, open } = await deliveryTown({
    fates: ['lost'],
    over: (_, { nowMs }) => ({
      find: async () => {
        reads.push(nowMs())
        throw new OutsideFailure('rate_limited', 'Slack could not show the history', { retryAfterMs: 30_000 })
      },
    }),
  })
  await open('1')
  await letPass(clock, 2 * minuteMs)
  const [first = 0, second = 0] = reads
  expect(second - first).toBeGreaterThanOrEqual(30_000)
})

test('tidying that always fails ends some day', async () => {
  let reads = 0
  const { clock, open } = await deliveryTown({
    fates: ['lost'],
    over: (chat) => ({
      find: async (where) => {
        reads += 1
        if (chat.messages.length > 0)
          throw new OutsideFailure('unreachable', 'more history than is read at once')
        return chat.find(where)
      },
    }),
  })
  await open('1')
  await letPass(clock, 24 * 60 * minuteMs)
  expect(reads).toBeLessThan(40)
})

test('a card that may not be edited any more is followed by its closing, and by nothing else', async () => {
  const { clock, chat, open, close, commit } = await deliveryTown({
    over: () => ({ update: async () => ({ kind: 'frozen', why: 'edit_window_closed' }) }),
  })
  await open('1')
  await letPass(clock, 5_000)
  await commit({ ...opening([], 'C1', clock.nowMs()), dirty: ['1'] })
  await letPass(clock, minuteMs)
  expect(chat.messages.map(stateOf)).toEqual(['open'])
  await close('1')
  await letPass(clock, minuteMs)
  expect(chat.messages.map(stateOf)).toEqual(['open', 'closed'])
})

test('a flap on a card that may not be edited any more was told nowhere', async () => {
  const { clock, chat, open, close, commit } = await deliveryTown({
    over: () => ({ update: async () => ({ kind: 'frozen', why: 'edit_window_closed' }) }),
  })
  await open('1')
  await letPass(clock, 5_000)
  await close('1')
  await letPass(clock, minuteMs)
  const flap = anAlert('2', { firstSeenMs: clock.nowMs() })
  await commit({
    ...emptyPlan(clock.nowMs()),
    alerts: [{ alert: flap, was: null }],
    folds: [{ cardId: 'alert:1:C1', alertId: '2' }],
  })
  await letPass(clock, minuteMs)
  await commit({ ...emptyPlan(clock.nowMs()), dirty: ['2'] })
  await letPass(clock, minuteMs)
  expect(chat.messages.map(stateOf)).toEqual(['open', 'closed', 'open'])
})

test('after an invitation the alerts that waited came five minutes later', async () => {
  let isClosed = true
  const { clock, chat, store, open, deliver } = await deliveryTown({
    over: (real) => ({
      post: async (to, view) =>
        isClosed ? { kind: 'channel_unavailable', why: 'not_in_channel' } : real.post(to, view),
    }),
  })
  await open('1', '2')
  await letPass(clock, 10_000)
  isClosed = false
  await store.reopen('C1')
  deliver.reopen('C1')
  await letPass(clock, 5_000)
  expect(chat.messages).toHaveLength(2)
})
