/** HTTP mode at its door: what is really Slack's and new comes in once, everything else is turned away unread. */
import { App, LogLevel } from '@slack/bolt'
import { expect, test } from 'vitest'
import { Secret } from '../../../src/bot/config/secret.ts'
import { openHttpReceiver, signatureOf } from '../../../src/bot/slack/transport/http-receiver.ts'
import { keptJournal } from '../../support/journal.ts'
import { manualClock } from '../../support/manual-clock.ts'

const secret = 'canary-signing-secret'
const form = 'application/x-www-form-urlencoded'
const command = 'command=%2Fmon&text=status&user_id=U1&channel_id=C1&trigger_id=1.2.a'

async function door() {
  const clock = manualClock()
  const logger = keptJournal()
  const receiver = openHttpReceiver({ signingSecret: new Secret(secret), clock, logger })
  const app = new App({
    receiver,
    convoStore: false,
    logLevel: LogLevel.ERROR,
    authorize: async () => ({ botId: 'B1', botUserId: 'U0', botToken: 'xoxb-x' }),
  })
  const heard: unknown[] = []
  app.command(/.*/, async ({ body, ack }) => {
    heard.push(body.text)
    if (body.text === 'boom') throw new Error('a bug')
    if (body.text !== 'hang') await ack(body.text === 'words' ? 'hello' : undefined)
  })
  app.error(async (error) => {
    throw error
  })
  app.view(/.*/, ({ ack }) => ack({ response_action: 'errors', errors: { text: 'no' } }))
  app.event('app_home_opened', async ({ event }) => {
    heard.push(event.user)
  })
  await receiver.start()

  const send = (body: string | ReadableStream<Uint8Array>, headers: Record<string, string>) =>
    receiver.handle(
      new Request('http://127.0.0.1/slack/events', { method: 'POST', body, headers, duplex: 'half' }),
    )
  const signed = (
    body: string,
    over: { type?: string; aheadMs?: number; headers?: Record<string, string> } = {},
  ) => {
    const timestamp = String(Math.floor((clock.nowMs() + (over.aheadMs ?? 0)) / 1000))
    return send(body, {
      'content-type': over.type ?? form,
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signatureOf(secret, timestamp, Buffer.from(body)),
      ...over.headers,
    })
  }
  return { clock, logger, receiver, heard, send, signed }
}

const told = async (response: Response) => [response.status, await response.text()]

test('a command comes in, and an acknowledgement without words is an empty answer', async () => {
  const { signed, heard } = await door()
  expect(await told(await signed(command))).toEqual([200, ''])
  expect(await told(await signed(command.replace('status', 'words')))).toEqual([200, 'hello'])
  expect(heard).toEqual(['status', 'words'])
})

test('a content type with a charset is read as well', async () => {
  const { signed, heard } = await door()
  await signed(command, { type: `${form}; charset=utf-8` })
  expect(heard).toEqual(['status'])
})

test('the answer to a form is the body, as JSON', async () => {
  const { signed } = await door()
  const view = { id: 'V1', callback_id: 'add_note', state: { values: {} } }
  const payload = { type: 'view_submission', user: { id: 'U1' }, team: { id: 'T1' }, view }
  const response = await signed(new URLSearchParams({ payload: JSON.stringify(payload) }).toString())
  expect(response.headers.get('content-type')).toContain('application/json')
  expect(await response.json()).toEqual({ response_action: 'errors', errors: { text: 'no' } })
})

test('an event comes in as JSON', async () => {
  const { signed, heard } = await door()
  const event = { type: 'app_home_opened', user: 'U1', tab: 'home' }
  const body = JSON.stringify({ type: 'event_callback', team_id: 'T1', event })
  expect((await signed(body, { type: 'application/json' })).status).toBe(200)
  expect(heard).toEqual(['U1'])
})

test('what is not signed, or signed by somebody else, is refused unread', async () => {
  const { signed, send, heard, logger } = await door()
  const refused = [
    await send(command, { 'content-type': form }),
    await signed(command, { headers: { 'x-slack-signature': `v0=${'0'.repeat(64)}` } }),
    await signed(command, { headers: { 'x-slack-signature': 'v0=short' } }),
    await signed(command, { headers: { 'x-slack-signature': `v1=${'0'.repeat(64)}` } }),
    await signed(command, { headers: { 'x-slack-request-timestamp': '1e9' } }),
    await signed(command, { headers: { 'x-slack-request-timestamp': '' } }),
  ]
  for (const response of refused) expect(await told(response)).toEqual([401, ''])
  expect(heard).toEqual([])
  expect(JSON.stringify(logger.entries)).not.toContain(secret)
})

