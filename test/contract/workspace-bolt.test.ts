/** A real Bolt app on the workspace: a command, a button that updates its card, a modal with an error and then success. */
import { App, LogLevel, SocketModeReceiver } from '@slack/bolt'
import { afterEach, expect, test } from 'vitest'
import { eventually, fieldsOf, neighbour } from '../workspace/neighbour.ts'

const stopping: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop()
})

/** Bolt as slack-facts 1.6 says it must be built: a receiver with options of its own, initialised late. */
async function boltApp() {
  const { workspace } = await neighbour()
  const { apiUrl: slackApiUrl, appToken, botToken } = workspace
  const receiver = new SocketModeReceiver({
    appToken,
    clientPingTimeout: 5_000,
    logLevel: LogLevel.ERROR,
    installerOptions: { clientOptions: { slackApiUrl, timeout: 5_000 } },
  })
  const app = new App({
    token: botToken,
    receiver,
    deferInitialization: true,
    convoStore: false,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl, timeout: 5_000, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true },
  })
  await app.init()
  stopping.push(() => receiver.client.disconnect())
  return { workspace, app, start: () => receiver.client.start() }
}

const button = (text: string) => [
  { type: 'section' as const, text: { type: 'mrkdwn' as const, text } },
  {
    type: 'actions' as const,
    elements: [
      {
        type: 'button' as const,
        action_id: 'acknowledge',
        text: { type: 'plain_text' as const, text: 'Acknowledge' },
        value: '42',
      },
    ],
  },
]

test('a command is acknowledged, and answered through its response URL', async () => {
  const { workspace, app, start } = await boltApp()
  app.command('/mon', async ({ ack, respond, command }) => {
    await ack()
    await respond(`nothing for ${command.text}`)
  })
  await start()
  expect(
    await workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/mon', text: 'alerts' }),
  ).toEqual({ ok: true })
  const [answer] = await eventually(
    'the answer',
    () => workspace.ephemerals('ana').length > 0 && workspace.ephemerals('ana'),
  )
  expect(answer).toMatchObject({ text: 'nothing for alerts', channel: 'C0ALERTS01' })
})

test('a button changes its card for everybody', async () => {
  const { workspace, app, start } = await boltApp()
  app.action('acknowledge', async ({ ack, body, client, action }) => {
    await ack()
    if (body.type !== 'block_actions' || action.type !== 'button' || body.message === undefined)
      throw new Error('no button')
    const text = `${action.value} acknowledged by <@${body.user.id}>`
    await client.chat.update({ channel: body.channel?.id ?? '', ts: body.message.ts, text })
  })
  await start()
  const posted = await app.client.chat.postMessage({
    channel: '#alerts',
    text: 'down',
    blocks: button('down'),
  })
  const ts = posted.ts ?? ''
  expect(
    (await workspace.acts.click({ user: 'ana', channel: '#alerts', ts, actionId: 'acknowledge' })).ok,
  ).toBe(true)
  await eventually(
    'the update',
    () => workspace.messages('alerts')[0]?.text === '42 acknowledged by <@U0ANA00001>',
  )
  expect(workspace.messages('alerts')[0]).not.toHaveProperty('blocks')
})

test('a modal is opened, refused once, and then taken', async () => {
  const { workspace, app, start } = await boltApp()
  app.shortcut('mute', async ({ ack, shortcut, client }) => {
    await ack()
    await client.views.open({
      trigger_id: shortcut.trigger_id,
      view: {
        type: 'modal',
        callback_id: 'mute',
        title: { type: 'plain_text', text: 'Mute' },
        submit: { type: 'plain_text', text: 'Mute' },
        blocks: [
          {
            type: 'input',
            block_id: 'server',
            label: { type: 'plain_text', text: 'Server' },
            element: { type: 'plain_text_input', action_id: 'name' },
          },
        ],
      },
    })
  })
  const muted: unknown[] = []
  app.view('mute', async ({ ack, view }) => {
    const server = view.state.values.server?.name?.value
    if (server !== 'web-1') return ack({ response_action: 'errors', errors: { server: 'No such server.' } })
    muted.push(server)
    await ack()
  })
  await start()
  await workspace.acts.shortcut({ user: 'ana', callbackId: 'mute' })
  const [modal] = await eventually(
    'the modal',
    () => workspace.modals('ana').length > 0 && workspace.modals('ana'),
  )
  const viewId = String(fieldsOf(modal).id)
  const submit = (name: string) =>
    workspace.acts.submit({ user: 'ana', viewId, values: { server: { name } } })
  expect(await submit('web-9')).toEqual({
    ok: true,
    response_action: 'errors',
    errors: { server: 'No such server.' },
  })
  expect(workspace.modals('ana')).toHaveLength(1)
  expect(await submit('web-1')).toEqual({ ok: true })
  expect(workspace.modals('ana')).toEqual([])
  expect(muted).toEqual(['web-1'])
})

test('an event comes in, and the Home tab is published', async () => {
  const { workspace, app, start } = await boltApp()
  app.event('app_home_opened', async ({ event, client }) => {
    const view = { type: 'home' as const, blocks: button(`hello <@${event.user}>`) }
    await client.views.publish({ user_id: event.user, view })
  })
  await start()
  await workspace.acts.home({ user: 'cleo' })
  const home = await eventually('the Home tab', () => workspace.home('cleo'))
  expect(JSON.stringify(home)).toContain('hello <@U0CLEO0001>')
})
