/** The health server, over real HTTP. */
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import {
  CannotListen,
  type Health,
  pollState,
  type Readiness,
  startHealth,
} from '../../../src/bot/ops/health.ts'
import { version } from '../../../src/shared/version.ts'

const running: Health[] = []
const host = '127.0.0.1'
const ready: Readiness = { slack: { ready: true, sinceMs: 1_000 }, poll: { ready: true, sinceMs: 2_000 } }

async function start(isReady: () => Readiness, port = 0): Promise<Health> {
  const health = await startHealth({ host, port, isReady })
  running.push(health)
  return health
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((health) => health.stop()))
})

const alive = JSON.stringify({ status: 'alive', version })

async function ask(health: Health, path: string) {
  const answer = await fetch(`http://${host}:${health.port}${path}`)
  return { status: answer.status, body: await answer.text() }
}

test.each([
  ['/monbot/healthz', 200],
  ['/healthz', 200],
  ['/monbot/readyz?a=b', 200],
  ['/monbot', 404],
  ['/monbothealthz', 404],
  ['/monbot/monbot/healthz', 404],
])('below a base path %s answers %i', async (path, status) => {
  const health = await startHealth({ host, port: 0, basePath: '/monbot', isReady: () => ready })
  running.push(health)
  expect((await ask(health, path)).status).toBe(status)
})

test.each([
  ['/monbot', '/monbot/slack/events'],
  ['/monbot', '/slack/events'],
  ['/slack', '/slack/events'],
  ['/slack', '/slack/events?a=b'],
  ['/slack', '/slack/slack/events'],
])('below the base path %s Slack is heard at %s', async (basePath, path) => {
  const events = async (request: Request) => new Response(await request.text())
  const health = await startHealth({ host, port: 0, basePath, isReady: () => ready, events })
  running.push(health)
  const url = `http://${host}:${health.port}${path}`
  expect(await (await fetch(url, { method: 'POST', body: 'a click' })).text()).toBe('a click')
})

test('a process that is up but not yet at work is alive and not ready', async () => {
  let now: Readiness = { slack: { ready: false, sinceMs: 1_000 }, poll: { ready: false, sinceMs: 2_000 } }
  const health = await start(() => now)
  expect(await ask(health, '/healthz')).toEqual({ status: 200, body: alive })
  const waiting = await ask(health, '/readyz')
  expect(waiting.status).toBe(503)
  expect(JSON.parse(waiting.body)).toEqual({
    status: 'waiting',
    waiting: [
      { part: 'slack', since: '1970-01-01T00:00:01.000Z' },
      { part: 'poll', since: '1970-01-01T00:00:02.000Z' },
    ],
  })

  now = { ...now, slack: { ready: true, sinceMs: 3_000 } }
  expect((await ask(health, '/readyz')).body).not.toContain('slack')
  now = ready
  expect(await ask(health, '/readyz')).toEqual({ status: 200, body: '{"status":"ready"}' })
})

test('one that stands by is ready, and says for whom; but not while what it needs is refused or away', async () => {
  const standsBy = { leader: 'bot-b' }
  let now: Readiness = { standsBy, memory: { ready: true, sinceMs: 0 } }
  const health = await start(() => now)
  expect(await ask(health, '/readyz')).toEqual({
    status: 200,
    body: '{"status":"stands by","leader":"bot-b"}',
  })
  now = { standsBy, memory: { ready: false, sinceMs: 4_000 } }
  expect(await ask(health, '/readyz')).toEqual({
    status: 503,
    body: '{"status":"waiting","waiting":[{"part":"memory","since":"1970-01-01T00:00:04.000Z"}]}',
  })
})

test('whoever comes to work shows its own pages on the same port', async () => {
  const health = await startHealth({
    host,
    port: 0,
    isReady: () => ({ standsBy: { leader: null } }),
    events: async () => new Response('passed on'),
  })
  running.push(health)
  const post = async () =>
    (await fetch(`http://${host}:${health.port}/slack/events`, { method: 'POST' })).text()
  expect(await post()).toBe('passed on')
  expect((await ask(health, '/metrics')).status).toBe(404)
  health.show({
    isReady: () => ready,
    metrics: async () => ({ contentType: 'text/plain', text: 'a 1' }),
    events: async () => new Response('heard'),
  })
  expect(await post()).toBe('heard')
  expect((await ask(health, '/metrics')).body).toBe('a 1')
  expect(await ask(health, '/readyz')).toEqual({ status: 200, body: '{"status":"ready"}' })
})

