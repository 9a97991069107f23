/** A person writes, asks, opens the Home tab, or changes channels; the bot gets the events that it subscribed to. */
import { z } from 'zod'
import { readArgs } from '../api/call.ts'
import { isEmpty, readContent } from '../api/content.ts'
import { answerOf, type Reply, yes } from '../api/reply.ts'
import type { Happening } from '../state/events.ts'
import { isFields } from '../state/fields.ts'
import { tidyText } from '../state/sanitize.ts'
import { post, remove } from '../state/speak.ts'
import { wireView } from '../state/wire.ts'
import {
  channelOf,
  interact,
  name,
  personOf,
  refuseAct,
  responseUrl,
  type Stage,
  sendEvent,
  ts,
  typed,
} from './stage.ts'

export const sayShape = z.strictObject({ user: name, channel: name, text: typed, threadTs: ts.optional() })

export function say(stage: Stage, ask: z.output<typeof sayShape>): Reply {
  const { state } = stage
  const person = personOf(stage, ask.user)
  const channel = channelOf(stage, ask.channel, person)
  if (channel.archived) refuseAct('is_archived', `${ask.channel} is archived`)
  if (channel.kind === 'im' && !state.isMessagesTabOpen)
    refuseAct('restricted_action', 'the tab for messages to this app is read-only')
  if (ask.text.trim() === '') refuseAct('no_text', 'expected a text, got nothing')
  if (ask.threadTs !== undefined) {
    const parent = state.messages.find(channel.id, ask.threadTs)
    if (parent === undefined || parent.threadTs !== undefined || parent.onlyFor !== undefined)
      refuseAct('thread_not_found', `there is no message ${ask.threadTs} in ${ask.channel} to reply to`)
  }
  const message = post(state, {
    channelId: channel.id,
    userId: person.id,
    text: tidyText(ask.text, { links: true }),
    blocks: [],
    threadTs: ask.threadTs,
  })
  return yes({ channel: channel.id, ts: message.ts })
}

export const commandShape = z.strictObject({
  user: name,
  channel: name,
  command: name,
  text: typed.optional(),
})

/** `/command text` in a channel. An answer in the acknowledgement is shown, to the asker unless it says otherwise. */
export async function command(stage: Stage, ask: z.output<typeof commandShape>): Promise<Reply> {
  const { state } = stage
  const person = personOf(stage, ask.user)
  const channel = channelOf(stage, ask.channel, person)
  const known = state.commands.map((one) => one.command)
  if (!known.includes(ask.command))
    refuseAct('invalid_command', `expected ${known.join(', ')}, got ${JSON.stringify(ask.command)}`)
  const place = { channelId: channel.id, userId: person.id }
  const answer = await interact(stage, 'slash_command', person.id, 'slash_commands', {
    team_id: state.team.id,
    team_domain: state.team.domain,
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
  if (!isFields(answer)) return yes()
  const content = answerOf(() => readContent(state, readArgs(answer)))
  if ('error' in content) return { ...content, detail: `the bot's answer: ${content.error}` }
  const { text = '', blocks = [] } = content
  if (isEmpty(content)) return yes()
  const onlyFor = answer.response_type === 'in_channel' ? undefined : person.id
  return yes({ ts: post(state, { channelId: channel.id, text, blocks, onlyFor }).ts })
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

export const dismissShape = z.strictObject({ user: name, channel: name, ts })

export function dismiss(stage: Stage, ask: z.output<typeof dismissShape>): Reply {
  const { state } = stage
  const person = personOf(stage, ask.user)
  const channel = state.channels.find(ask.channel)
  const message = channel && state.messages.find(channel.id, ask.ts)
  if (message?.onlyFor !== person.id) {
    const why = `this person has no ephemeral message ${ask.ts} in ${ask.channel}`
    return refuseAct('message_not_found', why)
  }
  remove(state, message)
  return yes()
}

export const homeShape = z.strictObject({ user: name, tab: z.enum(['home', 'messages']).default('home') })

export function openHome(stage: Stage, ask: z.output<typeof homeShape>): Reply {
  const { state } = stage
  const person = personOf(stage, ask.user)
  const view = state.views.home(person.id)
  sendEvent(stage, {
    type: 'app_home_opened',
    user: person.id,
    channel: state.channels.direct(person.id).id,
    tab: ask.tab,
    event_ts: state.messages.nextTs(),
    ...(view === undefined ? {} : { view: wireView(state, view, view.values) }),
  })
  return yes(view === undefined ? {} : { view_id: view.id })
}

/** What the bot hears of messages where it is in, its own among them, by scope and subscription; mentions come once more. */
export function hearMessages(stage: Stage): void {
  stage.state.events.listen(({ event }) => hear(stage, event))
}

const messageEvents = {
  public: { subscription: 'message.channels', scope: 'channels:history', channel_type: 'channel' },
  private: { subscription: 'message.groups', scope: 'groups:history', channel_type: 'group' },
  im: { subscription: 'message.im', scope: 'im:history', channel_type: 'im' },
} as const

function hear(stage: Stage, event: Happening): void {
  const { state } = stage
  const { type, channel: id = '', ts = '', message } = event
  const channel = state.channels.all.get(id)
  const said = saidOf(event)
  if (said === undefined || channel === undefined || !channel.members.has(state.bot.userId)) return
  const { subscription, scope, channel_type } = messageEvents[channel.kind]
  const place = { type: 'message', channel: id, channel_type, event_ts: ts } as const
  if (state.bot.scopes.has(scope)) sendEvent(stage, { ...place, ...said }, subscription)
  // An edit that adds a mention is none; an app hears no mention in its own messages.
  const posted = type === 'message_posted' ? state.messages.find(id, ts) : undefined
  const isMention = posted?.text.includes(`<@${state.bot.userId}>`) === true && !posted.byBot
  if (isMention && channel.kind !== 'im' && state.bot.scopes.has('app_mentions:read'))
    sendEvent(stage, { ...message, ...place, type: 'app_mention' })
}

function saidOf({ type, ts, message }: Happening): object | undefined {
  if (type === 'message_posted') return message
  if (type === 'message_updated') return { subtype: 'message_changed', ts, message }
  return type === 'message_deleted' ? { subtype: type, hidden: true, ts, deleted_ts: ts } : undefined
}
