/** Messages, ephemeral ones too. Where a bound is met, the oldest goes. */
import type { Fields } from './fields.ts'

export type Metadata = { readonly event_type: string; readonly event_payload: Fields }

export type Body = {
  readonly text: string
  readonly blocks: readonly Fields[]
  readonly attachments?: readonly Fields[] | undefined
}

export type Message = Body & {
  readonly channelId: string
  readonly ts: string
  readonly userId: string
  readonly byBot: boolean
  readonly metadata?: Metadata | undefined
  readonly threadTs?: string | undefined
  readonly isBroadcast?: boolean
  readonly edited?: { readonly user: string; readonly ts: string } | undefined
  readonly tombstone: boolean
  /** Of the version before this one: somebody may have its buttons in front of them. */
  readonly replacedBlocks?: readonly Fields[]
  readonly isPinned?: true
  readonly fileIds?: readonly string[]
  readonly onlyFor?: string | undefined
}

/** Without a `userId` it is the bot's. */
export type Draft = Body & Pick<Message, 'channelId'> & Partial<Message>

export function isInChannel({ threadTs, isBroadcast }: Pick<Message, 'threadTs' | 'isBroadcast'>): boolean {
  return threadTs === undefined || isBroadcast === true
}

const shelfMax = 10_000

export function openMessages(nowMs: () => number, botUserId: string) {
  let lastMicros = 0
  const channels = new Map<string, Map<string, Message>>()
  const ephemerals = new Map<string, Message>()

  function shelfOf(message: Message): Map<string, Message> {
    if (message.onlyFor !== undefined) return ephemerals
    const shelf = channels.get(message.channelId) ?? new Map<string, Message>()
    channels.set(message.channelId, shelf)
    return shelf
  }

  const all = (channelId: string): readonly Message[] => [...(channels.get(channelId)?.values() ?? [])]

  /** Ten digits, a dot and six digits, unique and increasing in the whole workspace: the clock's time, or one microsecond after the last. */
  function nextTs(): string {
    lastMicros = Math.max(Math.floor(nowMs() * 1_000), lastMicros + 1)
    return String(lastMicros).padStart(16, '0').replace(/.{6}$/, '.$&')
  }

  return {
    add(draft: Draft): Message {
      const message: Message = {
        userId: botUserId,
        byBot: draft.userId === undefined,
        ...draft,
        ts: nextTs(),
        tombstone: false,
      }
      const shelf = shelfOf(message)
      shelf.set(message.ts, message)
      // A Map keeps the order of insertion, and timestamps only grow: its first is the oldest.
      const [oldest] = shelf.size > shelfMax ? shelf.keys() : []
      if (oldest !== undefined) shelf.delete(oldest)
      return message
    },
    find(channelId: string, ts: string): Message | undefined {
      const quiet = ephemerals.get(ts)
      return channels.get(channelId)?.get(ts) ?? (quiet?.channelId === channelId ? quiet : undefined)
    },
    replace(message: Message): void {
      const shelf = shelfOf(message)
      if (shelf.has(message.ts)) shelf.set(message.ts, message)
    },
    remove: (message: Message): void => void shelfOf(message).delete(message.ts),
    all,
    replies: (channelId: string, ts: string): readonly Message[] =>
      all(channelId).filter(({ threadTs }) => threadTs === ts),
    ephemeral: (userId: string): readonly Message[] =>
      [...ephemerals.values()].filter((one) => one.onlyFor === userId),
    nextTs,
  }
}

export function isTimestamp(text: string): boolean {
  return /^\d{10}\.\d{6}$/.test(text)
}
