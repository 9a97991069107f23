/** A person talks, opens the bot's Home tab, or changes who is where; the bot hears of it where it has subscribed. */

import { type Reply, yes } from '../api/reply.ts'
import type { Channel } from '../state/channels.ts'
import { tidyText } from '../state/sanitize.ts'
import { post, remove } from '../state/speak.ts'
import { tellView } from '../state/tell-view.ts'
import { isTimestamp } from '../state/timestamps.ts'
import { personOf, refused, type Stage, tellBot } from './stage.ts'

export function say(
  stage: Stage,
  ask: {
    readonly user: string
    readonly channel: string
    readonly text: string
    readonly threadTs?: string | undefined
  },
): Reply {
  const person = personOf(stage, ask.user)
  if (!person.ok) return person.reply
  const { state } = stage
  const channel = state.channels.find(ask.channel)
  if (channel === undefined)
    return refused('channel_not_found', `there is no channel ${JSON.stringify(ask.channel)}`)
  if (!channel.members.has(person.id))
    return refused('not_in_channel', `this person is not in ${ask.channel}`)
  if (channel.archived) return refused('is_archived', `${ask.channel} is archived`)
  if (ask.text.trim() === '') return refused('no_text', 'expected a text, got nothing')
  if (ask.threadTs !== undefined) {
    const parent = isTimestamp(ask.threadTs) ? state.messages.find(channel.id, ask.threadTs) : undefined
    if (parent === undefined || parent.threadTs !== undefined || parent.onlyFor !== undefined) {
      return refused('thread_not_found', `there is no message ${ask.threadTs} in ${ask.channel} to reply to`)
    }
  }
  const message = post(state, {
    channelId: channel.id,
    userId: person.id,
    byBot: false,
    text: tidyText(ask.text, { links: true }),
    blocks: [],
    attachments: [],
    ...(ask.threadTs === undefined ? {} : { threadTs: ask.threadTs }),
  })
  // The bot is only told what is said where it is.
  if (channel.members.has(state.bot.userId)) {
    const event = {
      user: person.id,
      text: message.text,
      ts: message.ts,
      channel: channel.id,
      event_ts: message.ts,
      ...(ask.threadTs === undefined ? {} : { thread_ts: ask.threadTs }),
    }
    const kind = { public: 'channel', private: 'group', im: 'im' }[channel.kind]
    if (
      stage.botEvents.has(`message.${kind === 'channel' ? 'channels' : kind === 'group' ? 'groups' : 'im'}`)
    ) {
      stage.tries.send({ type: 'message', channel_type: kind, ...event })
    }
    if (ask.text.includes(`<@${state.bot.userId}>`)) tellBot(stage, { type: 'app_mention', ...event })
  }
  return yes({ channel: channel.id, ts: message.ts })
}

/** Only what nobody else sees can be put away. */
export function dismiss(
  stage: Stage,
  ask: { readonly user: string; readonly channel: string; readonly ts: string },
): Reply {
  const person = personOf(stage, ask.user)
  if (!person.ok) return person.reply
  const { state } = stage
  const channel = state.channels.find(ask.channel)
  const message = channel === undefined ? undefined : state.messages.find(channel.id, ask.ts)
  if (message?.onlyFor !== person.id) {
    return refused('message_not_found', `this person has no ephemeral message ${ask.ts} in ${ask.channel}`)
  }
  remove(state, message)
  return yes()
}

export function openHome(
  stage: Stage,
  ask: { readonly user: string; readonly tab?: 'home' | 'messages' | undefined },
): Reply {
  const person = personOf(stage, ask.user)
  if (!person.ok) return person.reply
  const { state } = stage
  const view = state.views.home(person.id)
  tellBot(stage, {
    type: 'app_home_opened',
    user: person.id,
    channel: state.channels.direct(person.id).id,
    tab: ask.tab ?? 'home',
    event_ts: state.messages.nextTs(),
    ...(view === undefined ? {} : { view: tellView(state, view, view.values) }),
  })
  return yes(view === undefined ? {} : { view_id: view.id })
}

/** `who` is a person's name or id, or `bot`. */
export function invite(stage: Stage, ask: { readonly channel: string; readonly who: string }): Reply {
  return withMember(stage, ask, (channel, userId) => {
    channel.members.add(userId)
    tellBot(stage, {
      type: 'member_joined_channel',
      user: userId,
      channel: channel.id,
      channel_type: letterOf(channel),
      team: stage.state.team.id,
      event_ts: stage.state.messages.nextTs(),
    })
    return 'joined'
  })
}

export function kick(stage: Stage, ask: { readonly channel: string; readonly who: string }): Reply {
  return withMember(stage, ask, (channel, userId) => {
    if (!channel.members.delete(userId)) return 'was not in'
    const event = { channel: channel.id, event_ts: stage.state.messages.nextTs() }
    if (userId === stage.state.bot.userId)
      tellBot(stage, { type: channel.kind === 'private' ? 'group_left' : 'channel_left', ...event })
    else {
      const more = { user: userId, channel_type: letterOf(channel), team: stage.state.team.id }
      tellBot(stage, { type: 'member_left_channel', ...event, ...more })
    }
    return 'left'
  })
}

export function archive(stage: Stage, ask: { readonly channel: string; readonly archived: boolean }): Reply {
  const { state } = stage
  const channel = state.channels.find(ask.channel)
  if (channel === undefined || channel.kind === 'im')
    return refused('channel_not_found', `there is no channel ${JSON.stringify(ask.channel)}`)
  channel.archived = ask.archived
  const what = ask.archived ? 'archive' : 'unarchive'
  state.events.tell({ type: 'channel_changed', channel: channel.id, what })
  tellBot(stage, {
    type: `${channel.kind === 'private' ? 'group' : 'channel'}_${what}`,
    channel: channel.id,
    event_ts: state.messages.nextTs(),
  })
  return yes()
}

function withMember(
  { state }: Stage,
  ask: { readonly channel: string; readonly who: string },
  change: (channel: Channel, userId: string) => string,
): Reply {
  const channel = state.channels.find(ask.channel)
  if (channel === undefined || channel.kind === 'im')
    return refused('channel_not_found', `there is no channel ${JSON.stringify(ask.channel)}`)
  const person = [...state.people.values()].find((one) => one.id === ask.who || one.name === ask.who)
  const userId = ask.who === 'bot' ? state.bot.userId : person?.id
  if (userId === undefined)
    return refused('user_not_found', `expected a person or bot, got ${JSON.stringify(ask.who)}`)
  const what = change(channel, userId)
  state.events.tell({ type: 'channel_changed', channel: channel.id, what, user: userId })
  return yes()
}

function letterOf(channel: Channel): string {
  return channel.kind === 'private' ? 'G' : 'C'
}
