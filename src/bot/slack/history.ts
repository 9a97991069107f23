/** Reads what our own app posted in a channel or a thread, all of it or nothing: half a history proves nothing. */
import type { WebClient } from '@slack/web-api'
import { metadataType } from './key.ts'
import { codeOf, outcomeOf } from './outcomes.ts'
import type { Look, Seen } from './port.ts'

const pageMessages = 200
/** Ten minutes of a channel hold far less; more than this at once would use up the method's limit. */
const pagesMax = 20

/** Of a thread whose first message is gone it reads the channel, where Slack posts replies then. */
export async function lookFor(
  client: WebClient,
  botId: string,
  channel: string,
  threadTs: string | null,
  fromMs: number,
): Promise<Look> {
  try {
    return await readAll(client, botId, channel, threadTs, fromMs)
  } catch (error) {
    if (threadTs !== null && codeOf(error) === 'thread_not_found')
      return lookFor(client, botId, channel, null, fromMs)
    const outcome = outcomeOf(error)
    if (outcome.kind === 'channel') return { kind: 'unreadable', why: outcome.why, isShut: true }
    return { kind: 'unreadable', why: 'why' in outcome ? outcome.why : outcome.kind, isShut: false }
  }
}

async function readAll(
  client: WebClient,
  botId: string,
  channel: string,
  threadTs: string | null,
  fromMs: number,
): Promise<Look> {
  const messages: Seen[] = []
  const oldest = (fromMs / 1000).toFixed(6)
  let cursor = ''
  for (let page = 0; page < pagesMax; page += 1) {
    const ask = {
      channel,
      oldest,
      limit: pageMessages,
      include_all_metadata: true,
      ...(cursor && { cursor }),
    }
    const answer =
      threadTs === null
        ? await client.conversations.history(ask)
        : await client.conversations.replies({ ...ask, ts: threadTs })
    messages.push(...ownOf(answer.messages ?? [], botId))
    cursor = answer.response_metadata?.next_cursor ?? ''
    if (cursor === '') return { kind: 'read', messages }
  }
  return { kind: 'unreadable', why: 'the channel has more messages than are read at once', isShut: false }
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
