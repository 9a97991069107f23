/** Writes messages and emits an event for each. A post shares the files that it shows, an edit does not (docs/slack.md#pictures). */
import { filesIn } from './files.ts'
import type { Draft, Message } from './messages.ts'
import type { State } from './state.ts'
import { wireMessage } from './wire.ts'

export function post(state: State, draft: Draft): Message {
  const message = state.messages.add(draft)
  state.files.share([...filesIn(message.blocks), ...(message.fileIds ?? [])], message)
  tell(state, 'posted', message)
  tellThread(state, message)
  return message
}

export function change(state: State, message: Message): void {
  const replaced = state.messages.find(message.channelId, message.ts)
  state.messages.replace({ ...message, replacedBlocks: replaced?.blocks ?? [] })
  tell(state, 'updated', message)
}

/** A message that has replies leaves a tombstone, so that its thread stays. */
export function remove(state: State, message: Message): void {
  const { channelId, ts, onlyFor } = message
  state.files.unshare(ts)
  if (onlyFor === undefined && state.messages.replies(channelId, ts).length > 0) {
    const { metadata: _gone, edited: _old, isPinned: _pin, ...rest } = message
    const text = 'This message was deleted.'
    const nobody = { byBot: false, userId: 'USLACKBOT', tombstone: true }
    state.messages.replace({ ...rest, ...nobody, text, blocks: [] })
  } else state.messages.remove(message)
  tell(state, 'deleted', message)
  tellThread(state, message)
}

function tell(state: State, what: 'posted' | 'updated' | 'deleted', message: Message): void {
  const { channelId: channel, ts, onlyFor: user } = message
  const shown = what === 'deleted' ? {} : { message: wireMessage(state, message, { withMetadata: true }) }
  const whose = user === undefined ? {} : { user }
  const type = `${user === undefined ? 'message' : 'ephemeral'}_${what}`
  state.events.emit({ type, channel, ts, ...whose, ...shown })
}

/** The message above a thread shows the thread's new length; a deleted one stays as its tombstone. */
function tellThread(state: State, { channelId, ts, threadTs, onlyFor }: Message): void {
  if (onlyFor !== undefined) return
  const parent = state.messages.find(channelId, threadTs ?? ts)
  if (parent === undefined || (threadTs === undefined && !parent.tombstone)) return
  const message = wireMessage(state, parent, { withMetadata: true })
  state.events.emit({ type: 'thread_changed', channel: channelId, ts: parent.ts, message })
}
