/**
 * The conversations as one person sees them, loaded from the workspace. Another person gets another history, so that nothing
 * which was still on its way for the one is ever shown to the other.
 *
 * @import { Message } from './wire-shapes.js'
 * @typedef {Message & { channel: string }} Ephemeral
 */
import { getJson } from './ask-server.js'
import { Room } from './room.js'

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
