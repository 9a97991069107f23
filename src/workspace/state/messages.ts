/**
 * The messages of the workspace: in channels and threads, and the ephemeral ones that only one person sees. Kept in
 * memory and bounded; where a bound is met, the oldest goes.
 */
import type { Fields } from './fields.ts'

export type Metadata = { readonly event_type: string; readonly event_payload: Fields }

/** The content of a message; the rest of it says who, where and when. */
export type Body = {
  readonly text: string
  readonly blocks: readonly Fields[]
}

export type Message = Body & {
  readonly channelId: string
  readonly ts: string
  readonly userId: string
  readonly byBot: boolean
  readonly metadata?: Metadata
  readonly threadTs?: string
  /** A reply that the channel shows as well. */
  readonly isBroadcast?: true
  readonly edited?: { readonly user: string; readonly ts: string }
  readonly tombstone: boolean
  readonly isPinned?: true
  /** The files that it brings, by the address of each in its text. */
  readonly fileIds?: readonly string[]
  /** The one person who sees it, where it is ephemeral. */
  readonly onlyFor?: string
}

export type Draft = Body & {
  readonly channelId: string
  /** The bot's, where it is not given. */
  readonly userId?: string
  readonly metadata?: Metadata
  readonly threadTs?: string
  readonly isBroadcast?: true
  readonly fileIds?: readonly string[]
  readonly onlyFor?: string
}

/** Does the channel itself show it, and not only a thread? */
export function isInChannel({ threadTs, isBroadcast }: Pick<Message, 'threadTs' | 'isBroadcast'>): boolean {
  return threadTs === undefined || isBroadcast === true
}

const perChannelMax = 10_000
const ephemeralMax = 2_000

export function openMessages(nowMs: () => number, botUserId: string) {
  const timestamps = openTimestamps(nowMs)
  const channels = new Map<string, Map<string, Message>>()
  const ephemerals = new Map<string, Message>()
  /** Channel and parent → the timestamps of the replies, so that a page of history need not read the whole channel. */
  const threads = new Map<string, Set<string>>()

  // A Map keeps the order of insertion, and timestamps only grow: its first is the oldest.
  function keep(shelf: Map<string, Message>, message: Message, max: number): void {
    shelf.set(message.ts, message)
    if (shelf.size <= max) return
    for (const oldest of shelf.values()) {
      forget(oldest)
      break
    }
  }

  function forget(message: Message): void {
    shelfOf(message).delete(message.ts)
    const thread = threadOf(message)
    threads.get(thread)?.delete(message.ts)
    if (threads.get(thread)?.size === 0) threads.delete(thread)
  }

  const threadOf = ({ channelId, threadTs }: { channelId: string; threadTs?: string }): string =>
    `${channelId} ${threadTs ?? ''}`

  function shelfOf(message: { channelId: string; onlyFor?: string }): Map<string, Message> {
    if (message.onlyFor !== undefined) return ephemerals
    const shelf = channels.get(message.channelId) ?? new Map<string, Message>()
    channels.set(message.channelId, shelf)
    return shelf
  }

  /** The channel's own messages and its threads' replies, oldest first; nothing ephemeral. */
  const all = (channelId: string): readonly Message[] => [...(channels.get(channelId)?.values() ?? [])]

  return {
    add(draft: Draft): Message {
      const message: Message = {
        userId: botUserId,
        byBot: draft.userId === undefined,
        ...draft,
        ts: timestamps.next(),
        tombstone: false,
      }
      if (message.threadTs !== undefined && message.onlyFor === undefined) {
        const thread = threadOf(message)
        threads.set(thread, (threads.get(thread) ?? new Set()).add(message.ts))
      }
      keep(shelfOf(message), message, message.onlyFor === undefined ? perChannelMax : ephemeralMax)
      return message
    },
    /** Whatever stands there, ephemeral or not. */
    find(channelId: string, ts: string): Message | undefined {
      const quiet = ephemerals.get(ts)
      return channels.get(channelId)?.get(ts) ?? (quiet?.channelId === channelId ? quiet : undefined)
    },
    replace(message: Message): void {
      const shelf = shelfOf(message)
      if (shelf.has(message.ts)) shelf.set(message.ts, message)
    },
    remove: forget,
    all,
    /** The replies to a message, oldest first, without the message itself. */
    replies: (channelId: string, ts: string): readonly Message[] =>
      [...(threads.get(threadOf({ channelId, threadTs: ts })) ?? [])].flatMap(
        (reply) => channels.get(channelId)?.get(reply) ?? [],
      ),
    /** What only this person sees, oldest first. */
    ephemeral: (userId: string): readonly Message[] =>
      [...ephemerals.values()].filter((one) => one.onlyFor === userId),
    /** A fresh timestamp from the same row, for edits and events. */
    nextTs: () => timestamps.next(),
  }
}

/** Timestamps: strings of ten digits, a dot and six digits, unique and increasing in the whole workspace. `next` gives the clock's time, or one microsecond after the last where that is later. */
function openTimestamps(nowMs: () => number): { next(): string } {
  let lastMicros = 0
  return {
    next() {
      lastMicros = Math.max(Math.floor(nowMs() * 1_000), lastMicros + 1)
      return written(lastMicros)
    },
  }
}

/** The timestamp of a moment, to compare with those of messages. */
export function timestampAt(ms: number): string {
  return written(Math.floor(ms * 1_000))
}

export function isTimestamp(text: string): boolean {
  return /^\d{10}\.\d{6}$/.test(text)
}

/** A caller's `oldest`, `latest` or `ts` (`1700000000`, `1700000000.5`) in full length; undefined when it is no time. */
export function readTimestamp(text: string): string | undefined {
  const parts = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text)
  if (parts === null) return undefined
  return `${(parts[1] ?? '').padStart(10, '0')}.${(parts[2] ?? '').padEnd(6, '0')}`
}

function written(micros: number): string {
  const digits = String(micros).padStart(16, '0')
  return `${digits.slice(0, 10)}.${digits.slice(10)}`
}
