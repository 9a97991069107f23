/** The way in: keys, paths, methods, sizes, request ids, and faults that were ordered. */
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { patienceMs } from '../support/patience.ts'
import { form, key, openTown, type Town } from './open-service.ts'
import { rolesOf, stateOf } from './records.ts'

describe('a key that is not known', () => {
  test.each([
    ['GET', '/api/v2/wrong/alerts.json'],
    ['GET', '/api/v2/wrong/nothing'],
    ['POST', '/api/v2/wrong/account'],
    ['DELETE', '/api/v2/wrong/servers/web-1'],
    ['GET', '/api/v2/alerts.json'],
    ['GET', '/api/v2/'],
    ['GET', '/api/v2'],
    ['GET', `/api/v2/${key}x/alerts.json`],
    ['GET', `/api/v2/${key.slice(0, -1)}/alerts.json`],
  ] as const)('%s %s is a 401 with a message that does not repeat it', async (method, path) => {
    const town = await openTown({ fleet: true })
    const { status, body } = await town.ask(path, { method })
    expect(status).toBe(401)
    expect(body).toEqual({ message: 'the API key in the path is not known; expected /api/v2/<API_KEY>/…' })
    expect((await stateOf(town)).servers).toHaveLength(12)
  })
})

test('keys are several, can be added and removed at any time, and are never told again', async () => {
  const town = await openTown({ keys: ['second-key'] })
  const works = async (one: string) => (await town.ask(`/api/v2/${one}/roles.json`)).status
  expect([await works(key), await works('second-key')]).toEqual([200, 200])
  expect(town.service.keys).toEqual([key, 'second-key'])

  const { body } = await town.ask('/control/keys', { method: 'POST' })
  const { key: third, keys } = body as { key: string; keys: number }
  expect(keys).toBe(3)
  expect(third).toMatch(/^[0-9a-f]{40}$/)
  expect(await works(third)).toBe(200)
  expect(JSON.stringify(await stateOf(town))).not.toContain(third)

  expect(await town.ask('/control/keys/1', { method: 'DELETE' })).toMatchObject({
    status: 200,
    body: { keys: 2 },
  })
  expect([await works(key), await works('second-key'), await works(third)]).toEqual([200, 401, 200])
  const removal = { method: 'DELETE' as const, body: JSON.stringify({ key: third }) }
  expect(await town.ask('/control/keys', removal)).toMatchObject({ status: 200, body: { keys: 1 } })
  expect(await works(third)).toBe(401)
  expect(await town.ask('/control/keys', removal)).toMatchObject({ status: 404 })
  expect(await town.ask('/control/keys/5', { method: 'DELETE' })).toMatchObject({ status: 404 })
  const again = { method: 'POST' as const, body: JSON.stringify({ key }) }
  expect(await town.ask('/control/keys', again)).toMatchObject({ status: 422 })
})

test('a key that cannot stand in a path is refused without being repeated', async () => {
  await expect(openTown({ key: 'has/slash' })).rejects.toThrow(
    /^the service cannot open: key: expected 1 to 200/,
  )
  await expect(openTown({ key: 'has/slash' })).rejects.not.toThrow(/has\/slash/)
})

describe('a path that leads nowhere, with a good key', () => {
  test.each([
    '/',
    '',
    '/nothing',
    '/servers',
    '/servers/',
    '/servers/web-1/roles',
    '/alerts',
    '/alerts.json/',
    '/openapi.json',
  ])('%s is a 404 with a message', async (path) => {
    const town = await openTown({ fleet: true })
    expect(await town.api(path)).toMatchObject({ status: 404, body: { message: expect.any(String) } })
  })

  test.each([
    ['PUT', '/account', 'PATCH, POST'],
    ['POST', '/alerts.json', 'GET'],
    ['GET', '/servers/web-1', 'PATCH, POST, DELETE'],
    ['GET', '/servers/web-1/roles/add', 'POST'],
    ['GET', '/metrics', 'DELETE'],
  ] as const)('%s %s is a 405 that names the methods there are', async (method, path, allow) => {
    const town = await openTown({ fleet: true })
    const answer = await town.api(path, { method })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe(allow)
    expect(answer.body).toEqual({
      message: `expected ${allow.split(', ').join(' or ')} for this path; came ${method}`,
    })
  })
})

