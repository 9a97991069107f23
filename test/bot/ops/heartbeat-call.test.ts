/** A watcher outside hears that monbot works, and of an outage of the API; from a dead or deaf monbot it hears nothing. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { Secret } from '../../../src/bot/config/secret.ts'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import type { Beat } from '../../../src/bot/flow/ports/ports.ts'
import { openHeartbeatCall } from '../../../src/bot/ops/heartbeat-call.ts'
import type { Fate } from '../../support/forgetful-chat.ts'
import { away, outageWorld } from '../../support/outage-world.ts'

const minuteMs = 60_000

function watcher() {
  const heard: Beat[] = []
  const watch = {
    heard,
    isDeaf: false,
    send: async (beat: Beat) => {
      if (watch.isDeaf) throw new OutsideFailure('unreachable', "the heartbeat's address answered HTTP 500")
      heard.push(beat)
    },
    since: () => heard.splice(0),
  }
  return watch
}

test('good polls are told to the watcher at most once a minute', async () => {
  const heartbeat = watcher()
  const { pass } = await outageWorld({ heartbeat })
  expect(heartbeat.since()).toEqual(['alive'])
  await pass(10 * minuteMs)
  const heard = heartbeat.since()
  expect(heard.length).toBeGreaterThanOrEqual(9)
  expect(heard.length).toBeLessThanOrEqual(10)
})

test('an outage is told once as failed, and its end as alive', async () => {
  const heartbeat = watcher()
  const { fail, mend, pass } = await outageWorld({ heartbeat })
  fail(away)
  await pass(30 * minuteMs)
  expect(heartbeat.since().filter((beat) => beat === 'failed')).toEqual(['failed'])
  mend()
  await pass(2 * minuteMs)
  expect(heartbeat.since()[0]).toBe('alive')
})

test('two failed polls are no outage: nothing is told of them, and no good poll is claimed', async () => {
  const heartbeat = watcher()
  const { fail, mend, pass } = await outageWorld({ heartbeat })
  await pass(minuteMs)
  heartbeat.since()
  fail(away)
  await pass(40_000)
  expect(heartbeat.since()).toEqual([])
  mend()
  await pass(2 * minuteMs)
  expect(new Set(heartbeat.since())).toEqual(new Set(['alive']))
})

test('that no card can be posted is told after two minutes, with a board or with none', async () => {
  for (const board of [true, false]) {
    const heartbeat = watcher()
    let fate: Fate = 'ok'
    const { pass, service, bot, clock, passUntil } = await outageWorld({
      heartbeat,
      board,
      fateOf: () => fate,
    })
    fate = 'channel_unavailable'
    // In each of the two channels, and the second one later.
    service.open({ title: 'one' })
    await pass(30_000)
    expect(bot().stopped()).toBeNull()
    service.open({ title: 'two', hostname: 'nobody-1' })
    await passUntil(() => bot().health().troubles.length >= 2)
    const sinceMs = Math.max(
      ...bot()
        .health()
        .troubles.map((one) => one.sinceMs),
    )
    await pass(sinceMs + 119_000 - clock.nowMs())
    expect([bot().stopped(), heartbeat.since().includes('failed')]).toEqual([null, false])
    await pass(2_000)
    expect(bot().stopped()).toEqual({ sinceMs, why: 'is_archived' })
    await pass(10 * minuteMs)
    expect(heartbeat.since().filter((beat) => beat === 'failed')).toEqual(['failed'])
    fate = 'ok'
    await pass(10 * minuteMs)
    expect(bot().stopped()).toBeNull()
    expect(new Set(heartbeat.since())).toEqual(new Set(['alive']))
  }
})

/** A quiet night without a board: nothing is posted, and Slack answers what a test says. */
async function quietNight() {
  const heartbeat = watcher()
  const world = await outageWorld({ heartbeat })
  const asked: { channel: string; atMs: number }[] = []
  const says: { answer: (channel: string) => Awaited<ReturnType<typeof world.slack.probe>> } = {
    answer: () => null,
  }
  world.slack.probe = async (channel) => {
    asked.push({ channel, atMs: world.clock.nowMs() })
    return says.answer(channel)
  }
  const failures = () => heartbeat.since().filter((beat) => beat === 'failed').length
  await world.pass(2 * minuteMs)
  asked.length = 0
  return { ...world, asked, says, failures }
}

test.each([
  ['the token was revoked', 'no_token', 'token_revoked'],
  ['the app was uninstalled', 'no_token', 'account_inactive'],
  ['every channel was archived', 'channel_unavailable', 'is_archived'],
] as const)('%s on a quiet night, and the watcher heard “alive”', async (_, kind, why) => {
  const { bot, clock, pass, says, asked, failures, passUntil } = await quietNight()
  says.answer = () => ({ kind, why })
  const brokeMs = clock.nowMs()
  await passUntil(() => bot().health().troubles.length >= (kind === 'no_token' ? 1 : 2))
  expect(clock.nowMs() - brokeMs).toBeLessThanOrEqual(minuteMs + 10_000)
  await pass(115_000)
  expect([bot().stopped(), failures()]).toEqual([null, 0])
  await pass(10_000)
  expect([bot().stopped()?.why, failures()]).toEqual([why, 1])
  await pass(30 * minuteMs)
  expect(failures()).toBe(0)
  // Two channels asked a minute at most, however long it lasts.
  expect(asked.length).toBeLessThanOrEqual(2 * 35)
  says.answer = () => null
  await pass(3 * minuteMs)
  expect(bot().stopped()).toBeNull()
  expect(bot().health().troubles).toEqual([])
})

