/**
 * Text objects and mrkdwn.
 *
 * @import { ComponentChild } from 'preact'
 * @import { RenderContext, Shown } from '../shapes.js'
 * @import { Inline, Passage } from './read-mrkdwn.js'
 */
import { html } from '../html.js'
import { fieldsOf, linkUrl, stringOf } from '../shapes.js'
import { withEmoji } from './emoji-codes.js'
import { readMrkdwn } from './read-mrkdwn.js'
import { formatDate } from './slack-date.js'

const emphasis = /** @type {const} */ ({ bold: 'strong', italic: 'em', strike: 's' })

/** @type {(part: Inline, context: RenderContext) => ComponentChild} */
function renderInline(part, context) {
  switch (part.kind) {
    case 'text':
      return whole(withEmoji(part.text))
    case 'code':
      return html`<code>${renderCode(part.parts, context)}</code>`
    case 'bold':
    case 'italic':
    case 'strike':
      return html`<${emphasis[part.kind]}>${part.parts.map((one) => renderInline(one, context))}<//>`
    case 'link':
      return renderLink(part.url, withEmoji(part.label ?? part.url.replace(/^mailto:/, '')))
    case 'broadcast':
      return html`<span class="mention">@${part.range}</span>`
    case 'date':
      return renderDate(part)
    default: {
      const { kind, id, label } = part
      const known = context.names[kind](id)
      const sign = kind === 'channel' ? '#' : '@'
      // The label that came along stands in for a name that is not known.
      const name = known === id || known === '' ? (label ?? id) : known
      return html`<span class="mention">${name.startsWith(sign) ? name : sign + name}</span>`
    }
  }
}

/** A number with its unit, which no line break parts. */
const inseparable = /([\d.,]{0,20}\d (?:%|[KMGTP]?B(?:\/s)?|ms|s|min|h|d)(?![\p{L}\p{N}]))/u

/** @type {(text: string) => ComponentChild} */
function whole(text) {
  const parts = text.split(inseparable)
  if (parts.length === 1) return text
  return parts.map((part, at) => (at % 2 === 0 ? part : html`<span class="whole">${part}</span>`))
}

/** Codes of emoji stay codes inside of code.  @type {(parts: Inline[], context: RenderContext) => ComponentChild[]} */
const renderCode = (parts, context) =>
  parts.map((part) => (part.kind === 'text' ? part.text : renderInline(part, context)))

/** A link that opens elsewhere; an address that nobody should follow is shown as text.  @type {(url: string, words: ComponentChild) => Shown} */
function renderLink(url, words) {
  const href = linkUrl(url)
  return href === undefined
    ? html`<u title="not a link: ${url}">${words}</u>`
    : html`<a href=${href} target="_blank" rel="noopener noreferrer">${words}</a>`
}

/** @type {(date: Inline & { kind: 'date' }) => ComponentChild} */
function renderDate({ seconds, format, url, fallback }) {
  const words = formatDate(seconds, format, Date.now())
  if (words === undefined) return fallback
  const iso = new Date(seconds * 1_000).toISOString()
  const title = formatDate(seconds, '{date_long} {time_secs}', Date.now())
  const shown = html`<time datetime=${iso} title=${title}>${words}</time>`
  return url === undefined ? shown : renderLink(url, shown)
}

/** @type {(passage: Passage, context: RenderContext) => Shown} */
function renderPassage(passage, context) {
  if (passage.kind === 'preformatted') return html`<pre>${renderCode(passage.parts, context)}</pre>`
  const rows = passage.rows.map((row, at) => [
    at > 0 && html`<br />`,
    row.map((part) => renderInline(part, context)),
  ])
  return html`<${passage.kind === 'quote' ? 'blockquote' : 'div'}>${rows}<//>`
}

/** A mrkdwn text as Slack stores it. With `links`, bare addresses become links as well.  @type {(props: { text: string, context: RenderContext, links?: boolean }) => Shown} */
export function Mrkdwn({ text, context, links = false }) {
  return html`<div class="mrkdwn">
    ${readMrkdwn(text, { links }).map((passage) => renderPassage(passage, context))}
  </div>`
}

/** What a plain_text says, emoji included.  @type {(object: unknown) => string} */
export function plainTextOf(object) {
  const { text, emoji } = fieldsOf(object)
  return emoji === false ? stringOf(text) : withEmoji(stringOf(text))
}

/** A text object, plain_text or mrkdwn; anything else is shown as JSON.  @type {(object: unknown, context: RenderContext) => Shown} */
export function renderText(object, context) {
  const { type, text, verbatim } = fieldsOf(object)
  if (type === 'plain_text') return html`<div class="mrkdwn">${plainTextOf(object)}</div>`
  if (type !== 'mrkdwn' || typeof text !== 'string') return renderUnknown(object, 'text')
  return html`<${Mrkdwn} text=${text} context=${context} links=${verbatim !== true} />`
}

/** What is not known here, as JSON: nothing that a bot sends is dropped.  @type {(value: unknown, what: string) => Shown} */
export function renderUnknown(value, what) {
  return html`
    <details>
      <summary class="soft">Unknown ${what}: ${stringOf(fieldsOf(value).type)}</summary>
      <pre tabindex="0">${JSON.stringify(value, null, 2)}</pre>
    </details>
  `
}
