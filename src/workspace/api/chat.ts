/** `chat.*`, by Slack's rules (docs/slack.md#messages); and `pins.add`, by which the page knows the board. */
import { isTimestamp, type Message } from '../state/messages.ts'
import { change, post, remove } from '../state/speak.ts'
import type { State } from '../state/state.ts'
import { permalinkOf, wireMessage } from '../state/wire.ts'
import { type Args, type Method, reachById, reachToPost } from './call.ts'
import { isEmpty, readContent } from './content.ts'
import { refuse, type Yes, yes } from './reply.ts'

export const postMessage: Method = ({ state, args }) => {
  const channel = reachToPost(state, args)
  const content = readContent(state, args)
  const { text = '', blocks = [], metadata, attachments } = content
  if (isEmpty(content)) refuse('no_text')
  const threadTs = readThread(state, args, channel.id)
  // Without a thread it means nothing (docs.slack.dev/reference/methods/chat.postMessage).
  const isBroadcast = threadTs !== undefined && args.flag('reply_broadcast') === true
  const message = post(state, {
    channelId: channel.id,
    text,
    blocks,
    attachments,
    metadata: metadata ?? undefined,
    threadTs,
    isBroadcast,
    fileIds: filesBroughtBy(state, args, text),
  })
  return answer(state, message)
}

/** Files whose addresses stand in the text, if the bot owns them and unfurling was not switched off (docs/slack.md#files). */
function filesBroughtBy(state: State, args: Args, text: string): readonly string[] {
  if (args.flag('unfurl_links') === false || args.flag('unfurl_media') === false) return []
  return state.files
    .all()
    .filter((file) => text.includes(permalinkOf(state, file)) && state.files.isReady(file))
    .map(({ id }) => id)
}

export const update: Method = ({ state, args }) => {
  const message = reachMessage(state, args)
  if (!message.byBot) refuse('cant_update_message')
  if (state.channels.all.get(message.channelId)?.archived) refuse('is_inactive')
  const content = readContent(state, args)
  const { text, blocks, metadata, attachments = message.attachments } = content
  if (Object.values(content).every((one) => one === undefined)) refuse('no_text')
  const next = {
    text: text ?? message.text,
    // Text alone takes the blocks away; neither of the two leaves them.
    blocks: blocks ?? (text === undefined ? message.blocks : []),
    attachments,
  }
  if (isEmpty(next)) refuse('no_text')
  const changed: Message = {
    ...message,
    ...next,
    metadata: metadata === undefined ? message.metadata : (metadata ?? undefined),
    // No "(edited)" is shown on a message with blocks.
    edited: next.blocks.length > 0 ? undefined : { user: state.bot.userId, ts: state.messages.nextTs() },
  }
  change(state, changed)
  return { ...answer(state, changed), text: changed.text }
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
  const content = readContent(state, args)
  const { text = '', blocks = [] } = content
  if (isEmpty(content)) refuse('no_text')
  const threadTs = readThread(state, args, channel.id)
  const message = post(state, { channelId: channel.id, text, blocks, threadTs, onlyFor: user })
  return yes({ message_ts: message.ts })
}

export const addPin: Method = ({ state, args }) => {
  const channel = reachById(state, args)
  if (!channel.members.has(state.bot.userId)) refuse('not_in_channel')
  if (channel.archived) refuse('is_archived')
  const message = messageIn(state, channel.id, args.text('timestamp') || refuse('no_item_specified'))
  if (message.isPinned) refuse('already_pinned')
  change(state, { ...message, isPinned: true })
  return yes()
}

function answer(state: State, message: Message): Yes {
  const { channelId: channel, ts } = message
  return yes({ channel, ts, message: wireMessage(state, message, { withMetadata: true }) })
}

function reachMessage(state: State, args: Args): Message {
  return messageIn(state, reachById(state, args).id, args.need('ts'))
}

/** An ephemeral message is never found (docs/slack.md#messages), and a tombstone is none. */
function messageIn(state: State, channelId: string, ts: string): Message {
  const message = state.messages.find(channelId, ts)
  const isGone = message === undefined || message.onlyFor !== undefined || message.tombstone
  return isGone ? refuse('message_not_found') : message
}

function readThread(state: State, args: Args, channelId: string): string | undefined {
  const threadTs = args.text('thread_ts')
  if (threadTs === undefined || threadTs === '') return undefined
  if (!isTimestamp(threadTs)) refuse('invalid_thread_ts')
  const parent = state.messages.find(channelId, threadTs)
  // A reply to a message that is gone is no error: it is posted in the channel itself (slack-go #1571).
  if (parent === undefined) return undefined
  if (parent.onlyFor !== undefined || parent.threadTs !== undefined) refuse('cannot_reply_to_message')
  return threadTs
}
