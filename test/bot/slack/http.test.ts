/** HTTP mode: only what Slack signed just now is read, and its acknowledgement is the answer. */
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { App } from '@slack/bolt'
import { expect, onTestFinished, test } from 'vitest'
import { realClock } from '../../../src/bot/clock.ts'
import { Secret } from '../../../src/bot/config/settings.ts'
import { silentLog } from '../../../src/bot/log.ts'
import { openHttp } from '../../../src/bot/slack/lines.ts'

type Event = { body: object; ack: (response?: unknown) => Promise<void> }
type How = { headers?: Record<string, string>; ageMs?: number; by?: string }

async function openDoor(process: (event: Event) => Promise<void> = ({ ack }) => ack()) {
  const line = openHttp(new Secret('canary-signing-secret'), '/ops', realClock, silentLog)
  const heard: object[] = []
  const processEvent = (event: Event) => {
    heard.push(event.body)
    return process(event)
  }
  line.receiver.init({ processEvent } as unknown as App)
  await line.receiver.start()
  const server = createServer((request, response) => line.handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const ask = (body: string, { headers = {}, ageMs = 0, by = 'canary-signing-secret' }: How = {}) => {
    const timestamp = String(Math.floor((realClock.nowMs() - ageMs) / 1000))
    const signature = createHmac('sha256', by).update(`v0:${timestamp}:${body}`).digest('hex')
    return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/ops/slack/events`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${signature}`,
        ...headers,
      },
    })
  }
  return { line, heard, ask }
}

const command = 'command=%2Fmon&text=alerts'
const json = { 'content-type': 'application/json' }

test('a command, a click and an event are read', async () => {
  const { heard, ask } = await openDoor()
  await ask(command)
  await ask(`payload=${encodeURIComponent('{"type":"block_actions"}')}`)
  await ask('{"type":"event_callback"}', { headers: json })
  expect(heard).toEqual([
    { command: '/mon', text: 'alerts' },
    { type: 'block_actions' },
    { type: 'event_callback' },
  ])
})

test.each<[how: string, over: How]>([
  ['with another secret', { by: 'another' }],
  ['without a signature', { headers: { 'x-slack-signature': '' } }],
  ['six minutes ago', { ageMs: 6 * 60_000 }],
  ['six minutes from now', { ageMs: -6 * 60_000 }],
  ['without a time', { headers: { 'x-slack-request-timestamp': 'now' } }],
])('what was sent %s is refused unread', async (_how, over) => {
  const { heard, ask } = await openDoor()
  expect((await ask(command, over)).status).toBe(401)
  expect(heard).toEqual([])
})

test('what is too large is refused', async () => {
  expect((await (await openDoor()).ask('x'.repeat(5 * 1024 * 1024))).status).toBe(413)
})

test('the acknowledgement is the answer: nothing, a text, or what a form is to do', async () => {
  const answers = [undefined, 'one moment', { response_action: 'errors' }]
  const { ask } = await openDoor(({ ack }) => ack(answers.shift()))
  expect(await (await ask(command)).text()).toBe('')
  expect(await (await ask(command)).text()).toBe('one moment')
  expect(await (await ask(command)).json()).toEqual({ response_action: 'errors' })
})

test('Slack proves the address, looks at the certificate unsigned, and waits while nobody leads', async () => {
  const { line, heard, ask } = await openDoor()
  const proof = await ask('{"type":"url_verification","challenge":"c"}', { headers: json })
  expect(await proof.json()).toEqual({ challenge: 'c' })
  expect((await ask('ssl_check=1&payload=%7B%7D', { by: 'another' })).status).toBe(200)
  await line.receiver.stop()
  expect((await ask(command)).status).toBe(503)
  expect(heard).toEqual([])
})
