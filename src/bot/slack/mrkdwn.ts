/**
 * Makes text from outside safe for Slack's mrkdwn: titles, hostnames and names cannot mention anybody, hide a link or break the
 * formatting around them (docs/slack.md#text).
 */

// Control characters, zero-width characters and bidi overrides: they hide text or turn it around.
const invisible =
  /[\p{Cc}\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]+/gu

// Formatting marks have look-alikes that format nothing; the others are Slack's own entities.
const harmless: Readonly<Record<string, string>> = {
  '*': '\u2217',
  '~': '\u223C',
  '`': '\u02CB',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
}

/** At least this much of a long text is examined. */
const lookedMin = 200

/** One line of at most `charsMax` characters (code points) in which everything is visible; for plain_text. */
export function printable(text: string, charsMax: number): string {
  // Text from outside may be pages long, and what is not shown need not be examined.
  const said = text.trimStart()
  const part = said.slice(0, 4 * charsMax + lookedMin)
  const clean = part.replace(invisible, ' ').replace(/\s+/g, ' ').trim()
  const isWhole = part.length === said.length
  if (isWhole && clean.length <= charsMax) return clean
  // A character is one unit or two.
  const chars = [...clean.slice(0, 2 * charsMax + 1)]
  if (isWhole && chars.length <= charsMax) return clean
  const shown = chars.slice(0, charsMax - 1).join('')
  return `${shown.trimEnd()}…`
}

/** `printable` for mrkdwn: escaped, and without formatting marks. Shortened first, so that no entity is cut. */
export function escaped(text: string, charsMax: number): string {
  return printable(text, charsMax).replace(/[*~`&<>]/g, (char) => harmless[char] ?? char)
}

/** `escaped` between backticks, where an asterisk formats nothing and stays, as in `web-*`. */
export function escapedInCode(text: string, charsMax: number): string {
  return printable(text, charsMax).replace(/[~`&<>]/g, (char) => harmless[char] ?? char)
}

/** `escaped`, as much as fits in `lengthMax` after escaping. */
export function escapedWithin(text: string, lengthMax: number): string {
  for (let charsMax = lengthMax; charsMax > 0; charsMax = Math.floor(charsMax / 2)) {
    const fitting = escaped(text, charsMax)
    if (fitting.length <= lengthMax) return fitting
  }
  return ''
}

/**
 * A link, `<url|label>`, for an http(s) address; the bare label for any other, and for one with credentials, which only serve to
 * imitate another host. `label` is already escaped.
 */
export function link(address: string, label: string): string {
  const href = webAddress(address)
  return href === null || href.length > linkCharsMax ? label : `<${href}|${label.replaceAll('|', '\u2223')}>`
}

const linkCharsMax = 2_000

/** The address as a link or a button takes it; null for any other than http(s), and for one with credentials. */
export function webAddress(address: string): string | null {
  const url = URL.parse(address)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  if (url.username !== '' || url.password !== '') return null
  return url.href.replace(/[|<>\s]/g, encodeURIComponent)
}

/** A time in the reader's own zone, with its day; UTC if that is impossible. `withPlainDays` removes a day that is obvious. */
export function localTime(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `<!date^${seconds}^{date_short_pretty} {time}|${utcTime(ms)}>`
}

/**
 * The message without the days that are obvious: those less than 12 h from when it was posted. Slack shows that moment beside the
 * message, and within 12 h no clock time comes twice. So an edit counts from when the message was posted, not from the edit.
 */
export function withPlainDays<Content>(content: Content, postedMs: number): Content {
  const isPlain = (ms: number) => Math.abs(ms - postedMs) < plainDayMs
  const text = JSON.stringify(content).replace(dated, (whole, seconds: string) =>
    isPlain(Number(seconds) * 1000) ? `<!date^${seconds}^{time}|` : whole,
  )
  const plain = JSON.parse(text)
  return typeof plain.text === 'string'
    ? { ...plain, text: withPlainTimes(plain.text, text, isPlain) }
    : plain
}

/** The same for the notification's text: a locked phone has no room for a day, and does not show times in the reader's zone. */
function withPlainTimes(text: string, content: string, isPlain: (ms: number) => boolean): string {
  const times = new Set(
    [...content.matchAll(/<!date\^(\d+)\^/g)].map(([, seconds]) => Number(seconds) * 1000),
  )
  return [...times]
    .filter(isPlain)
    .map(utcTime)
    .reduce((words, time) => words.replaceAll(time, time.slice('2026-11-21 '.length)), text)
}

const plainDayMs = 12 * 3_600_000
const dated = /<!date\^(\d+)\^\{date_short_pretty\} \{time\}\|/g

/**
 * An age such as `opened 6 minutes ago` that Slack counts when it is read, so that it stays true without an edit. `fallback` has
 * no `>`.
 */
export function agoTime(ms: number, fallback: string, what = ''): string {
  return `<!date^${Math.floor(ms / 1000)}^${what}{ago}|${fallback}>`
}

/** A time as `2026-11-21 04:12 UTC`. */
export function utcTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

const entities = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&amp;', '&'],
])

/** Our own mrkdwn as plain text, on one line: links and times become their words, people and groups their ids. */
export function plainWords(mrkdwn: string): string {
  return mrkdwn
    .replace(/<!date\^[^|>]*\|([^>]*)>/g, '$1')
    .replace(/<!subteam\^([^|>]+)[^>]*>/g, '@$1')
    .replace(/<[@#!]([^|>]+)[^>]*>/g, '@$1')
    .replace(/<[^|>]+\|([^>]*)>/g, '$1')
    .replace(/`([^`]*)`|[*`]/g, '$1')
    .replace(/\s+/g, ' ')
    .replace(/&(?:lt|gt|amp);/g, (entity) => entities.get(entity) ?? entity)
}
