/** A real Bolt app in HTTP mode on the workspace: Bolt's own receiver is the judge of how requests are made and signed. */
import { App, HTTPReceiver, LogLevel } from '@slack/bolt'
import { expect, onTestFinished, test } from 'vitest'
import { patienceMs } from '../support/patience.ts'
import { openWorkspace } from '../support/slack.ts'
import { eventually } from '../workspace/neighbour.ts'

const signingSecret = 'canary-signing-secret-90be'

async function boltApp() {
  const receiver = new HTTPReceiver({ signingSecret, port: 0, logLevel: LogLevel.ERROR })
  const workspace = await openWorkspace({
    limits: 'off',
    http: { requestUrl: 'http://127.0.0.1:9/', signingSecret },
  })
  const app = new App({
    token: workspace.botToken,
    receiver,
    deferInitialization: true,
    convoStore: false,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: workspace.apiUrl, timeout: patienceMs, retryConfig: { retries: 0 } },
  })
  await app.init()
  const server = await receiver.start({ port: 0, host: '127.0.0.1' })
  onTestFinished(async () => {
    await workspace.close()
    await receiver.stop()
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the receiver has no port')
  return { app, workspace, url: `http://127.0.0.1:${address.port}/slack/events` }
}

test('the URL is verified; then commands, modals and events come in, and forged requests do not', async () => {
  const { app, workspace, url } = await boltApp()
  const heard: string[] = []
  app.command('/mon', async ({ ack, respond, command, client }) => {
    await ack()
    heard.push(command.text)
    await respond({ text: `nothing for ${command.text}` })
    await client.views.open({
      trigger_id: command.trigger_id,
      view: {
        type: 'modal',
        callback_id: 'note',
        title: { type: 'plain_text', text: 'Add a note' },
        submit: { type: 'plain_text', text: 'Add' },
        blocks: [
          {
            type: 'input',
            block_id: 'note',
            label: { type: 'plain_text', text: 'Note' },
            element: { type: 'plain_text_input', action_id: 'text' },
          },
        ],
      },
    })
  })
  app.view('note', async ({ ack, view }) => {
    const note = view.state.values.note?.text?.value ?? ''
    if (note === 'short') return ack({ response_action: 'errors', errors: { note: 'Say more.' } })
    heard.push(note)
    await ack()
  })
  app.event('app_home_opened', async ({ event }) => {
    heard.push(String(event.tab))
  })

  const { acts } = workspace
  expect(await acts.requestUrl({ url })).toEqual({ ok: true })
  expect(await acts.sslCheck()).toEqual({ ok: true })
  const mon = { user: 'ana', channel: '#alerts', command: '/mon', text: 'web-1 & more' }
  expect(await acts.command(mon)).toEqual({ ok: true })
  await eventually('the answer', () => workspace.ephemerals('ana').length > 0)
  const modal = await eventually('the modal', () => workspace.modals('ana')[0])
  const submit = (text: string) =>
    acts.submit({ user: 'ana', viewId: String(modal.id), values: { note: { text } } })
  expect(await submit('short')).toMatchObject({ response_action: 'errors' })
  expect(await submit('rebooting')).toEqual({ ok: true })
  expect(workspace.modals('ana')).toEqual([])
  await acts.home({ user: 'ana' })
  await eventually('the event', () => heard.includes('home'))

  for (const fault of [
    { kind: 'forged_signature' } as const,
    { kind: 'no_signature' } as const,
    { kind: 'shifted_timestamp', seconds: -301 } as const,
  ]) {
    await acts.requestFault(fault)
    expect(await acts.command(mon)).toMatchObject({ ok: false, detail: 'the bot answered 401' })
  }
  expect(heard).toEqual(['web-1 &amp; more', 'rebooting', 'home'])
})