test('each unsigned request was a line of the log', async () => {
  const { send, logger, receiver, clock } = await door()
  const lines = () =>
    logger.entries
      .filter(({ event }) => event === 'request:refused')
      .map(({ facts }) => `${facts.why} ×${facts.count}`)
  const unsigned = async (times: number) => {
    for (let at = 0; at < times; at += 1) await send(command, { 'content-type': form })
  }
  await unsigned(1)
  expect(lines()).toEqual(['not_signed ×1'])
  await unsigned(1_000)
  await clock.advance(59_999)
  await unsigned(1)
  expect(lines()).toEqual(['not_signed ×1'])
  await send('x'.repeat(1_000_001), { 'content-type': form })
  expect(lines()).toEqual(['not_signed ×1', 'too_large ×1'])
  await clock.advance(1)
  await unsigned(3)
  expect(lines()).toEqual(['not_signed ×1', 'too_large ×1', 'not_signed ×1002'])
  await receiver.stop()
  expect(lines().slice(3)).toEqual(['not_signed ×2'])
})

test('a body that was changed on the way is refused', async () => {
  const { clock, send, heard } = await door()
  const timestamp = String(Math.floor(clock.nowMs() / 1000))
  const signature = signatureOf(secret, timestamp, Buffer.from(command))
  const headers = {
    'content-type': form,
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': signature,
  }
  expect((await send(command.replace('U1', 'U2'), headers)).status).toBe(401)
  expect(heard).toEqual([])
})

test.each([
  [-300_000, 200],
  [300_000, 200],
  [-301_000, 401],
  [301_000, 401],
])('a timestamp that is %i ms off: %i', async (aheadMs, status) => {
  const { signed } = await door()
  expect((await signed(command, { aheadMs })).status).toBe(status)
})

test('the same request again has no second effect, for as long as its timestamp is good', async () => {
  const { signed, heard, clock } = await door()
  await signed(command, { aheadMs: 300_000 })
  expect(await told(await signed(command, { aheadMs: 300_000 }))).toEqual([200, ''])
  clock.advance(600_000)
  expect(await told(await signed(command, { aheadMs: -300_000 }))).toEqual([200, ''])
  clock.advance(1_000)
  expect((await signed(command, { aheadMs: -301_000 })).status).toBe(401)
  expect(heard).toEqual(['status'])
})

test('what was not done may come again with the same signature', async () => {
  const { signed, heard } = await door()
  const boom = command.replace('status', 'boom')
  expect((await signed(boom)).status).toBe(500)
  expect((await signed(boom)).status).toBe(500)
  expect(heard).toEqual(['boom', 'boom'])
})

test('nobody who acknowledges within three seconds is an answer that Slack may try again', async () => {
  const { signed, clock } = await door()
  const answering = signed(command.replace('status', 'hang'))
  await expect.poll(() => clock.nextWakeMs()).toBe(clock.nowMs() + 3_000)
  clock.advance(3_000)
  const response = await answering
  expect(response.status).toBe(503)
  expect(response.headers.get('x-slack-no-retry')).toBeNull()
})

test('a body that is too large is refused before it is read, with and without its length said', async () => {
  const { send, heard } = await door()
  let pulled = 0
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled += 1
      controller.enqueue(new Uint8Array(100_000))
    },
  })
  const streamed = await send(endless, { 'content-type': form })
  expect(streamed.status).toBe(413)
  expect(pulled).toBeLessThan(20)
  const said = await send('x'.repeat(1_000_001), { 'content-type': form })
  expect([said.status, said.headers.get('x-slack-no-retry')]).toEqual([413, '1'])
  expect(heard).toEqual([])
})

test('a body that is cut off is refused', async () => {
  const { send } = await door()
  const cut = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(10)),
    pull: (controller) => controller.error(new Error('reset')),
  })
  expect((await send(cut, { 'content-type': form })).status).toBe(400)
})

test('what is signed but cannot be read is not asked for again', async () => {
  const { signed } = await door()
  const unreadable = [
    await signed('{', { type: 'application/json' }),
    await signed('[]', { type: 'application/json' }),
    await signed('payload=%7B'),
    await signed(command, { type: 'text/plain' }),
  ]
  for (const response of unreadable) {
    expect([response.status, response.headers.get('x-slack-no-retry')]).toEqual([400, '1'])
  }
})

test('the URL is verified only for who signs, and the certificate check is answered to everybody', async () => {
  const { signed, send, heard } = await door()
  const body = JSON.stringify({ type: 'url_verification', challenge: '3eZb' })
  const json = { 'content-type': 'application/json' }
  expect(await (await signed(body, { type: json['content-type'] })).json()).toEqual({ challenge: '3eZb' })
  expect((await send(body, json)).status).toBe(401)
  expect(await told(await send('token=x&ssl_check=1', { 'content-type': form }))).toEqual([200, ''])
  expect(heard).toEqual([])
})

test('before it is started and after it is stopped, nothing is taken', async () => {
  const { receiver, signed, heard } = await door()
  expect(receiver.state().ready).toBe(true)
  await receiver.stop()
  expect(receiver.state().ready).toBe(false)
  expect((await signed(command)).status).toBe(503)
  expect(heard).toEqual([])
})

test('A long body that is not signed is not even looked into', async () => {
  const { send } = await door()
  const headers = { 'content-type': form }
  expect((await send('ssl_check=1&token=x', headers)).status).toBe(200)
  expect((await send(`ssl_check=1&token=${'x'.repeat(900_000)}`, headers)).status).toBe(401)
})
