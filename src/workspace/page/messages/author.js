/**
 * Who a message is from, and what kind of message it is.
 *
 * @import { Message } from '../shell/wire-shapes.js'
 * @import { Store } from '../shell/store.js'
 */

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
