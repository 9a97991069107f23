/** What the client makes of a server that refuses, breaks off, drips, floods or comes back later. */
import { Pool } from 'undici'
import { describe, expect, test } from 'vitest'
import type { Monitor } from '../../../src/bot/flow/ports/ports.ts'
import { exchange } from '../../../src/bot/monitor/exchange.ts'
import { canaryKey, closedPort, connect, openApi, openSockets, sendJson } from './local-api.ts'

const once = { limits: { retriesMax: 0 } }
const alerts = (monitor: Monitor) => monitor.alerts({ lifecycle: 'start', offset: 0 })

describe('a status', () => {
  const answers: [number, string, string, string][] = [
    [400, '{"message":"bad request"}', 'rejected', 'the monitoring API returned HTTP 400: bad request'],
    [401, '{"message":"no"}', 'forbidden', 'the API key was refused'],
    [401, '<html>login</html>', 'forbidden', 'the API key was refused'],
    [403, '{"message":"no"}', 'forbidden', 'the API key was refused'],
    [
      403,
      '<html><body>secret</body></html>',
      'unreachable',
      'the monitoring API returned HTTP 403 with an HTML page',
    ],
    [403, '', 'unreachable', 'the monitoring API returned HTTP 403 with an empty body'],
    [407, '<html>login</html>', 'unreachable', 'the monitoring API returned HTTP 407 with an HTML page'],
    [404, '{"message":"no such server"}', 'missing', 'the monitoring API returned HTTP 404: no such server'],
    [
      404,
      '<html><body>secret</body></html>',
      'unreachable',
      'the monitoring API returned HTTP 404 with an HTML page',
    ],
    [409, '{"error":"conflict"}', 'rejected', 'the monitoring API returned HTTP 409 with no message'],
    [
      422,
      '{"message":"notes\\u0000 are\\nmissing"}',
      'rejected',
      'the monitoring API returned HTTP 422: notes\ufffd are missing',
    ],
    [429, 'slow down', 'rate_limited', 'the monitoring API returned HTTP 429 with a body that is not JSON'],
    [500, '{"message":"oops"}', 'unreachable', 'the monitoring API returned HTTP 500: oops'],
    [
      502,
      '  <!DOCTYPE html><title>Bad gateway</title>',
      'unreachable',
      'the monitoring API returned HTTP 502',
    ],
    [503, '', 'unreachable', 'the monitoring API returned HTTP 503'],
    [511, '<html>login</html>', 'unreachable', 'the monitoring API returned HTTP 511'],
    [302, '', 'unreachable', 'the monitoring API returned HTTP 302, a redirect, which is not followed'],
  ]
  test.each(answers)('%i with %j is %s: %s', async (status, body, kind, message) => {
    const api = await openApi((_request, response) =>
      response.writeHead(status, { location: '/elsewhere' }).end(body),
    )
    const monitor = connect(api.url, once)
    const failure = { name: 'OutsideFailure', kind, status, message }
    await expect(alerts(monitor)).rejects.toMatchObject(failure)
    await expect(monitor.addMarker('deploy')).rejects.toMatchObject(failure)
    expect(api.received).toHaveLength(2)
  })

  test.each([
    ['<html></html>', 'the monitoring API returned HTTP 200 with an HTML page'],
    ['{"results": [', 'the monitoring API returned HTTP 200 with a body that is not JSON'],
  ])('200 with %j is no success, for a change neither', async (body, message) => {
    const api = await openApi((_request, response) => response.writeHead(200).end(body))
    const monitor = connect(api.url)
    await expect(alerts(monitor)).rejects.toMatchObject({ kind: 'unreachable', status: 200, message })
    await expect(monitor.addMarker('deploy')).rejects.toMatchObject({ kind: 'unreachable', message })
    // What came whole and is wrong would be the same again.
    expect(api.received).toHaveLength(2)
  })

  test.each(['', '{}', '[]', '{"results":null}', '"text"'])(
    '200 with %j is an answer without results',
    async (body) => {
      const api = await openApi((_request, response) => response.writeHead(200).end(body))
      const monitor = connect(api.url)
      const failure = { kind: 'unreachable', message: 'the monitoring API gave an answer without results' }
      await expect(alerts(monitor)).rejects.toMatchObject(failure)
      await expect(monitor.triggers()).rejects.toMatchObject(failure)
      await expect(monitor.roles()).rejects.toMatchObject(failure)
      await expect(monitor.metrics({ metric: 'a', type: 'cpu' })).rejects.toMatchObject(failure)
    },
  )

  test('with a message of a megabyte is quoted in at most 300 characters', async () => {
    const api = await openApi((_request, response) =>
      sendJson(response, 422, { message: '💥'.repeat(250_000) }),
    )
    const failure: unknown = await connect(api.url)
      .addMarker('x')
      .catch((error: unknown) => error)
    const quoted = String(failure).split('HTTP 422: ')[1] ?? ''
    expect(Array.from(quoted)).toHaveLength(300)
    expect(quoted.endsWith('💥…')).toBe(true)
  })
})

