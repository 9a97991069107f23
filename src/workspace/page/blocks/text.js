/**
 * Text objects and Slack's mrkdwn, as far as the bot writes it: emphasis, code, links, mentions and dates.
 * All of it: https://docs.slack.dev/messaging/formatting-message-text
 * @import { ComponentChild } from 'preact'
 * @import { Fields, RenderContext, Shown } from '../shapes.js'
 */
import { html } from '../html.js'
import { clockOf, dayOf, fullTimeOf } from '../local-time.js'
import { fieldsIn, fieldsOf, linkUrl, stringOf } from '../shapes.js'
import { withEmoji } from './emoji-codes.js'

const dayMs = 86_400_000
const shortDay = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' })
const withYear = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric' })

/** @type {(sign: string) => string} */
const emphasis = (sign) =>
  `(?<![\\p{L}\\p{N}${sign}])${sign}(?=\\S)((?:<[^<>]*>|[^${sign}<])+)(?<=\\S)${sign}(?![\\p{L}\\p{N}${sign}])`
const bareUrl = `(\\bhttps?://[^\\s<>|]+[^\\s<>|.,;:!?)'"*_~\`])`
const signs = ['`([^`]+)`', '<([^<>]+)>', emphasis('\\*'), emphasis('_'), emphasis('~')]
const markup = new RegExp(signs.join('|'), 'gu')
const markupAndUrls = new RegExp([...signs, bareUrl].join('|'), 'gu')

/** The three entities that Slack knows, undone once.  @type {(text: string) => string} */
const unescaped = (text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** @type {(text: string, links: boolean, context: RenderContext) => ComponentChild[]} */
function inlinesOf(text, links, context) {
  /** @type {ComponentChild[]} */
  const parts = []
  let end = 0
  const plain = (/** @type {number} */ upTo) => parts.push(withEmoji(unescaped(text.slice(end, upTo))))
  const inside = (/** @type {string} */ part) => inlinesOf(part, links, context)
  for (const match of text.matchAll(links ? markupAndUrls : markup)) {
    const [all, code, angle, bold, italic, strike, url] = match
    plain(match.index)
    end = match.index + all.length
    // Slack wraps an address in `<…>` in code too.
    if (code) parts.push(html`<code>${unescaped(code.replace(/<(https?:[^<>]+)>/g, '$1'))}</code>`)
    if (angle) parts.push(angled(angle, context) ?? unescaped(all))
    if (bold) parts.push(html`<strong>${inside(bold)}</strong>`)
    if (italic) parts.push(html`<em>${inside(italic)}</em>`)
    if (strike) parts.push(html`<s>${inside(strike)}</s>`)
    if (url) parts.push(renderLink(unescaped(url), unescaped(url)))
  }
  plain(text.length)
  return parts
}

/** What stands between `<` and `>`; undefined when that is no markup of Slack's.  @type {(inner: string, context: RenderContext) => ComponentChild} */
function angled(inner, { names }) {
  const [body = '', ...rest] = inner.split('|')
  const label = rest.length === 0 ? undefined : unescaped(rest.join('|'))
  const mention = (/** @type {string} */ words) => html`<span class="mention">${words}</span>`
  // The label that came along stands in for a name that is not known.
  const named = (/** @type {string} */ id, /** @type {string} */ name) => (name === id ? (label ?? id) : name)
  const [, sign, id = ''] = /^(!date\^|!subteam\^|@|#|!)(.+)$/.exec(body) ?? []
  if (sign === '!date^') return renderDate(id, label)
  if (sign === '!subteam^') return mention(`@${named(id, names.group(id))}`)
  if (sign === '@') return mention(`@${named(id, names.user(id))}`)
  if (sign === '#') return mention(`#${named(id, names.channel(id))}`)
  if (sign === '!') return mention(`@${id}`)
  if (!/^[a-z][a-z0-9+.-]*:/i.test(body)) return undefined
  return renderLink(unescaped(body), withEmoji(label ?? unescaped(body)))
}

/** A link that opens elsewhere; an address that nobody should follow is shown as text.  @type {(url: string, words: string) => Shown} */
function renderLink(url, words) {
  const href = linkUrl(url)
  return href === undefined
    ? html`<u title="not a link: ${url}">${words}</u>`
    : html`<a href=${href} target="_blank" rel="noopener noreferrer">${words}</a>`
}

/** `SECONDS^FORMAT` in the browser's zone, by the tokens that the bot uses.  @type {(date: string, fallback: string | undefined) => ComponentChild} */
function renderDate(date, fallback) {
  const [seconds = '', format = ''] = date.split('^')
  const ms = Number(seconds) * 1_000
  if (!/^\d{1,11}$/.test(seconds)) return fallback
  const days = { today: 0, yesterday: -dayMs, tomorrow: dayMs }
  const near = Object.entries(days).find(([, shiftMs]) => dayOf(Date.now() + shiftMs) === dayOf(ms))?.[0]
  // Slack leaves the year out of a date that is less than six months away.
  const day = near ?? (Math.abs(ms - Date.now()) < 182 * dayMs ? shortDay : withYear).format(ms)
  const words = unescaped(format).replace('{date_short_pretty}', day).replace('{time}', clockOf(ms))
  return html`<time datetime=${new Date(ms).toISOString()} title=${fullTimeOf(ms)}>${words}</time>`
}

/** A cell of a table, or what stands in it.  @type {(node: Fields, context: RenderContext) => ComponentChild} */
export function renderRich({ type, elements, text, url, user_id: user, ...date }, context) {
  if (elements) return fieldsIn(elements).map((one) => renderRich(one, context))
  if (type === 'user') return angled(`@${user}`, context)
  if (type === 'date') return renderDate(`${date.timestamp}^${date.format}`, stringOf(date.fallback))
  return type === 'link' ? renderLink(stringOf(url), stringOf(text)) : stringOf(text)
}

/** A mrkdwn text as Slack stores it. With `links`, bare addresses become links as well.  @type {(props: { text: string, context: RenderContext, links?: boolean }) => Shown} */
export const Mrkdwn = ({ text, context, links = false }) =>
  html`<div class="mrkdwn">${inlinesOf(text, links, context)}</div>`

/** What a plain_text says, emoji included.  @type {(object: unknown) => string} */
export function plainTextOf(object) {
  const { text, emoji } = fieldsOf(object)
  return emoji === false ? stringOf(text) : withEmoji(stringOf(text))
}

/** A text object, plain_text or mrkdwn.  @type {(object: unknown, context: RenderContext) => Shown} */
export function renderText(object, context) {
  const { type, text, verbatim } = fieldsOf(object)
  if (type === 'plain_text') return html`<div class="mrkdwn">${plainTextOf(object)}</div>`
  return html`<${Mrkdwn} text=${stringOf(text)} context=${context} links=${verbatim !== true} />`
}
