/**
 * The conversations as one person sees them, loaded from the workspace. Another person gets another history, so that nothing
 * which was still on its way for the one is ever shown to the other.
 *
 * @import { Message } from './wire-shapes.js'
 * @typedef {Message & { channel: string }} Ephemeral
 */
import { getJson } from './ask-server.js'

/** A page of history of the channel in front, and of the others, which are only counted until they are opened. */
const pageMessages = 200
const countedMessages = 100

export class History {
  #me
  /** @type {Map<string, Room>} */
  #rooms = new Map()

  /** @param {string} me The person's id. */
  constructor(me) {
    this.#me = me
  }

  /** @type {(channelId: string) => Room} */
  room(channelId) {
    const room = this.#rooms.get(channelId) ?? new Room()
    this.#rooms.set(channelId, room)
    return room
  }

  /** @type {(channelId: string) => Promise<void>} */
  load(channelId) {
    return this.#fill(channelId, pageMessages, this.#ephemerals())
  }

  /** All but those in front, one after the other.  @type {(channelIds: string[]) => Promise<void>} */
  async loadBehind(channelIds) {
    const own = this.#ephemerals()
    for (const channelId of channelIds) await this.#fill(channelId, countedMessages, own)
  }

  /** Older messages than those that are there.  @type {(channelId: string) => Promise<void>} */
  async loadEarlier(channelId) {
    const room = this.room(channelId)
    const first = room.messages.find(({ is_ephemeral: own, notice }) => !own && notice === undefined)
    const before = first === undefined ? '' : `&before=${first.ts}`
    const page = await getJson(`/control/messages?channel=${channelId}&limit=${pageMessages}${before}`)
    room.extend(page.messages, page.more)
  }

  /** @type {(thread: { channelId: string, ts: string, room: Room }) => Promise<void>} */
  loadThread({ channelId, ts, room }) {
    return room.fill(async () => {
      const [page, own] = await Promise.all([
        getJson(`/control/messages?channel=${channelId}&thread=${ts}`),
        this.#ephemerals(),
      ])
      const here = own.filter(({ thread_ts: of }) => of === ts)
      return { messages: [...page.messages, ...here], hasMore: false }
    })
  }

  /** @type {(channelId: string, limit: number, ephemerals: Promise<Ephemeral[]>) => Promise<void>} */
  #fill(channelId, limit, ephemerals) {
    return this.room(channelId).fill(async () => {
      const [page, own] = await Promise.all([
        getJson(`/control/messages?channel=${channelId}&limit=${limit}`),
        ephemerals,
      ])
      const here = own.filter(({ channel, thread_ts: of }) => channel === channelId && of === undefined)
      return { messages: [...page.messages, ...here], hasMore: page.more }
    })
  }

  /** @type {() => Promise<Ephemeral[]>} */
  async #ephemerals() {
    return (await getJson(`/control/ephemerals?user=${this.#me}`)).messages
  }
}

/** What is held, and shown, of one conversation. */
const roomMessagesMax = 1_000

/**
 * One conversation: the newest messages of a channel, or one thread, with what only this person sees between them. Bounded;
 * where the bound is met the oldest go, and can be loaded again.
 */
export class Room {
  /** @type {Map<string, Message>} */
  #messages = new Map()
  /** @type {Message[] | undefined} */
  #sorted
  /** What changed while the server was asked; undefined for a message that went. @type {Map<string, Message | undefined> | undefined} */
  #meanwhile
  #notices = 0
  /** Whether older messages stand before the first. */
  hasMore = false
  /** How many times everything was loaded, and how many times anything has changed. */
  fills = 0
  version = 0

  #change() {
    this.#sorted = undefined
    this.version += 1
  }

  /** Oldest first: their timestamps sort as text, and a notice follows the message that it came after. */
  get messages() {
    this.#sorted ??= [...this.#messages.values()].sort((a, b) => (a.ts < b.ts ? -1 : 1))
    return this.#sorted
  }

  get isLoaded() {
    return this.fills > 0
  }

  /** The newest message's timestamp; empty where there is none. */
  get lastTs() {
    return this.messages.at(-1)?.ts ?? ''
  }

  /** @type {(ts: string) => boolean} */
  has(ts) {
    return this.#messages.has(ts)
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
    const known = this.#messages
    this.#messages = new Map([...known].filter(([, { notice }]) => notice !== undefined))
    for (const message of messages) {
      // What is the same stays the same object, and is not drawn again.
      const before = known.get(message.ts)
      const isSame = JSON.stringify(before) === JSON.stringify(message)
      this.#messages.set(message.ts, before !== undefined && isSame ? before : message)
    }
    for (const [ts, message] of meanwhile) {
      if (message === undefined) this.#messages.delete(ts)
      else this.#messages.set(ts, message)
    }
    this.hasMore = hasMore
    this.fills += 1
    this.#change()
  }

  /** Older ones, before what is there.  @type {(messages: Message[], hasMore: boolean) => void} */
  extend(messages, hasMore) {
    this.hasMore = hasMore
    for (const message of messages) this.#messages.set(message.ts, message)
    this.#change()
  }

  /** @type {(message: Message) => void} */
  put(message) {
    this.#messages.set(message.ts, message)
    this.#meanwhile?.set(message.ts, message)
    this.#change()
    const [oldest] = this.messages
    if (this.#messages.size <= roomMessagesMax || oldest === undefined) return
    this.hasMore = true
    this.remove(oldest.ts)
  }

  /** @type {(ts: string) => void} */
  remove(ts) {
    this.#meanwhile?.set(ts, undefined)
    this.#messages.delete(ts)
    this.#change()
  }

  /** Something that only this page says, after all that stands there.  @type {(words: string) => void} */
  notice(words) {
    this.#notices += 1
    const after = this.lastTs.split('~')[0] || (Date.now() / 1_000).toFixed(6)
    const ts = `${after}~${String(this.#notices).padStart(6, '0')}`
    this.put({ ts, user: 'USLACKBOT', notice: words })
  }
}