describe('no answer', () => {
  test('where nothing listens', async () => {
    const monitor = connect(await closedPort(), once)
    await expect(alerts(monitor)).rejects.toMatchObject({
      kind: 'unreachable',
      code: 'ECONNREFUSED',
      status: null,
      message: 'the monitoring API could not be reached (ECONNREFUSED)',
    })
    await expect(monitor.addMarker('x')).rejects.toThrow(/could not be reached \(ECONNREFUSED\)$/)
  })

  test('where the connection is reset', async () => {
    const api = await openSockets((socket) => socket.resetAndDestroy())
    const monitor = connect(api.url, once)
    await expect(alerts(monitor)).rejects.toThrow(/^the monitoring API gave no whole answer \([A-Z_]+\)$/)
    await expect(monitor.addMarker('x')).rejects.toThrow(/gave no whole answer \([A-Z_]+\)$/)
  })

  test('where the body is cut', async () => {
    const api = await openSockets((socket) =>
      socket.end(
        'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n{"results": [',
      ),
    )
    await expect(alerts(connect(api.url, once))).rejects.toMatchObject({ kind: 'unreachable', status: null })
  })

  test('where what answers is no HTTP', async () => {
    const api = await openSockets((socket) => socket.end(`220 ${canaryKey} SMTP ready\r\n`))
    await expect(alerts(connect(api.url, once))).rejects.toThrow(/gave no whole answer \([A-Z_]+\)$/)
  })

  const inTime = { limits: { attemptMs: 150, retriesMax: 0 } }
  const late = {
    kind: 'unreachable',
    code: 'ETIMEDOUT',
    message: 'the monitoring API timed out',
  }

  test('in time, where the server is silent', async () => {
    const api = await openApi(() => undefined)
    const monitor = connect(api.url, inTime)
    await expect(alerts(monitor)).rejects.toMatchObject(late)
    await expect(monitor.addMarker('x')).rejects.toThrow(/timed out$/)
  })

  test('in time, where headers come and the body drips for ever; the connection is closed', async () => {
    let closed = false
    const api = await openSockets((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n')
      const drip = setInterval(() => socket.write(' '), 20)
      socket.once('close', () => {
        clearInterval(drip)
        closed = true
      })
    })
    await expect(alerts(connect(api.url, inTime))).rejects.toMatchObject(late)
    await expect.poll(() => closed).toBe(true)
  })

  test('in time, where the headers drip for ever', async () => {
    const api = await openSockets((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ')
      const drip = setInterval(() => socket.write('a'), 20)
      socket.once('close', () => clearInterval(drip))
    })
    await expect(alerts(connect(api.url, inTime))).rejects.toMatchObject(late)
  })

  test('in time, where all connections are taken', async () => {
    const api = await openApi(() => undefined)
    const monitor = connect(api.url, { limits: { ...inTime.limits, connectionsMax: 1 } })
    const outcomes = await Promise.allSettled([alerts(monitor), alerts(monitor), alerts(monitor)])
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: late })
  })

  test('in time, where a slower request holds the only connection', async () => {
    const api = await openApi(() => undefined)
    const pool = new Pool(api.url, { connections: 1 })
    const ask = { origin: api.url, path: '/', method: 'GET', form: null } as const
    let ended = false
    const slow = exchange(pool, ask, { attemptMs: 20_000, bodyBytesMax: 100 }).then(
      () => undefined,
      () => {
        ended = true
      },
    )
    await expect.poll(() => api.received.length).toBe(1)
    const quick = exchange(pool, ask, { attemptMs: 150, bodyBytesMax: 100 })
    await expect(quick).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    expect(ended).toBe(false)
    await pool.destroy()
    await slow
  })
})

test('a stream of a gigabyte is left after the cap, not read and not kept', async () => {
  const chunk = Buffer.alloc(64 * 1024, 'a')
  let sentBytes = 0
  let closed = false
  const api = await openSockets((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${1024 ** 3}\r\n\r\n`)
    const pour = (): void => {
      while (!socket.destroyed && socket.write(chunk)) sentBytes += chunk.length
    }
    socket.on('drain', pour)
    socket.once('close', () => {
      closed = true
    })
    pour()
  })
  await expect(alerts(connect(api.url))).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'BODY_TOO_LARGE',
    message: 'the monitoring API answered with more than 5242880 bytes',
  })
  await expect.poll(() => closed).toBe(true)
  // The cap, and what sockets and streams hold on the way.
  expect(sentBytes).toBeLessThan(64 * 1024 * 1024)
})

test('a body of exactly the cap is read', async () => {
  const body = JSON.stringify({ results: [] }).padEnd(1_000)
  const api = await openApi((_request, response) => response.writeHead(200).end(body))
  expect(await alerts(connect(api.url, { limits: { bodyBytesMax: 1_000 } }))).toMatchObject({ size: 0 })
  await expect(alerts(connect(api.url, { limits: { bodyBytesMax: 999 } }))).rejects.toThrow(
    'more than 999 bytes',
  )
})
