/** When the bot is ready, what the port and the heartbeat say of it, and what the metrics count. */
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Agent } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { minute, second } from '../../../src/bot/clock.ts'
import { Secret } from '../../../src/bot/config/settings.ts'
import { silentLog } from '../../../src/bot/log.ts'
import { beat, type Health, healthOf, type Known } from '../../../src/bot/ops/health.ts'
import { metricsOf, metricsText } from '../../../src/bot/ops/metrics.ts'
import { type HealthServer, openHealthServer } from '../../../src/bot/ops/server.ts'
import type { Wait } from '../../../src/bot/world/store.ts'
import { World } from '../../../src/bot/world/world.ts'
import { alertOf, effectOf, muteOf, postOf, sceneOf } from '../worlds/builders.ts'

const nowMs = 100 * minute
const connected = { isReady: true, sinceMs: 0, sockets: 2, strangers: 0, why: null }

function knownOf(change: (world: World) => void = () => {}, more: Partial<Known> = {}): Known {
  const world = new World()
  world.setFact('polled', { atMs: nowMs - 20 * second, unreadable: 0 })
  change(world)
  return {
    scene: { ...sceneOf(world, { nowMs }), strangers: 0 } as Known['scene'],
    connection: connected,
    awaySinceMs: null,
    startedMs: 0,
    ...more,
  }
}
const failing = (sinceMs: number, toldMs: number | null) => (world: World) =>
  world.setFact('failing', { sinceMs, count: 3, why: 'timed out', toldMs } as never)
const shut = (channel: string, why: string) => (world: World) =>
  world.setFact('shut', { [channel]: { sinceMs: 0, why, nextMs: 0 } })
const opened =
  (firstSeenMs: number, state: 'live' | 'new' | 'dead' | null, more: object = {}) =>
  (world: World) => {
    const alert = alertOf({ firstSeenMs, ...more })
    world.put('alerts', alert)
    const shows = [{ alert: alert.id, isQuiet: false, atMs: 0 }]
    if (state !== null) world.put('posts', postOf({ state, shows }))
  }

describe('the bot', () => {
  test.each([
    ['everything works', knownOf(), []],
    ['one poll failed', knownOf(failing(nowMs - 30 * second, null)), []],
    ['an outage was told', knownOf(failing(nowMs - 30 * second, nowMs)), ['poll: timed out']],
    ['polls have failed for three minutes', knownOf(failing(nowMs - 3 * minute, null)), ['poll: timed out']],
    [
      'nothing was read yet',
      knownOf((world) => world.remove('facts', 'polled', 'gone')),
      ['poll: the monitoring has not been read yet'],
    ],
    [
      'Slack is not connected',
      knownOf(undefined, { connection: { ...connected, isReady: false, why: 'timed out' } }),
      ['slack: timed out'],
    ],
    [
      'the token is refused',
      knownOf((world) => world.setFact('tokenRefused', 'invalid_auth')),
      ['slack: invalid_auth'],
    ],
    [
      'the default channel does not exist',
      knownOf(shut('C0', 'channel_not_found')),
      ['slack: the default channel C0 takes no messages: channel_not_found'],
    ],
    ['another channel is archived', knownOf(shut('C1', 'is_archived')), []],
    ['a batch takes a moment', knownOf(undefined, { awaySinceMs: nowMs - second }), []],
    [
      'the database is away',
      knownOf(undefined, { awaySinceMs: nowMs - 10 * second }),
      ['memory: the database does not answer'],
    ],
    ['an alert waits for a minute', knownOf(opened(nowMs - minute, 'new')), []],
    [
      'an alert waits for three minutes',
      knownOf(opened(nowMs - 3 * minute, 'new')),
      ['cards: an open alert has no message in Slack'],
    ],
    [
      'its card is dead',
      knownOf(opened(nowMs - 3 * minute, 'dead')),
      ['cards: an open alert has no message in Slack'],
    ],
    ['its card is there', knownOf(opened(nowMs - 3 * minute, 'live')), []],
    [
      'it was unmuted a moment ago',
      knownOf(opened(0, null, { round: { count: 2, fromMs: nowMs - second } })),
      [],
    ],
    [
      'it is muted',
      knownOf((world) => {
        opened(0, null)(world)
        world.put('mutes', muteOf())
      }),
      [],
    ],
  ])('while %s', (_, known, troubles) => {
    const health = healthOf(known)
    expect(health.troubles.map(({ part, why }) => `${part}: ${why}`)).toEqual(troubles)
    expect(health.isReady).toBe(troubles.length === 0)
  })
})