/** As it stands, with no client that tidies the path up first. */
async function raw(town: Town, line: string, host = new URL(town.service.url).host): Promise<string> {
  const { port } = new URL(town.service.url)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(Number(port), '127.0.0.1')
  let text = ''
  socket.setTimeout(patienceMs, () => socket.destroy(new Error('no answer')))
  socket.on('data', (chunk) => {
    text += chunk.toString()
  })
  socket.on('error', reject)
  socket.on('close', () => resolve(text))
  socket.write(`${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  return promise
}

test.each(['[bad', 'a b', 'user@host', 'a/b?c#d', 'a:99999', '%zz', '127.0.0.1:', 'é'])(
  'a Host header that is none is answered with a sentence: %s',
  async (host) => {
    const town = await openTown()
    for (const path of [`/api/v2/${key}/alerts.json`, '/control/state', '/']) {
      const answer = await raw(town, `GET ${path}`, host)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toContain(
        '{"message":"expected a request to http://HOST:PORT/PATH; came one whose Host header',
      )
      expect(answer).not.toContain(key)
    }
  },
)

describe('odd paths on a bare socket', () => {
  test.each([
    ['DELETE', '/servers/..', 404],
    ['DELETE', '/servers/%2e%2e', 404],
    ['DELETE', '/servers/.', 404],
    ['POST', '/servers/web-1/../../account?notifications=false', 404],
    ['DELETE', '/servers/..%2fweb-1', 404],
    ['DELETE', '/servers/%ff', 422],
    ['DELETE', '/servers/%zz', 422],
    ['DELETE', '/servers//web-1', 404],
  ] as const)('%s %s harms nothing', async (method, path, status) => {
    const town = await openTown({ fleet: true })
    const before = await stateOf(town)
    const answer = await raw(town, `${method} /api/v2/${key}${path}`)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toContain('"message"')
    expect(await stateOf(town)).toEqual(before)
  })
})

test('every answer has a request id of its own: good ones, errors, pages, pictures, the document', async () => {
  const town = await openTown({ fleet: true })
  town.service.openAlert({ server: 'web-1', plugin: 'CPU' })
  const paths = [
    `/api/v2/${key}/alerts.json`,
    `/api/v2/${key}/nothing`,
    `/api/v2/x/y`,
    '/',
    '/nothing',
    '/a/1',
    '/openapi.json',
    '/control/state',
    '/control/nothing',
  ]
  const ids = await Promise.all(paths.map(async (path) => (await town.ask(path)).headers['x-request-id']))
  for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect(new Set(ids).size).toBe(paths.length)
})

describe('a body over 1 MB', () => {
  test.each(['/api/v2/KEY/markers', '/control/alerts'])('is a 413 at %s', async (path) => {
    const town = await openTown()
    const body = `notes=${'x'.repeat(1_000_001)}`
    const answer = await town.ask(path.replace('KEY', key), { method: 'POST', body })
    expect(answer).toMatchObject({
      status: 413,
      body: { message: 'body: expected at most 1000000 bytes; came more' },
    })
  })

  test('is a 413 as well when nobody says its length, and ends before it is all read', async () => {
    const town = await openTown()
    let sent = 0
    async function* endless() {
      for (;;) {
        sent += 65_536
        yield Buffer.alloc(65_536, 'x')
        // Lets the answer through.
        await new Promise(setImmediate)
      }
    }
    const answer = await request(`${town.service.url}/api/v2/${key}/markers`, {
      method: 'POST',
      body: Readable.from(endless()),
    }).then(
      ({ statusCode }) => statusCode,
      () => 'broken off',
    )
    expect([413, 'broken off']).toContain(answer)
    expect(sent).toBeLessThan(50_000_000)
    expect((await stateOf(town)).markers).toEqual([])
  })

  test('a marker just below is too long as a marker, but is read', async () => {
    const town = await openTown()
    expect(await town.api('/markers', form({ notes: 'x'.repeat(990_000) }))).toMatchObject({ status: 422 })
  })
})

describe('ordered faults', () => {
  const order = (town: Town, fault: object) =>
    town.ask('/control/faults', { method: 'POST', body: JSON.stringify(fault) })

  test('a status with HTML, for as many answers as were ordered, and only for the path', async () => {
    const town = await openTown({ fleet: true })
    await order(town, { times: 2, path: 'alerts.json', status: 502, body: 'html', retryAfterSeconds: 7 })
    expect((await town.api('/roles.json')).status).toBe(200)
    const first = await town.api('/alerts.json')
    expect(first).toMatchObject({ status: 502, body: expect.stringContaining('<h1>') })
    expect(first.headers['content-type']).toMatch(/^text\/html/)
    expect(first.headers['retry-after']).toBe('7')
    expect(first.headers['x-request-id']).toBeTypeOf('string')
    expect((await town.api('/alerts.json')).status).toBe(502)
    expect((await town.api('/alerts.json')).status).toBe(200)
    expect((await town.ask('/control/faults')).body).toEqual({ faults: [] })
  })

  test('a reset, with and without the request being carried out', async () => {
    const town = await openTown({ fleet: true })
    await order(town, { reset: true })
    await expect(town.api('/servers/web-1/roles/add', form({ roles: 'lost' }))).rejects.toThrow()
    expect(await rolesOf(town)).not.toHaveProperty('lost')
    await order(town, { reset: true, applied: true })
    await expect(town.api('/servers/web-1/roles/add', form({ roles: 'kept' }))).rejects.toThrow()
    expect(await rolesOf(town)).toHaveProperty('kept', ['web-1'])
  })

  test('a body that breaks off, a body that is no JSON, an empty one, and a late answer', async () => {
    const town = await openTown({ fleet: true })
    await order(town, { cut: true })
    await expect(town.api('/roles.json')).rejects.toThrow()
    await order(town, { status: 200, body: 'garbage' })
    await expect(town.api('/roles.json')).rejects.toThrow(SyntaxError)
    await order(town, { status: 500, body: 'empty' })
    expect(await town.api('/roles.json')).toMatchObject({ status: 500, body: '' })
    await order(town, { delayMs: 300 })
    const startedMs = performance.now()
    expect((await town.api('/roles.json')).status).toBe(200)
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(290)
  })

  test('an order that does nothing or holds unknown words is refused', async () => {
    const town = await openTown()
    expect(await order(town, {})).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('expected one of status') },
    })
    expect(await order(town, { statuss: 500 })).toMatchObject({ status: 422 })
    expect(await order(town, { status: 99 })).toMatchObject({
      status: 422,
      body: { message: expect.stringMatching(/^status: /) },
    })
  })
})

test('requests are counted by template, never with a key or a hostname', async () => {
  const town = await openTown({ fleet: true })
  await town.api('/alerts.json')
  await town.api('/alerts.json?offset=50')
  await town.api('/servers/web-1', form({ notifications: 'false' }))
  await town.ask('/api/v2/a-wrong-key/servers/web-1', { method: 'DELETE' })
  await town.api('/secret-path')
  expect((await town.ask('/control/requests')).body).toEqual({
    requests: {
      'GET /alerts.json': 2,
      'POST /servers/:hostname': 1,
      'DELETE /servers/:hostname': 1,
      'GET (unknown)': 1,
    },
  })
})
