/** A person asks the bot: slash commands, shortcuts, the options of an external select (slack-facts 4.3, 2.4). */

import { readArgs } from '../api/args.ts'
import { isEmpty, readContent } from '../api/content.ts'
import { type Reply, yes } from '../api/reply.ts'
import { checkBlocks } from '../blocks/check.ts'
import { type Fields, isFields, itemsOf } from '../state/fields.ts'
import { post } from '../state/speak.ts'
import { tellMessage } from '../state/tell-message.ts'
import { tellView } from '../state/tell-view.ts'
import { elementsIn, valuesOf } from './elements.ts'
import { basePayload, interact, personOf, refused, responseUrl, type Stage, userPayload } from './stage.ts'

/** `/command text` in a channel. An answer in the acknowledgement is shown, to the asker unless it says otherwise. */
export async function command(
  stage: Stage,
  ask: {
    readonly user: string
    readonly channel: string
    readonly command: string
    readonly text?: string | undefined
  },
): Promise<Reply> {
  const person = personOf(stage, ask.user)
  if (!person.ok) return person.reply
  const { state, commands } = stage
  const channel = state.channels.find(ask.channel)
  if (channel === undefined)
    return refused('channel_not_found', `there is no channel ${JSON.stringify(ask.channel)}`)
  if (!channel.members.has(person.id))
    return refused('not_in_channel', `this person is not in ${ask.channel}`)
  if (!/^\/\S{1,31}$/.test(ask.command) || (commands !== undefined && !commands.has(ask.command))) {
    return refused(
      'invalid_command',
      `expected ${commands ? [...commands].join(', ') : '/name'}, got ${JSON.stringify(ask.command)}`,
    )
  }
  const place = { channelId: channel.id, userId: person.id }
  const answered = await interact(stage, 'slash_command', person.id, 'slash_commands', {
    team_id: state.team.id,
    team_domain: state.team.domain,
    channel_id: channel.id,
    channel_name:
      channel.kind === 'im' ? 'directmessage' : channel.kind === 'private' ? 'privategroup' : channel.name,
    user_id: person.id,
    user_name: person.name,
    command: ask.command,
    text: escaped(ask.text ?? ''),
    api_app_id: state.appId,
    is_enterprise_install: 'false',
    response_url: responseUrl(stage, 'commands', place),
    trigger_id: state.triggers.issue({ userId: person.id }),
  })
  if (!answered.ok) return answered.reply
  return showAnswer(stage, answered.payload, place)
}

function showAnswer({ state }: Stage, payload: unknown, place: { channelId: string; userId: string }): Reply {
  if (!isFields(payload) || Object.keys(payload).length === 0) return yes()
  const read = readContent(state, readArgs(payload), 'post')
  if (!read.ok) return { ...read.reply, detail: `the bot's answer: ${read.reply.error}` }
  if (isEmpty(read.content)) return yes()
  const message = post(state, {
    channelId: place.channelId,
    userId: state.bot.userId,
    byBot: true,
    text: read.content.text ?? '',
    blocks: read.content.blocks ?? [],
    attachments: read.content.attachments ?? [],
    ...(payload.response_type === 'in_channel' ? {} : { onlyFor: place.userId }),
  })
  return yes({ ts: message.ts })
}

/** A global shortcut, or with a message one of its own. */
export async function shortcut(
  stage: Stage,
  ask: {
    readonly user: string
    readonly callbackId: string
    readonly message?: { readonly channel: string; readonly ts: string } | undefined
  },
): Promise<Reply> {
  const person = personOf(stage, ask.user)
  if (!person.ok) return person.reply
  const { state } = stage
  const common = {
    ...basePayload(stage),
    callback_id: ask.callbackId,
    trigger_id: state.triggers.issue({ userId: person.id }),
    user: userPayload(stage, person),
    action_ts: state.messages.nextTs(),
  }
  if (ask.message === undefined) {
    const answered = await interact(stage, 'shortcut', person.id, 'interactive', {
      type: 'shortcut',
      ...common,
    })
    return answered.ok ? yes() : answered.reply
  }
  const channel = state.channels.find(ask.message.channel)
  const message = channel === undefined ? undefined : state.messages.find(channel.id, ask.message.ts)
  if (channel === undefined || message === undefined || message.onlyFor !== undefined || message.tombstone) {
    return refused('message_not_found', `there is no message ${ask.message.ts} in ${ask.message.channel}`)
  }
  if (channel.kind !== 'public' && !channel.members.has(person.id)) {
    return refused('not_in_channel', `this person is not in ${ask.message.channel}`)
  }
  const answered = await interact(stage, 'message_action', person.id, 'interactive', {
    type: 'message_action',
    ...common,
    channel: { id: channel.id, name: channel.kind === 'im' ? 'directmessage' : channel.name },
    message_ts: message.ts,
    message: tellMessage(state, message, { withMetadata: true }),
    response_url: responseUrl(stage, 'actions', {
      channelId: channel.id,
      userId: person.id,
      messageTs: message.ts,
    }),
  })
  return answered.ok ? yes() : answered.reply
}

