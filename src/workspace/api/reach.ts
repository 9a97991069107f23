/** Which channels the bot can write to, see and read, and which of Slack's words says why not. */

import type { Channel, ChannelKind } from '../state/channels.ts'
import type { State } from '../state/state.ts'
import type { Args } from './args.ts'
import { missing, type No, no } from './reply.ts'

export type Reach =
  | { readonly ok: true; readonly channel: Channel }
  | { readonly ok: false; readonly reply: No }

/** For posts: by id, by name, or a user id, which opens the direct messages. */
export function reachToPost(state: State, args: Args): Reach {
  const ref = args.text('channel')
  if (ref === undefined || ref === '') return { ok: false, reply: missing('channel') }
  const channel = state.people.has(ref) ? state.channels.direct(ref) : state.channels.find(ref)
  if (channel === undefined || isHidden(state, channel)) return { ok: false, reply: no('channel_not_found') }
  if (channel.archived) return { ok: false, reply: no('is_archived') }
  const mayWrite = channel.members.has(state.bot.userId) || state.bot.scopes.has('chat:write.public')
  return mayWrite ? { ok: true, channel } : { ok: false, reply: no('not_in_channel') }
}

/** For everything that names a channel by its id: private channels without the bot do not exist for it. */
export function reachById(state: State, args: Args): Reach {
  const id = args.text('channel')
  if (id === undefined || id === '') return { ok: false, reply: missing('channel') }
  const channel = state.channels.all.get(id)
  if (channel === undefined || isHidden(state, channel)) return { ok: false, reply: no('channel_not_found') }
  return { ok: true, channel }
}

/** For history and replies: the scope of this kind of channel, and membership (slack-facts 3.3). */
export function reachToRead(state: State, args: Args): Reach {
  const found = reachById(state, args)
  if (!found.ok) return found
  const lacking = lackingScope(state, 'history', found.channel.kind)
  if (lacking !== undefined) return { ok: false, reply: lacking }
  if (!found.channel.members.has(state.bot.userId)) return { ok: false, reply: no('not_in_channel') }
  return found
}

/** `missing_scope` when the bot may not do this with this kind of channel. */
export function lackingScope(state: State, family: 'history' | 'read', kind: ChannelKind): No | undefined {
  const needed = `${{ public: 'channels', private: 'groups', im: 'im' }[kind]}:${family}`
  return state.bot.scopes.has(needed) ? undefined : missingScope(state, needed)
}

export function missingScope(state: State, needed: string): No {
  return no('missing_scope', { needed, provided: [...state.bot.scopes].join(',') })
}

function isHidden(state: State, channel: Channel): boolean {
  return channel.kind !== 'public' && !channel.members.has(state.bot.userId)
}
