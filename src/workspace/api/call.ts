/** The call of a Web API method: its arguments, the channels that it can write to, see and read, and its answer. */
import type { Channel, ChannelKind } from '../state/channels.ts'
import type { Fields } from '../state/fields.ts'
import type { State } from '../state/state.ts'
import { type Reply, refuse, refuseArguments } from './reply.ts'

export type Caller = 'bot' | 'app' | 'nobody'
export type Call = {
  readonly state: State
  readonly args: Args
  readonly caller: Caller
  readonly invite: () => string
}

export type Method = (call: Call) => Reply

export type Args = ReturnType<typeof readArgs>

export function readArgs(raw: Fields) {
  const given = new Map(Object.entries(raw).filter(([, value]) => value !== null && value !== undefined))

  function text(name: string): string | undefined {
    const value = given.get(name)
    if (typeof value === 'string') return value
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
  }

  return {
    text,
    need: (name: string): string => text(name) || refuseArguments(`missing required field: ${name}`),
    flag(name: string): boolean | undefined {
      const value = text(name)
      if (value === 'true' || value === '1') return true
      return value === 'false' || value === '0' ? false : undefined
    },
    whole(name: string): number | undefined {
      const value = text(name)
      if (value === undefined || value === '') return undefined
      return /^-?\d{1,9}$/.test(value) ? Number(value) : Number.NaN
    },
    json(name: string, error: string): unknown {
      const value = given.get(name)
      if (typeof value !== 'string') return value
      try {
        return JSON.parse(value)
      } catch {
        return refuse(error)
      }
    },
  }
}

export function reachToPost(state: State, args: Args): Channel {
  const ref = args.need('channel')
  const channel = state.people.has(ref) ? state.channels.direct(ref) : state.channels.find(ref)
  if (channel === undefined || isHidden(state, channel)) return refuse('channel_not_found')
  if (channel.archived) refuse('is_archived')
  if (!channel.members.has(state.bot.userId) && !state.bot.scopes.has('chat:write.public'))
    refuse('not_in_channel')
  return channel
}

/** The channel with an id: private channels without the bot do not exist for it. */
export function reachById(state: State, args: Args): Channel {
  const channel = state.channels.all.get(args.need('channel'))
  return channel === undefined || isHidden(state, channel) ? refuse('channel_not_found') : channel
}

export function reachToRead(state: State, args: Args): Channel {
  const channel = reachById(state, args)
  needScope(state, 'history', channel.kind)
  return channel.members.has(state.bot.userId) ? channel : refuse('not_in_channel')
}

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
