/**
 * What a message says: its blocks or its text, its attachments and its files. A change redraws only the blocks that changed.
 *
 * @import { RenderContext } from '../blocks/render-context.js'
 * @import { Fields, Message } from '../shell/wire-shapes.js'
 * @import { Part } from './keep-nodes.js'
 */
import { build } from '../blocks/build-node.js'
import { renderBlocks, renderMrkdwn } from '../blocks/render-blocks.js'
import { fileUrl, linkUrl, pictureUrl } from '../blocks/safe-url.js'
import { openParts } from './keep-nodes.js'

/**
 * @param {RenderContext} context
 * @returns {{ node: HTMLElement, update(message: Message): void }}
 */
export function openBody(context) {
  const node = build('div', { class: 'message-body' })
  const show = openParts(node)
  return { node, update: (message) => show(partsOf(message, context)) }
}

/** @type {(message: Message, context: RenderContext) => Part[]} */
function partsOf(message, context) {
  const { blocks = [], attachments = [], files = [], text = '', notice } = message
  if (notice !== undefined)
    return [part('notice', notice, () => build('p', { class: 'message-text' }, notice))]
  const words =
    blocks.length > 0
      ? blocks.map((block) => part('block', block, () => renderBlocks([block], context)))
      : text !== ''
        ? [part('text', text, () => build('div', { class: 'message-text' }, ...renderMrkdwn(text, context)))]
        : []
  return [
    ...words,
    ...attachments.map((one) => part('attachment', one, () => renderAttachment(one, context))),
    ...files.map((file) => part('file', file, () => renderFile(file))),
  ]
}

/** @type {(kind: string, what: unknown, render: () => Node) => Part} */
const part = (kind, what, render) => ({ key: `${kind} ${JSON.stringify(what)}`, render })

/** An attachment: blocks behind a coloured bar, or the older form of title, text and fields.  @type {(attachment: Fields, context: RenderContext) => HTMLElement} */
function renderAttachment(attachment, context) {
  const { color, blocks } = attachment
  const node = build('div', { class: 'attachment' })
  if (typeof color === 'string' && /^#?[\da-f]{6}$/i.test(color)) {
    node.style.setProperty('--bar', color.startsWith('#') ? color : `#${color}`)
  }
  /** @type {(key: string) => string} */
  const textOf = (key) => (typeof attachment[key] === 'string' ? String(attachment[key]) : '')
  if (Array.isArray(blocks)) {
    node.append(renderBlocks(blocks, context))
    return node
  }
  /** @type {(key: string, className: string) => void} */
  const add = (key, className) => {
    if (textOf(key) !== '')
      node.append(build('div', { class: className }, ...renderMrkdwn(textOf(key), context)))
  }
  add('pretext', 'attachment-pretext')
  const href = linkUrl(textOf('title_link'))
  if (textOf('title') !== '') {
    const attributes = { class: 'attachment-title', target: '_blank', rel: 'noopener noreferrer' }
    const title = build(
      href === undefined ? 'strong' : 'a',
      href === undefined ? {} : { ...attributes, href },
    )
    title.textContent = textOf('title')
    node.append(title)
  }
  add('text', 'attachment-text')
  if (textOf('text') === '' && textOf('title') === '') add('fallback', 'attachment-text')
  const src = pictureUrl(textOf('image_url'))
  if (src !== undefined) node.append(build('img', { src, alt: textOf('fallback') || 'Attached picture' }))
  add('footer', 'attachment-footer')
  return node
}

/** @type {(file: Fields) => HTMLElement} */
function renderFile(file) {
  const name = typeof file.title === 'string' ? file.title : String(file.name ?? file.id)
  const href = typeof file.url_private === 'string' ? fileUrl(file.url_private) : undefined
  if (href === undefined) return build('p', { class: 'file' }, `File ${name} is not here any more.`)
  const link = { href, target: '_blank', rel: 'noopener noreferrer' }
  if (String(file.mimetype).startsWith('image/')) {
    const alt = typeof file.alt_txt === 'string' ? file.alt_txt : name
    return build(
      'figure',
      { class: 'file' },
      build('figcaption', {}, name),
      build('a', link, build('img', { src: href, alt, class: 'file-picture', decoding: 'async' })),
    )
  }
  return build('p', { class: 'file' }, build('a', link, `📎 ${name}`))
}
