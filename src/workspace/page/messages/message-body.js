/**
 * What a message says: its blocks or its text, its attachments and its files.
 *
 * @import { RenderContext } from '../blocks/render-context.js'
 * @import { Store } from '../shell/store.js'
 * @import { Fields, Message } from '../shell/wire-shapes.js'
 */
import { Blocks } from '../blocks/blocks.js'
import { fileUrl, linkUrl, pictureUrl } from '../blocks/safe-url.js'
import { Mrkdwn } from '../blocks/text.js'
import { html } from '../html.js'
import { blockContext } from '../shell/block-context.js'

/** @param {{ store: Store, channelId: string, message: Message }} props */
export function MessageBody({ store, channelId, message }) {
  const { ts, text = '', blocks = [], attachments = [], files = [], notice } = message
  const context = blockContext(store, 'message', { channel: channelId, ts })
  if (notice !== undefined) return html`<div class="message-body"><p class="message-text">${notice}</p></div>`
  const words = message.subtype === 'tombstone' ? '_This message was deleted._' : text
  return html`
    <div class="message-body">
      ${
        blocks.length > 0
          ? html`<${Blocks} blocks=${blocks} context=${context} />`
          : words && html`<div class="message-text"><${Mrkdwn} text=${words} context=${context} /></div>`
      }
      ${attachments.map((attachment) => html`<${Attachment} attachment=${attachment} context=${context} />`)}
      ${files.map((file) => html`<${FileLink} file=${file} />`)}
    </div>
  `
}

const elsewhere = { target: '_blank', rel: 'noopener noreferrer' }

/** Blocks behind a coloured bar, or the older form of a title and text.  @param {{ attachment: Fields, context: RenderContext }} props */
function Attachment({ attachment, context }) {
  const { color, blocks } = attachment
  const isColour = typeof color === 'string' && /^#?[\da-f]{6}$/i.test(color)
  const style = isColour ? { '--bar': `#${color.replace('#', '')}` } : {}
  if (Array.isArray(blocks))
    return html`<div class="attachment" style=${style}><${Blocks} blocks=${blocks} context=${context} /></div>`
  /** @type {(key: string) => string} */
  const textOf = (key) => (typeof attachment[key] === 'string' ? attachment[key] : '')
  const [title, text, fallback] = [textOf('title'), textOf('text'), textOf('fallback')]
  const href = linkUrl(textOf('title_link'))
  const src = pictureUrl(textOf('image_url'))
  const part = (/** @type {string} */ words, name = '') =>
    words && html`<div class=${name}><${Mrkdwn} text=${words} context=${context} /></div>`
  return html`
    <div class="attachment" style=${style}>
      ${part(textOf('pretext'))}
      ${title && html`<strong>${href ? html`<a href=${href} ...${elsewhere}>${title}</a>` : title}</strong>`}
      ${part(text || title ? text : fallback)}
      ${src && html`<img src=${src} alt=${fallback || 'Attached picture'} />`}
      ${part(textOf('footer'), 'attachment-footer')}
    </div>
  `
}

/** @param {{ file: Fields }} props */
function FileLink({ file }) {
  const name = typeof file.title === 'string' ? file.title : String(file.name ?? file.id)
  const href = typeof file.url_private === 'string' ? fileUrl(file.url_private) : undefined
  if (href === undefined) return html`<p class="file">File ${name} is not here any more.</p>`
  if (!String(file.mimetype).startsWith('image/'))
    return html`<p class="file"><a href=${href} ...${elsewhere}>📎 ${name}</a></p>`
  const alt = typeof file.alt_txt === 'string' ? file.alt_txt : name
  return html`
    <figure class="file">
      <figcaption>${name}</figcaption>
      <a href=${href} ...${elsewhere}><img src=${href} alt=${alt} decoding="async" /></a>
    </figure>
  `
}
