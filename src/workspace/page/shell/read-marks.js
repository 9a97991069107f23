/**
 * What a person has read: per channel the timestamp up to which. Kept in this browser, shared by its pages.
 *
 * @import { Message } from './wire-shapes.js'
 * @import { Room } from './room.js'
 */
import { recallRead, rememberRead } from './remember.js'
import { compareTs } from './room.js'

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

  /** Whether that was news.  @type {(channelId: string, room: Room) => boolean} */
  read(channelId, room) {
    const last = room.lastTs
    if (compareTs(last, this.of(channelId)) <= 0) return false
    // Another page of this browser may have read elsewhere meanwhile.
    this.#marks = { ...recallRead(this.#userId), [channelId]: last }
    rememberRead(this.#userId, this.#marks)
    return true
  }

  /** How many messages of others are unread.  @type {(channelId: string, room: Room) => number} */
  unread(channelId, room) {
    const mark = this.of(channelId)
    let count = 0
    for (const message of room.all) if (this.#isNews(message) && compareTs(message.ts, mark) > 0) count += 1
    return count
  }

  /** @type {(message: Message) => boolean} */
  #isNews({ user, notice }) {
    return user !== this.#userId && notice === undefined
  }
}