describe('the metrics', () => {
  const reading = (name: string, known: Known) =>
    metricsOf(known, { requests: 3, failedRounds: 1, refusedRows: 0, lateEdits: 2 }).find(
      ([one]) => one === name,
    )?.[2]

  test.each([
    ['monbot_poll_lag_seconds', knownOf(), 20],
    ['monbot_outage_seconds', knownOf(failing(nowMs - minute, nowMs)), 60],
    ['monbot_outage_seconds', knownOf(failing(nowMs - minute, null)), 0],
    ['monbot_unheard_seconds', knownOf(opened(nowMs - minute, 'new')), 60],
    ['monbot_cards_behind', knownOf(opened(0, 'new')), 3],
    ['monbot_dead_cards', knownOf(opened(0, 'dead')), 1],
    ['monbot_dead_cards', knownOf(opened(0, 'dead', { closedMs: 5 })), 0],
    ['monbot_pages_waiting', knownOf((world) => world.put('effects', effectOf({ does: 'page' }))), 1],
    [
      'monbot_oncall_age_seconds',
      knownOf((world) => world.setFact('oncall', { atMs: 0, unread: 0, why: 'x', shifts: [] }), {
        startedMs: nowMs - minute,
      }),
      60,
    ],
    ['monbot_requests_total', knownOf(), 3],
  ])('%s', (name, known, value) => {
    expect(reading(name, known)).toBe(value)
  })

  test('are those of docs/metrics.md', () => {
    const [, table = ''] = readFileSync('docs/metrics.md', 'utf8').split(/<!-- \/?metrics -->/)
    const nothing = { requests: 0, failedRounds: 0, refusedRows: 0, lateEdits: 0 }
    const rows = metricsOf(knownOf(), nothing).map(
      ([name, help]) => `| \`${name}\` | ${name.endsWith('_total') ? 'counter' : 'gauge'} | ${help} |`,
    )
    expect(table.trim().split('\n').slice(2)).toEqual(rows)
  })

  test('of one that stands by say only that', async () => {
    const counted = { requests: 0, failedRounds: 0, refusedRows: 0, lateEdits: 0 }
    const standing = await metricsText('1.0.0', null, counted)
    expect(standing).toContain('monbot_leads 0')
    expect(standing).not.toContain('monbot_open_alerts')
    const leading = await metricsText('1.0.0', knownOf(), counted)
    expect(leading).toContain('monbot_leads 1')
    expect(leading).toContain('# TYPE monbot_requests_total counter\nmonbot_requests_total 0\n')
    expect(leading).toMatch(/monbot_build_info\{version="1.0.0",node="[\d.]+"\} 1/)
  })
})

