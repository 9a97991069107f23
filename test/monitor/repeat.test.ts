/** Reads are repeated within limits of tries and time; changes are made once or not at all. */
import { describe, expect, test } from 'vitest'
import type { Monitor } from '../../src/flow/ports/ports.ts'
import { connect, handClock, openApi, openSockets, sendJson } from './local-api.ts'

const once = { limits: { retriesMax: 0 } }
const alerts = (monitor: Monitor) => monitor.alerts({ lifecycle: 'start', offset: 0 })

describe('a read is repeated', () => {
  test('at most twice, with growing waits', async () => {
    const api = await openApi((_request, response) => sendJson(response, 503, { message: 'busy' }))
    const clock = handClock()
    const monitor = connect(api.url, { clock, random: () => 0.5, limits: { backoffMs: 100 } })
    await expect(alerts(monitor)).rejects.toMatchObject({ kind: 'unreachable', status: 503 })
    expect(api.received).toHaveLength(3)
    expect(clock.waits).toEqual([75, 150])
  })

  test('until it succeeds', async () => {
    const api = await openApi((_request, response, nth) =>
      nth < 3 ? sendJson(response, 500, {}) : sendJson(response, 200, { results: [] }),
    )
    expect(await alerts(connect(api.url))).toMatchObject({ size: 0 })
    expect(api.received).toHaveLength(3)
  })

  test('after a reset', async () => {
    const api = await openSockets((socket, nth) =>
      nth === 1
        ? socket.resetAndDestroy()
        : socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 14\r\n\r\n{"results":[]}'),
    )
    expect(await alerts(connect(api.url))).toMatchObject({ size: 0 })
  })

  test('not before Retry-After, in seconds or as a date', async () => {
    const clock = handClock()
    const api = await openApi((_request, response, nth) => {
      if (nth === 1) response.writeHead(429, { 'retry-after': '3' }).end()
      else if (nth === 2) {
        response.writeHead(503, { 'retry-after': new Date(clock.nowMs() + 2_000).toUTCString() }).end()
      } else sendJson(response, 200, { results: [] })
    })
    expect(await alerts(connect(api.url, { clock }))).toMatchObject({ size: 0 })
    expect(clock.waits).toEqual([3_000, 2_000])
  })

  test('not at all where Retry-After is longer than it waits; the caller is told', async () => {
    const api = await openApi((_request, response) => response.writeHead(429, { 'retry-after': '6' }).end())
    await expect(alerts(connect(api.url))).rejects.toMatchObject({
      kind: 'rate_limited',
      retryAfterMs: 6_000,
    })
    expect(api.received).toHaveLength(1)
  })

  test.each([
    ['99999999999', 3_600_000],
    ['-5', null],
    ['soon', null],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ])('with Retry-After "%s" understood as %s ms', async (value, retryAfterMs) => {
    const api = await openApi((_request, response) => response.writeHead(429, { 'retry-after': value }).end())
    await expect(alerts(connect(api.url, once))).rejects.toMatchObject({ kind: 'rate_limited', retryAfterMs })
  })

  test('only while the time for all attempts lasts', async () => {
    const api = await openApi((_request, response) => response.writeHead(503, { 'retry-after': '4' }).end())
    const clock = handClock()
    await expect(alerts(connect(api.url, { clock, limits: { totalMs: 7_000 } }))).rejects.toMatchObject({
      status: 503,
    })
    expect(clock.waits).toEqual([4_000])
    expect(api.received).toHaveLength(2)
  })

  test.each([400, 401, 404, 422, 302])('but not after %i', async (status) => {
    const api = await openApi((_request, response) => response.writeHead(status, { location: '/x' }).end())
    await expect(alerts(connect(api.url))).rejects.toMatchObject({ status })
    expect(api.received).toHaveLength(1)
  })
})

test('a change is never repeated, whatever happens', async () => {
  const changes: ((monitor: Monitor) => Promise<string>)[] = [
    (it) => it.setServerNotifications('a', true),
    (it) => it.setAccountNotifications(true),
    (it) => it.setNoDataGroup('a', 'b'),
    (it) => it.addRoles('a', ['b']),
    (it) => it.addMarker('a'),
    (it) => it.deleteServer('a'),
    (it) => it.deleteCustomMetrics(['a']),
  ]
  for (const change of changes) {
    const busy = await openApi((_request, response) => response.writeHead(503, { 'retry-after': '0' }).end())
    await expect(change(connect(busy.url))).rejects.toMatchObject({ status: 503 })
    expect(busy.received).toHaveLength(1)
    let requests = 0
    const broken = await openSockets((socket) => {
      requests += 1
      socket.resetAndDestroy()
    })
    await expect(change(connect(broken.url))).rejects.toMatchObject({ kind: 'unreachable' })
    expect(requests).toBe(1)
  }
})

test('a change does not go over a connection that an earlier one left open', async () => {
  const ports: unknown[] = []
  const api = await openApi((_request, response) => {
    ports.push(response.req.socket.remotePort)
    sendJson(response, 200, { message: 'done' })
  })
  const monitor = connect(api.url)
  for (let n = 0; n < 3; n += 1) await monitor.addMarker('deploy')
  expect(new Set(ports).size).toBe(3)
})
