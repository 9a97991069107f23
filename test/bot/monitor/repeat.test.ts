/** Reads are repeated within limits of tries and time; changes are made once or not at all. */
import { describe, expect, test } from 'vitest'
import type { Monitor } from '../../../src/bot/flow/ports/ports.ts'
import { openRetryBudget } from '../../../src/bot/monitor/repeat.ts'
import { apiWorld } from '../../support/api-world.ts'
import { manualClock } from '../../support/manual-clock.ts'
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

describe('a budget of repetitions', () => {
  const takeAll = (budget: { take(): boolean }) => {
    let taken = 0
    while (budget.take()) taken += 1
    return taken
  }

  test('is full at first, empty after that, and full again within a minute, never more', () => {
    const clock = manualClock()
    const budget = openRetryBudget(clock, 12)
    expect(takeAll(budget)).toBe(12)
    clock.advance(10_000)
    expect(takeAll(budget)).toBe(2)
    clock.advance(3_600_000)
    expect(takeAll(budget)).toBe(12)
  })

  test('grows with what succeeds: one repetition for four answers', () => {
    const budget = openRetryBudget(manualClock(), 12)
    takeAll(budget)
    for (let n = 0; n < 8; n += 1) budget.earn()
    expect(takeAll(budget)).toBe(2)
  })

  test('is not filled by a clock that is set back', () => {
    let nowMs = 100_000
    const budget = openRetryBudget({ nowMs: () => nowMs, wait: async () => undefined }, 12)
    takeAll(budget)
    nowMs = 0
    expect(takeAll(budget)).toBe(0)
    nowMs = 5_000
    expect(takeAll(budget)).toBe(1)
  })
})

describe('requests to an API that is down', () => {
  /** With a poll every second, which no backoff slows down here. */
  async function requestsPerMinute(fault: Parameters<typeof apiWorld>[0] & object, order: object) {
    const town = await apiWorld(fault)
    await town.tick()
    town.service.orderFault({ times: 10_000, path: 'alerts.json', ...order })
    // What was saved up before is spent in the first minute.
    const minute = async () => {
      const [before, untilMs] = [town.alertRequests(), town.clock.nowMs() + 60_000]
      let polls = 0
      while (town.clock.nowMs() < untilMs) {
        town.clock.advance(1_000)
        polls += 1
        await expect(town.poll()).rejects.toThrow('the monitoring API')
      }
      return { polls, requests: town.alertRequests() - before }
    }
    return [await minute(), await minute()]
  }

  test.each([503, 500, 429])(
    'answering %i are one a poll, and no more than two dozen repetitions in the first minute, a dozen in the next',
    async (status) => {
      const [first, second] = await requestsPerMinute({ limits: { retriesMax: 2 } }, { status })
      expect(first?.requests).toBeGreaterThan(first?.polls ?? 0)
      expect(first?.requests).toBeLessThanOrEqual((first?.polls ?? 0) + 24)
      expect(second?.requests).toBeLessThanOrEqual((second?.polls ?? 0) + 13)
    },
  )

  test('are one a poll where an answer would only be the same again', async () => {
    const [first] = await requestsPerMinute({}, { status: 422 })
    expect(first?.requests).toBe(first?.polls)
  })
})
