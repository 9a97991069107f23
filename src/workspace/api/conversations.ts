/** `conversations.*` other than history: which channels there are, who is in them, joining and opening. */
import { tellChannel } from '../state/channels.ts'
import type { Method } from './call.ts'
import { cut, readPage } from './paging.ts'
import { lackingScope, reachById } from './reach.ts'
import { badArguments, missing, no, yes } from './reply.ts'

export const info: Method = ({ state, args }) => {
  const reach = reachById(state, args)
  if (!reach.ok) return reach.reply
  const { channel } = reach
  // The scope im:read stands for direct messages only; every bot may look at its own.
  const lacking = channel.kind === 'im' ? undefined : lackingScope(state, 'read', channel.kind)
  if (lacking !== undefined) return lacking
  const count = args.flag('include_num_members') === true
  return yes({ channel: tellChannel(channel, state.team.id, state.bot.userId, count) })
}

const listKinds: Readonly<Record<string, 'public' | 'private' | 'im' | 'mpim'>> = {
  public_channel: 'public',
  private_channel: 'private',
  im: 'im',
  mpim: 'mpim',
}

export const list: Method = ({ state, args }) => {
  const asked = readPage(args, { usual: 100, max: 1_000 })
  if (!asked.ok) return asked.reply
  const types = args.has('types') ? args.list('types') : ['public_channel']
  const kinds = types.map((type) => listKinds[type])
  if (kinds.includes(undefined)) return no('invalid_types')
  for (const kind of ['public', 'private', 'im'] as const) {
    const lacking = kinds.includes(kind) ? lackingScope(state, 'read', kind) : undefined
    if (lacking !== undefined) return lacking
  }
  const noArchived = args.flag('exclude_archived') === true
  const shown = [...state.channels.all.values()].filter(
    (channel) =>
      kinds.includes(channel.kind) &&
      (channel.kind === 'public' || channel.members.has(state.bot.userId)) &&
      !(noArchived && channel.archived),
  )
  const { items, nextCursor } = cut(shown, (channel) => channel.id, asked.page)
  return yes({
    channels: items.map((channel) => tellChannel(channel, state.team.id, state.bot.userId, true)),
    response_metadata: { next_cursor: nextCursor },
  })
}

export const join: Method = ({ state, args }) => {
  const reach = reachById(state, args)
  if (!reach.ok) return reach.reply
  const { channel } = reach
  if (channel.kind !== 'public') return no('method_not_supported_for_channel_type')
  if (channel.archived) return no('is_archived')
  const wasIn = channel.members.has(state.bot.userId)
  channel.members.add(state.bot.userId)
  if (!wasIn) {
    state.events.tell({
      type: 'channel_changed',
      channel: channel.id,
      what: 'joined',
      user: state.bot.userId,
    })
  }
  return yes({
    channel: tellChannel(channel, state.team.id, state.bot.userId, false),
    ...(wasIn
      ? { warning: 'already_in_channel', response_metadata: { warnings: ['already_in_channel'] } }
      : {}),
  })
}

export const members: Method = ({ state, args }) => {
  const reach = reachById(state, args)
  if (!reach.ok) return reach.reply
  const lacking = lackingScope(state, 'read', reach.channel.kind)
  if (lacking !== undefined) return lacking
  const asked = readPage(args, { usual: 100, max: 1_000 })
  if (!asked.ok) return asked.reply
  const { items, nextCursor } = cut([...reach.channel.members], (id) => id, asked.page)
  return yes({ members: items, response_metadata: { next_cursor: nextCursor } })
}

/** Direct messages with one person; groups of people are not offered. */
export const open: Method = ({ state, args }) => {
  if (args.has('channel')) {
    const reach = reachById(state, args)
    if (!reach.ok) return reach.reply
    if (reach.channel.kind !== 'im') return no('method_not_supported_for_channel_type')
    return yes({ no_op: true, already_open: true, channel: { id: reach.channel.id } })
  }
  const users = args.list('users')
  const [user] = users
  if (user === undefined) return missing('users')
  if (users.length > 1)
    return badArguments('expected one user: direct messages of several people are not supported here')
  if (!state.people.has(user)) return no('user_not_found')
  const known = [...state.channels.all.values()].some((one) => one.kind === 'im' && one.members.has(user))
  const channel = state.channels.direct(user)
  const more =
    args.flag('return_im') === true ? tellChannel(channel, state.team.id, state.bot.userId, false) : {}
  return yes({ ...(known ? { no_op: true, already_open: true } : {}), channel: { ...more, id: channel.id } })
}
