/** Frames that the SDK cannot read: the bot outlives them, acknowledges them, and hears what comes after. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from '@slack/bolt'
import { expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { openSockets } from '../../../src/bot/slack/transport/sockets.ts'
import { realClock } from '../../../src/shared/clock.ts'
import { keptJournal } from '../../support/journal.ts'

/** A Slack that opens one socket and says whatever it is told to. */
async function rawSlack() {
  const server = createServer((_, response) => {
    const { port } = server.address() as AddressInfo
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ok: true, url: `ws://127.0.0.1:${port}/link` }))
  })
  const sockets = new WebSocketServer({ server })
  const heard: string[] = []
  let link: WebSocket | null = null
  sockets.on('connection', (ws) => {
    link = ws
    ws.on('message', (data) => heard.push(String(data)))
    ws.send('{"type":"hello"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    sockets.close()
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    say: (frame: string) => link?.send(frame),
    acknowledged: () => heard.map((text) => JSON.parse(text).envelope_id),
  }
}

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => 'error' as ReturnType<Logger['getLevel']>,
  setName: () => undefined,
}

const unreadable = [
  ['app_rate_limited', { type: 'app_rate_limited', minute_rate_limited: 1_518_467_820 }],
  ['event_callback', { type: 'event_callback', event: null }],
  ['event_callback', { type: 'event_callback', event: { type: 7 } }],
  ['unknown', null],
] as const

test('an envelope without an inner event does not end the process, and is acknowledged', async () => {
  const slack = await rawSlack()
  const logger = keptJournal()
  const sockets = openSockets({
    appToken: { reveal: () => 'xapp-1' },
    apiUrl: slack.apiUrl,
    sdkLogger: silent,
    logger,
    clock: realClock,
    secondAfterMs: 60_000,
    pongMs: 10_000,
  })
  onTestFinished(() => sockets.stop())
  const bodies: unknown[] = []
  sockets.receiver.init({
    processEvent: async ({ body, ack }: { body: unknown; ack: () => Promise<void> }) => {
      bodies.push(body)
      await ack()
    },
  } as unknown as Parameters<typeof sockets.receiver.init>[0])
  await sockets.receiver.start()

  slack.say('null')
  slack.say('no JSON')
  for (const [index, [, payload]] of unreadable.entries()) {
    slack.say(JSON.stringify({ type: 'events_api', envelope_id: `bad-${index}`, payload }))
  }
  const payload = { type: 'event_callback', event: { type: 'app_home_opened' } }
  slack.say(JSON.stringify({ type: 'events_api', envelope_id: 'good', payload }))

  await expect.poll(() => slack.acknowledged()).toEqual(['bad-0', 'bad-1', 'bad-2', 'bad-3', 'good'])
  expect(bodies).toEqual([payload])
  expect(logger.entries.filter(({ event }) => event === 'socket:unreadable')).toEqual(
    ['no envelope', ...unreadable.map(([type]) => type)].map((type) => ({
      level: 'warn',
      event: 'socket:unreadable',
      facts: { type },
    })),
  )
  expect(sockets.connection()).toMatchObject({ ready: true, sockets: 1 })
})
