/** What the client sends, what answers mean to it, and that the key stays inside. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openMonitor } from '../../../src/bot/api/client.ts'
import { ApiFailure, durationFor } from '../../../src/bot/api/port.ts'
import { day, hour, realClock } from '../../../src/bot/clock.ts'
import { Secret } from '../../../src/bot/config/settings.ts'
import type { Pass } from '../../../src/bot/world/journal.ts'

const key = 'k-canary-12345678'
const pass = {} as Pass
let answer: (request: IncomingMessage, response: ServerResponse) => void
let asked: string[]
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (part) => {
    body += part
  })
  request.on('end', () => {
    asked.push(`${request.method} ${request.url?.replace(key, 'KEY')} ${body}`.trim())
    answer(request, response)
  })
})

beforeEach(async () => {
  asked = []
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function open(timeoutMs = 5_000) {
  const { port } = server.address() as AddressInfo
  const clock = { ...realClock, wait: async () => {} }
  const url = `http://127.0.0.1:${port}/monitoring/`
  return openMonitor({ url, key: new Secret(key), dispatcher: new Agent(), clock, timeoutMs })
}
const say = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  answer = (_, response) => {
    response.writeHead(status, headers)
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}
const failureOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ApiFailure)) throw new Error(`expected an ApiFailure; came ${error}`)
  return error
}

describe('an answer', () => {
  const html = '<html>nginx</html>'
  test.each([
    [401, { message: 'no' }, 'key', 'the API key was refused'],
    [403, { message: 'no' }, 'key', 'the API key was refused'],
    [403, html, 'unclear', 'returned HTTP 403'],
    [404, { message: 'no server web-9' }, 'missing', 'no server web-9'],
    [404, html, 'unclear', 'returned HTTP 404'],
    [422, { message: `bad /api/v2/${key}/x` }, 'refused', 'bad /api/v2/[hidden]/x'],
    [400, '', 'unclear', 'returned HTTP 400'],
    [429, html, 'later', 'returned HTTP 429'],
    [503, { message: 'ordered fault 503' }, 'later', 'returned HTTP 503'],
    [502, { message: 'bad gateway' }, 'unclear', 'returned HTTP 502'],
    [302, '', 'unclear', 'returned HTTP 302'],
    [200, html, 'unclear', 'returned HTTP 200 without JSON'],
    [200, {}, 'unclear', 'answered without a message'],
  ])('%i with %j is a failure: %s', async (status, body, kind, message) => {
    say(status, body)
    const failure = await failureOf(open().setServer(pass, 'web-9', false))
    expect([failure.kind, failure.message, asked.length]).toEqual([kind, message, 1])
  })

  test('that says when to come back is heard', async () => {
    say(429, {}, { 'retry-after': '30' })
    expect((await failureOf(open().addMarker(pass, 'deploy'))).retryAfterMs).toBe(30_000)
  })

  test('of more than 5 MiB, none, and none in time are unclear; a refused connection is not', async () => {
    say(200, `{"message":"${'x'.repeat(5 * 1024 * 1024)}"}`)
    expect((await failureOf(open().setAccount(pass, true))).message).toBe('answered with more than 5 MiB')
    answer = (request) => request.socket.destroy()
    expect((await failureOf(open().setAccount(pass, true))).kind).toBe('unclear')
    answer = () => {}
    expect((await failureOf(open(50).setAccount(pass, true))).message).toBe('timed out')
    const monitor = open()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    const failure = await failureOf(monitor.setAccount(pass, true))
    expect([failure.kind, failure.message]).toEqual(['later', "can't be reached (ECONNREFUSED)"])
    expect(JSON.stringify([failure.message, failure.stack, failure.cause])).not.toContain(key)
  })

  test('that fails is asked for again if it was a read', async () => {
    const statuses = [500, 503, 200]
    answer = (_, response) => {
      response.writeHead(statuses[asked.length - 1] ?? 500)
      response.end('{"message": "", "result": {"app": ["web-1"], "empty": []}}')
    }
    expect(await open().roles()).toEqual({ app: ['web-1'], empty: [] })
    expect(asked.length).toBe(3)
  })

  test('with markers may name who set them; what has no time or no words is left out', async () => {
    const time = '1970-01-01T00:01:00+00:00'
    const results = [{ time, notes: ' a\u202e\nb ', by: '' }, { time, notes: 'c', by: 'ci' }, { notes: 'd' }]
    say(200, { message: '4 markers', results: [...results, { time, notes: ' ' }] })
    expect(await open().markers()).toEqual([
      { atMs: 60_000, text: 'a b', by: null },
      { atMs: 60_000, text: 'c', by: 'ci' },
    ])
  })
})

describe('a request', () => {
  test('is what the API expects', async () => {
    say(200, { message: 'done' })
    const monitor = open()
    await monitor.setServer(pass, 'a/b c', false)
    await monitor.setNoDataGroup(pass, 'web-1', 'night')
    await monitor.addRoles(pass, 'web-1', ['app', 'db'])
    await monitor.deleteServer(pass, 'web-1')
    await monitor.deleteMetrics(pass, ['a', 'b'])
    await monitor.endMute(pass, 'm:1')
    const wish = { alert: null, matchers: ['a="b"', 'c=~"d"'], untilMs: 0, by: 'ana', why: '' }
    await monitor.putMute(pass, 'm:1', wish)
    const base = '/monitoring/api/v2/KEY'
    expect(asked).toEqual([
      `POST ${base}/servers/a%2Fb%20c notifications=false`,
      `POST ${base}/servers/web-1 no_data_notification_group=night`,
      `POST ${base}/servers/web-1/roles/add roles=app%2Cdb`,
      `DELETE ${base}/servers/web-1`,
      `DELETE ${base}/metrics metrics=a%2Cb`,
      `DELETE ${base}/mutes/m%3A1.json`,
      `POST ${base}/mutes.json id=m%3A1&matchers=a%3D%22b%22%0Ac%3D%7E%22d%22&until=1970-01-01T00%3A00%3A00.000Z&by=ana`,
    ])
  })

  test.each(['', '.', '..', '\ud800', 'x'.repeat(1_001)])('for the server %j is never made', async (host) => {
    expect((await failureOf(open().deleteServer(pass, host))).kind).toBe('refused')
    expect(asked).toEqual([])
  })

  test.each([
    [hour, '5 hours'],
    [5 * hour + 1, '12 hours'],
    [3 * day, '1 week'],
    [900 * day, '1 year'],
  ])('for a metric of %i ms asks for %s', (ms, duration) => {
    expect(durationFor(ms)).toBe(duration)
  })
})

test('metrics are read in both shapes, and points without values are left out', async () => {
  const shape = {
    timestamps: [2_000, 1_000, 3_000],
    metrics: [
      {
        label: 'web-1',
        units: '%',
        points: [
          [1, 2, 3],
          [4, 5, 6],
          [null, null, null],
        ],
      },
    ],
  }
  const query = {
    name: 'cpu',
    type: 'cpu',
    source: null,
    server: 'web-1',
    role: null,
    environment: null,
    duration: '1 day',
    alertNumber: null,
  }
  const series = [
    {
      label: 'web-1',
      units: '%',
      points: [
        { atMs: 1_000, min: 4, mean: 5, max: 6 },
        { atMs: 2_000, min: 1, mean: 2, max: 3 },
      ],
    },
  ]
  for (const body of [shape, { message: '', result: { ...shape, num_servers: 1 } }]) {
    say(200, body)
    expect(await open().metrics(query)).toEqual(series)
  }
})

test('a picture is a PNG, or none', async () => {
  const { port } = server.address() as AddressInfo
  say(200, 'please log in')
  expect(await open().picture(`http://127.0.0.1:${port}/sparkline.png`)).toBeNull()
  expect(await open().picture('file:///etc/passwd')).toBeNull()
})
