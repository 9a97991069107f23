/**
 * Lays what happens in the workspace over what the page knows of it.
 *
 * @import { Message } from './wire-shapes.js'
 * @import { Store } from './store.js'
 * @import { Happened } from './stay-live.js'
 */

/** @type {(store: Store, happened: Happened) => void} */
export function follow(store, { seq, event }) {
  store.state.seq = seq
  const isForOthers = event.user !== undefined && event.user !== store.me
  switch (event.type) {
    case 'ephemeral_posted':
    case 'ephemeral_updated':
    case 'message_posted':
    case 'message_updated':
    case 'thread_changed':
      if (isForOthers) return
      put(store, String(event.channel), /** @type {Message} */ (event.message), event.type)
      break
    case 'ephemeral_deleted':
    case 'message_deleted':
      if (isForOthers) return
      remove(store, String(event.channel), String(event.ts))
      break
    case 'view_opened':
    case 'view_updated':
    case 'view_closed':
    case 'home_published':
      if (!isForOthers) store.behind(store.refreshViews())
      break
    case 'channel_changed':
      store.behind(store.refreshState())
      break
  }
}

/** @type {(store: Store, channelId: string, message: Message, type: string) => void} */
function put(store, channelId, message, type) {
  // Direct messages begin without a word; the first one says that they exist.
  if (store.channel(channelId) === undefined) store.behind(store.refreshState())
  store.changed()
  const { thread } = store
  if (thread?.channelId === channelId && (message.thread_ts ?? message.ts) === thread.ts) {
    thread.room.put(message)
  }
  const isReply = message.thread_ts !== undefined && message.thread_ts !== message.ts
  if (isReply && message.subtype !== 'thread_broadcast') return
  const room = store.room(channelId)
  // A change to a message older than all that is shown has nowhere to show.
  if (!type.endsWith('_posted') && !room.has(message.ts)) {
    const [first] = room.messages
    if (room.hasMore && first !== undefined && message.ts < first.ts) return
  }
  room.put(message)
}

/** @type {(store: Store, channelId: string, ts: string) => void} */
function remove(store, channelId, ts) {
  store.room(channelId).remove(ts)
  if (store.thread?.channelId === channelId) store.thread.room.remove(ts)
  store.changed()
}
