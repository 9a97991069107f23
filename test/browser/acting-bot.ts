/** What the small bot can do beside its cards: receipts, roles, a Home tab with buttons, hand-backs. */
import type { App, BlockButtonAction } from '@slack/bolt'
import type { KnownBlock, ModalView } from '@slack/types'

const plain = (text: string) => ({ type: 'plain_text' as const, text })
const section = (text: string): KnownBlock => ({ type: 'section', text: { type: 'mrkdwn', text } })
const button = (action: string, text: string, value = text) => ({
  type: 'button' as const,
  action_id: action,
  text: plain(text),
  value,
})
const row = (...elements: ReturnType<typeof button>[]): KnownBlock => ({ type: 'actions', elements })

export type Acted = {
  /** What came with the roles' modal, and with a press on Home. */
  readonly heard: unknown[]
  /** Lets the modal that is working on it finish. */
  finish(): void
}

export function listenToActs(bot: App): Acted {
  const heard: unknown[] = []
  const slow = Promise.withResolvers<void>()

  bot.command('/monitor', async ({ ack, respond }) => {
    await ack()
    const text = 'Hides 2 open alerts (14 last week).'
    await respond({
      text,
      blocks: [section(text), row(button('confirm', 'Mute 3 servers'), button('cancel', 'Cancel'))],
    })
  })
  bot.action('confirm', async ({ ack, respond }) => {
    await ack()
    const text = ':no_bell: 3 servers are muted until 15:00.'
    await respond({ replace_original: true, text, blocks: [section(text), row(button('undo', 'Undo'))] })
  })
  bot.action('undo', async ({ ack, respond }) => {
    await ack()
    await respond({ replace_original: true, text: 'Undone: nothing is muted.' })
  })

  bot.shortcut('mute_server', async ({ ack, shortcut, client }) => {
    await ack()
    await client.views.open({ trigger_id: shortcut.trigger_id, view: rolesForm })
  })
  bot.options('roles', async ({ ack, payload }) => {
    const found = ['db', 'db-replica', 'web'].filter((name) => name.startsWith(payload.value))
    await ack({ options: found.map((name) => ({ text: plain(`role ${name}`), value: name })) })
  })
  bot.view('roles', async ({ ack, view, client }) => {
    const { values } = view.state
    heard.push(values.roles?.roles?.selected_options)
    if (values.fresh?.text?.value === 'not a role') {
      return ack({ response_action: 'errors', errors: { fresh: 'A role has no spaces.' } })
    }
    await ack({ response_action: 'update', view: outcome('Working on it…') })
    await slow.promise
    await client.views.update({ view_id: view.id, view: outcome('web-1 has the roles db and web now.') })
  })

  bot.event('app_home_opened', async ({ event, client }) => {
    await client.views.publish({ user_id: event.user, view: home('web-1 is muted by <@U0BEN00001>') })
  })
  bot.action('unmute_server', async ({ ack, action, body, client }) => {
    await ack()
    heard.push(action.type === 'button' && action.value)
    await client.views.publish({ user_id: body.user.id, view: home('Nothing is muted.') })
  })
  bot.action<BlockButtonAction>('extend_mute', async ({ ack, body, client }) => {
    await ack()
    // A response URL has no thread: Slack would show its answer in the channel.
    const { channel_id, thread_ts } = body.container
    const to = { channel: String(channel_id), user: body.user.id, thread_ts: String(thread_ts) }
    await client.chat.postEphemeral({ ...to, text: 'Muted one hour longer.' })
  })
  return { heard, finish: () => slow.resolve() }
}

function home(state: string): { type: 'home'; blocks: KnownBlock[] } {
  return {
    type: 'home',
    blocks: [
      section('*Muted*'),
      {
        ...section(state),
        type: 'section',
        accessory: button('unmute_server', 'Unmute', 'server:web-1'),
      } as KnownBlock,
    ],
  }
}

const rolesForm: ModalView = {
  type: 'modal',
  callback_id: 'roles',
  title: plain('Add roles'),
  submit: plain('Add'),
  blocks: [
    {
      type: 'input',
      block_id: 'roles',
      label: plain('Roles'),
      element: {
        type: 'multi_external_select',
        action_id: 'roles',
        min_query_length: 1,
        placeholder: plain('Choose'),
      },
    },
    {
      type: 'input',
      block_id: 'fresh',
      optional: true,
      label: plain('New roles'),
      element: { type: 'plain_text_input', action_id: 'text' },
    },
  ],
}

const outcome = (text: string): ModalView => ({
  type: 'modal',
  callback_id: 'outcome',
  title: plain('Add roles'),
  close: plain('Close'),
  blocks: [section(text)],
})

/** A hand-back, as it stands in a thread. */
export const handback: KnownBlock[] = [
  section('The mute of web-1 ends in 10 minutes. 1 alert is open.'),
  row(button('extend_mute', 'Extend 1 h'), button('unmute_now', 'Unmute now')),
]
