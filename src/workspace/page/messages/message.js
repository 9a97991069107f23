/**
 * One message: who, when, what, and what can be done with it.
 *
 * @import { FileShown, Message } from '../shell/wire-shapes.js'
 * @import { Store } from '../shell/store.js'
 * @import { Room } from '../shell/history.js'
 * @typedef {object} Props
 * @property {Store} store
 * @property {Room} room
 * @property {string} channelId
 * @property {boolean} inThread
 * @property {Message} message
 * @property {Message | undefined} before What stands above decides about dividers and whether the author is named again.
 * @property {boolean} isFirstUnread
 * @property {boolean} isCurrent Whether Tab reaches it.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Blocks } from '../blocks/blocks.js'
import { Menu } from '../blocks/buttons.js'
import { Mrkdwn } from '../blocks/text.js'
import { html, memo } from '../html.js'
import { clockOf, dayName, dayOf, fullTimeOf, msOf, shortTimeOf } from '../local-time.js'
import { blockContext } from '../shell/block-context.js'
import { hrefOf } from '../shell/place.js'
import { Avatar, authorOf, isQuiet } from './author.js'

/** Messages of one author within this time stand together under one name. */
const togetherWithinMs = 300_000

/** @param {Props} props */
function draw(props) {
  const { store, inThread, message, before, isFirstUnread, isCurrent } = props
  const ms = msOf(message.ts)
  const author = authorOf(store, message)
  const isApp = message.bot_id !== undefined || message.notice !== undefined
  const isNewDay = before === undefined || dayOf(msOf(before.ts)) !== dayOf(ms)
  const isTogether = before !== undefined && !isNewDay && areTogether(before, message)
  const headId = `m-${inThread ? 't' : 'c'}-${message.ts.replace(/\W/g, '-')}`
  const [isFresh, endFresh] = useFresh(message)
  const classes = [
    'message',
    isTogether && 'is-together',
    isQuiet(message) && 'is-quiet',
    isFresh && 'is-fresh',
  ]
  return html`
    <li
      class=${classes.filter(Boolean).join(' ')} data-ts=${message.ts}
      tabindex=${isCurrent ? 0 : -1} aria-labelledby=${headId} onAnimationEnd=${endFresh}
    >
      ${isFirstUnread && html`<div class="news row">New messages</div>`}
      ${isNewDay && !inThread && html`<div class="day row"><h3 class="day-name">${dayName(ms, Date.now())}</h3></div>`}
      <div class="message-row">
        <${Avatar} who=${author} />
        <div class="message-main">
          ${isQuiet(message) && html`<${OnlyYou} ...${props} />`}
          <div class="message-head" id=${headId}>
            <span class="message-author">${author.name}</span>
            ${isApp && html`<span class="app-badge">APP</span>`}
            ${
              message.notice === undefined &&
              html`<time class="fine" datetime=${new Date(ms).toISOString()} title=${fullTimeOf(ms)}>
                ${clockOf(ms)}
              </time>`
            }
            ${message.pinned_to && html`<span class="fine">📌 Pinned</span>`}
            <${Edit} message=${message} />
          </div>
          ${!inThread && message.root && html`<${RepliedTo} ...${props} />`}
          <${Body} ...${props} />
          ${!inThread && (message.reply_count ?? 0) > 0 && html`<${ThreadLink} ...${props} />`}
        </div>
        ${!isQuiet(message) && html`<${Tools} ...${props} />`}
      </div>
    </li>
  `
}

export const MessageItem = memo(draw)

/** Cards always name their author: each is read by itself.  @type {(before: Message, message: Message) => boolean} */
function areTogether(before, message) {
  const isPlain = (/** @type {Message} */ one) =>
    one.blocks === undefined && !isQuiet(one) && one.subtype === undefined
  return (
    before.user === message.user &&
    isPlain(before) &&
    isPlain(message) &&
    msOf(message.ts) - msOf(before.ts) < togetherWithinMs
  )
}

/** Whether the message has just changed, until its soft hint has played.  @type {(message: Message) => [isFresh: boolean, end: () => void]} */
function useFresh(message) {
  const [isFresh, setFresh] = useState(false)
  const shown = useRef(message)
  useEffect(() => {
    if (shown.current !== message) setFresh(true)
    shown.current = message
  }, [message])
  return [isFresh, () => setFresh(false)]
}

