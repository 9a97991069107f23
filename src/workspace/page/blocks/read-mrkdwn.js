/**
 * Slack's mrkdwn, read into plain values: no DOM, no names, no clock.
 * The markup: https://docs.slack.dev/messaging/formatting-message-text
 *
 * @typedef {{ kind: 'text', text: string }
 *   | { kind: 'code', parts: Inline[] }
 *   | { kind: 'bold' | 'italic' | 'strike', parts: Inline[] }
 *   | { kind: 'link', url: string, label: string | undefined }
 *   | { kind: 'user' | 'channel' | 'group', id: string, label: string | undefined }
 *   | { kind: 'broadcast', range: string }
 *   | { kind: 'date', seconds: number, format: string, url: string | undefined, fallback: string }} Inline
 *
 * @typedef {{ kind: 'prose' | 'quote', rows: Inline[][] } | { kind: 'preformatted', parts: Inline[] }} Passage
 */

/** The three entities that Slack knows, undone once.  @type {(text: string) => string} */
export const unescaped = (text) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** @type {(body: string, label: string | undefined) => Inline} */
function date(body, label) {
  const [, seconds = '', format = '', url] = body.split('^')
  return {
    kind: 'date',
    // NaN where it is no number.
    seconds: /^\d+$/.test(seconds) ? Number(seconds) : Number.NaN,
    format: unescaped(format),
    url: url === undefined ? undefined : unescaped(url),
    fallback: unescaped(label ?? body),
  }
}

/** What stands between `<` and `>`; undefined when that is no markup of Slack's.  @type {(inner: string) => Inline | undefined} */
function angled(inner) {
  const bar = inner.indexOf('|')
  const body = bar < 0 ? inner : inner.slice(0, bar)
  const label = bar < 0 || bar === inner.length - 1 ? undefined : unescaped(inner.slice(bar + 1))
  if (body.startsWith('!date^')) return date(body, label)
  if (/^@./.test(body)) return { kind: 'user', id: body.slice(1), label }
  if (/^#./.test(body)) return { kind: 'channel', id: body.slice(1), label }
  if (body.startsWith('!subteam^')) return { kind: 'group', id: body.slice('!subteam^'.length), label }
  if (/^!(here|channel|everyone)$/.test(body)) return { kind: 'broadcast', range: body.slice(1) }
  if (body.startsWith('!')) return { kind: 'text', text: label ?? unescaped(body) }
  return /^[a-z][a-z0-9+.-]*:/i.test(body) ? { kind: 'link', url: unescaped(body), label } : undefined
}

// The alternatives inside an emphasis begin with different characters, so a match costs one pass.
/** @type {(sign: string) => string} */
const emphasis = (sign) =>
  `(?<![\\p{L}\\p{N}${sign}])${sign}(?=\\S)((?:<[^<>]*>|[^${sign}<])+)(?<=\\S)${sign}(?![\\p{L}\\p{N}${sign}])`
const bareUrl = `(\\bhttps?://[^\\s<>|]+[^\\s<>|.,;:!?)'"*_~\`])`
const signs = ['`([^`]+)`', '<([^<>]+)>', emphasis('\\*'), emphasis('_'), emphasis('~')]
const markup = new RegExp(signs.join('|'), 'gu')
const markupAndUrls = new RegExp([...signs, bareUrl].join('|'), 'gu')

/** @type {(text: string, links: boolean) => Inline[]} */
function inlinesOf(text, links) {
  /** @type {Inline[]} */
  const parts = []
  let end = 0
  const plain = (/** @type {number} */ upTo) => {
    if (upTo > end) parts.push({ kind: 'text', text: unescaped(text.slice(end, upTo)) })
  }
  for (const match of text.matchAll(links ? markupAndUrls : markup)) {
    const [all, code, angle, bold, italic, strike, url] = match
    plain(match.index)
    end = match.index + all.length
    if (code !== undefined) parts.push({ kind: 'code', parts: codeOf(code) })
    else if (angle !== undefined) parts.push(angled(angle) ?? { kind: 'text', text: unescaped(all) })
    else if (bold !== undefined) parts.push({ kind: 'bold', parts: inlinesOf(bold, links) })
    else if (italic !== undefined) parts.push({ kind: 'italic', parts: inlinesOf(italic, links) })
    else if (strike !== undefined) parts.push({ kind: 'strike', parts: inlinesOf(strike, links) })
    else if (url !== undefined) parts.push({ kind: 'link', url: unescaped(url), label: undefined })
  }
  plain(text.length)
  return parts
}

/** Code knows links and nothing else: Slack wraps an address in `<…>` there too.  @type {(text: string) => Inline[]} */
function codeOf(text) {
  return text.split(/(<https?:[^<>]+>)/).flatMap((part, index) => {
    if (part === '') return []
    const link = index % 2 === 1 ? angled(part.slice(1, -1)) : undefined
    return [link ?? { kind: 'text', text: unescaped(part) }]
  })
}

/** Rows that begin with `>` are quoted; from a row with `>>>` on, all are.  @type {(text: string, links: boolean) => Passage[]} */
function proseOf(text, links) {
  /** @type {{ kind: 'prose' | 'quote', rows: Inline[][] }[]} */
  const passages = []
  let quoting = false
  for (const row of text.split('\n')) {
    const long = quoting ? null : /^(?:>|&gt;){3} ?/.exec(row)
    const short = /^(?:>|&gt;) ?/.exec(row)
    const mark = long ?? short
    if (long !== null) quoting = true
    const kind = mark !== null || quoting ? 'quote' : 'prose'
    const inlines = inlinesOf(mark === null ? row : row.slice(mark[0].length), links)
    const last = passages.at(-1)
    if (last?.kind === kind) last.rows.push(inlines)
    else passages.push({ kind, rows: [inlines] })
  }
  return passages
}

/**
 * The passages of a text. With `links`, bare addresses are links too, as Slack makes them where `verbatim` is not set.
 *
 * @param {string} text
 * @param {{ links: boolean }} options
 * @returns {Passage[]}
 */
export function readMrkdwn(text, { links }) {
  const parts = text.replaceAll('\r\n', '\n').split(/```((?:(?!```)[\s\S])+)```/)
  return parts.flatMap((part, index) => {
    if (index % 2 === 1) {
      return [{ kind: 'preformatted', parts: codeOf(part.replace(/^\n/, '').replace(/\n$/, '')) }]
    }
    // The line feeds around a fence belong to it.
    const after = index > 0 && part.startsWith('\n') ? part.slice(1) : part
    const prose = index < parts.length - 1 && after.endsWith('\n') ? after.slice(0, -1) : after
    return prose === '' && parts.length > 1 ? [] : proseOf(prose, links)
  })
}
