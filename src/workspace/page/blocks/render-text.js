/**
 * Text objects and mrkdwn as DOM nodes.
 *
 * @import { Fields, RenderContext } from './render-context.js'
 * @import { Inline, Passage } from './read-mrkdwn.js'
 */
import { build, harmless } from './build-node.js'
import { withEmoji } from './emoji-codes.js'
import { fieldsOf, stringOf } from './fields.js'
import { readMrkdwn } from './read-mrkdwn.js'
import { renderBroadcast, renderDate, renderLink, renderMention } from './render-mentions.js'

const emphasisTags = /** @type {const} */ ({ bold: 'strong', italic: 'em', strike: 's' })

/** @type {(part: Inline, context: RenderContext) => Node} */
function renderInline(part, context) {
  switch (part.kind) {
    case 'text':
      return document.createTextNode(harmless(withEmoji(part.text)))
    case 'code':
      return build('code', { class: 'bk-code' }, ...codeNodes(part.parts, context))
    case 'bold':
    case 'italic':
    case 'strike':
      return build(emphasisTags[part.kind], {}, ...part.parts.map((one) => renderInline(one, context)))
    case 'link':
      return renderLink(part.url, withEmoji(part.label ?? part.url.replace(/^mailto:/, '')))
    case 'broadcast':
      return renderBroadcast(part.range)
    case 'date':
      return renderDate(
        { ...part, seconds: /^\d+$/.test(part.seconds) ? Number(part.seconds) : Number.NaN },
        context,
      )
    default:
      return renderMention(part.kind, part.id, part.label, context)
  }
}

/** Codes of emoji stay codes inside of code.  @type {(parts: Inline[], context: RenderContext) => Node[]} */
function codeNodes(parts, context) {
  return parts.map((part) =>
    part.kind === 'text' ? document.createTextNode(harmless(part.text)) : renderInline(part, context),
  )
}

/** @type {(passage: Passage, context: RenderContext) => HTMLElement} */
function renderPassage(passage, context) {
  if (passage.kind === 'preformatted')
    return build('pre', { class: 'bk-pre' }, ...codeNodes(passage.parts, context))
  const rows = passage.rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [build('br')]),
    ...row.map((part) => renderInline(part, context)),
  ])
  return passage.kind === 'quote'
    ? build('blockquote', { class: 'bk-quote' }, ...rows)
    : build('span', { class: 'bk-prose' }, ...rows)
}

/**
 * The nodes of a mrkdwn text as Slack stores it. With `links`, bare addresses become links as well.
 *
 * @param {string} text
 * @param {RenderContext} context
 * @param {{ links: boolean }} [options]
 * @returns {Node[]}
 */
export function renderMrkdwn(text, context, options = { links: false }) {
  return readMrkdwn(text, options).map((passage) => renderPassage(passage, context))
}

/** What a plain_text says, emoji included.  @type {(object: unknown) => string} */
export function plainTextOf(object) {
  const { text, emoji } = fieldsOf(object)
  return emoji === false ? stringOf(text) : withEmoji(stringOf(text))
}

/**
 * A text object, plain_text or mrkdwn; anything else is shown as the JSON that it is.
 *
 * @param {unknown} object
 * @param {RenderContext} context
 * @returns {HTMLElement}
 */
export function renderText(object, context) {
  /** @type {Fields} */
  const fields = fieldsOf(object)
  const { type, text } = fields
  if (typeof text !== 'string' || (type !== 'mrkdwn' && type !== 'plain_text'))
    return renderUnknown(object, 'text')
  if (type === 'plain_text') return build('span', { class: 'bk-text bk-plain' }, plainTextOf(fields))
  return build(
    'span',
    { class: 'bk-text' },
    ...renderMrkdwn(text, context, { links: fields.verbatim !== true }),
  )
}

/**
 * What is not known here: its JSON in a box that says so. Nothing that a bot sends is dropped.
 *
 * @type {(value: unknown, what: string) => HTMLElement}
 */
export function renderUnknown(value, what) {
  const type = stringOf(fieldsOf(value).type)
  const label = `Unknown ${what}${type === '' ? '' : `: ${type}`}`
  return build(
    'div',
    { class: 'bk-unknown', role: 'group', 'aria-label': label },
    build('p', { class: 'bk-unknown-label' }, label),
    build('pre', { class: 'bk-pre', tabindex: '0' }, JSON.stringify(value, null, 2) ?? String(value)),
  )
}