test('any other path is not found', async () => {
  expect((await ask(await start(() => ready), '/metrics')).status).toBe(404)
})

test('where Slack sends requests, they are answered as they came, and elsewhere there is no such route', async () => {
  const health = await startHealth({
    host,
    port: 0,
    isReady: () => ready,
    events: async (request) => new Response(`heard ${await request.text()}`, { status: 202 }),
  })
  running.push(health)
  const post = (to: Health) =>
    fetch(`http://${host}:${to.port}/slack/events`, { method: 'POST', body: 'payload=%7B%7D' })
  const answer = await post(health)
  expect([answer.status, await answer.text()]).toEqual([202, 'heard payload=%7B%7D'])
  expect((await fetch(`http://${host}:${health.port}/slack/events`)).status).toBe(404)
  expect((await post(await start(() => ready))).status).toBe(404)
})

test('a page that breaks is told to whoever keeps the log, and to nobody who asks', async () => {
  const broken: unknown[] = []
  const error = new Error('the store is away')
  const health = await startHealth({
    host,
    port: 0,
    isReady: () => ready,
    metrics: () => Promise.reject(error),
    onBroken: (what) => broken.push(what),
  })
  running.push(health)
  expect(await ask(health, '/metrics?format=text')).toEqual({ status: 500, body: '' })
  expect(broken).toEqual([error])
  expect(await ask(health, '/healthz?now')).toEqual({ status: 200, body: alive })
  expect((await fetch(`http://${host}:${health.port}/healthz`, { method: 'POST' })).status).toBe(404)
})

test('a port in use is one sentence that names the port and the setting', async () => {
  const first = await start(() => ready)
  const second = startHealth({ host, port: first.port, isReady: () => ready })
  await expect(second).rejects.toBeInstanceOf(CannotListen)
  await expect(second).rejects.toThrow(
    `Port ${first.port} on 127.0.0.1 is already in use: set PORT to a free one, or stop what holds it.`,
  )
})

test('an address of another machine is one sentence that names the setting', async () => {
  // 192.0.2.0/24 is kept for documentation (RFC 5737): no machine has it.
  const health = startHealth({ host: '192.0.2.1', port: 0, isReady: () => ready })
  await expect(health).rejects.toThrow(/192\.0\.2\.1 .*set HOST/)
})

test('it stops while a client holds a connection open, and the port is free again', async () => {
  const health = await start(() => ready)
  const socket = connect(health.port, host)
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
  })
  await new Promise<void>((resolve) => {
    socket.once('connect', () => resolve())
  })
  expect((await ask(health, '/healthz')).status).toBe(200)
  await health.stop()
  await closed
  await health.stop()
  const again = await start(() => ready, health.port)
  expect(again.port).toBe(health.port)
})

test('the poll is ready while what is open is known, whatever of the past is not', () => {
  const well = { lastPollMs: 5, failing: null, unreadable: null }
  const failing = { sinceMs: 7, why: 'away' }
  const unreadable = (open: number) => ({ open, listed: 5, past: 3, sinceMs: 6, manyTimes: open > 2 ? 1 : 0 })
  expect(pollState(well, 1)).toEqual({ ready: true, sinceMs: 5 })
  expect(pollState({ ...well, lastPollMs: null }, 1)).toEqual({ ready: false, sinceMs: 1 })
  expect(pollState({ ...well, failing }, 1)).toEqual({ ready: false, sinceMs: 7 })
  expect(pollState({ ...well, failing: { ...failing, isPartial: true } }, 1).ready).toBe(true)
  expect(pollState({ ...well, unreadable: unreadable(2) }, 1).ready).toBe(true)
  expect(pollState({ ...well, unreadable: unreadable(3) }, 1)).toEqual({ ready: false, sinceMs: 6 })
})
