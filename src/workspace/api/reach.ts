/** Which channels the bot can write to, see and read, and which of Slack's words says why not. */
import type { Channel, ChannelKind } from '../state/channels.ts'
import type { State } from '../state/state.ts'
import type { Args } from './call.ts'
import { refuse } from './reply.ts'

/** For posts: by id, by name, or a user id, which opens the direct messages. */
export function reachToPost(state: State, args: Args): Channel {
  const ref = args.need('channel')
  const channel = state.people.has(ref) ? state.channels.direct(ref) : state.channels.find(ref)
  if (channel === undefined || isHidden(state, channel)) return refuse('channel_not_found')
  if (channel.archived) refuse('is_archived')
  if (!channel.members.has(state.bot.userId) && !state.bot.scopes.has('chat:write.public'))
    refuse('not_in_channel')
  return channel
}

/** For everything that names a channel by its id: private channels without the bot do not exist for it. */
export function reachById(state: State, args: Args): Channel {
  const channel = state.channels.all.get(args.need('channel'))
  return channel === undefined || isHidden(state, channel) ? refuse('channel_not_found') : channel
}

/** For history and replies: the scope of this kind of channel, and membership (slack-facts 3.3). */
export function reachToRead(state: State, args: Args): Channel {
  const channel = reachById(state, args)
  needScope(state, 'history', channel.kind)
  return channel.members.has(state.bot.userId) ? channel : refuse('not_in_channel')
}

/** `missing_scope` when the bot may not do this with this kind of channel. */
export function needScope(state: State, family: 'history' | 'read', kind: ChannelKind): void {
  const needed = `${{ public: 'channels', private: 'groups', im: 'im' }[kind]}:${family}`
  if (!state.bot.scopes.has(needed)) refuseScope(state, needed)
}

export function refuseScope(state: State, needed: string): never {
  refuse('missing_scope', { needed, provided: [...state.bot.scopes].join(',') })
}

function isHidden(state: State, channel: Channel): boolean {
  return channel.kind !== 'public' && !channel.members.has(state.bot.userId)
}