describe('the port', () => {
  let server: HealthServer | null = null
  afterEach(async () => {
    await server?.close()
  })
  const open = async (
    health: Health | null,
    waiting: Wait | null = null,
    token: Secret | null = new Secret('wake-hush'),
  ) => {
    const answer = async (request: Request) => new Response(await request.text())
    const options = {
      host: '127.0.0.1',
      port: 0,
      basePath: '/monbot',
      version: '1.0.0',
      events: (request: IncomingMessage, response: ServerResponse) => void request.pipe(response),
      heard: (_: string, request: Request) => answer(request),
      wake: { token, now: async () => health !== null },
    }
    const metrics = async (): Promise<string> => {
      throw new Error('broken')
    }
    server = await openHealthServer({ ...options, state: () => ({ health, waiting }), metrics })
    return `http://127.0.0.1:${server.port}`
  }
  const get = async (address: string, init?: RequestInit) => {
    const response = await fetch(address, init)
    return [response.status, await response.text()]
  }

  test.each([
    ['is ready', { isReady: true, troubles: [] }, null, [200, '{"status":"ready"}']],
    [
      'has a trouble',
      { isReady: false, troubles: [{ part: 'poll' as const, sinceMs: 0, why: 'timed out' }] },
      null,
      [
        503,
        '{"status":"not ready","troubles":[{"part":"poll","since":"1970-01-01T00:00:00.000Z","why":"timed out"}]}',
      ],
    ],
    ['stands by', null, { leader: 'bot-a' }, [200, '{"status":"stands by","leader":"bot-a"}']],
    [
      'waits for its database',
      null,
      { away: 'ECONNREFUSED' },
      [503, '{"status":"not ready","troubles":[{"part":"memory","why":"ECONNREFUSED"}]}'],
    ],
    ['begins', null, null, [503, '{"status":"not ready","troubles":[]}']],
  ])('says that the bot %s', async (_, health, waiting, said) => {
    expect(await get(`${await open(health, waiting)}/readyz`)).toEqual(said)
  })

  test.each([
    ['leads', { isReady: true, troubles: [] }, null, 200],
    ['leads and lacks something', { isReady: false, troubles: [] }, null, 200],
    ['stands by', null, { leader: 'bot-a' }, 503],
  ])('tells a load balancer that the bot %s', async (_, health, waiting, status) => {
    expect((await get(`${await open(health, waiting)}/readyz?leader`))[0]).toBe(status)
  })

  test('answers below the base path too, passes on what others post, and survives a bug', async () => {
    const address = await open(null)
    expect(await get(`${address}/monbot/healthz`)).toEqual([200, '{"status":"alive","version":"1.0.0"}'])
    expect(await get(`${address}/monbot/pager`, { method: 'POST', body: 'x' })).toEqual([200, 'x'])
    const [tooLarge] = await get(`${address}/pager`, { method: 'POST', body: 'x'.repeat(100_001) })
    expect(tooLarge).toBe(413)
    expect(await get(`${address}/slack/events`, { method: 'POST', body: 'y' })).toEqual([200, 'y'])
    expect(await get(`${address}/slack/events`)).toEqual([404, '404 Not Found'])
    expect(await get(`${address}/metrics`)).toEqual([500, ''])
    expect(await get(`${address}/healthz`)).toEqual([200, '{"status":"alive","version":"1.0.0"}'])
  })

  test.each([
    ['the token', 'Bearer wake-hush', true, 202],
    ['another one', 'Bearer wake-hush2', true, 401],
    ['none', '', true, 401],
    ['the token, of a bot that stands by', 'Bearer wake-hush', false, 503],
  ])('POST /wake with %s', async (_, authorization, isLeading, status) => {
    const address = await open(isLeading ? { isReady: true, troubles: [] } : null)
    const [came, said] = await get(`${address}/wake`, { method: 'POST', headers: { authorization } })
    expect(came).toBe(status)
    expect(said).not.toContain('hush')
  })

  test('without a token nobody can wake it', async () => {
    const address = await open({ isReady: true, troubles: [] }, null, null)
    expect((await get(`${address}/wake`, { method: 'POST' }))[0]).toBe(404)
  })

  test('that is taken is said in a sentence, and closing frees it', async () => {
    const address = await open(null)
    const port = Number(new URL(address).port)
    const again = openHealthServer({ host: '127.0.0.1', port, basePath: '', version: '' } as never)
    await expect(again).rejects.toThrow(`Port ${port} on 127.0.0.1 is already in use: set PORT to a free one`)
    const idle = connect(port, '127.0.0.1')
    await new Promise((resolve) => idle.once('connect', resolve))
    await server?.close()
    await expect(fetch(address)).rejects.toThrow()
  })
})

test.each([
  ['', true, '/ping/a'],
  ['', false, '/ping/a/fail'],
])('a heartbeat to an address with %j, well: %s, asks for %s', async (query, isWell, path) => {
  const asked: string[] = []
  const outside = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end()
  })
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/ping/a${query}`
  await beat(new Secret(address), isWell, new Agent(), silentLog)
  outside.closeAllConnections()
  outside.close()
  expect(asked).toEqual([path])
})
