/** A workspace with a small bot in it: a real Bolt app on its own Socket Mode receiver. For tests in the browser. */
import { App, LogLevel, SocketModeReceiver } from '@slack/bolt'
import type { KnownBlock, ModalView } from '@slack/types'
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../support/slack.ts'
import { afterPages } from './browser.ts'

export type Stage = {
  readonly workspace: Workspace
  readonly bot: App
  /** Posts a red card; answers its timestamp. */
  card(title: string): Promise<string>
  /** Turns a card green, in place. */
  close(ts: string, title: string): Promise<void>
  /** The bot goes away, and nobody answers any more. */
  leave(): Promise<void>
}

export async function openStage(options: WorkspaceOptions = {}): Promise<Stage> {
  const workspace = await openWorkspace({
    limits: 'off',
    commands: [{ command: '/mon', usageHint: '[help | status | alerts | mute]' }, { command: '/silent' }],
    ...options,
  })
  afterPages(() => workspace.close())
  const { apiUrl: slackApiUrl, appToken, botToken } = workspace
  const receiver = new SocketModeReceiver({
    appToken,
    logLevel: LogLevel.ERROR,
    installerOptions: { clientOptions: { slackApiUrl } },
  })
  const bot = new App({
    token: botToken,
    receiver,
    deferInitialization: true,
    convoStore: false,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl, retryConfig: { retries: 0 } },
  })
  await bot.init()
  listen(bot)
  await receiver.client.start()
  let isHere = true
  const leave = async (): Promise<void> => {
    if (isHere) await receiver.client.disconnect()
    isHere = false
  }
  afterPages(leave)

  return {
    workspace,
    bot,
    leave,
    async card(title) {
      const { ts = '' } = await bot.client.chat.postMessage({ channel: '#alerts', ...redCard(title) })
      return ts
    },
    async close(ts, title) {
      await bot.client.chat.update({ channel: workspace.channel('alerts').id, ts, ...greenLine(title) })
    },
  }
}

function listen(bot: App): void {
  bot.action('acknowledge', async ({ ack, body, client }) => {
    await ack()
    if (body.type !== 'block_actions' || body.message === undefined || body.channel === undefined) return
    const title = String(body.message.text)
    const state = `:eyes: Acknowledged by <@${body.user.id}>`
    await client.chat.update({ channel: body.channel.id, ts: body.message.ts, ...redCard(title, state) })
  })
  bot.action('mute_server', async ({ ack, action, respond }) => {
    await ack()
    if (action.type !== 'static_select') return
    await respond({ text: `Muted for ${action.selected_option.text.text}.`, replace_original: false })
  })
  bot.action('more', async ({ ack, action, body, client }) => {
    await ack()
    if (action.type !== 'static_select' || action.selected_option.value !== 'add_note') return
    if (body.type === 'block_actions')
      await client.views.open({ trigger_id: body.trigger_id, view: noteForm })
  })
  bot.view('note', async ({ ack, view, client, body }) => {
    const note = view.state.values.note?.text?.value ?? ''
    if (!note.includes(' ')) {
      return ack({ response_action: 'errors', errors: { note: 'Say it in more than one word.' } })
    }
    await ack()
    const whom = view.state.values.whom?.person?.selected_user
    await client.chat.postMessage({ channel: '#alerts', text: `<@${body.user.id}> to <@${whom}>: ${note}` })
  })
  bot.command('/mon', async ({ ack, command, respond }) => {
    await ack()
    await respond(command.text === 'alerts' ? 'No open alerts.' : `I do not know \`${command.text}\`.`)
  })
  bot.command('/silent', () => Promise.resolve())
}

/** Publishes a Home tab for whoever opens it. Not every stage wants this one: two that answer one opening overtake each other. */
export function greetAtHome(bot: App): void {
  bot.event('app_home_opened', async ({ event, client }) => {
    await client.views.publish({
      user_id: event.user,
      view: {
        type: 'home',
        blocks: [
          { type: 'section', text: { type: 'mrkdwn', text: '*Open alerts*' } },
          { type: 'section', text: { type: 'mrkdwn', text: `Hello <@${event.user}>, all is well.` } },
        ],
      },
    })
  })
}

const plain = (text: string) => ({ type: 'plain_text' as const, text })
const section = (text: string): KnownBlock => ({ type: 'section', text: { type: 'mrkdwn', text } })

/** A card as the bot posts it, with a state line or without one. */
function redCard(title: string, state?: string): { text: string; blocks: KnownBlock[] } {
  const durations = ['30 minutes', '1 hour'].map((text) => ({ text: plain(text), value: text }))
  return {
    text: title,
    blocks: [
      section(`:red_circle: *${title}*`),
      { type: 'context', elements: [{ type: 'mrkdwn', text: 'role web · 4th this week' }] },
      ...(state === undefined ? [] : [section(state)]),
      {
        type: 'actions',
        block_id: 'actions',
        elements: [
          { type: 'button', action_id: 'acknowledge', text: plain('Acknowledge'), value: title },
          { type: 'static_select', action_id: 'mute_server', placeholder: plain('Mute'), options: durations },
          {
            type: 'static_select',
            action_id: 'more',
            placeholder: plain('More…'),
            options: [{ text: plain('Note…'), value: 'add_note' }],
          },
        ],
      },
    ],
  }
}

function greenLine(title: string): { text: string; blocks: KnownBlock[] } {
  return { text: `${title} ended`, blocks: [section(`:large_green_circle: ${title} ended after 4 min`)] }
}

const noteForm: ModalView = {
  type: 'modal',
  callback_id: 'note',
  title: plain('Add a note'),
  submit: plain('Add'),
  close: plain('Not now'),
  blocks: [
    {
      type: 'input',
      block_id: 'note',
      label: plain('Note'),
      element: { type: 'plain_text_input', action_id: 'text', multiline: true },
    },
    {
      type: 'input',
      block_id: 'whom',
      label: plain('For whom'),
      element: { type: 'users_select', action_id: 'person', placeholder: plain('Choose') },
    },
  ],
}