/** Its blocks or else its text.  @param {Props} props */
function Body({ store, channelId, message }) {
  const { ts, text = '', blocks = [], files = [], notice, subtype } = message
  const context = blockContext(store, 'message', { channel: channelId, ts })
  const words = subtype === 'tombstone' ? '_This message was deleted._' : text
  return html`
    <div class="message-body stack">
      ${
        blocks.length > 0
          ? html`<${Blocks} blocks=${blocks} context=${context} />`
          : html`<div class="message-text">${notice ?? html`<${Mrkdwn} text=${words} context=${context} />`}</div>`
      }
      ${files.map((file) => html`<${FileLink} file=${file} href=${context.fileUrl(file.id)} />`)}
    </div>
  `
}

/** A file, as a link that downloads it.  @param {{ file: FileShown, href: string }} props */
function FileLink({ file: { name, size }, href }) {
  return html`
    <a class="message-file framed" href=${href} download=${name}>
      <span aria-hidden="true">📄</span>
      <span class="message-file-words"><strong>${name}</strong> <span class="fine">${sizeWords(size)} · Download</span></span>
    </a>
  `
}

/** @param {number} bytes */
function sizeWords(bytes) {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** @param {Props} props */
function OnlyYou({ store, room, channelId, message }) {
  function dismiss() {
    if (message.notice === undefined) {
      store.attempt('dismiss', { channel: channelId, ts: message.ts }, room)
      return
    }
    room.remove(message.ts)
    store.changed()
  }
  return html`
    <div class="fine">
      👁️ Only visible to you <span aria-hidden="true">· </span>
      <button type="button" class="link-button bare" onClick=${dismiss}>Dismiss</button>
    </div>
  `
}

/** @param {{ message: Message }} props */
function Edit({ message: { edited, bot_id: bot, subtype } }) {
  if (edited === undefined || subtype === 'tombstone') return undefined
  const ms = msOf(edited.ts)
  const words = bot === undefined ? '(edited)' : `updated ${clockOf(ms)}`
  return html`<span class="fine" title=${fullTimeOf(ms)}>${words}</span>`
}

/** @param {Props} props */
function ThreadLink({ store, channelId, message }) {
  const { reply_count: count = 0, reply_users: users = [], latest_reply: latest } = message
  return html`
    <a class="thread-link" href=${hrefOf(channelId, message.ts)}>
      <span>
        ${users.slice(0, 4).map((user) => html`<${Avatar} who=${authorOf(store, { user })} size="small" />`)}
      </span>
      <strong>${count === 1 ? '1 reply' : `${count} replies`}</strong>
      <span class="soft">${latest && `Last reply ${shortTimeOf(msOf(latest), Date.now())}`}</span>
    </a>
  `
}

/** Above a reply that was sent to the channel as well: what it replies to.  @param {Props} props */
function RepliedTo({ store, channelId, message }) {
  const { root, thread_ts: ts = message.ts } = message
  const context = blockContext(store, 'message', { channel: channelId, ts })
  return html`
    <p class="replied-to soft">
      <a href=${hrefOf(channelId, ts)}>replied to a thread:</a> <${Mrkdwn} text=${root?.text ?? ''} context=${context} />
    </p>
  `
}

/** What can be done with a message; shows where the pointer or the focus is.  @param {Props} props */
function Tools({ store, room, channelId, inThread, message }) {
  const href = hrefOf(channelId, message.thread_ts ?? message.ts)
  const at = { channel: channelId, ts: message.ts }
  const shortcuts = store.state.app.shortcuts.filter(({ type }) => type === 'message')
  const items = [
    ...shortcuts.map(({ callbackId, name, description }) => ({
      name,
      detail: description ?? '',
      choose: () => store.attempt('shortcut', { callbackId, message: at }, room),
    })),
    { name: 'Copy link to message', choose: copy },
  ]
  function copy() {
    const link = new URL(href, location.href).href
    navigator.clipboard.writeText(link).catch(() => {
      room.notice(`The browser lets nobody copy here. The link: ${link}`)
      store.changed()
    })
  }
  return html`
    <div class="tools">
      ${!inThread && html`<a class="tool bare" href=${href} aria-label="Reply in thread" title="Reply in thread">💬</a>`}
      <${Menu} class="tool bare" label="More message actions" items=${items}>⋮<//>
    </div>
  `
}
