/** Socket Mode from the wire: tickets, hello, acknowledgements, retries, goodbyes, and connections that go wrong. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { eventually, fieldsOf, neighbour, openLine } from './neighbour.ts'

type Town = Awaited<ReturnType<typeof neighbour>>

async function invitation({ call, workspace }: Town): Promise<string> {
  return String((await call('apps.connections.open', {}, workspace.appToken)).url)
}
const isEvent = ({ type }: { type?: unknown }): boolean => type === 'events_api'

describe('a connection', () => {
  test('begins with hello, and its address serves once and for half a minute', async () => {
    const it = await neighbour()
    const url = await invitation(it)
    const line = openLine(url)
    const hello = await line.take('hello', ({ type }) => type === 'hello')
    expect(hello).toMatchObject({
      num_connections: 1,
      connection_info: { app_id: expect.stringMatching(/^A/) },
    })
    expect(hello.debug_info).toMatchObject({ approximate_connection_time: 3_600 })
    const again = openLine(url)
    const refused = await eventually('a refusal', () => again.ws.readyState === again.ws.CLOSED)
    expect(refused).toBe(true)
    const stale = await invitation(it)
    it.clock.nowMs += 30_000
    const late = openLine(stale)
    await eventually('another refusal', () => late.ws.readyState === late.ws.CLOSED)
    expect(it.workspace.sockets()).toBe(1)
  })

  test('is pinged, and its own pings are answered', async () => {
    const { socket } = await neighbour({ pingMs: 20 })
    const { ws } = await socket()
    let pings = 0
    let pongs = 0
    ws.on('ping', () => {
      pings += 1
    })
    ws.on('pong', () => {
      pongs += 1
    })
    ws.ping()
    await eventually('pings', () => pings >= 2 && pongs >= 1)
    expect(ws.readyState).toBe(ws.OPEN)
  })

  test('is one of ten at most: the eleventh is told so, and has no hello', async () => {
    const it = await neighbour()
    for (let n = 0; n < 10; n += 1) await it.socket()
    const eleventh = openLine(await invitation(it))
    const told = await eleventh.take('a goodbye', ({ type }) => type === 'disconnect')
    expect(told.reason).toBe('too_many_websockets')
    expect(eleventh.heard.map(({ type }) => type)).toEqual(['disconnect'])
    expect(it.workspace.sockets()).toBe(10)
    it.clock.nowMs += 10_000
    await eventually('the cut', () => eleventh.ws.readyState === eleventh.ws.CLOSED)
  })

  test('lives an hour: a warning ten seconds before, then a refresh', async () => {
    const { socket, clock, workspace } = await neighbour()
    const { take } = await socket()
    clock.nowMs += 3_590_000
    expect((await take('a warning', ({ type }) => type === 'disconnect')).reason).toBe('warning')
    expect(workspace.sockets()).toBe(1)
    clock.nowMs += 10_000
    expect((await take('a refresh', ({ type }) => type === 'disconnect')).reason).toBe('refresh_requested')
    expect(workspace.sockets()).toBe(0)
  })

  test.each(['warning', 'refresh_requested', 'link_disabled', 'too_many_websockets'] as const)(
    'can be told to go: %s',
    async (reason) => {
      const { socket, workspace } = await neighbour()
      const { take } = await socket()
      await socket()
      workspace.disconnect(reason, 'all')
      expect(await take('a goodbye', ({ type }) => type === 'disconnect')).toMatchObject({ reason })
      expect(workspace.sockets()).toBe(reason === 'warning' ? 2 : 0)
    },
  )

  test('a refused one that is reset meanwhile ends nothing', async () => {
    const { workspace } = await neighbour()
    const { hostname, port } = new URL(workspace.url)
    const head = 'GET /link/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
    for (let n = 0; n < 20; n += 1) {
      const raw = connect(Number(port), hostname, () => raw.write(head))
      await once(raw, 'data')
      raw.resetAndDestroy()
    }
    expect((await fetch(`${workspace.url}control/state`)).status).toBe(200)
  })
})

describe('an envelope', () => {
  test('goes to any of the sockets, in no pattern', async () => {
    const { socket, workspace } = await neighbour({ seed: 3 })
    const lines = [await socket(), await socket(), await socket()]
    for (const line of lines) {
      line.ws.on('message', (data) => {
        const message = fieldsOf(JSON.parse(String(data)))
        if (message.envelope_id !== undefined) line.ack(message)
      })
    }
    for (let n = 0; n < 60; n += 1)
      await workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/mon' })
    const counts = lines.map(({ heard }) => heard.filter(({ type }) => type === 'slash_commands').length)
    expect(counts.reduce((a, b) => a + b)).toBe(60)
    for (const count of counts) expect(count).toBeGreaterThan(8)
  })

  test('of an event is tried again at once, after a minute, after five, and is then lost', async () => {
    const { socket, workspace, clock } = await neighbour()
    const line = await socket()
    await workspace.acts.home({ user: 'ana' })
    const first = await line.take('the event', isEvent)
    expect(first).toMatchObject({ retry_attempt: 0, retry_reason: '', accepts_response_payload: false })
    const { event_id } = fieldsOf(first.payload)
    const missed = (attempt: number): Promise<true> =>
      eventually(`attempt ${attempt} to be missed`, () =>
        workspace.events
          .since(0)
          .some(({ event }) => event.type === 'event_missed' && event.attempt === attempt),
      )
    for (const [attempt, waitMs] of [0, 60_000, 300_000].entries()) {
      clock.nowMs += 3_000
      await missed(attempt)
      clock.nowMs += waitMs
      const again = await line.take('a retry', isEvent)
      expect(again).toMatchObject({
        retry_attempt: attempt + 1,
        retry_reason: 'timeout',
        payload: { event_id },
      })
    }
    const sentAtMs = workspace.events
      .since(0)
      .flatMap(({ event, atMs }) => (event.type === 'event_sent' ? [atMs] : []))
    expect(sentAtMs.map((atMs) => atMs - (sentAtMs[0] ?? 0))).toEqual([0, 3_000, 66_000, 369_000])
    clock.nowMs += 3_000
    await eventually('the loss', () =>
      workspace.events.since(0).some(({ event }) => event.type === 'event_lost'),
    )
  })

  test('of an event that is acknowledged comes once', async () => {
    const { socket, workspace, clock } = await neighbour()
    const line = await socket()
    await workspace.acts.home({ user: 'ana' })
    line.ack(await line.take('the event', isEvent))
    await eventually('the acknowledgement', () =>
      workspace.events.since(0).some(({ event }) => event.type === 'event_acked'),
    )
    clock.nowMs += 600_000
    await workspace.acts.home({ user: 'ben' })
    await line.take(
      'the next event',
      (message) => isEvent(message) && JSON.stringify(message).includes('U0BEN00001'),
    )
    expect(line.heard.filter(isEvent)).toHaveLength(2)
  })
})
