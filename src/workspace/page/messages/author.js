/**
 * Who a message is from, in words and as a picture, and what kind of message it is.
 *
 * @import { Message } from '../shell/wire-shapes.js'
 * @import { Store } from '../shell/store.js'
 */
import { html } from '../html.js'

/** @type {(store: Store, message: Pick<Message, 'user' | 'notice'>) => { id: string, name: string, isBot: boolean }} */
export function authorOf(store, { user, notice }) {
  if (notice !== undefined || user === 'USLACKBOT') return { id: 'USLACKBOT', name: 'Slackbot', isBot: true }
  const known = store.user(user)
  return { id: user, name: known?.realName || known?.name || user, isBot: known?.isBot ?? false }
}

/** Whether only this person sees it.  @type {(message: Message) => boolean} */
export const isQuiet = ({ is_ephemeral: own, notice }) => own === true || notice !== undefined

const spokenMax = 200

/** Its author and its first words without markup, to be spoken.  @type {(store: Store, message: Message) => string} */
export function spoken(store, message) {
  const plain = (message.notice ?? message.text ?? '')
    .replace(/<[^<>|]*\|([^<>]*)>/g, '$1')
    .replace(/<[^<>]*>/g, '')
    .replace(/[*_~`]|:[a-z0-9_+-]+:/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim()
  const words = plain.length > spokenMax ? `${plain.slice(0, spokenMax)}…` : plain
  return `${authorOf(store, message).name}: ${words}`
}

// They stay readable in light and dark.
const colours = ['#1264a3', '#8a3e00', '#1f6b45', '#7a2f7d', '#a32039', '#3d4b8f']
const ofApps = 'light-dark(#1d1c1d, #4a4d55)'

/** A square of initials in a colour of its own.  @param {{ who: { id: string, name: string, isBot?: boolean }, size?: 'small' | 'usual' }} props */
export function Avatar({ who: { id, name, isBot = false }, size = 'usual' }) {
  const words = name.split(/[\s_-]+/).filter((word) => word !== '')
  const initials = words.map((word) => [...word][0] ?? '').slice(0, isBot ? 1 : 2)
  let sum = 0
  for (const char of id) sum = (sum * 17 + (char.codePointAt(0) ?? 0)) % 9_973
  const colour = isBot ? ofApps : colours[sum % colours.length]
  return html`
    <span class="avatar avatar-${size}" style=${{ '--face': colour }} aria-hidden="true">
      ${initials.join('').toUpperCase()}
    </span>
  `
}
