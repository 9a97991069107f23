/** Which channels take no cards is known from Slack's own last answers, and forgotten as soon as one works again. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import type { Outcome } from '../../../src/bot/domain/delivery/delivery.ts'
import { observeChat } from '../../../src/bot/ops/observe.ts'
import { forgetfulChat } from '../../support/forgetful-chat.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { view } from '../slack/card-views.ts'

const archived: Outcome = { kind: 'channel_unavailable', why: 'is_archived' }
const revoked: Outcome = { kind: 'no_token', why: 'token_revoked' }
const limited: Outcome = { kind: 'later', why: 'ratelimited', retryAfterMs: 1_000 }
const lost: Outcome = { kind: 'unknown', why: 'time_out' }
const shown: Outcome = { kind: 'shown', ts: '1.1' }

function world(closed: ReadonlyMap<string, string> | null = new Map()) {
  const clock = manualClock()
  let next: Outcome = shown
  let found: readonly string[] | OutsideFailure = []
  const real = {
    ...forgetfulChat({ nowMs: clock.nowMs }),
    post: async () => next,
    update: async () => next,
    find: async () => {
      if (found instanceof OutsideFailure) throw found
      return found
    },
  }
  const { chat, troubles, foundClosed, stopped } = observeChat(real, clock)
  if (closed !== null) foundClosed(closed)
  const to = (channel: string) => ({ channel, threadTs: null, key: 'k', plain: false })
  return {
    clock,
    stopped,
    troubles: () => troubles().map(({ channel, kind, why }) => `${channel} ${kind} ${why}`),
    since: () => troubles().map(({ sinceMs }) => sinceMs),
    post: async (channel: string, outcome: Outcome) => {
      next = outcome
      expect(await chat.post(to(channel), view())).toBe(outcome)
    },
    update: async (channel: string, outcome: Outcome) => {
      next = outcome
      expect(await chat.update({ ...to(channel), ts: '1.1' }, view())).toBe(outcome)
    },
    find: async (channel: string, result: readonly string[] | OutsideFailure) => {
      found = result
      const finding = chat.find({ ...to(channel), sinceMs: 0 })
      if (result instanceof OutsideFailure) await expect(finding).rejects.toBe(result)
      else expect(await finding).toBe(result)
    },
  }
}

test('a closed channel is told since the first refusal, and until one post or update works', async () => {
  const { clock, troubles, since, post, update } = world()
  const startMs = clock.nowMs()
  await post('C1', archived)
  clock.advance(60_000)
  await post('C1', archived)
  await post('C2', shown)
  expect([troubles(), since()]).toEqual([['C1 channel_unavailable is_archived'], [startMs]])
  await update('C1', shown)
  expect(troubles()).toEqual([])
})

test('a limit on updates is not forgotten because a post works', async () => {
  const { troubles, post, update } = world()
  await update('C1', limited)
  await post('C1', shown)
  expect(troubles()).toEqual(['C1 later ratelimited'])
  await update('C1', shown)
  expect(troubles()).toEqual([])
})

test('a post that got no answer is in doubt until it is found, not until the history was read', async () => {
  const { troubles, post, find } = world()
  await post('C1', lost)
  await find('C1', [])
  expect(troubles()).toEqual(['C1 unknown time_out'])
  await find('C1', ['1.1'])
  expect(troubles()).toEqual([])
})

test('a token works again as soon as Slack judges anything else', async () => {
  const { troubles, post } = world()
  await post('C1', revoked)
  await post('C2', lost)
  expect(troubles()).toEqual(['C1 no_token token_revoked', 'C2 unknown time_out'])
  await post('C2', archived)
  expect(troubles()).toEqual(['C2 channel_unavailable is_archived'])
})

test('a history that cannot be read says why; a thread that is not there says nothing of its channel', async () => {
  const { troubles, find, post } = world()
  await find('C1', new OutsideFailure('missing', 'x', { code: 'not_in_channel' }))
  await find('C2', new OutsideFailure('rejected', 'x', { code: 'thread_not_found' }))
  await find('C3', new OutsideFailure('rate_limited', 'x', { retryAfterMs: 1_000 }))
  expect(troubles()).toEqual(['C1 channel_unavailable not_in_channel', 'C3 later rate_limited'])
  await post('C1', shown)
  await post('C3', shown)
  expect(troubles()).toEqual([])
})

test('no channel takes cards once the last of them has taken none for two minutes, or the token is refused so long', async () => {
  const stoppedAt = async (ms: number, tell: (one: ReturnType<typeof world>) => Promise<unknown>) => {
    const one = world()
    await tell(one)
    one.clock.advance(ms)
    return one.stopped(['C1', 'C2'])?.why ?? null
  }
  const both = ['C1', 'C2'] as const
  const closed = async ({ post }: ReturnType<typeof world>) => {
    for (const channel of both) await post(channel, archived)
  }
  expect(await stoppedAt(119_999, closed)).toBeNull()
  expect(await stoppedAt(120_000, closed)).toBe('is_archived')
  expect(await stoppedAt(900_000, ({ post }) => post('C1', archived))).toBeNull()
  expect(await stoppedAt(120_000, ({ post }) => post('C2', revoked))).toBe('token_revoked')
  expect(await stoppedAt(120_000, ({ update }) => update('C2', revoked))).toBe('token_revoked')
  // A limit of updates, and a history that may not be read, say nothing of posts.
  const limitedUpdates = async ({ update }: ReturnType<typeof world>) => {
    for (const channel of both) await update(channel, limited)
  }
  expect(await stoppedAt(900_000, limitedUpdates)).toBeNull()
  const unread = ({ find }: ReturnType<typeof world>) =>
    find('C1', new OutsideFailure('forbidden', 'x', { code: 'missing_scope' }))
  expect(await stoppedAt(900_000, unread)).toBeNull()
  // Posts that get no answer anywhere.
  const lostPosts = async ({ post }: ReturnType<typeof world>) => {
    for (const channel of both) await post(channel, lost)
  }
  expect(await stoppedAt(120_000, lostPosts)).toBe('time_out')
  // Before Slack is connected nothing can be posted.
  const { stopped, clock } = world(null)
  clock.advance(120_000)
  expect(stopped(['C1'])?.why).toBe('Slack is not connected')
})

test('what the start found closed is told before anything is posted', async () => {
  const { troubles, post } = world(new Map([['C1', 'is_archived']]))
  expect(troubles()).toEqual(['C1 channel_unavailable is_archived'])
  await post('C1', shown)
  expect(troubles()).toEqual([])
})