/** A person types into an external select: the options that the bot answers with. */
export async function suggest(
  stage: Stage,
  ask: { readonly user: string; readonly actionId: string; readonly value: string } & (
    | { readonly channel: string; readonly ts: string }
    | { readonly viewId: string }
  ),
): Promise<Reply> {
  const person = personOf(stage, ask.user)
  if (!person.ok) return person.reply
  const place = suggestPlace(stage, ask, person.id)
  if (place === undefined)
    return refused('not_found', 'there is no such message or view in front of this person')
  const element = elementsIn(place.blocks).find((one) => one.actionId === ask.actionId)
  if (element === undefined || !element.type.endsWith('external_select')) {
    return refused(
      'unknown_action',
      `expected the action id of an external select, got ${JSON.stringify(ask.actionId)}`,
    )
  }
  const least = typeof element.fields.min_query_length === 'number' ? element.fields.min_query_length : 3
  if (ask.value.length < least) return yes({ sent: false, options: [] })
  const answered = await interact(stage, 'block_suggestion', person.id, 'interactive', {
    type: 'block_suggestion',
    ...basePayload(stage),
    user: userPayload(stage, person),
    action_id: element.actionId,
    block_id: element.blockId,
    value: ask.value,
    ...place.payload,
  })
  if (!answered.ok) return answered.reply
  return readOptions(isFields(answered.payload) ? answered.payload : {})
}

function suggestPlace(
  { state }: Stage,
  ask: { readonly channel: string; readonly ts: string } | { readonly viewId: string },
  userId: string,
): { readonly blocks: readonly unknown[]; readonly payload: Fields } | undefined {
  if ('viewId' in ask) {
    const view = state.views.find(ask.viewId)
    if (view === undefined || view.userId !== userId) return undefined
    const told = tellView(state, view, valuesOf(view.ask.blocks, view.values))
    return { blocks: view.ask.blocks, payload: { container: { type: 'view', view_id: view.id }, view: told } }
  }
  const channel = state.channels.find(ask.channel)
  const message = channel === undefined ? undefined : state.messages.find(channel.id, ask.ts)
  if (channel === undefined || message === undefined) return undefined
  return {
    blocks: message.blocks,
    payload: {
      container: {
        type: 'message',
        message_ts: message.ts,
        channel_id: channel.id,
        is_ephemeral: message.onlyFor !== undefined,
      },
      channel: { id: channel.id, name: channel.name },
      message: tellMessage(state, message, { withMetadata: false }),
    },
  }
}

/** The options have to pass as those of a static select would. */
function readOptions(payload: Fields): Reply {
  const { options, option_groups: groups } = payload
  if ((options === undefined) === (groups === undefined)) {
    return refused('invalid_options', 'expected exactly one of options and option_groups')
  }
  if (itemsOf(options ?? groups).length === 0) return yes({ sent: true, options: [] })
  const select = {
    type: 'static_select',
    action_id: 'x',
    ...(options === undefined ? { option_groups: groups } : { options }),
  }
  const faults = checkBlocks([{ type: 'actions', elements: [select] }])
  const [first] = faults
  if (first !== undefined)
    return refused(
      'invalid_options',
      `${first.message} at ${first.pointer.replace('/blocks/0/elements/0', '')}`,
    )
  return yes({ sent: true, ...(options === undefined ? { option_groups: groups } : { options }) })
}

/** Command text arrives with the three characters of markup escaped. */
function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
