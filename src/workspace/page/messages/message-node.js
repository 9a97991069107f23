/**
 * One message: who, when, what, and what can be done with it. It is built once and then changed in place.
 *
 * @import { Message } from '../shell/wire-shapes.js'
 * @import { Surroundings } from '../shell/surroundings.js'
 * @typedef {object} MessageNode
 * @property {HTMLLIElement} node
 * @property {Message} message As it is shown.
 * @property {(message: Message) => void} update
 * @property {(before: Message | undefined, unreadFrom: string) => void} stand What stands above decides about dividers
 *   and whether the author is named again. `unreadFrom` is the timestamp of the first unread message.
 */
import { build } from '../blocks/build-node.js'
import { renderAvatar } from './avatar.js'
import { clockOf, dayName, dayOf, fullTimeOf, msOf, shortTimeOf } from './local-time.js'
import { openBody } from './message-body.js'
import { renderTools } from './message-tools.js'

/** Messages of one author within this time stand together under one name. */
const togetherWithinMs = 300_000

/**
 * @param {Message} first
 * @param {Surroundings} around
 * @param {{ channelId: string, inThread: boolean }} where
 * @returns {MessageNode}
 */
export function openMessageNode(first, around, where) {
  const { channelId, inThread } = where
  const ms = msOf(first.ts)
  const author = around.author(first)
  const isApp = first.bot_id !== undefined || first.notice !== undefined
  const ownId = `m-${inThread ? 't' : 'c'}-${first.ts.replace(/\W/g, '-')}`

  const divider = build('div', { class: 'day' }, build('h3', { class: 'day-name' }))
  const news = build('div', { class: 'news' }, build('span', { class: 'news-name' }, 'New'))
  const quiet = build('div', { class: 'only-you' })
  const updated = build('span', { class: 'message-updated' })
  const time =
    first.notice === undefined
      ? build(
          'time',
          { class: 'message-time', datetime: new Date(ms).toISOString(), title: fullTimeOf(ms) },
          clockOf(ms),
        )
      : undefined
  const head = build(
    'div',
    { class: 'message-head', id: ownId },
    build('span', { class: 'message-author' }, author.name),
    isApp && build('span', { class: 'app-badge' }, 'APP'),
    time,
    updated,
  )
  const body = openBody(around.context({ channelId, ts: first.ts }))
  const thread = build('div', { class: 'message-thread' })
  const node = build(
    'li',
    { class: 'message', tabindex: '-1', 'data-ts': first.ts, 'aria-labelledby': ownId },
    build(
      'div',
      { class: 'message-row' },
      renderAvatar(author),
      build('div', { class: 'message-main' }, quiet, head, body.node, thread),
      renderTools(first, around, where),
    ),
  )

  /** @type {MessageNode} */
  const it = {
    node,
    message: first,
    update(message) {
      const isChange = it.message !== message
      it.message = message
      body.update(
        message.subtype === 'tombstone'
          ? { ts: message.ts, user: message.user, text: '_This message was deleted._' }
          : message,
      )
      showEdit(updated, message)
      showQuiet(quiet, message, around, channelId)
      if (!inThread) showThread(thread, message, around, channelId)
      node.classList.toggle('is-quiet', isQuiet(message))
      if (isChange) flash(node)
    },
    stand(before, unreadFrom) {
      const isNewDay = before === undefined || dayOf(msOf(before.ts)) !== dayOf(ms)
      toggle(node, divider, isNewDay && !inThread)
      if (isNewDay) divider.children[0]?.replaceChildren(dayName(ms, around.now()))
      toggle(node, news, unreadFrom === first.ts)
      node.classList.toggle(
        'is-together',
        !isNewDay && before !== undefined && areTogether(before, it.message),
      )
    },
  }
  it.update(first)
  return it
}

/** @type {(message: Message) => boolean} */
export const isQuiet = ({ is_ephemeral: own, notice }) => own === true || notice !== undefined

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

/** @type {(node: HTMLElement, part: HTMLElement, isThere: boolean) => void} */
function toggle(node, part, isThere) {
  if (!isThere) part.remove()
  else if (part.parentElement !== node) node.prepend(part)
}

/** @type {(node: HTMLElement, message: Message) => void} */
function showEdit(node, { edited, bot_id: bot, subtype }) {
  if (edited === undefined || subtype === 'tombstone') {
    node.textContent = ''
    return
  }
  const ms = msOf(edited.ts)
  node.textContent = bot === undefined ? '(edited)' : `updated ${clockOf(ms)}`
  node.title = fullTimeOf(ms)
}

/** @type {(node: HTMLElement, message: Message, around: Surroundings, channelId: string) => void} */
function showQuiet(node, message, around, channelId) {
  if (!isQuiet(message) || node.childElementCount > 0) return
  const dismiss = build('button', { type: 'button', class: 'link-button' }, 'Dismiss')
  dismiss.addEventListener('click', () => around.dismiss(message, channelId))
  node.append(
    build('span', {}, '👁️ Only visible to you'),
    build('span', { 'aria-hidden': 'true' }, '·'),
    dismiss,
  )
}

/** @type {(node: HTMLElement, message: Message, around: Surroundings, channelId: string) => void} */
function showThread(node, message, around, channelId) {
  const { reply_count: count = 0, reply_users: users = [], latest_reply: latest } = message
  if (count === 0) {
    node.replaceChildren()
    return
  }
  const words = count === 1 ? '1 reply' : `${count} replies`
  const last = latest === undefined ? '' : `Last reply ${shortTimeOf(msOf(latest), around.now())}`
  const known = node.querySelector('a')
  if (known !== null) {
    known.querySelector('.thread-count')?.replaceChildren(words)
    known.querySelector('.thread-last')?.replaceChildren(last)
    known.querySelector('.thread-faces')?.replaceChildren(...facesOf(users, around))
    return
  }
  node.append(
    build(
      'a',
      { class: 'thread-link', href: around.hrefOf(channelId, message.ts) },
      build('span', { class: 'thread-faces' }, ...facesOf(users, around)),
      build('span', { class: 'thread-count' }, words),
      build('span', { class: 'thread-last' }, last),
    ),
  )
}

/** @type {(users: string[], around: Surroundings) => HTMLElement[]} */
const facesOf = (users, around) =>
  users.slice(0, 4).map((user) => renderAvatar(around.author({ ts: '', user }), 'small'))

/** A soft hint that the message has just changed.  @type {(node: HTMLElement) => void} */
function flash(node) {
  node.classList.remove('is-fresh')
  // Reading the width makes the browser forget the animation that ran before.
  void node.offsetWidth
  node.classList.add('is-fresh')
}
