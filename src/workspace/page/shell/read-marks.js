/**
 * What a person has read: per channel the timestamp up to which. Kept in this browser, shared by its pages.
 *
 * @import { Room } from './room.js'
 */
import { recallRead, rememberRead } from './remember.js'

export class ReadMarks {
  #userId = ''
  /** @type {Record<string, string>} */
  #marks = {}

  /** @type {(userId: string) => void} */
  open(userId) {
    this.#userId = userId
    this.#marks = recallRead(userId)
  }

  /** @type {(channelId: string) => string} */
  of(channelId) {
    return this.#marks[channelId] ?? ''
  }

  /** @type {(channelId: string, room: Room) => void} */
  read(channelId, { lastTs }) {
    if (lastTs <= this.of(channelId)) return
    // Another page of this browser may have read elsewhere meanwhile.
    this.#marks = { ...recallRead(this.#userId), [channelId]: lastTs }
    rememberRead(this.#userId, this.#marks)
  }

  /** How many messages of others are unread.  @type {(channelId: string, room: Room) => number} */
  unread(channelId, { messages }) {
    const mark = this.of(channelId)
    return messages.filter(
      ({ ts, user, notice }) => ts > mark && user !== this.#userId && notice === undefined,
    ).length
  }
}
