/** Rate limits by the clock, and timers that follow it. */
import { expect, test } from 'vitest'
import { openLimiter, slackLimits } from '../../src/workspace/state/limits.ts'
import { openTimers } from '../../src/workspace/state/timers.ts'
import { eventually, neighbour } from './neighbour.ts'

const clockAt = (): { nowMs: number } => ({ nowMs: 1_000_000 })

test('a window of a minute admits the tier, then says how long it lasts', () => {
  const clock = clockAt()
  const limiter = openLimiter(() => clock.nowMs, 'slack')
  const update = { method: 'chat.update', tier: 'tier3' } as const
  for (let n = 0; n < slackLimits.tier3; n += 1) expect(limiter.retryAfterSeconds(update)).toBeUndefined()
  clock.nowMs += 20_500
  expect(limiter.retryAfterSeconds(update)).toBe(40)
  expect(limiter.retryAfterSeconds({ method: 'users.info', tier: 'tier4' })).toBeUndefined()
  clock.nowMs += 39_500
  expect(limiter.retryAfterSeconds(update)).toBeUndefined()
})

test('a channel takes a short burst, then one post a second; another channel has its own', () => {
  const clock = clockAt()
  const limiter = openLimiter(() => clock.nowMs, 'slack')
  const post = (channelId: string) =>
    limiter.retryAfterSeconds({ method: 'chat.postMessage', tier: 'posts', channelId })
  for (let n = 0; n < slackLimits.channelBurst; n += 1) expect(post('C1')).toBeUndefined()
  expect(post('C1')).toBe(1)
  expect(post('C2')).toBeUndefined()
  for (let second = 0; second < 10; second += 1) {
    clock.nowMs += 1_000
    expect(post('C1')).toBeUndefined()
    expect(post('C1')).toBe(1)
  }
})

test('the workspace as a whole has a limit for posts', () => {
  const limiter = openLimiter(() => 0, { posts: 3 })
  const post = (channelId: string) =>
    limiter.retryAfterSeconds({ method: 'chat.postMessage', tier: 'posts', channelId })
  expect([post('C1'), post('C2'), post('C3'), post('C4')]).toEqual([undefined, undefined, undefined, 60])
})

test('over HTTP it is 429 with whole seconds, and posts can be held back for a while', async () => {
  const { raw, workspace, clock } = await neighbour({ limits: { tier4: 1 } })
  expect((await raw('users.info', { user: 'U0ANA00001' })).status).toBe(200)
  const refused = await raw('users.info', { user: 'U0ANA00001' })
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('60')
  expect(await refused.json()).toEqual({ ok: false, error: 'ratelimited' })
  await workspace.acts.holdPosts({ seconds: 30 })
  const post = async () => (await raw('chat.postMessage', { channel: '#alerts', text: 'x' })).status
  expect(await post()).toBe(429)
  clock.nowMs += 30_000
  expect(await post()).toBe(200)
})

test('refused posts do not count, and a name counts for its channel', async () => {
  const { raw, clock } = await neighbour({ limits: 'slack' })
  const statuses: number[] = []
  for (let n = 0; n < 8; n += 1) {
    const channel = n % 2 === 0 ? '#alerts' : 'C0ALERTS01'
    statuses.push((await raw('chat.postMessage', { channel, text: 'x' })).status)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
  clock.nowMs += 1_000
  expect((await raw('chat.postMessage', { channel: '#alerts', text: 'x' })).status).toBe(200)
})

test('timers run when the clock says so, in order of time, and not when cancelled', async () => {
  const clock = clockAt()
  const timers = openTimers(() => clock.nowMs)
  const ran: string[] = []
  timers.after(2_000, () => ran.push('late'))
  timers.after(1_000, () => ran.push('early'))
  timers.after(1_500, () => ran.push('cancelled'))()
  clock.nowMs += 999
  timers.after(0, () => ran.push('now'))
  await eventually('the one that is due', () => ran.length === 1)
  clock.nowMs += 5_000
  await eventually('the rest', () => ran.length === 3)
  expect(ran).toEqual(['now', 'early', 'late'])
  const waiting = timers.wait(60_000)
  timers.close()
  await waiting
})
