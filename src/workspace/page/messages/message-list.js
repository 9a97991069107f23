/**
 * The messages of a conversation, oldest first, pinned to the newest while the person is there. One message changes in its
 * place; the list is only built when another conversation comes in front.
 *
 * Keys: up and down go from message to message, Home and End to the ends, Tab into a message's own buttons.
 *
 * @import { Message } from '../shell/wire-shapes.js'
 * @import { Surroundings } from '../shell/surroundings.js'
 * @import { Room, RoomChange } from '../shell/room.js'
 * @import { MessageNode } from './message-node.js'
 */
import { build } from '../blocks/build-node.js'
import { compareTs } from '../shell/room.js'
import { isQuiet, openMessageNode } from './message-node.js'

/**
 * @param {object} how
 * @param {Room} how.room
 * @param {string} how.channelId
 * @param {boolean} how.inThread
 * @param {string} how.label
 * @param {Surroundings} how.around
 * @param {string} how.readUpTo The timestamp up to which everything is read.
 * @param {() => Promise<void>} how.loadEarlier
 * @param {(message: Message) => void} how.onNews Called for each message that is added while the list stands.
 * @returns {{ node: HTMLElement, close(): void, focusLast(): void }}
 */
export function openMessageList({ room, channelId, inThread, label, around, readUpTo, loadEarlier, onNews }) {
  const list = build('ol', { class: 'messages', 'aria-label': label, tabindex: '-1' })
  const earlier = build('button', { type: 'button', class: 'earlier', hidden: true }, 'Show earlier messages')
  const empty = build('p', { class: 'empty', hidden: true }, 'Nothing has been said here yet.')
  const node = build('div', { class: 'scroller' }, build('div', { class: 'scrolled' }, earlier, empty, list))
  /** Oldest first.  @type {MessageNode[]} */
  let shown = []
  let unreadFrom = ''

  const open = (/** @type {Message} */ message) => openMessageNode(message, around, { channelId, inThread })

  function showAll() {
    const { messages } = room
    const unread = messages.find(
      (message) => compareTs(message.ts, readUpTo) > 0 && message.user !== around.me() && !isQuiet(message),
    )
    unreadFrom = readUpTo === '' || unread === undefined ? '' : unread.ts
    const known = new Map(shown.map((one) => [one.message.ts, one]))
    shown = messages.map((message) => {
      const kept = known.get(message.ts)
      if (kept === undefined) return open(message)
      if (JSON.stringify(kept.message) !== JSON.stringify(message)) kept.update(message)
      known.delete(message.ts)
      return kept
    })
    for (const gone of known.values()) gone.node.remove()
    let cursor = list.firstChild
    for (const one of shown) {
      if (one.node === cursor) cursor = cursor.nextSibling
      else list.insertBefore(one.node, cursor)
    }
    for (const at of shown.keys()) stand(at)
    showEnds()
  }

  /** @type {(at: number) => void} */
  const stand = (at) => shown[at]?.stand(shown[at - 1]?.message, unreadFrom)

  function showEnds() {
    earlier.hidden = !room.hasMore
    empty.hidden = !room.isLoaded || shown.length > 0
    // One message can be reached with Tab; the arrow keys reach the others.
    const current = shown.find((one) => one.node.tabIndex === 0) ?? shown.at(-1)
    if (current !== undefined) current.node.tabIndex = 0
  }

  /** The place of a timestamp, or where it would stand.  @type {(ts: string) => number} */
  function placeOf(ts) {
    let from = 0
    let to = shown.length
    while (from < to) {
      const middle = (from + to) >> 1
      if (compareTs(shown[middle]?.message.ts ?? '', ts) < 0) from = middle + 1
      else to = middle
    }
    return from
  }

  /** @type {(ts: string) => void} */
  function put(ts) {
    const message = room.find(ts)
    if (message === undefined) return
    const at = placeOf(ts)
    const known = shown[at]
    if (known?.message.ts === ts) {
      known.update(message)
      return
    }
    const added = open(message)
    const isLast = at === shown.length
    list.insertBefore(added.node, shown[at]?.node ?? null)
    shown.splice(at, 0, added)
    stand(at)
    stand(at + 1)
    showEnds()
    if (isLast) {
      if (message.user === around.me() || isQuiet(message)) toEnd()
      onNews(message)
    }
  }

  /** @type {(ts: string) => void} */
  function remove(ts) {
    const at = placeOf(ts)
    const known = shown[at]
    if (known?.message.ts !== ts) return
    const hadFocus = known.node.contains(document.activeElement)
    shown.splice(at, 1)
    known.node.remove()
    stand(at)
    showEnds()
    if (hadFocus) (shown[at] ?? shown[at - 1])?.node.focus()
  }

  /** @type {(change: RoomChange) => void} */
  function change(change) {
    if (change.kind === 'reset') showAll()
    else if (change.kind === 'put') put(change.ts)
    else remove(change.ts)
  }

  const toEnd = () => {
    node.scrollTop = 0
  }

  /** @type {(to: MessageNode | undefined) => void} */
  function moveTo(to) {
    if (to === undefined) return
    for (const one of shown) one.node.tabIndex = -1
    to.node.tabIndex = 0
    to.node.focus()
    to.node.scrollIntoView({ block: 'nearest' })
  }

  list.addEventListener('keydown', (event) => {
    const at = shown.findIndex((one) => one.node === event.target)
    if (at === -1) return
    /** @type {Record<string, number>} */
    const targets = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: shown.length - 1 }
    const target = targets[event.key]
    if (target === undefined || event.altKey) return
    event.preventDefault()
    moveTo(shown[target])
  })
  list.addEventListener('focusin', (event) => {
    const inside = event.target instanceof Node ? event.target : null
    const now = shown.find((one) => one.node.contains(inside))
    if (now === undefined || now.node.tabIndex === 0) return
    for (const one of shown) one.node.tabIndex = -1
    now.node.tabIndex = 0
  })
  earlier.addEventListener('click', () => {
    earlier.disabled = true
    loadEarlier()
      .catch(around.tell(channelId))
      .finally(() => {
        earlier.disabled = false
        showEnds()
      })
  })

  showAll()
  const stop = room.listen(change)
  return { node, close: stop, focusLast: () => moveTo(shown.find((one) => one.node.tabIndex === 0)) }
}
