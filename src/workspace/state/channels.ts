/** The channels of the workspace: who is in them, what state they are in, and how the Web API gives them. */
import type { Fields } from './fields.ts'
import type { Ids } from './ids.ts'

export type ChannelKind = 'public' | 'private' | 'im'

export type Channel = {
  readonly id: string
  name: string
  readonly kind: ChannelKind
  readonly createdMs: number
  /** User ids, the bot's among them where it is in. */
  readonly members: Set<string>
  archived: boolean
  readonly topic: string
}

/** A channel to be made when the workspace opens. Everybody is in it, unless it says otherwise. */
export type ChannelAsk = {
  readonly id?: string
  readonly name: string
  readonly kind?: 'public' | 'private'
  readonly withBot?: boolean
  readonly archived?: boolean
  readonly topic?: string
}

export const usualChannels: readonly ChannelAsk[] = [
  { id: 'C0ALERTS01', name: 'alerts', withBot: true, topic: 'Every alert, as one living card' },
  { id: 'C0DB000001', name: 'db', withBot: true, topic: 'Databases and their disks' },
  { id: 'C0GENERAL1', name: 'general', withBot: true },
  { id: 'C0PRIVOPS1', name: 'private-ops', kind: 'private', withBot: true },
  { id: 'C0RANDOM01', name: 'random', withBot: false },
  { id: 'C0OLDALERT', name: 'old-alerts', withBot: true, archived: true },
]

export type Channels = ReturnType<typeof openChannels>

/** Channels and direct messages together. */
const channelsMax = 1_000

export function openChannels(ids: Ids, nowMs: () => number, botUserId: string) {
  const all = new Map<string, Channel>()

  function keep(channel: Channel): Channel {
    if (all.size >= channelsMax) throw new Error(`a workspace has at most ${channelsMax} channels`)
    all.set(channel.id, channel)
    return channel
  }

  return {
    all: all as ReadonlyMap<string, Channel>,
    add: (ask: ChannelAsk, members: readonly string[]): Channel =>
      keep({
        id: ask.id ?? ids.make('C'),
        name: ask.name,
        kind: ask.kind ?? 'public',
        createdMs: nowMs(),
        members: new Set(ask.withBot === false ? members : [...members, botUserId]),
        archived: ask.archived ?? false,
        topic: ask.topic ?? '',
      }),
    /** By id, or by name with or without `#`. */
    find(ref: string): Channel | undefined {
      const name = ref.startsWith('#') ? ref.slice(1) : ref
      return (
        all.get(ref) ?? [...all.values()].find((channel) => channel.kind !== 'im' && channel.name === name)
      )
    },
    /** The direct messages between the bot and a person, opened when there are none yet. */
    direct(userId: string): Channel {
      const known = [...all.values()].find((channel) => channel.kind === 'im' && channel.members.has(userId))
      return (
        known ??
        keep({
          id: ids.make('D'),
          name: '',
          kind: 'im',
          createdMs: nowMs(),
          members: new Set([userId, botUserId]),
          archived: false,
          topic: '',
        })
      )
    },
  }
}

/** `channel` as `conversations.info` gives it to the bot. */
export function wireChannel(channel: Channel, teamId: string, botUserId: string): Fields {
  const { id, name, kind, archived, members, topic, createdMs } = channel
  const common = {
    id,
    created: Math.floor(createdMs / 1_000),
    is_archived: archived,
    context_team_id: teamId,
  }
  if (kind === 'im') return { ...common, is_im: true, user: [...members].find((one) => one !== botUserId) }
  return {
    ...common,
    name,
    is_channel: kind === 'public',
    is_group: kind === 'private',
    is_im: false,
    is_private: kind === 'private',
    is_member: members.has(botUserId),
    topic: { value: topic, creator: '', last_set: 0 },
  }
}
