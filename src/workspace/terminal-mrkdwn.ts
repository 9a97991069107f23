// Slack's mrkdwn as lines for a terminal: emphasis, code, quotes, links by their label, mentions and dates.
// The markup: https://docs.slack.dev/messaging/formatting-message-text

import { type Clock, formatDate } from './terminal-date.ts'
import { withEmoji } from './terminal-emoji.ts'
import { harmless, type Line, line, type Span, type Style, span } from './terminal-span.ts'

export type Look = Clock & { readonly color: boolean }

export const quoteMark = '▏ '
export const codeIndent = '    '

/** The three entities that Slack knows, undone once. */
const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** Code without colour keeps its backticks, or it could not be told from words. */
export const codeSpan = (text: string, styles: readonly Style[], { color }: Look): Span =>
  span(color ? text : `\`${text}\``, [...styles, 'cyan'])

/** Struck text without colour keeps its tildes, or it would say the opposite. */
export const struck = (spans: readonly Span[], { color }: Look): Span[] =>
  color ? [...spans] : [span('~'), ...spans, span('~')]

function dateSpan(body: string, label: string | undefined, styles: readonly Style[], look: Look): Span {
  const [, seconds = '', format = '', link] = body.split('^')
  const words = /^\d+$/.test(seconds) ? formatDate(Number(seconds), format, look) : undefined
  return span(unescaped(words ?? label ?? body), link ? [...styles, 'underline'] : styles)
}

/** What stands between `<` and `>`; undefined when that is no markup of Slack's. */
function angled(inner: string, styles: readonly Style[], look: Look): Span | undefined {
  const bar = inner.indexOf('|')
  const body = bar < 0 ? inner : inner.slice(0, bar)
  const label = bar < 0 || bar === inner.length - 1 ? undefined : inner.slice(bar + 1)
  const mention: readonly Style[] = [...styles, 'blue']
  if (body.startsWith('!date^')) return dateSpan(body, label, styles, look)
  if (/^[@#]./.test(body)) {
    const sign = body.slice(0, 1)
    const name = unescaped(label ?? body.slice(1))
    return span(name.startsWith(sign) ? name : `${sign}${name}`, mention)
  }
  if (body.startsWith('!subteam^'))
    return span(unescaped(label ?? `@${body.slice('!subteam^'.length)}`), mention)
  if (/^!(here|channel|everyone)$/.test(body)) return span(`@${body.slice(1)}`, [...styles, 'yellow'])
  if (body.startsWith('!')) return span(unescaped(label ?? body), styles)
  if (!/^[a-z][a-z0-9+.-]*:/i.test(body)) return undefined
  return span(withEmoji(unescaped(label ?? body)), [...styles, 'underline'])
}

// The alternatives inside an emphasis begin with different characters, so a match costs one pass.
const emphasis = (sign: string): string =>
  `(?<![\\p{L}\\p{N}${sign}])${sign}(?=\\S)((?:<[^<>]*>|[^${sign}<])+)(?<=\\S)${sign}(?![\\p{L}\\p{N}${sign}])`
const markup = new RegExp(
  ['`([^`]+)`', '<([^<>]+)>', emphasis('\\*'), emphasis('_'), emphasis('~')].join('|'),
  'gu',
)

function spansOf(text: string, styles: readonly Style[], look: Look): Span[] {
  const spans: Span[] = []
  let end = 0
  const plain = (upTo: number): void => {
    if (upTo > end) spans.push(span(withEmoji(unescaped(text.slice(end, upTo))), styles))
  }
  for (const match of text.matchAll(markup)) {
    const [all, code, angle, bold, italic, strike] = match
    plain(match.index)
    end = match.index + all.length
    if (code !== undefined) spans.push(codeSpan(unescaped(code), styles, look))
    else if (angle !== undefined) spans.push(angled(angle, styles, look) ?? span(unescaped(all), styles))
    else if (bold !== undefined) spans.push(...spansOf(bold, [...styles, 'bold'], look))
    else if (italic !== undefined) spans.push(...spansOf(italic, [...styles, 'italic'], look))
    else if (strike !== undefined)
      spans.push(...struck(spansOf(strike, [...styles, 'strikethrough'], look), look))
  }
  plain(text.length)
  return spans
}

/** Preformatted text, line by line. */
export function codeLines(text: string): Line[] {
  const inner = harmless(text).replace(/^\n/, '').replace(/\n$/, '')
  return inner.split('\n').map((row) => line([span(row, ['cyan'])], codeIndent))
}

function proseLines(text: string, look: Look, styles: readonly Style[]): Line[] {
  let quoting = false
  return text.split('\n').map((row) => {
    const long = /^(?:>|&gt;){3} ?/.exec(row)
    const short = /^(?:>|&gt;) ?/.exec(row)
    if (long !== null) quoting = true
    const mark = long ?? short
    const spans = spansOf(mark === null ? row : row.slice(mark[0].length), styles, look)
    return mark !== null || quoting ? line(spans, quoteMark) : line(spans)
  })
}

/** The lines of a mrkdwn text, all in the given styles besides their own. */
export function mrkdwnLines(text: string, look: Look, styles: readonly Style[] = []): Line[] {
  const parts = harmless(text).split(/```((?:(?!```)[\s\S])+)```/)
  return parts.flatMap((part, index) => {
    if (index % 2 === 1) return codeLines(unescaped(part))
    // The line feeds around a fence belong to it.
    const after = index > 0 && part.startsWith('\n') ? part.slice(1) : part
    const prose = index < parts.length - 1 && after.endsWith('\n') ? after.slice(0, -1) : after
    return prose === '' && parts.length > 1 ? [] : proseLines(prose, look, styles)
  })
}
