/**
 * What a message says: its blocks or else its text.
 *
 * @import { Store } from '../shell/store.js'
 * @import { Message } from '../shell/wire-shapes.js'
 */
import { Blocks } from '../blocks/blocks.js'
import { Mrkdwn } from '../blocks/text.js'
import { html } from '../html.js'
import { blockContext } from '../shell/block-context.js'

/** @param {{ store: Store, channelId: string, message: Message }} props */
export function MessageBody({ store, channelId, message }) {
  const { ts, text = '', blocks = [], notice, subtype } = message
  const context = blockContext(store, 'message', { channel: channelId, ts })
  const words = subtype === 'tombstone' ? '_This message was deleted._' : text
  return html`
    <div class="message-body">
      ${
        blocks.length > 0
          ? html`<${Blocks} blocks=${blocks} context=${context} />`
          : html`<div class="message-text">${notice ?? html`<${Mrkdwn} text=${words} context=${context} />`}</div>`
      }
    </div>
  `
}