test('one of two channels that is archived stops nothing, and an odd answer or none says nothing', async () => {
  const { bot, pass, says, failures } = await quietNight()
  says.answer = (channel) => (channel === 'C1' ? { kind: 'channel_unavailable', why: 'is_archived' } : null)
  await pass(10 * minuteMs)
  expect(bot().health().troubles).toMatchObject([{ channel: 'C1', why: 'is_archived' }])
  expect([bot().stopped(), failures()]).toEqual([null, 0])
  const odd = ['unknown', 'unlisted'] as const
  for (const kind of odd) {
    says.answer = () => ({ kind, why: 'odd' })
    await pass(10 * minuteMs)
    expect([bot().stopped(), failures()]).toEqual([null, 0])
  }
})

test('Slack is asked once a minute, not while it takes cards, and not before it wants to be asked again', async () => {
  const { service, clock, pass, says, asked, passUntil } = await quietNight()
  await pass(10 * minuteMs)
  expect(asked.length).toBeGreaterThanOrEqual(9)
  expect(asked.length).toBeLessThanOrEqual(10)
  expect(new Set(asked.map(({ channel }) => channel))).toEqual(new Set(['C1', 'C2']))
  says.answer = () => ({ kind: 'later', why: 'ratelimited', retryAfterMs: 5 * minuteMs })
  const calls = asked.length
  await passUntil(() => asked.length > calls)
  const limitedMs = clock.nowMs()
  says.answer = () => null
  await passUntil(() => asked.length > calls + 1)
  expect(clock.nowMs() - limitedMs).toBeGreaterThanOrEqual(5 * minuteMs - 1_000)
  // A card that was taken proves as much.
  service.open({ title: 'one' })
  await pass(20_000)
  const takenMs = clock.nowMs() - 20_000
  await pass(2 * minuteMs)
  expect(asked.filter(({ atMs }) => atMs > takenMs + 20_000 && atMs < takenMs + 55_000)).toEqual([])
})

test('a watcher that does not answer is asked again, without its address in the log, and holds up nothing', async () => {
  const heartbeat = watcher()
  const { fail, pass, count, cards } = await outageWorld({ heartbeat })
  heartbeat.isDeaf = true
  await pass(5 * minuteMs)
  expect(count('heartbeat:unheard')).toBe(1)
  fail(away)
  await pass(5 * minuteMs)
  expect(cards()).toHaveLength(1)
  heartbeat.isDeaf = false
  heartbeat.since()
  await pass(2 * minuteMs)
  expect(heartbeat.since()).toEqual(['failed'])
  expect(count('heartbeat:heard')).toBe(1)
})

const asked: string[] = []
let status = 200
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`)
  response.statusCode = status
  response.end('OK')
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

afterEach(() => {
  asked.length = 0
  status = 200
})

const table = [
  ['/ping/0000-uuid', 'GET /ping/0000-uuid', 'GET /ping/0000-uuid/fail'],
  ['/ping/0000-uuid/', 'GET /ping/0000-uuid/', 'GET /ping/0000-uuid/fail'],
  ['/ping?create=1', 'GET /ping?create=1', 'GET /ping/fail?create=1'],
  [
    '/api/push/k?status=up&msg=OK',
    'GET /api/push/k?status=up&msg=OK',
    'GET /api/push/k?status=down&msg=no+alerts+can+be+read%2C+or+no+cards+posted',
  ],
] as const

test.each(table)(
  '%s is asked as it is when all is well, and as failed when it is not',
  async (path, alive, failed) => {
    const heartbeat = openHeartbeatCall(new Secret(`${origin}${path}`))
    await heartbeat.send('alive')
    await heartbeat.send('failed')
    expect(asked).toEqual([alive, failed])
  },
)

test('a refusal and a dead address are failures that do not name the address', async () => {
  status = 404
  const secret = `${origin}/ping/hunter2-uuid`
  const refused = await openHeartbeatCall(new Secret(secret)).send('alive').catch(String)
  expect(refused).toBe("OutsideFailure: the heartbeat's address answered HTTP 404")
  await new Promise((resolve) => server.close(resolve))
  const dead = await openHeartbeatCall(new Secret(secret))
    .send('alive')
    .catch((error: unknown) => error)
  expect(dead).toBeInstanceOf(OutsideFailure)
  expect(String(dead)).toMatch(/could not be reached \(ECONNREFUSED\)/)
  expect(String(dead)).not.toContain('hunter2')
})
