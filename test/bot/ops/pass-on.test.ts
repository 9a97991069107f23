/** Requests of Slack that reach a replica that stands by, over real HTTP. */
import { createServer, type IncomingMessage } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { startHealth } from '../../../src/bot/ops/health.ts'
import { passOn } from '../../../src/bot/ops/pass-on.ts'
import { keptJournal } from '../../support/journal.ts'

const host = '127.0.0.1'
const headers = {
  'content-type': 'application/x-www-form-urlencoded',
  'x-slack-signature': 'v0=abc',
  'x-slack-request-timestamp': '1700000000',
  'x-slack-retry-num': '1',
  cookie: 'nobody needs it',
}

/** One that stands by, for whoever that is. */
async function standingBy(leader: () => string | null) {
  const logger = keptJournal()
  const health = await startHealth({
    host,
    port: 0,
    isReady: () => ({ standsBy: { leader: 'bot-b' } }),
    events: passOn(leader, logger),
  })
  onTestFinished(() => health.stop())
  const url = `http://${host}:${health.port}`
  const post = (body: string | null, more = {}) =>
    fetch(`${url}/slack/events`, { method: 'POST', body, headers: { ...headers, ...more } })
  return { url, logger, post }
}

/** One that leads, which answers as asked. */
async function leading(answer: (request: IncomingMessage, body: string) => [number, string | null]) {
  const heard: { readonly headers: Record<string, unknown>; readonly body: string }[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    heard.push({ headers: request.headers, body })
    const [status, text] = answer(request, body)
    if (status === 0) return
    response.writeHead(status, {
      'content-type': 'application/json',
      'x-slack-no-retry': '1',
      'set-cookie': 'a=b',
    })
    response.end(text ?? undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A server without a port')
  return { url: `http://${host}:${address.port}`, heard }
}

test('a request is passed as it came, and the answer comes back as it was given', async () => {
  const leader = await leading(() => [200, '{"response_action":"clear"}'])
  const { post } = await standingBy(() => leader.url)
  const body = `payload=${encodeURIComponent('{"ü":"😀"}')}`
  const answer = await post(body)
  expect([answer.status, await answer.text()]).toEqual([200, '{"response_action":"clear"}'])
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('set-cookie')).toBeNull()
  expect(leader.heard).toHaveLength(1)
  expect(leader.heard[0]?.body).toBe(body)
  const { cookie, ...wanted } = headers
  expect(leader.heard[0]?.headers).toMatchObject(wanted)
  expect(leader.heard[0]?.headers).not.toHaveProperty('cookie')
})

test.each([200, 204, 401, 413, 503])('what it answered with status %i has that status', async (status) => {
  const leader = await leading(() => [status, null])
  const { post } = await standingBy(() => leader.url)
  const answer = await post('{}')
  expect([answer.status, await answer.text()]).toEqual([status, ''])
  expect(answer.headers.get('x-slack-no-retry')).toBe('1')
})

test('a body that is large is passed whole, and one that is none too', async () => {
  const leader = await leading(() => [200, null])
  const { post } = await standingBy(() => leader.url)
  const body = 'x'.repeat(900_000)
  expect((await post(body)).status).toBe(200)
  expect((await post(null)).status).toBe(200)
  expect(leader.heard.map((one) => one.body.length)).toEqual([body.length, 0])
})

test('where nobody leads, Slack hears 503, and may ask again', async () => {
  const { post, logger } = await standingBy(() => null)
  const answer = await post('{}')
  expect(answer.status).toBe(503)
  expect(answer.headers.get('x-slack-no-retry')).toBeNull()
  expect(logger.events()).toContain('request:not_passed')
})

test('where the one that leads is gone, or says nothing, Slack hears 503', async () => {
  const silent = await leading(() => [0, null])
  let leader = 'http://127.0.0.1:1'
  const { post } = await standingBy(() => leader)
  expect((await post('{}')).status).toBe(503)
  leader = silent.url
  expect((await post('{}')).status).toBe(503)
})

test('two that each take the other for the one that leads pass nothing to and fro', async () => {
  const urls: string[] = []
  const one = await standingBy(() => urls[1] ?? null)
  const other = await standingBy(() => urls[0] ?? null)
  urls.push(one.url, other.url)
  expect((await one.post('{}')).status).toBe(503)
  expect([...one.logger.events(), ...other.logger.events()]).toEqual(['request:not_passed'])
})
