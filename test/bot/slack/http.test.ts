/** HTTP mode: only what Slack signed just now is read, and its acknowledgement is the answer. */
import type { App } from '@slack/bolt'
import { expect, test } from 'vitest'
import { Secret } from '../../../src/bot/config/settings.ts'
import { silentLog } from '../../../src/bot/log.ts'
import { openHttp, signatureOf } from '../../../src/bot/slack/http.ts'
import { handClock } from '../worlds/hand-clock.ts'

const secret = new Secret('canary-signing-secret')
type Event = { body: object; ack: (response?: unknown) => Promise<void> }

async function openDoor(process: (event: Event) => Promise<void> = ({ ack }) => ack()) {
  const clock = handClock()
  const line = openHttp(secret, clock, silentLog)
  const heard: Event[] = []
  const processEvent = (event: Event) => {
    heard.push(event)
    return process(event)
  }
  line.receiver.init({ processEvent } as unknown as App)
  await line.receiver.start()
  const ask = (
    body: string,
    over: { headers?: Record<string, string>; ageMs?: number; by?: Secret } = {},
  ) => {
    const timestamp = String(Math.floor((clock.nowMs() - (over.ageMs ?? 0)) / 1000))
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signatureOf(over.by ?? secret, timestamp, Buffer.from(body)),
      ...over.headers,
    }
    return line.handle(new Request('http://bot/slack/events', { method: 'POST', body, headers }))
  }
  return { line, clock, heard, ask }
}

const command = 'command=%2Fmon&text=alerts'
const json = { 'content-type': 'application/json; charset=utf-8' }

test('a command, a click and an event are read', async () => {
  const { heard, ask } = await openDoor()
  await ask(command)
  await ask(`payload=${encodeURIComponent('{"type":"block_actions"}')}`)
  await ask('{"type":"event_callback"}', { headers: json })
  expect(heard).toMatchObject([
    { body: { command: '/mon', text: 'alerts' } },
    { body: { type: 'block_actions' } },
    { body: { type: 'event_callback' } },
  ])
})

test.each([
  ['with another secret', { by: new Secret('another') }, 401],
  ['without a signature', { headers: { 'x-slack-signature': '' } }, 401],
  ['with a signature in other letters', { headers: { 'x-slack-signature': `v0=${'é'.repeat(64)}` } }, 401],
  ['six minutes ago', { ageMs: 6 * 60_000 }, 401],
  ['six minutes from now', { ageMs: -6 * 60_000 }, 401],
  ['without a time', { headers: { 'x-slack-request-timestamp': 'now' } }, 401],
  ['as something that nobody can read', { headers: { 'content-type': 'text/plain' } }, 400],
])('what was sent %s is refused unread', async (_how, over, status) => {
  const { heard, ask } = await openDoor()
  expect((await ask(command, over)).status).toBe(status)
  expect(heard).toEqual([])
})

test('what is too large is refused, and Slack need not send it again', async () => {
  const { ask } = await openDoor()
  const response = await ask('x'.repeat(1_000_001))
  expect([response.status, response.headers.get('x-slack-no-retry')]).toEqual([413, '1'])
})

test('the acknowledgement is the answer: nothing, a text, or what a form is to do', async () => {
  const answers = [undefined, 'one moment', { response_action: 'errors' }]
  const { ask } = await openDoor(({ ack }) => ack(answers.shift()))
  expect(await (await ask(command)).text()).toBe('')
  expect(await (await ask(command)).text()).toBe('one moment')
  expect(await (await ask(command)).json()).toEqual({ response_action: 'errors' })
})

test('what is not acknowledged in three seconds fails, and so does what throws', async () => {
  const { clock, ask } = await openDoor(() => new Promise(() => {}))
  const late = ask(command)
  await clock.runFor(3_000)
  expect((await late).status).toBe(503)
  const broken = await openDoor(() => Promise.reject(new Error('broken')))
  expect((await broken.ask(command)).status).toBe(500)
})

test('Slack proves the address before the start, and looks at the certificate unsigned', async () => {
  const { line, heard, ask } = await openDoor()
  await line.receiver.stop()
  const proof = await ask('{"type":"url_verification","challenge":"c"}', { headers: json })
  expect(await proof.json()).toEqual({ challenge: 'c' })
  expect((await ask('ssl_check=1&token=x', { by: new Secret('another') })).status).toBe(200)
  expect((await ask(command)).status).toBe(503)
  expect(heard).toEqual([])
})
