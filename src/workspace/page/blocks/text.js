/**
 * Text objects and mrkdwn.
 *
 * @import { ComponentChild } from 'preact'
 * @import { RenderContext, Shown } from './render-context.js'
 * @import { Inline, Passage } from './read-mrkdwn.js'
 */
import { useEffect, useState } from 'preact/hooks'
import { html } from '../html.js'
import { withEmoji } from './emoji-codes.js'
import { fieldsOf, linkUrl, stringOf } from './fields.js'
import { readMrkdwn } from './read-mrkdwn.js'
import { formatDate } from './slack-date.js'

const emphasis = /** @type {const} */ ({ bold: 'strong', italic: 'em', strike: 's' })

/** @type {(part: Inline, context: RenderContext) => ComponentChild} */
function renderInline(part, context) {
  switch (part.kind) {
    case 'text':
      return whole(withEmoji(part.text))
    case 'code':
      return html`<code class="bk-code">${renderCode(part.parts, context)}</code>`
    case 'bold':
    case 'italic':
    case 'strike':
      return html`<${emphasis[part.kind]}>${part.parts.map((one) => renderInline(one, context))}<//>`
    case 'link':
      return renderLink(part.url, withEmoji(part.label ?? part.url.replace(/^mailto:/, '')))
    case 'broadcast':
      return html`<span class="bk-mention bk-broadcast">@${part.range}</span>`
    case 'date':
      return part.format.includes('{ago}')
        ? html`<${Age} part=${part} context=${context} />`
        : renderDate(part, context)
    default: {
      const { kind, id, label } = part
      const known = context.names[kind](id)
      const sign = kind === 'channel' ? '#' : '@'
      // The label that came along stands in for a name that is not known.
      const name = known === id || known === '' ? (label ?? id) : known
      return html`<span class="bk-mention">${name.startsWith(sign) ? name : sign + name}</span>`
    }
  }
}

/** A number with its unit, which no line break parts; and circles of the colour of a ground, which get an edge. */
const inseparable =
  /([\d.,]{0,20}\d (?:%|[KMGTP]?B(?:\/s)?|ms|s|min|h|d)(?![\p{L}\p{N}]))|([\u26ab\u26aa]\ufe0f?)/u

/** @type {(text: string) => ComponentChild} */
function whole(text) {
  const parts = text.split(inseparable)
  if (parts.length === 1) return text
  // Of each match two parts stand between those of the text, one of them empty.
  return parts.map((part, at) => {
    if (at % 3 === 0 || part === undefined) return part
    return html`<span class=${at % 3 === 1 ? 'bk-whole' : 'bk-circle'}>${part}</span>`
  })
}

/** Codes of emoji stay codes inside of code.  @type {(parts: Inline[], context: RenderContext) => ComponentChild[]} */
const renderCode = (parts, context) =>
  parts.map((part) => (part.kind === 'text' ? part.text : renderInline(part, context)))

/** A link that opens elsewhere; an address that nobody should follow is shown as text.  @type {(url: string, words: ComponentChild) => Shown} */
function renderLink(url, words) {
  const href = linkUrl(url)
  return href === undefined
    ? html`<span class="bk-unsafe-link" title="not a link: ${url}">${words}</span>`
    : html`<a class="bk-link" href=${href} target="_blank" rel="noopener noreferrer">${words}</a>`
}

const ageEveryMs = 15_000

/** A time that is told by its age, which goes on while it stands there.  @type {(props: { part: Inline & { kind: 'date' }, context: RenderContext }) => ComponentChild} */
function Age({ part, context }) {
  const [, drawAgain] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => drawAgain((times) => times + 1), ageEveryMs)
    return () => clearInterval(timer)
  }, [])
  return renderDate(part, context)
}

/** @type {(date: Inline & { kind: 'date' }, context: RenderContext) => ComponentChild} */
function renderDate({ seconds, format, url, fallback }, { now }) {
  const words = formatDate(seconds, format, now())
  if (words === undefined) return fallback
  const full = formatDate(seconds, '{date_long} {time_secs}', now())
  const iso = new Date(seconds * 1_000).toISOString()
  const shown = html`<time datetime=${iso} title=${full}>${words}</time>`
  return url === undefined ? shown : renderLink(url, shown)
}

/** @type {(passage: Passage, context: RenderContext) => Shown} */
function renderPassage(passage, context) {
  if (passage.kind === 'preformatted')
    return html`<pre class="bk-pre">${renderCode(passage.parts, context)}</pre>`
  const rows = passage.rows.map((row, at) => [
    at > 0 && html`<br />`,
    row.map((part) => renderInline(part, context)),
  ])
  return passage.kind === 'quote'
    ? html`<blockquote class="bk-quote">${rows}</blockquote>`
    : html`<span class="bk-prose">${rows}</span>`
}

/** A mrkdwn text as Slack stores it. With `links`, bare addresses become links as well.  @type {(props: { text: string, context: RenderContext, links?: boolean }) => Shown} */
export function Mrkdwn({ text, context, links = false }) {
  return html`${readMrkdwn(text, { links }).map((passage) => renderPassage(passage, context))}`
}

/** What a plain_text says, emoji included.  @type {(object: unknown) => string} */
export function plainTextOf(object) {
  const { text, emoji } = fieldsOf(object)
  return emoji === false ? stringOf(text) : withEmoji(stringOf(text))
}

/** A text object, plain_text or mrkdwn; anything else is shown as JSON.  @type {(object: unknown, context: RenderContext) => Shown} */
export function renderText(object, context) {
  const { type, text, verbatim } = fieldsOf(object)
  if (type === 'plain_text') return html`<span class="bk-text bk-plain">${plainTextOf(object)}</span>`
  if (type !== 'mrkdwn' || typeof text !== 'string') return renderUnknown(object, 'text')
  return html`<span class="bk-text">
    <${Mrkdwn} text=${text} context=${context} links=${verbatim !== true} />
  </span>`
}

/** What is not known here, as JSON: nothing that a bot sends is dropped.  @type {(value: unknown, what: string) => Shown} */
export function renderUnknown(value, what) {
  const type = stringOf(fieldsOf(value).type)
  return html`
    <details class="bk-unknown">
      <summary class="soft">Unknown ${what}${type && `: ${type}`}</summary>
      <pre class="bk-pre" tabindex="0">${JSON.stringify(value, null, 2)}</pre>
    </details>
  `
}
