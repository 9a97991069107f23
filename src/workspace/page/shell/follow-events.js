/**
 * Lays what happens in the workspace over what the page knows of it.
 *
 * @import { Message } from './wire-shapes.js'
 * @import { Model } from './model.js'
 * @import { Told } from './stay-live.js'
 */

/** @type {(model: Model, told: Told) => void} */
export function follow(model, told) {
  const { event } = told
  switch (event.type) {
    case 'message_posted':
    case 'message_updated':
    case 'thread_changed':
      put(model, String(event.channel), /** @type {Message} */ (event.message), event.type)
      break
    case 'message_deleted':
      remove(model, String(event.channel), String(event.ts))
      break
    case 'ephemeral_posted':
    case 'ephemeral_updated':
      if (event.user === model.me)
        put(model, String(event.channel), /** @type {Message} */ (event.message), event.type)
      break
    case 'ephemeral_deleted':
      if (event.user === model.me) remove(model, String(event.channel), String(event.ts))
      break
    case 'view_opened':
    case 'view_updated':
    case 'view_closed':
    case 'home_published':
      if (event.user === model.me) model.behind(model.refreshViews())
      break
    case 'channel_changed':
      model.behind(model.refreshState())
      break
  }
  model.hear(told)
}

/** @type {(model: Model, channelId: string, message: Message, type: string) => void} */
function put(model, channelId, message, type) {
  // Direct messages begin without a word; the first one says that they exist.
  if (model.channel(channelId) === undefined) model.behind(model.refreshState())
  const { thread } = model
  const isReply = message.thread_ts !== undefined && message.thread_ts !== message.ts
  if (thread?.channelId === channelId && (message.thread_ts ?? message.ts) === thread.ts) {
    thread.room.put(message)
  }
  if (isReply && message.subtype !== 'thread_broadcast') return
  const room = model.room(channelId)
  // A change to a message older than all that is shown has nowhere to show.
  if (type !== 'message_posted' && type !== 'ephemeral_posted' && room.find(message.ts) === undefined) {
    const [first] = room.messages
    if (room.hasMore && first !== undefined && message.ts < first.ts) return
  }
  room.put(message)
  model.tell('state')
}

/** @type {(model: Model, channelId: string, ts: string) => void} */
function remove(model, channelId, ts) {
  model.room(channelId).remove(ts)
  if (model.thread?.channelId === channelId) model.thread.room.remove(ts)
  model.tell('state')
}
