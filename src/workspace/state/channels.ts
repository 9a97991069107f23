import type { Fields } from './fields.ts'
import type { Ids } from './ids.ts'

export type ChannelKind = 'public' | 'private' | 'im'

export type Channel = {
  readonly id: string
  name: string
  readonly kind: ChannelKind
  readonly members: Set<string>
  archived: boolean
  readonly topic: string
}

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

const channelsMax = 1_000

export function openChannels(ids: Ids, botUserId: string) {
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
        members: new Set(ask.withBot === false ? members : [...members, botUserId]),
        archived: ask.archived ?? false,
        topic: ask.topic ?? '',
      }),
    find(ref: string): Channel | undefined {
      const name = ref.startsWith('#') ? ref.slice(1) : ref
      return (
        all.get(ref) ?? [...all.values()].find((channel) => channel.kind !== 'im' && channel.name === name)
      )
    },
    direct(userId: string): Channel {
      const known = [...all.values()].find((channel) => channel.kind === 'im' && channel.members.has(userId))
      return (
        known ??
        keep({
          id: ids.make('D'),
          name: '',
          kind: 'im',
          members: new Set([userId, botUserId]),
          archived: false,
          topic: '',
        })
      )
    },
  }
}

export function wireChannel(channel: Channel, botUserId: string): Fields {
  const { id, name, kind, archived: is_archived, members } = channel
  if (kind === 'im')
    return { id, is_archived, is_im: true, user: [...members].find((one) => one !== botUserId) }
  return { id, is_archived, name, is_private: kind === 'private', is_member: members.has(botUserId) }
}
