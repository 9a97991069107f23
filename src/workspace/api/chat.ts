/**
 * `chat.*`: posts, updates, deletions, ephemeral messages and permalinks, by Slack's rules (docs/slack.md#messages); and `pins.*`
 * (docs.slack.dev/reference/methods/pins.add) of messages in a channel that the bot is in.
 */

import { isTimestamp, type Message } from '../state/messages.ts'
import { change, post, remove } from '../state/speak.ts'
import type { State } from '../state/state.ts'
import { permalinkOf, wireMessage } from '../state/wire.ts'
import { type Args, type Method, reachById, reachToPost } from './call.ts'
import { isEmpty, readContent } from './content.ts'
import { type Reply, refuse, yes } from './reply.ts'

/** Posts a message. Other names and icons are not supported, and nothing is unfurled but the bot's own files. */
export const postMessage: Method = ({ state, args }) => {
  const channel = reachToPost(state, args)
  const { text, blocks, metadata, warnings } = readContent(state, args, 'post')
  if (isEmpty({ text, blocks })) refuse('no_text')
  const thread = readThread(state, args, channel.id)
  const message = post(state, {
    channelId: channel.id,
    text: text ?? '',
    blocks: blocks ?? [],
    ...(metadata ? { metadata } : {}),
    ...thread,
    ...(thread.threadTs === undefined ? {} : readBroadcast(args)),
    ...bringFiles(state, args, text ?? ''),
  })
  return withWarnings(answer(state, message), warnings)
}

/**
 * The files whose addresses stand in the text, not in blocks alone: only whoever owns them brings them so, once they are taken in,
 * and if unfurling was not switched off (docs/slack.md#files).
 */
function bringFiles(state: State, args: Args, text: string): { readonly fileIds?: readonly string[] } {
  if (args.flag('unfurl_links') === false || args.flag('unfurl_media') === false) return {}
  const fileIds = state.files.all().flatMap((file) => {
    const isBrought = file.ownerId === state.bot.userId && text.includes(permalinkOf(state, file))
    return isBrought && state.files.isReady(file) ? [file.id] : []
  })
  return fileIds.length === 0 ? {} : { fileIds }
}

export const update: Method = ({ state, args }) => {
  const message = reachMessage(state, args)
  if (!message.byBot) refuse('cant_update_message')
  if (state.channels.all.get(message.channelId)?.archived) refuse('is_inactive')
  const { text, blocks, metadata, warnings } = readContent(state, args, 'update')
  if (text === undefined && blocks === undefined && metadata === undefined) refuse('no_text')

  const next = {
    text: text ?? message.text,
    // Text alone takes the blocks away; neither of the two leaves them.
    blocks: blocks ?? (text === undefined ? message.blocks : []),
  }
  if (isEmpty(next)) refuse('no_text')
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
  return withWarnings({ ...answer(state, changed), text: changed.text }, warnings)
}

export const deleteMessage: Method = ({ state, args }) => {
  const message = reachMessage(state, args)
  if (!message.byBot) refuse('cant_delete_message')
  remove(state, message)
  return yes({ channel: message.channelId, ts: message.ts })
}

/** Posts a message that one person sees; it is not in the history, cannot be updated, and its metadata is ignored. */
export const postEphemeral: Method = ({ state, args }) => {
  const channel = reachToPost(state, args)
  const user = args.need('user')
  if (!channel.members.has(user) || !state.people.has(user)) refuse('user_not_in_channel')
  const { text, blocks, warnings } = readContent(state, args, 'post')
  if (isEmpty({ text, blocks })) refuse('no_text')
  const message = post(state, {
    channelId: channel.id,
    text: text ?? '',
    blocks: blocks ?? [],
    ...readThread(state, args, channel.id),
    onlyFor: user,
  })
  return withWarnings(yes({ message_ts: message.ts }), warnings)
}

export const getPermalink: Method = ({ state, args }) => {
  const channel = reachById(state, args)
  const ts = args.need('message_ts')
  const message = state.messages.find(channel.id, ts)
  if (message === undefined || message.onlyFor !== undefined) return refuse('message_not_found')
  const thread = message.threadTs === undefined ? '' : `?thread_ts=${message.threadTs}&cid=${channel.id}`
  const permalink = `${state.url()}archives/${channel.id}/p${ts.replace('.', '')}${thread}`
  return yes({ channel: channel.id, permalink })
}

function answer(state: State, message: Message): Reply {
  return yes({
    channel: message.channelId,
    ts: message.ts,
    message: wireMessage(state, message, { withMetadata: true }),
  })
}

function withWarnings(reply: Reply, warnings: readonly string[]): Reply {
  return warnings.length === 0
    ? reply
    : { ...reply, warning: warnings.join(','), response_metadata: { warnings } }
}

/** The message that a call names; an ephemeral one is never found (docs/slack.md#messages). */
function reachMessage(state: State, args: Args): Message {
  const channel = reachById(state, args)
  const message = state.messages.find(channel.id, args.need('ts'))
  const isGone = message === undefined || message.onlyFor !== undefined || message.tombstone
  return isGone ? refuse('message_not_found') : message
}

/**
 * `reply_broadcast` says of a reply that the channel shows it as well; without `thread_ts` it means nothing
 * (docs.slack.dev/reference/methods/chat.postMessage).
 */
function readBroadcast(args: Args): { readonly isBroadcast?: true } {
  return args.flag('reply_broadcast') === true ? { isBroadcast: true } : {}
}

function readThread(state: State, args: Args, channelId: string): { readonly threadTs?: string } {
  const threadTs = args.text('thread_ts')
  if (threadTs === undefined || threadTs === '') return {}
  if (!isTimestamp(threadTs)) refuse('invalid_thread_ts')
  const parent = state.messages.find(channelId, threadTs)
  // A reply to a message that is gone is no error: it is posted in the channel itself (slack-go #1571).
  if (parent === undefined) return {}
  if (parent.onlyFor !== undefined || parent.threadTs !== undefined) refuse('cannot_reply_to_message')
  return { threadTs }
}

/** Slack's limit for one channel. */
const pinsMax = 100

export const addPin: Method = ({ state, args }) => {
  const message = messageToPin(state, args)
  if (message.isPinned) refuse('already_pinned')
  if (message.tombstone) refuse('not_pinnable')
  const pinned = state.messages.all(message.channelId).filter(({ isPinned }) => isPinned)
  if (pinned.length >= pinsMax) refuse('too_many_pins')
  setPin(state, message, true)
  return yes()
}

export const removePin: Method = ({ state, args }) => {
  const message = messageToPin(state, args)
  if (!message.isPinned) refuse('no_pin')
  setPin(state, message, false)
  return yes()
}

/** No rule is checked here. */
export function setPin(state: State, message: Message, isPinned: boolean): void {
  const { isPinned: _before, ...rest } = message
  change(state, isPinned ? { ...rest, isPinned } : rest)
}

function messageToPin(state: State, args: Args): Message {
  const channel = reachById(state, args)
  if (!channel.members.has(state.bot.userId)) refuse('not_in_channel')
  if (channel.archived) refuse('is_archived')
  const ts = args.text('timestamp') ?? ''
  if (ts === '') refuse('no_item_specified')
  if (!isTimestamp(ts)) refuse('bad_timestamp')
  const message = state.messages.find(channel.id, ts)
  return message === undefined || message.onlyFor !== undefined ? refuse('message_not_found') : message
}
