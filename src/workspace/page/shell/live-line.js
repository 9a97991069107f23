/**
 * The live line to the workspace: everything that happens there, in order and without a gap, across lost connections. Where
 * the gap is too large to be filled from what the server remembers, or the server is a new one, it asks for a reload of the
 * state and goes on from there. What it tells is laid over what the page knows.
 *
 * @import { Message } from './wire-shapes.js'
 * @import { Store } from './store.js'
 * @typedef {{ seq: number, atMs: number, event: { type: string } & Record<string, unknown> }} Happened
 */

/** Waits between attempts; the last one is repeated. */
const retryAfterMs = [250, 500, 1_000, 2_000, 4_000]
/** So many beats may be missed before the line counts as dead. */
const beatsMissedMax = 3
const usualBeatMs = 10_000

/**
 * @param {object} how
 * @param {() => { epoch: string, seq: number }} how.position Up to where the page knows everything.
 * @param {(happened: Happened) => void} how.onEvent
 * @param {() => Promise<void>} how.reload Loads the whole state again; rejects where the server cannot be reached.
 * @param {(isLive: boolean) => void} how.onStatus
 * @returns {{ start(): void, retryNow(): void }}
 */
export function openLine({ position, onEvent, reload, onStatus }) {
  /** @type {EventSource | undefined} */
  let source
  let failures = 0
  let retryTimer = 0
  let watchTimer = 0
  let beatMs = usualBeatMs

  function start() {
    clearTimeout(retryTimer)
    source?.close()
    const opened = new EventSource(`/control/events?unnamed=1&since=${position().seq}`)
    source = opened
    watch()
    opened.addEventListener('hello', (hello) => {
      watch()
      /** @type {{ epoch: string, oldestSeq: number, beatMs: number }} */
      const heard = JSON.parse(hello.data)
      beatMs = heard.beatMs
      const known = position()
      const isWhole = heard.epoch === known.epoch && heard.oldestSeq <= known.seq + 1
      if (isWhole) {
        failures = 0
        onStatus(true)
        return
      }
      opened.close()
      reload().then(start, lose)
    })
    opened.addEventListener('beat', watch)
    opened.addEventListener('message', (message) => {
      watch()
      onEvent(JSON.parse(message.data))
    })
    opened.addEventListener('error', () => {
      if (source === opened) lose()
    })
  }

  function lose() {
    source?.close()
    source = undefined
    clearTimeout(watchTimer)
    clearTimeout(retryTimer)
    onStatus(false)
    const waitMs = retryAfterMs[Math.min(failures, retryAfterMs.length - 1)]
    failures += 1
    retryTimer = window.setTimeout(start, waitMs)
  }

  // A connection that died without a word (a laptop that slept, a server that hangs) is noticed by its silence.
  function watch() {
    clearTimeout(watchTimer)
    watchTimer = window.setTimeout(lose, beatMs * beatsMissedMax)
  }

  function retryNow() {
    failures = 0
    start()
  }

  window.addEventListener('online', retryNow)
  window.addEventListener('offline', lose)
  // A page that goes must not hold the server's connection until the browser gets round to it.
  window.addEventListener('pagehide', () => source?.close())
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) retryNow()
  })

  return { start, retryNow }
}

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
