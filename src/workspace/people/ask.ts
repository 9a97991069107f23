/** A person asks the bot: slash commands, shortcuts, the options of an external select (docs/slack.md#requests, docs/slack.md#forms). */

import { z } from 'zod'
import { readArgs } from '../api/call.ts'
import { isEmpty, readContent } from '../api/content.ts'
import { answerOf, type Reply, yes } from '../api/reply.ts'
import { checkBlocks } from '../blocks/check.ts'
import { isFields } from '../state/fields.ts'
import { post } from '../state/speak.ts'
import { wireMessage } from '../state/wire.ts'
import { inMessage, inView, placeOf } from './click.ts'
import { elementsIn } from './elements.ts'
import {
  basePayload,
  channelOf,
  channelPayload,
  homeOf,
  interact,
  messageSeenBy,
  name,
  personOf,
  refuseAct,
  responseUrl,
  type Stage,
  ts,
  typed,
} from './stage.ts'

export const commandShape = z.strictObject({
  user: name,
  channel: name,
  command: name,
  text: typed.optional(),
})

/** `/command text` in a channel. An answer in the acknowledgement is shown, to the asker unless it says otherwise. */
export async function command(stage: Stage, ask: z.output<typeof commandShape>): Promise<Reply> {
  const { state, commands } = stage
  const person = personOf(stage, ask.user)
  const channel = channelOf(stage, ask.channel)
  if (!channel.members.has(person.id)) refuseAct('not_in_channel', `this person is not in ${ask.channel}`)
  if (!/^\/\S{1,31}$/.test(ask.command) || (commands !== undefined && !commands.has(ask.command))) {
    const known = commands ? [...commands].join(', ') : '/name'
    refuseAct('invalid_command', `expected ${known}, got ${JSON.stringify(ask.command)}`)
  }
  const place = { channelId: channel.id, userId: person.id }
  const { teamId, enterpriseId } = homeOf(stage, person)
  const answer = await interact(stage, 'slash_command', person.id, 'slash_commands', {
    team_id: teamId,
    team_domain: state.team.domain,
    ...(enterpriseId === null ? {} : { enterprise_id: enterpriseId, enterprise_name: enterpriseId }),
    channel_id: channel.id,
    channel_name: { public: channel.name, private: 'privategroup', im: 'directmessage' }[channel.kind],
    user_id: person.id,
    user_name: person.name,
    command: ask.command,
    text: escaped(ask.text ?? ''),
    api_app_id: state.appId,
    is_enterprise_install: 'false',
    response_url: responseUrl(stage, 'commands', place),
    trigger_id: state.triggers.issue(person.id),
  })
  return showAnswer(stage, answer, place)
}

function showAnswer({ state }: Stage, answer: unknown, place: { channelId: string; userId: string }): Reply {
  if (!isFields(answer)) return yes()
  const content = answerOf(() => readContent(state, readArgs(answer), 'post'))
  if ('error' in content) return { ...content, detail: `the bot's answer: ${content.error}` }
  const { text, blocks } = content
  if (isEmpty({ text, blocks })) return yes()
  const message = post(state, {
    channelId: place.channelId,
    text: text ?? '',
    blocks: blocks ?? [],
    ...(answer.response_type === 'in_channel' ? {} : { onlyFor: place.userId }),
  })
  return yes({ ts: message.ts })
}

export const shortcutShape = z.strictObject({
  user: name,
  callbackId: name,
  message: z.strictObject({ channel: name, ts }).optional(),
})

/** A global shortcut, or with a message one of its own. */
export async function shortcut(stage: Stage, ask: z.output<typeof shortcutShape>): Promise<Reply> {
  const person = personOf(stage, ask.user)
  const { state } = stage
  const common = () => ({
    ...basePayload(stage, person),
    callback_id: ask.callbackId,
    trigger_id: state.triggers.issue(person.id),
    action_ts: state.messages.nextTs(),
  })
  if (ask.message === undefined) {
    await interact(stage, 'shortcut', person.id, 'interactive', { type: 'shortcut', ...common() })
    return yes()
  }
  const { channel, message } = messageSeenBy(stage, person.id, ask.message)
  if (message.onlyFor !== undefined) refuseAct('message_not_found', 'an ephemeral message has no shortcuts')
  await interact(stage, 'message_action', person.id, 'interactive', {
    type: 'message_action',
    ...common(),
    channel: channelPayload(channel),
    message_ts: message.ts,
    message: wireMessage(state, message, { withMetadata: true }),
    response_url: responseUrl(stage, 'actions', {
      channelId: channel.id,
      userId: person.id,
      messageTs: message.ts,
    }),
  })
  return yes()
}

const typing = { user: name, actionId: name, value: typed }
export const suggestShape = z.union([
  z.strictObject({ ...typing, ...inMessage }),
  z.strictObject({ ...typing, ...inView }),
])

/** A person types into an external select: the options that the bot answers with. */
export async function suggest(stage: Stage, ask: z.output<typeof suggestShape>): Promise<Reply> {
  const person = personOf(stage, ask.user)
  const place = placeOf(stage, ask, person)
  const element = elementsIn(place.blocks).find((one) => one.actionId === ask.actionId)
  if (element === undefined || !element.type.endsWith('external_select')) {
    return refuseAct(
      'unknown_action',
      `expected the action id of an external select, got ${JSON.stringify(ask.actionId)}`,
    )
  }
  const least = typeof element.fields.min_query_length === 'number' ? element.fields.min_query_length : 3
  if (ask.value.length < least) return yes({ sent: false, options: [] })
  // It has neither a trigger nor a response URL.
  const answer = await interact(stage, 'block_suggestion', person.id, 'interactive', {
    type: 'block_suggestion',
    ...basePayload(stage, person),
    action_id: element.actionId,
    block_id: element.blockId,
    value: ask.value,
    ...place.payload(),
  })
  return readOptions(answer)
}

/** The options have to pass as those of a static select would. */
function readOptions(answer: unknown): Reply {
  const { options } = isFields(answer) ? answer : {}
  if (Array.isArray(options) && options.length === 0) return yes({ sent: true, options })
  const [first] = checkBlocks([{ type: 'actions', elements: [{ type: 'static_select', options }] }])
  if (first !== undefined) {
    const pointer = first.pointer.replace('/blocks/0/elements/0', '')
    refuseAct('invalid_options', `${first.message} at ${pointer}`)
  }
  return yes({ sent: true, options })
}

/** Command text arrives with the three characters of markup escaped. */
function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
