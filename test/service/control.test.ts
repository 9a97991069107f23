/** The control API: a port of its own for this machine alone, and what operators see without it. */
import { createServer, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { request } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { key, openTown } from './open-service.ts'
import { startService } from './process.ts'
import { configOf, exporter, openFleetTown, targetOf } from './scrape/exporters.ts'

/** `proxy_pass http://127.0.0.1:PORT;` and nothing else: everything is passed on under the name of what is behind. */
async function plainProxy(to: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const { host, hostname, port } = new URL(to)
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, host, connection: 'close', ...more }
    const passed = httpRequest({ hostname, port, path: incoming.url, method: incoming.method, headers })
    passed.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

test('an outsider deleted the API key through a proxy in front of the API', async () => {
  const service = await startService({ MONITOR_API_KEY: key, MONITOR_SAMPLE: 'off', MONITOR_FLEET: '3' })
  const proxy = await plainProxy(service.url)
  const outside = { host: 'monitor.example', 'x-forwarded-for': '' }
  for (const [method, path] of [
    ['DELETE', '/control/keys/0'],
    ['GET', '/control/state'],
    ['POST', '/control/busy'],
    ['POST', '/control/keys'],
    ['GET', '/control/'],
  ] as const) {
    const answer = await request(proxy + path, { method, headers: outside })
    expect([path, answer.statusCode]).toEqual([path, 404])
    expect(await answer.body.text()).toContain('"message"')
  }
  expect((await request(`${proxy}/api/v2/${key}/roles.json`)).statusCode).toBe(200)
  expect((await request(`${service.controlUrl}/control/state`)).statusCode).toBe(200)
})

test('without a port of its own there is no control API at all', async () => {
  const service = await startService({
    MONITOR_API_KEY: key,
    MONITOR_SAMPLE: 'off',
    MONITOR_CONTROL_PORT: '',
  })
  expect(service.controlUrl).toBe('')
  expect(service.printed).not.toContain('control')
  expect((await request(`${service.url}/control/state`)).statusCode).toBe(404)
})

test('the port of the control API is on loopback, whatever HOST says', async () => {
  const town = await openTown({ host: '0.0.0.0' })
  expect(new URL(town.service.controlUrl ?? '').hostname).toBe('127.0.0.1')
  const { port } = new URL(town.service.controlUrl ?? '')
  // Another address of the loopback network: what listens on all of them answers there.
  await expect(request(`http://127.0.0.2:${port}/control/state`)).rejects.toThrow('ECONNREFUSED')
})

test('the same port for both, and one that is taken, end the start with a sentence', async () => {
  const env = { MONITOR_API_KEY: key, MONITOR_SAMPLE: 'off', MONITOR_FLEET: '0' }
  await expect(startService({ ...env, PORT: '9555', MONITOR_CONTROL_PORT: '9555' })).rejects.toThrow(
    "MONITOR_CONTROL_PORT: expected another port than the API's; came 9555",
  )
  const { port } = new URL((await openTown()).service.url)
  await expect(startService({ ...env, MONITOR_CONTROL_PORT: port })).rejects.toThrow(
    `the monitoring service cannot start: port ${port} is in use; set MONITOR_CONTROL_PORT to another one`,
  )
})

describe('on its own port the control API refuses', () => {
  test.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['a page without an origin of its own', { origin: 'null' }],
    ['another page of this machine', { origin: 'http://localhost:1' }],
    ['a name that was bound to this address', { host: 'rebound.example:9089' }],
    ['a name that begins like this machine', { host: 'localhost.evil.example' }],
    ['a cross-site request', { 'sec-fetch-site': 'cross-site' }],
    ['a same-site request', { 'sec-fetch-site': 'same-site' }],
    ['Forwarded', { Forwarded: 'for=192.0.2.60' }],
    ['X-Forwarded-For', { 'X-Forwarded-For': '192.0.2.60' }],
    ['an empty X-Forwarded-For', { 'X-Forwarded-For': '' }],
    ['x-forwarded-anything', { 'x-forwarded-anything': '1' }],
    ['X_Forwarded_For', { X_Forwarded_For: '192.0.2.60' }],
    ['X-FORWARDED-PROTO', { 'X-FORWARDED-PROTO': 'https' }],
    ['X-Forwarded', { 'X-Forwarded': '1' }],
    ['X-Real-IP', { 'X-Real-IP': '192.0.2.60' }],
    ['X-Original-URL', { 'X-Original-URL': '/' }],
    ['Via', { Via: '1.1 varnish' }],
    ['CF-Connecting-IP', { 'CF-Connecting-IP': '192.0.2.60' }],
  ])('%s', async (_, headers) => {
    const town = await openTown()
    const removal = { method: 'DELETE' as const, headers: headers as Record<string, string> }
    expect(await town.ask('/control/keys/0', removal)).toMatchObject({
      status: 403,
      body: { message: 'the control API answers only requests that this machine makes to itself' },
    })
    expect((await town.ask('/control/nothing', { headers: removal.headers })).status).toBe(403)
    expect(town.service.keys).toEqual([key])
  })

  test('what nginx passes on when it is told nothing: HTTP 1.0 under the name of what is behind', async () => {
    const town = await openTown()
    const { port, host } = new URL(town.service.controlUrl ?? '')
    const socket = connect(Number(port), '127.0.0.1')
    socket.end(`DELETE /control/keys/0 HTTP/1.0\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    let said = ''
    for await (const chunk of socket) said += String(chunk)
    expect(said).toMatch(/^HTTP\/1\.1 403 /)
    expect(town.service.keys).toEqual([key])
  })

  test('nothing that a program or a page of its own asks', async () => {
    const town = await openTown()
    const own = town.service.controlUrl ?? ''
    for (const site of ['same-origin', 'none'])
      expect((await town.ask('/control/state', { headers: { 'sec-fetch-site': site } })).status).toBe(200)
    for (const headers of [{ origin: own }, { host: `localhost:${new URL(own).port}` }, { host: '[::1]' }])
      expect((await town.ask('/control/state', { headers })).status).toBe(200)
  })
})

test('whoever has the API key reads what is watched and what is wrong with it, through a proxy as well', async () => {
  let isWell = true
  const url = await exporter(
    (_, response) => void response.writeHead(isWell ? 200 : 503).end('node_load1 1\n'),
  )
  const town = await openFleetTown(
    configOf([targetOf('web-1', url, { authorization: 'Bearer hidden-token' })]),
  )
  await town.service.tick()
  const proxy = await plainProxy(town.service.url, { 'x-forwarded-for': '192.0.2.60' })
  const targets = async (one = key) => {
    const answer = await request(`${proxy}/api/v2/${one}/targets.json`)
    return { status: answer.statusCode, body: (await answer.body.json()) as { results: object[] } }
  }
  const well = {
    server: 'web-1',
    kind: 'scraped',
    exporters: [expect.objectContaining({ url, failure: null, failing_since: null })],
  }
  expect((await targets()).body.results).toContainEqual(expect.objectContaining(well))
  isWell = false
  town.clock.pass(1_000)
  await town.service.tick()
  const { body } = await targets()
  expect(body).toMatchObject({ source: { kind: 'own' } })
  expect(body.results).toContainEqual(
    expect.objectContaining({
      server: 'web-1',
      exporters: [
        expect.objectContaining({ failure: 'it answered 503', failing_since: '2026-03-01T12:00:01.000Z' }),
      ],
      last_report: '2026-03-01T12:00:00.000Z',
    }),
  )
  expect(JSON.stringify(body)).not.toMatch(/hidden|key-of/)
  expect((await targets('wrong')).status).toBe(401)
})
