/** What is no request, or says nothing of where it goes, is answered with a sentence, and harms nobody. */
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { patienceMs } from '../support/patience.ts'
import { key, openTown, type Town } from './open-service.ts'

/** All that comes back until the connection ends. */
async function send(town: Town, text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect(Number(new URL(town.service.url).port), '127.0.0.1')
  let came = ''
  socket.setTimeout(patienceMs, () => socket.destroy())
  socket.on('data', (chunk) => {
    came += chunk.toString()
  })
  socket.on('error', () => {})
  socket.on('close', () => resolve(came))
  socket.write(text)
  return promise
}

const sentence = (what: string): string =>
  JSON.stringify({ message: `expected a request to http://HOST:PORT/PATH; came ${what}` })

test('a request without a Host header got a 400 without a sentence', async () => {
  const town = await openTown()
  for (const path of [`/api/v2/${key}/alerts.json`, '/control/state', '/v1/metrics']) {
    const answer = await send(town, `GET ${path} HTTP/1.1\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer).toContain(sentence('one without a Host header'))
    expect(answer).not.toContain(key)
  }
})

test('as the second one of a connection it is answered too', async () => {
  const town = await openTown()
  const first = `GET /openapi.json HTTP/1.1\r\nHost: ${new URL(town.service.url).host}\r\n\r\n`
  const answer = await send(town, `${first}GET / HTTP/1.1\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(answer).toContain(sentence('one without a Host header'))
})

test('HTTP 1.0, which knows no such header, is answered as before', async () => {
  const town = await openTown()
  const answer = await send(town, `GET /api/v2/${key}/roles.json HTTP/1.0\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
})

test.each([
  ['what is no HTTP', 'hello\r\n\r\n', 400, 'something else'],
  ['a broken header', 'GET / HTTP/1.1\r\nHost: a\r\nb c\r\n\r\n', 400, 'something else'],
  [
    'endless headers',
    `GET / HTTP/1.1\r\nHost: a\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
    431,
    'one whose headers are too long',
  ],
])('%s is answered with a sentence', async (_, text, status, what) => {
  const town = await openTown()
  const answer = await send(town, text)
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(answer).toContain(sentence(what))
  expect((await town.ask('/control/state')).status).toBe(200)
})
