/**
 * One message: who, when, what, and what can be done with it.
 * @import { Message } from './shapes.js'
 * @import { Room, Store } from './store.js'
 * @typedef {{ store: Store, room: Room, channelId: string, inThread: boolean, message: Message, before: Message | undefined }} Props
 */
import { useRef } from 'preact/hooks'
import { Blocks } from './blocks/blocks.js'
import { Mrkdwn } from './blocks/text.js'
import { html, useKeptFocus } from './html.js'
import { clockOf, dayName, dayOf, fullTimeOf, msOf } from './local-time.js'
import { contextFor } from './page.js'

/** Whether only this person sees it.  @type {(message: Message) => boolean} */
export const isQuiet = ({ is_ephemeral: own, notice }) => own === true || notice !== undefined

/** Whether it is a card that nobody is on.  @type {(message: Message) => boolean} */
export const isWaiting = ({ blocks }) =>
  /"action_id":"acknowledge(?:_all)?"/.test(JSON.stringify(blocks ?? []))

/** @param {Props} props */
export function MessageItem(props) {
  const { store, inThread, message, before } = props
  const ms = msOf(message.ts)
  const name = authorOf(store, message)
  const isNewDay = before === undefined || dayOf(msOf(before.ts)) !== dayOf(ms)
  const headId = `m-${inThread ? 't' : 'c'}-${message.ts.replace(/\W/g, '-')}`
  const body = /** @type {{ current: HTMLElement | null }} */ (useRef(null))
  useKeptFocus(body)
  return html`
    <li class=${isQuiet(message) ? 'message is-quiet' : 'message'} data-ts=${message.ts} aria-labelledby=${headId}>
      ${isNewDay && !inThread && html`<h3 class="day"><span>${dayName(ms)}</span></h3>`}
      <div class="message-row row">
        <${Avatar} name=${name} />
        <div class="message-main">
          ${isQuiet(message) && html`<${OnlyYou} ...${props} />`}
          <div class="message-head row" id=${headId}>
            <strong>${name}</strong>
            ${(message.bot_id ?? message.notice) !== undefined && html`<span class="badge">APP</span>`}
            ${
              message.notice === undefined &&
              html`<time class="fine" datetime=${new Date(ms).toISOString()} title=${fullTimeOf(ms)}>${clockOf(ms)}</time>`
            }
            ${message.pinned_to && html`<span class="fine">📌 Pinned</span>`}
            ${message.edited && html`<span class="fine">(edited)</span>`}
          </div>
          <div class="message-body" tabindex="-1" ref=${body}><${Body} ...${props} /></div>
          ${!inThread && (message.reply_count ?? 0) > 0 && html`<${ThreadLink} ...${props} />`}
        </div>
        ${!isQuiet(message) && !inThread && html`<${ReplyLink} ...${props} />`}
      </div>
    </li>
  `
}

/** @type {(store: Store, message: Pick<Message, 'user' | 'notice'>) => string} */
function authorOf(store, { user, notice }) {
  if (notice !== undefined || user === 'USLACKBOT') return 'Slackbot'
  const known = store.user(user)
  return known?.realName || known?.name || user
}

/** A square of initials.  @param {{ name: string }} props */
export function Avatar({ name }) {
  const initials = name.split(/[\s_-]+/).map((word) => word.charAt(0))
  return html`<span class="avatar" aria-hidden="true">${initials.slice(0, 2).join('').toUpperCase()}</span>`
}

/** Its blocks or else its text, and the files that it brings.  @param {Props} props */
function Body({ store, channelId, inThread, message }) {
  const { ts, text = '', blocks = [], files = [], notice, root, thread_ts: thread = ts } = message
  const context = contextFor(store, 'message', { channel: channelId, ts })
  return html`
    ${
      !inThread &&
      root &&
      html`<p class="replied-to soft">
        <a href="#/${channelId}/${thread}">replied to a thread:</a> <${Mrkdwn} text=${root.text ?? ''} context=${context} />
      </p>`
    }
    ${
      blocks.length > 0
        ? html`<${Blocks} blocks=${blocks} context=${context} />`
        : (notice ?? html`<${Mrkdwn} text=${text} context=${context} />`)
    }
    ${message.attachments?.map(
      ({ color, title, title_link: link, text }) =>
        html`<div style=${{ paddingLeft: '10px', borderLeft: `4px solid var(--${color}, var(--line-strong))` }}><${Mrkdwn} text=${`*<${link}|${title}>*\n${text}`} context=${context} /></div>`,
    )}
    ${files.map(
      ({ id, name, size }) => html`
        <a class="file framed" href=${context.fileUrl(id)} download=${name}>
          📄 <strong>${name}</strong> <span class="fine">${(size / 1_000).toFixed(1)} kB · Download</span>
        </a>
      `,
    )}
  `
}

/** @param {Props} props */
function OnlyYou({ store, room, channelId, message: { ts, notice } }) {
  async function dismiss() {
    if (notice === undefined)
      return store.act('dismiss', { channel: channelId, ts }).catch((error) => store.complain(error, room))
    room.byTs.delete(ts)
    return store.changed()
  }
  return html`<div class="fine">
    👁️ Only visible to you · <button type="button" class="tool" onClick=${dismiss}>Dismiss</button>
  </div>`
}

/** @param {Props} props */
const ThreadLink = ({ channelId, message: { ts, reply_count: count = 0 } }) =>
  html`<a class="button thread-link" href="#/${channelId}/${ts}">💬 ${count === 1 ? '1 reply' : `${count} replies`}</a>`

/** @param {Props} props */
const ReplyLink = ({ channelId, message: { ts, thread_ts: thread = ts } }) =>
  html`<a class="tool reply" href="#/${channelId}/${thread}" aria-label="Reply in thread" title="Reply in thread">💬</a>`
