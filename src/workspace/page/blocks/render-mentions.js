/**
 * The pieces that both mrkdwn and rich_text have: links, mentions, dates.
 *
 * @import { Child } from './build-node.js'
 * @import { RenderContext } from './render-context.js'
 */
import { build } from './build-node.js'
import { linkUrl } from './safe-url.js'
import { formatDate } from './slack-date.js'

/**
 * A link that opens elsewhere; an address that nobody should follow is shown as the text that it is.
 *
 * @type {(url: string, ...children: Child[]) => HTMLElement}
 */
export function renderLink(url, ...children) {
  const href = linkUrl(url)
  const shown = children.length === 0 ? [url] : children
  if (href === undefined)
    return build('span', { class: 'bk-unsafe-link', title: `not a link: ${url}` }, ...shown)
  return build('a', { href, target: '_blank', rel: 'noopener noreferrer', class: 'bk-link' }, ...shown)
}

/** @type {(sign: string, name: string) => string} */
const signed = (sign, name) => (name.startsWith(sign) ? name : `${sign}${name}`)

/**
 * Who or what is meant, by its name here; the label that came along stands in for a name that is not known.
 *
 * @type {(kind: 'user' | 'channel' | 'group', id: string, label: string | undefined, context: RenderContext) => HTMLElement}
 */
export function renderMention(kind, id, label, { names }) {
  const known = names[kind](id)
  const name = known === id || known === '' ? (label ?? id) : known
  return build('span', { class: 'bk-mention', 'data-id': id }, signed(kind === 'channel' ? '#' : '@', name))
}

/** @type {(range: string) => HTMLElement} */
export const renderBroadcast = (range) => build('span', { class: 'bk-mention bk-broadcast' }, `@${range}`)

/**
 * @param {{ seconds: number, format: string, url: string | undefined, fallback: string }} date
 * @param {RenderContext} context
 * @returns {HTMLElement}
 */
export function renderDate({ seconds, format, url, fallback }, context) {
  const clock = { nowMs: context.now(), timeZone: context.timeZone }
  const words = formatDate(seconds, format, clock)
  const full = formatDate(seconds, '{date_long} {time_secs}', clock)
  const shown =
    words === undefined || full === undefined
      ? build('span', {}, fallback)
      : build('time', { datetime: new Date(seconds * 1_000).toISOString(), title: full }, words)
  return url === undefined || url === '' ? shown : renderLink(url, shown)
}
