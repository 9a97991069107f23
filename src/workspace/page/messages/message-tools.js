/**
 * What can be done with a message besides its own buttons: reply in its thread, the bot's message shortcuts, copy its link.
 * The bar shows where the pointer or the focus is.
 *
 * @import { Message } from '../shell/wire-shapes.js'
 * @import { Surroundings } from '../shell/surroundings.js'
 */
import { build } from '../blocks/build-node.js'
import { attachMenu } from '../shell/menu.js'

/**
 * @param {Message} message
 * @param {Surroundings} around
 * @param {{ channelId: string, inThread: boolean }} where
 * @returns {HTMLElement | undefined} Nothing where nothing can be done.
 */
export function renderTools(message, around, { channelId, inThread }) {
  if (message.is_ephemeral === true || message.notice !== undefined) return undefined
  const root = message.thread_ts ?? message.ts
  const href = around.hrefOf(channelId, root)
  const more = build(
    'button',
    { type: 'button', class: 'tool', 'aria-label': 'More message actions', title: 'More message actions' },
    '⋮',
  )
  attachMenu(more, 'Message actions', () => [
    ...around.messageShortcuts().map(({ callbackId, name, description }) => ({
      name,
      ...(description === undefined ? {} : { detail: description }),
      choose: () => around.runShortcut(callbackId, { channelId, ts: message.ts }, inThread),
    })),
    { name: 'Copy link to message', choose: () => around.copy(new URL(href, location.href).href, channelId) },
  ])
  return build(
    'div',
    { class: 'tools' },
    !inThread &&
      build('a', { class: 'tool', href, 'aria-label': 'Reply in thread', title: 'Reply in thread' }, '💬'),
    more,
  )
}
