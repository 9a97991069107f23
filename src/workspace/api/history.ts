/** `conversations.history` and `conversations.replies`: what was said, as far as the bot may see it (slack-facts 3.1, 3.4). */

import type { Message } from '../state/messages.ts'
import type { State } from '../state/state.ts'
import { tellMessage } from '../state/tell-message.ts'
import { readTimestamp, timestampAt } from '../state/timestamps.ts'
import type { Args } from './args.ts'
import type { Method } from './call.ts'
import { type PageAsk, readPage } from './paging.ts'
import { reachToRead } from './reach.ts'
import { missing, type No, no, yes } from './reply.ts'

const paging = { usual: 100, max: 999 }

/** The channel's own messages, newest first; replies only where they were broadcast. */
export const history: Method = ({ state, args }) => {
  const reach = reachToRead(state, args)
  if (!reach.ok) return reach.reply
  const asked = readPage(args, paging)
  if (!asked.ok) return asked.reply
  const span = readSpan(args)
  if (!span.ok) return span.reply

  const own = visibleMessages(state, reach.channel.id).filter(
    (message) => (message.threadTs === undefined || message.broadcast) && span.holds(message),
  )
  const { shown, nextCursor } = page(own.toReversed(), asked.page, (message, after) => message.ts < after)
  return yes({
    messages: shown.map((message) => tellMessage(state, message, { withMetadata: wantsMetadata(args) })),
    has_more: nextCursor !== '',
    pin_count: 0,
    ...(nextCursor === '' ? {} : { response_metadata: { next_cursor: nextCursor } }),
  })
}

/** A thread: its first message, then the replies, oldest first. */
export const replies: Method = ({ state, args }) => {
  const reach = reachToRead(state, args)
  if (!reach.ok) return reach.reply
  const ts = args.text('ts')
  if (ts === undefined || ts === '') return missing('ts')
  const asked = readPage(args, paging)
  if (!asked.ok) return asked.reply
  const span = readSpan(args)
  if (!span.ok) return span.reply

  const visible = visibleMessages(state, reach.channel.id)
  const named = visible.find((message) => message.ts === ts)
  if (named === undefined) return no('thread_not_found')
  const parent =
    named.threadTs === undefined ? named : visible.find((message) => message.ts === named.threadTs)
  if (parent === undefined) return no('thread_not_found')
  const answers = visible.filter((message) => message.threadTs === parent.ts && span.holds(message))
  const { shown, nextCursor } = page(answers, asked.page, (message, after) => message.ts > after)
  return yes({
    messages: [parent, ...shown].map((message) =>
      tellMessage(state, message, { withMetadata: wantsMetadata(args) }),
    ),
    has_more: nextCursor !== '',
    ...(nextCursor === '' ? {} : { response_metadata: { next_cursor: nextCursor } }),
  })
}

/** What a lag does not hide yet. */
function visibleMessages(state: State, channelId: string): readonly Message[] {
  const all = state.messages.all(channelId)
  const lagMs = state.faults.historyLagMs(channelId)
  if (lagMs === 0) return all
  const newest = timestampAt(state.nowMs() - lagMs)
  return all.filter((message) => message.ts <= newest)
}

function wantsMetadata(args: Args): boolean {
  return args.flag('include_all_metadata') === true
}

type Span =
  | { readonly ok: true; holds(message: Message): boolean }
  | { readonly ok: false; readonly reply: No }

function readSpan(args: Args): Span {
  const oldest = readEdge(args, 'oldest')
  const latest = readEdge(args, 'latest')
  if (oldest === null) return { ok: false, reply: no('invalid_ts_oldest') }
  if (latest === null) return { ok: false, reply: no('invalid_ts_latest') }
  const inclusive = args.flag('inclusive') === true
  return {
    ok: true,
    holds({ ts }) {
      if (oldest !== undefined && (inclusive ? ts < oldest : ts <= oldest)) return false
      return latest === undefined || (inclusive ? ts <= latest : ts < latest)
    },
  }
}

/** Null when it was given and is no time. */
function readEdge(args: Args, name: string): string | undefined | null {
  const given = args.text(name)
  if (given === undefined || given === '') return undefined
  return readTimestamp(given) ?? null
}

/** Pages go by timestamp, not by place: a message that is deleted meanwhile moves nothing. */
function page(
  messages: readonly Message[],
  { limit, after }: PageAsk,
  comesAfter: (message: Message, after: string) => boolean,
): { readonly shown: readonly Message[]; readonly nextCursor: string } {
  const rest = after === undefined ? messages : messages.filter((message) => comesAfter(message, after))
  const shown = rest.slice(0, limit)
  const last = shown.at(-1)
  if (rest.length === shown.length || last === undefined) return { shown, nextCursor: '' }
  return { shown, nextCursor: Buffer.from(`next:${last.ts}`).toString('base64') }
}
