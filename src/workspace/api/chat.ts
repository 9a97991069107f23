/** `chat.*`: posts, updates, deletions, ephemeral messages and permalinks, by Slack's rules (slack-facts 3.3). */

import type { Message } from '../state/messages.ts'
import { change, post, remove } from '../state/speak.ts'
import type { State } from '../state/state.ts'
import { tellMessage } from '../state/tell-message.ts'
import { isTimestamp } from '../state/timestamps.ts'
import type { Args } from './args.ts'
import type { Method } from './call.ts'
import { isEmpty, readContent } from './content.ts'
import { reachById, reachToPost } from './reach.ts'
import { missing, type No, no, type Reply, yes } from './reply.ts'

export const postMessage: Method = ({ state, args }) => {
  const reach = reachToPost(state, args)
  if (!reach.ok) return reach.reply
  const { channel } = reach
  const read = readContent(state, args, 'post')
  if (!read.ok) return read.reply
  const { content } = read
  if (isEmpty(content)) return no('no_text')
  const thread = readThread(state, args, channel.id)
  if (!thread.ok) return thread.reply

  const links = args.flag('unfurl_links')
  const media = args.flag('unfurl_media')
  const message = post(state, {
    channelId: channel.id,
    userId: state.bot.userId,
    byBot: true,
    text: content.text ?? '',
    blocks: content.blocks ?? [],
    attachments: content.attachments ?? [],
    ...(content.metadata ? { metadata: content.metadata } : {}),
    ...(thread.ts === undefined ? {} : { threadTs: thread.ts }),
    broadcast: thread.ts !== undefined && args.flag('reply_broadcast') === true,
    unfurl: { ...(links === undefined ? {} : { links }), ...(media === undefined ? {} : { media }) },
  })
  return withWarnings(answer(state, message), content.warnings)
}

export const update: Method = ({ state, args }) => {
  const found = reachMessage(state, args)
  if (!found.ok) return found.reply
  const { message } = found
  if (!message.byBot) return no('cant_update_message')
  if (state.channels.all.get(message.channelId)?.archived) return no('is_inactive')
  const read = readContent(state, args, 'update')
  if (!read.ok) return read.reply
  const { content } = read
  const { text, blocks, attachments, metadata } = content
  if (text === undefined && blocks === undefined && attachments === undefined && metadata === undefined)
    return no('no_text')
  if (hasRichText(message.blocks) && blocks !== undefined && blocks.length > 0 && !hasRichText(blocks)) {
    return no('block_mismatch')
  }

  const next = {
    text: text ?? message.text,
    // Text alone takes the blocks away; neither of the two leaves them.
    blocks: blocks ?? (text === undefined ? message.blocks : []),
    attachments: attachments ?? message.attachments,
  }
  if (isEmpty(next)) return no('no_text')
  const { metadata: before, edited: _before, ...rest } = message
  const after = metadata === undefined ? before : (metadata ?? undefined)
  const changed: Message = {
    ...rest,
    ...next,
    ...(after === undefined ? {} : { metadata: after }),
    // No "(edited)" is shown on a message with blocks.
    ...(next.blocks.length === 0 ? { edited: { user: state.bot.userId, ts: state.messages.nextTs() } } : {}),
  }
  change(state, changed)
  return withWarnings({ ...answer(state, changed), text: changed.text }, content.warnings)
}

export const deleteMessage: Method = ({ state, args }) => {
  const found = reachMessage(state, args)
  if (!found.ok) return found.reply
  const { message } = found
  if (!message.byBot) return no('cant_delete_message')
  remove(state, message)
  return yes({ channel: message.channelId, ts: message.ts })
}

/** Seen by one person, out of history, never to be updated; metadata is ignored. */
export const postEphemeral: Method = ({ state, args }) => {
  const reach = reachToPost(state, args)
  if (!reach.ok) return reach.reply
  const user = args.text('user')
  if (user === undefined || user === '') return missing('user')
  if (!reach.channel.members.has(user) || !state.people.has(user)) return no('user_not_in_channel')
  const read = readContent(state, args, 'post')
  if (!read.ok) return read.reply
  if (isEmpty(read.content)) return no('no_text')
  const thread = readThread(state, args, reach.channel.id)
  if (!thread.ok) return thread.reply
  const message = post(state, {
    channelId: reach.channel.id,
    userId: state.bot.userId,
    byBot: true,
    text: read.content.text ?? '',
    blocks: read.content.blocks ?? [],
    attachments: read.content.attachments ?? [],
    ...(thread.ts === undefined ? {} : { threadTs: thread.ts }),
    onlyFor: user,
  })
  return withWarnings(yes({ message_ts: message.ts }), read.content.warnings)
}

export const getPermalink: Method = ({ state, args }) => {
  const reach = reachById(state, args)
  if (!reach.ok) return reach.reply
  const ts = args.text('message_ts')
  if (ts === undefined || ts === '') return missing('message_ts')
  const message = state.messages.find(reach.channel.id, ts)
  if (message === undefined || message.onlyFor !== undefined) return no('message_not_found')
  const thread =
    message.threadTs === undefined ? '' : `?thread_ts=${message.threadTs}&cid=${reach.channel.id}`
  const permalink = `${state.url()}archives/${reach.channel.id}/p${ts.replace('.', '')}${thread}`
  return yes({ channel: reach.channel.id, permalink })
}

function answer(state: State, message: Message): Reply {
  return yes({
    channel: message.channelId,
    ts: message.ts,
    message: tellMessage(state, message, { withMetadata: true }),
  })
}

function withWarnings(reply: Reply, warnings: readonly string[]): Reply {
  return warnings.length === 0
    ? reply
    : { ...reply, warning: warnings.join(','), response_metadata: { warnings } }
}

type Found = { readonly ok: true; readonly message: Message } | { readonly ok: false; readonly reply: No }

/** The message that a call names; an ephemeral one is never found (slack-facts 3.3). */
function reachMessage(state: State, args: Args): Found {
  const reach = reachById(state, args)
  if (!reach.ok) return reach
  const ts = args.text('ts')
  if (ts === undefined || ts === '') return { ok: false, reply: missing('ts') }
  const message = state.messages.find(reach.channel.id, ts)
  if (message === undefined || message.onlyFor !== undefined || message.tombstone) {
    return { ok: false, reply: no('message_not_found') }
  }
  return { ok: true, message }
}

type ThreadVerdict =
  | { readonly ok: true; readonly ts: string | undefined }
  | { readonly ok: false; readonly reply: No }

function readThread(state: State, args: Args, channelId: string): ThreadVerdict {
  const ts = args.text('thread_ts')
  if (ts === undefined || ts === '') return { ok: true, ts: undefined }
  if (!isTimestamp(ts)) return { ok: false, reply: no('invalid_thread_ts') }
  const parent = state.messages.find(channelId, ts)
  if (parent === undefined || parent.onlyFor !== undefined || parent.threadTs !== undefined) {
    return { ok: false, reply: no('cannot_reply_to_message') }
  }
  return { ok: true, ts }
}

function hasRichText(blocks: readonly { readonly type?: unknown }[]): boolean {
  return blocks.some((block) => block.type === 'rich_text')
}
