/**
 * The messages of a conversation, oldest first, pinned to the newest while the person is there.
 *
 * Keys: up and down go from message to message, Home and End to the ends, Tab into a message's own buttons.
 *
 * @import { Store } from '../shell/store.js'
 * @import { Room } from '../shell/history.js'
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { html, memo } from '../html.js'
import { useKeptFocus } from '../kept-focus.js'
import { isQuiet, spoken } from './author.js'
import { MessageItem } from './message.js'

/** Pixels from the newest message within which it counts as seen. */
const belowMin = 40

/** @param {{ store: Store, room: Room, version: number, channelId: string, inThread: boolean, label: string }} props */
function draw({ store, room, channelId, inThread, label }) {
  /** @type {{ current: HTMLElement | null }} */
  const scroller = useRef(null)
  /** @type {{ current: HTMLElement | null }} */
  const list = useRef(null)
  const [isAsking, setAsking] = useState(false)
  const [visited, visit] = useState('')
  // As it was before all this was read, and again whenever the person comes back to it.
  const [readUpTo, setReadUpTo] = useState(() => (inThread ? '' : (store.read[channelId] ?? '')))
  const [returns, setReturns] = useState(0)
  const { messages, fills } = room
  const unreadFrom = useMemo(() => {
    const isNews = (/** @type {typeof messages[number]} */ one) =>
      one.ts > readUpTo && one.user !== store.me && !isQuiet(one)
    return readUpTo === '' ? undefined : messages.find(isNews)?.ts
  }, [fills, returns])
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') setReturns((times) => times + 1)
      else setReadUpTo(room.lastTs)
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [room])
  /** How many came below what the person looks at. */
  const [below, setBelow] = useState(0)
  // One message can be reached with Tab; the arrow keys reach the others.
  const current = room.has(visited) ? visited : room.lastTs

  useKeptFocus(list, '.message-body')

  /** The newest that was there; undefined until everything is loaded.  @type {{ current: string | undefined }} */
  const newest = useRef(undefined)
  useLayoutEffect(() => {
    const before = newest.current
    const last = messages.at(-1)
    newest.current = room.isLoaded ? room.lastTs : undefined
    if (before === undefined || last === undefined || last.ts <= before) return
    const { current: pane } = scroller
    if (pane !== null && (last.user === store.me || isQuiet(last))) pane.scrollTop = 0
    // Upside down: what is below has a negative distance.
    else if (pane !== null && pane.scrollTop < -belowMin) {
      setBelow((count) => count + messages.filter(({ ts }) => ts > before).length)
    }
    store.say(spoken(store, last))
  }, [room.lastTs, fills])

  /** @type {(event: KeyboardEvent) => void} */
  function onKeyDown(event) {
    const items = [...(list.current?.children ?? [])]
    const at = items.indexOf(/** @type {Element} */ (event.target))
    const target = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: items.length - 1 }[event.key]
    if (at === -1 || target === undefined || event.altKey) return
    event.preventDefault()
    const item = items[target]
    if (!(item instanceof HTMLElement)) return
    item.focus()
    item.scrollIntoView({ block: 'nearest' })
  }

  /** @type {(event: FocusEvent) => void} */
  function onFocusIn({ target }) {
    const item = target instanceof Element ? target.closest('.message') : null
    if (item instanceof HTMLElement) visit(item.dataset.ts ?? '')
  }

  async function loadEarlier() {
    setAsking(true)
    await store.history.loadEarlier(channelId).catch((error) => store.complain(error, room))
    setAsking(false)
  }

  function goDown() {
    if (scroller.current !== null) scroller.current.scrollTop = 0
    setBelow(0)
  }

  /** @type {(event: { currentTarget: HTMLElement }) => void} */
  function onScroll({ currentTarget }) {
    if (below > 0 && currentTarget.scrollTop >= -belowMin) setBelow(0)
  }

  return html`
    <div class="scroller" ref=${scroller} onScroll=${onScroll}>
      ${
        below > 0 &&
        html`<button type="button" class="newer" onClick=${goDown}>
          ${below === 1 ? '1 new message' : `${below} new messages`} ↓
        </button>`
      }
      <div class="scrolled">
        ${
          room.hasMore &&
          html`<button type="button" class="earlier" disabled=${isAsking} onClick=${loadEarlier}>
            Show earlier messages
          </button>`
        }
        ${room.isLoaded && messages.length === 0 && html`<p class="empty">Nothing has been said here yet.</p>`}
        <ol
          class="messages bare" aria-label=${label} tabindex="-1" ref=${list}
          onKeyDown=${onKeyDown} onFocusIn=${onFocusIn}
        >
          ${messages.map(
            (message, at) => html`
              <${MessageItem}
                key=${message.ts} store=${store} room=${room} channelId=${channelId} inThread=${inThread}
                message=${message} before=${messages[at - 1]}
                isFirstUnread=${message.ts === unreadFrom} isCurrent=${message.ts === current}
              />
            `,
          )}
        </ol>
      </div>
    </div>
  `
}

/** What happens elsewhere does not draw it: `version` says that its room has changed. */
export const MessageList = memo(draw)
