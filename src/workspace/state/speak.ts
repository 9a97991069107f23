/**
 * Writes, changes and removes messages, and emits an event for each. No rule is checked here. A post gives those who read it
 * access to the files that it shows. An edit does not, unless the workspace is told otherwise: Slack accepts it, and people read
 * "file not found" (docs/slack.md#pictures).
 */

import { filesIn } from './files.ts'
import type { Draft, Message } from './messages.ts'
import type { State } from './state.ts'
import { wireMessage } from './wire.ts'

export function post(state: State, draft: Draft): Message {
  const message = state.messages.add(draft)
  state.files.share([...filesIn(message.blocks), ...(message.fileIds ?? [])], message)
  tellPosted(state, message)
  tellThread(state, message)
  return message
}

export function change(state: State, message: Message): void {
  state.messages.replace(message)
  if (state.doEditsShare) state.files.share(filesIn(message.blocks), message)
  const { channelId: channel, ts, onlyFor: user } = message
  const shown = wireMessage(state, message, { withMetadata: true })
  if (user === undefined) state.events.emit({ type: 'message_updated', channel, ts, message: shown })
  else state.events.emit({ type: 'ephemeral_updated', channel, user, ts, message: shown })
}

/** A message that has replies leaves a tombstone, so that its thread stays. */
export function remove(state: State, message: Message): void {
  const { channelId: channel, ts, onlyFor: user } = message
  state.files.unshare(ts)
  if (user !== undefined) {
    state.messages.remove(message)
    state.events.emit({ type: 'ephemeral_deleted', channel, user, ts })
    return
  }
  if (state.messages.replies(channel, ts).length > 0) {
    const { metadata: _gone, edited: _old, isPinned: _pin, ...rest } = message
    state.messages.replace({
      ...rest,
      text: 'This message was deleted.',
      blocks: [],
      byBot: false,
      userId: 'USLACKBOT',
      tombstone: true,
    })
  } else {
    state.messages.remove(message)
  }
  state.events.emit({ type: 'message_deleted', channel, ts })
  tellThread(state, message)
}

/** The message above a thread shows the thread's new length; a deleted one stays as its tombstone. */
function tellThread(state: State, { channelId, ts, threadTs, onlyFor }: Message): void {
  if (onlyFor !== undefined) return
  const parent = state.messages.find(channelId, threadTs ?? ts)
  if (parent === undefined || (threadTs === undefined && !parent.tombstone)) return
  const message = wireMessage(state, parent, { withMetadata: true })
  state.events.emit({ type: 'thread_changed', channel: channelId, ts: parent.ts, message })
}

function tellPosted(state: State, message: Message): void {
  const { channelId: channel, ts, onlyFor: user } = message
  const shown = wireMessage(state, message, { withMetadata: true })
  if (user === undefined) state.events.emit({ type: 'message_posted', channel, ts, message: shown })
  else state.events.emit({ type: 'ephemeral_posted', channel, user, ts, message: shown })
}
