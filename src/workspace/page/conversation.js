/**
 * A conversation: its messages, oldest first, and the place to write to it. The same for a channel and for a thread.
 * @import { Channel } from './shapes.js'
 * @import { Store } from './store.js'
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { html } from './html.js'
import { isWaiting, MessageItem } from './message.js'

const draftLengthMax = 12_000
const marginPx = 8

/** @param {{ store: Store, channel: Channel, ts: string }} props `ts` is the thread's, or empty. */
export function Conversation({ store, channel, ts }) {
  const room = store.room(channel.id, ts)
  const title = `${channel.kind === 'im' ? '' : '#'}${store.nameOf(channel)}`
  const why = channel.archived
    ? 'This channel is archived. Nobody can write here.'
    : !channel.members.includes(store.me) && 'You are not in this channel, so you cannot write here.'

  /** Whether it was taken: what was not is given back.  @type {(draft: string) => Promise<boolean>} */
  async function send(draft) {
    const [, command, text = ''] = /^(\/[^\s/]\S*)(?:\s+([\s\S]*))?$/.exec(draft) ?? []
    if (command !== undefined && ts !== '') {
      room.notice(`${command} is not supported in threads. Sorry!`)
      store.changed()
      return true
    }
    room.isAsked = true
    try {
      const said = { channel: channel.id, text: withMentions(draft, store) }
      if (command !== undefined) await store.act('command', { channel: channel.id, command, text })
      else await store.act('say', ts === '' ? said : { ...said, threadTs: ts })
      return true
    } catch (error) {
      store.complain(error, room, command === undefined ? '' : `${command} failed. `)
      return false
    }
  }

  return html`
    <${Messages} store=${store} channelId=${channel.id} ts=${ts} title=${title} />
    ${
      why
        ? html`<p class="no-composer soft">${why}</p>`
        : html`<${Composer} label=${ts === '' ? `Message ${title}` : 'Reply…'} store=${store} send=${send} />`
    }
  `
}

/** @param {{ store: Store, channelId: string, ts: string, title: string }} props */
function Messages({ store, channelId, ts, title }) {
  const room = store.room(channelId, ts)
  const { messages } = room
  const inThread = ts !== ''
  const { pane, list, show, wayTo } = useScrolling(room)
  const waiting = inThread ? undefined : messages.findLast(isWaiting)
  const way = waiting && wayTo(waiting.ts)
  return html`
    <div class="scroller" ref=${pane} tabindex="0" role="region" aria-label="Messages in ${inThread ? `the thread in ${title}` : title}">
      ${room.isLoaded && messages.length === 0 && html`<p class="empty soft">Nothing has been said here yet.</p>`}
      <ol ref=${list}>
        ${messages.map(
          (message, at) => html`
            <${MessageItem}
              key=${message.ts} store=${store} room=${room} channelId=${channelId} inThread=${inThread}
              message=${message} before=${messages[at - 1]}
            />
          `,
        )}
      </ol>
      ${
        waiting &&
        // It keeps its place below the last message, so that it never comes to stand on it.
        html`<button type="button" class="button primary jump" style=${{ visibility: way ? 'visible' : 'hidden' }} onClick=${() => show(waiting.ts)}>${way} Newest unacknowledged</button>`
      }
    </div>
  `
}

