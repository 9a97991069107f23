/**
 * One conversation as one person sees it: the newest messages of a channel, or one thread, with what only this person sees
 * between them. Bounded; where the bound is met the oldest go, and can be loaded again.
 *
 * @import { Message } from './wire-shapes.js'
 * @typedef {{ kind: 'reset' } | { kind: 'put', ts: string } | { kind: 'gone', ts: string }} RoomChange
 */

/** What is held, and shown, of one conversation. */
export const roomMessagesMax = 1_000

export class Room {
  /** @type {Map<string, Message>} */
  #messages = new Map()
  /** @type {Set<(change: RoomChange) => void>} */
  #listeners = new Set()
  /** Whether older messages stand before the first. */
  hasMore = false
  isLoaded = false

  /** In no order, and therefore at no cost.  @returns {Iterable<Message>} */
  get all() {
    return this.#messages.values()
  }

  /** Oldest first.  @returns {Message[]} */
  get messages() {
    return [...this.#messages.values()].sort((a, b) => compareTs(a.ts, b.ts))
  }

  /** @type {(ts: string) => Message | undefined} */
  find(ts) {
    return this.#messages.get(ts)
  }

  /** The newest message's timestamp; empty where there is none.  @returns {string} */
  get lastTs() {
    let last = ''
    for (const ts of this.#messages.keys()) if (compareTs(ts, last) > 0) last = ts
    return last
  }

  /**
   * Everything at once, from the server; notices of the page itself stay, and so does what happened while it was asked.
   *
   * @param {() => Promise<{ messages: Message[], hasMore: boolean }>} ask
   */
  async fill(ask) {
    /** @type {Map<string, Message | undefined>} */
    const meanwhile = new Map()
    this.#meanwhile = meanwhile
    const { messages, hasMore } = await ask()
    if (this.#meanwhile !== meanwhile) return
    this.#meanwhile = undefined
    const notices = [...this.#messages.values()].filter(({ notice }) => notice !== undefined)
    this.#messages = new Map([...messages, ...notices].map((message) => [message.ts, message]))
    for (const [ts, message] of meanwhile) {
      if (message === undefined) this.#messages.delete(ts)
      else this.#messages.set(ts, message)
    }
    this.hasMore = hasMore
    this.isLoaded = true
    this.#tell({ kind: 'reset' })
  }
  /** @type {Map<string, Message | undefined> | undefined} */
  #meanwhile

  /** Older ones, before what is there.  @type {(messages: Message[], hasMore: boolean) => void} */
  extend(messages, hasMore) {
    this.hasMore = hasMore
    for (const message of messages) this.#messages.set(message.ts, message)
    for (const message of messages) this.#tell({ kind: 'put', ts: message.ts })
  }

  /** @type {(message: Message) => void} */
  put(message) {
    this.#messages.set(message.ts, message)
    this.#meanwhile?.set(message.ts, message)
    this.#tell({ kind: 'put', ts: message.ts })
    if (this.#messages.size <= roomMessagesMax) return
    const [oldest] = this.messages
    if (oldest === undefined) return
    this.hasMore = true
    this.remove(oldest.ts)
  }

  /** @type {(ts: string) => void} */
  remove(ts) {
    this.#meanwhile?.set(ts, undefined)
    if (this.#messages.delete(ts)) this.#tell({ kind: 'gone', ts })
  }

  /** Something that only this page says, after all that stands there.  @type {(words: string) => void} */
  notice(words) {
    this.#notices += 1
    const after = this.lastTs.split('~')[0] || (Date.now() / 1_000).toFixed(6)
    this.put({ ts: `${after}~${this.#notices}`, user: 'USLACKBOT', notice: words })
  }
  #notices = 0

  /** @type {(listener: (change: RoomChange) => void) => () => void} */
  listen(listener) {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @type {(change: RoomChange) => void} */
  #tell(change) {
    for (const listener of [...this.#listeners]) listener(change)
  }
}

/** The order of timestamps: of one length, digits before and after the dot, and notices after what they follow.  @type {(a: string, b: string) => number} */
export function compareTs(a, b) {
  if (a === b) return 0
  const [left = '', leftNotice] = a.split('~')
  const [right = '', rightNotice] = b.split('~')
  if (left !== right) return left < right ? -1 : 1
  return Number(leftNotice ?? 0) - Number(rightNotice ?? 0)
}
