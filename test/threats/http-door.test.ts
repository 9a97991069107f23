/** The door of HTTP mode as an attacker finds it, over real sockets: slow, silent, many, and with the wrong words. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/bot/config/secret.ts'
import { startHealth } from '../../src/bot/ops/health.ts'
import { openHttpReceiver } from '../../src/bot/slack/transport/http-receiver.ts'
import { keptJournal } from '../support/journal.ts'
import { manualClock } from '../support/manual-clock.ts'
import { patienceMs } from '../support/patience.ts'

const limits = { headersMs: 300, requestMs: 600, checkEveryMs: 50, connectionsMax: 20 }
const soon = { timeout: patienceMs, interval: 20 }

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** `over` null: with the limits that hold where nothing is said. */
async function door(over: Partial<typeof limits> | null = {}) {
  const logger = keptJournal()
  const receiver = openHttpReceiver({
    signingSecret: new Secret('canary-secret'),
    clock: manualClock(),
    logger,
  })
  const heard: unknown[] = []
  receiver.init({ processEvent: async (event: unknown) => heard.push(event) } as never)
  await receiver.start()
  const ready = { ready: true, sinceMs: 0 }
  const health = await startHealth({
    host: '127.0.0.1',
    port: 0,
    isReady: () => ({ slack: ready, poll: ready }),
    events: receiver.handle,
    ...(over === null ? {} : { limits: { ...limits, ...over } }),
  })
  onTestFinished(() => health.stop())
  return { ...health, logger, heard }
}

/** A connection that says so much, and then goes on with a little of `drip`, for ever. */
function slowly(port: number, said: string, drip = '') {
  let timer: NodeJS.Timeout | undefined
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(said)
    if (drip !== '') timer = setInterval(() => socket.write(drip), 25)
  })
  sockets.push(socket)
  socket.on('error', () => socket.destroy())
  let answer = ''
  socket.on('data', (part) => {
    answer += part
  })
  const closed = new Promise<string>((resolve) =>
    socket.once('close', () => {
      clearInterval(timer)
      resolve(answer.split('\r\n')[0] ?? '')
    }),
  )
  return { closed }
}

/** Whether a server of Node that was told no limits still holds the same connection: it looks every 30 s. */
async function heldByNode(said: string, drip = ''): Promise<() => boolean> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  let isHeld = true
  void slowly(typeof address === 'object' ? (address?.port ?? 0) : 0, said, drip).closed.then(() => {
    isHeld = false
  })
  return () => isHeld
}

const post = (headers: string, body = '') => `POST /slack/events HTTP/1.1\r\nHost: x\r\n${headers}\r\n${body}`

test.each([
  ['says nothing at all', '', ''],
  ['stops in the middle of its first line', 'POST /sla', ''],
  ['sends its headers one by one', 'POST /slack/events HTTP/1.1\r\nHost: x\r\n', 'a: b\r\n'],
  ['sends its body byte by byte', post('Content-Length: 100000\r\n'), 'x'],
  ['sends a body without an end in chunks', post('Transfer-Encoding: chunked\r\n'), '1\r\nx\r\n'],
])('who %s is cut off within the limit, not held for half a minute', async (_, said, drip) => {
  const { port, heard } = await door()
  const byItself = await heldByNode(said, drip)
  expect(await slowly(port, said, drip).closed).toMatch(/^(?:HTTP\/1\.1 4\d\d .*)?$/)
  expect(byItself()).toBe(true)
  expect(heard).toEqual([])
})

test('where no limit is said, who is silent is cut off within seconds', async () => {
  const { port } = await door(null)
  const byItself = await heldByNode('POST /slack/events HTTP/1.1\r\n')
  await slowly(port, 'POST /slack/events HTTP/1.1\r\n').closed
  expect(byItself()).toBe(true)
})

test('slow ones who take every place lose it, and the next one is answered', async () => {
  const { port } = await door()
  const slow = Array.from({ length: limits.connectionsMax }, () => slowly(port, 'GET /heal'))
  await Promise.all(slow.map(({ closed }) => closed))
  await expect
    .poll(
      () =>
        fetch(`http://127.0.0.1:${port}/healthz`).then(
          ({ status }) => status,
          () => 0,
        ),
      soon,
    )
    .toBe(200)
})

test.each([
  ['headers without an end', `GET /healthz HTTP/1.1\r\nHost: x\r\nx: ${'y'.repeat(100_000)}`],
  ['two lengths', post('Content-Length: 1\r\nContent-Length: 2\r\n', 'xx')],
  ['a length and chunks', post('Content-Length: 1\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')],
  ['no HTTP', '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n'],
])('%s are refused at once', async (_, said) => {
  const { port, heard } = await door({ headersMs: 20_000, requestMs: 20_000 })
  expect(await slowly(port, said).closed).toMatch(/^HTTP\/1\.1 4\d\d /)
  expect(heard).toEqual([])
})

test.each(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('%s is not what Slack sends', async (method) => {
  const { port, heard } = await door()
  expect((await fetch(`http://127.0.0.1:${port}/slack/events`, { method })).status).toBe(404)
  expect(heard).toEqual([])
})

test.each(['text/plain', 'multipart/form-data; boundary=x', 'application/xml', ''])(
  'a request that is not signed is refused whatever its content type (%j)',
  async (type) => {
    const { port, heard, logger } = await door()
    const headers = type === '' ? {} : { 'content-type': type }
    const body = new TextEncoder().encode('payload=%7B%22type%22%3A%22block_actions%22%7D')
    const answer = await fetch(`http://127.0.0.1:${port}/slack/events`, { method: 'POST', headers, body })
    expect([answer.status, await answer.text()]).toEqual([401, ''])
    expect(heard).toEqual([])
    expect(JSON.stringify(logger.entries)).not.toContain('canary')
  },
)