/** Shows the newest unacknowledged card first, then follows the end, never past the top of the newest message.  @param {import('./store.js').Room} room */
function useScrolling(room) {
  const { messages, isLoaded } = room
  const pane = /** @type {{ current: HTMLElement | null }} */ (useRef(null))
  const list = /** @type {{ current: HTMLElement | null }} */ (useRef(null))
  const goal = useRef(/** @type {string | undefined} */ (undefined))
  const lastBefore = useRef(/** @type {string | undefined} */ (undefined))
  /** Since it was last scrolled from here: pictures that come scroll as well. */
  const isByPerson = useRef(false)
  const [, see] = useState(0)

  /** @type {(ts: string | undefined) => HTMLElement | null} */
  const itemOf = (ts) => list.current?.querySelector(`[data-ts="${ts}"]`) ?? null

  /** @type {(ts: string | undefined) => void} */
  function show(ts) {
    const item = itemOf(ts)
    isByPerson.current = false
    if (pane.current !== null && item !== null) pane.current.scrollTop = item.offsetTop - marginPx
  }

  /** An arrow to the top of a message that is out of sight.  @type {(ts: string) => string | undefined} */
  function wayTo(ts) {
    const item = itemOf(ts)
    if (item === null || pane.current === null) return undefined
    const top = item.offsetTop - pane.current.scrollTop
    if (top < -marginPx * 3) return '↑'
    return top > pane.current.clientHeight - marginPx * 8 ? '↓' : undefined
  }

  const last = messages.at(-1)?.ts
  useLayoutEffect(() => {
    if (!isLoaded || last === undefined) return
    if (goal.current === undefined) goal.current = messages.findLast(isWaiting)?.ts ?? last
    else if (room.isAsked || goal.current === lastBefore.current) goal.current = last
    room.isAsked = false
    lastBefore.current = last
    show(goal.current)
    see((times) => times + 1)
  }, [last, isLoaded])
  useLayoutEffect(() => {
    const { current } = pane
    if (current === null || list.current === null) return
    // What was scrolled to keeps its place while pictures come and cards grow, until the person scrolls away.
    const grown = new ResizeObserver(() => goal.current && show(goal.current))
    grown.observe(list.current)
    const look = () => {
      const isAtEnd = current.scrollTop > current.scrollHeight - current.clientHeight - marginPx * 5
      if (isByPerson.current) goal.current = isAtEnd ? lastBefore.current : ''
      see((times) => times + 1)
    }
    const touch = () => {
      isByPerson.current = true
    }
    for (const sign of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
      current.addEventListener(sign, touch, { passive: true })
    current.addEventListener('scroll', look, { passive: true })
    return () => grown.disconnect()
  }, [])
  return { pane, list, show, wayTo }
}

/** Enter sends, Shift+Enter begins a new line.  @param {{ label: string, store: Store, send: (draft: string) => Promise<boolean> }} props */
function Composer({ label, store, send }) {
  const [draft, write] = useState('')
  const commands = store.known.app.commands ?? []
  const typed = commands.find(
    ({ command }) => draft.startsWith('/') && `${draft} `.startsWith(command.slice(0, draft.length)),
  )

  /** @type {(event: Event) => void} */
  function onSubmit(event) {
    event.preventDefault()
    void submit()
  }
  async function submit() {
    if (draft.trim() === '') return
    write('')
    if (!(await send(draft.trim()))) write((now) => now || draft)
  }
  /** @type {(event: KeyboardEvent) => void} */
  function onKeyDown(event) {
    // An input method that is composing a character uses Enter for itself.
    if (event.isComposing || event.key !== 'Enter' || event.shiftKey) return
    onSubmit(event)
  }
  return html`
    <form class="composer" onSubmit=${onSubmit}>
      <div class="composer-box row">
        <textarea
          rows="1" placeholder=${label} aria-label=${label} maxlength=${draftLengthMax} autocomplete="off"
          enterkeyhint="send" value=${draft} onKeyDown=${onKeyDown}
          onInput=${(/** @type {{ currentTarget: HTMLTextAreaElement }} */ event) => write(event.currentTarget.value)}
        />
        <button type="submit" class="primary send" aria-label="Send" title="Send (Enter)" disabled=${draft.trim() === ''}>➤${'\ufe0e'}</button>
      </div>
      <p class="fine cut">${typed && `${typed.command} ${typed.usageHint ?? ''}`}</p>
    </form>
  `
}

/** What a person types becomes what Slack stores.  @type {(text: string, store: Store) => string} */
function withMentions(text, { known: { users } }) {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return escaped.replace(/(?<=^|[\s(])@([\w.-]*\w)/g, (whole, name) => {
    const user = users.find((one) => one.name === name)
    return user === undefined ? whole : `<@${user.id}>`
  })
}
