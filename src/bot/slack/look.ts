/**
 * Finds again what our own app posted, by a key in the message's metadata. A channel or a thread is read as a whole or not at all: half a
 * history proves nothing.
 */
import { createHash } from 'node:crypto'
import type { WebClient } from '@slack/web-api'
import { codeOf, outcomeOf, whyOf } from './client.ts'
import type { Look, Seen } from './port.ts'

export const metadataType = 'monbot'
const pageMessages = 200
/** Ten minutes of a channel hold far less; more than this at once would use up the method's limit. */
const pagesMax = 20

/** A digest, since anybody in the workspace can read metadata. */
export function keyHash(postId: string): string {
  return createHash('sha256').update(postId).digest('hex').slice(0, 32)
}

/** Of a thread it reads the channel too, where Slack posts a reply that comes after the thread's first message was deleted. */
export async function lookFor(
  client: WebClient,
  botId: string,
  channel: string,
  threadTs: string | null,
  fromMs: number,
): Promise<Look> {
  let read: Look = { kind: 'read', channelId: channel, messages: [] }
  try {
    const place = /^[UW]/.test(channel) ? await directsOf(client, channel) : channel
    read = await readAll(client, botId, place, null, fromMs)
    if (threadTs === null || read.kind === 'unreadable') return read
    const replies = await readAll(client, botId, place, threadTs, fromMs)
    return replies.kind === 'read' ? { ...read, messages: [...read.messages, ...replies.messages] } : replies
  } catch (error) {
    if (codeOf(error) === 'thread_not_found') return read
    const outcome = outcomeOf(error)
    return { kind: 'unreadable', why: whyOf(outcome), isShut: outcome.kind === 'channel' }
  }
}

/** A post reaches a person by their own id; history asks for that of their direct messages. */
async function directsOf(client: WebClient, user: string): Promise<string> {
  const { channel } = await client.conversations.open({ users: user })
  return channel?.id ?? user
}

async function readAll(
  client: WebClient,
  botId: string,
  channel: string,
  threadTs: string | null,
  fromMs: number,
): Promise<Look> {
  const asked = {
    channel,
    oldest: (fromMs / 1000).toFixed(6),
    limit: pageMessages,
    include_all_metadata: true,
  }
  const pages =
    threadTs === null
      ? client.paginate('conversations.history', asked)
      : client.paginate('conversations.replies', { ...asked, ts: threadTs })
  const messages: Seen[] = []
  let read = 0
  for await (const { messages: listed = [] } of pages as AsyncIterable<{ messages?: Message[] }>) {
    if (read === pagesMax)
      return { kind: 'unreadable', why: 'the channel has more messages than are read at once', isShut: false }
    read += 1
    messages.push(...ownOf(listed, botId))
  }
  return { kind: 'read', channelId: channel, messages }
}

type Message = {
  readonly ts?: string
  readonly thread_ts?: string
  readonly bot_id?: string
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: unknown }
}

/** Any app may write metadata of our type, so the author decides. */
function ownOf(messages: readonly Message[], botId: string): Seen[] {
  return messages.flatMap(({ ts, thread_ts: threadTs, bot_id: author, metadata }) => {
    if (ts === undefined || author !== botId) return []
    const payload = metadata?.event_type === metadataType ? metadata.event_payload : undefined
    const key = (payload as { readonly key?: unknown } | undefined)?.key
    return [{ ts, key: typeof key === 'string' ? key : null, threadTs: threadTs ?? null }]
  })
}
