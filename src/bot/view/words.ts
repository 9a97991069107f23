/**
 * The words that all messages are made of. Foreign text becomes harmless here: it mentions nobody, hides no link, formats nothing, and
 * is as long as its place allows. Times are absolute, in the reader's zone; lists are sorted as people count. Measured values are for
 * people too: `97%`, `1.5 GB`, `31 s`, `5 min`, `0.0034`.
 */
import { day, hour, minute, second } from '../clock.ts'
import { isNamedIn } from '../decide/matching.ts'
import type { Alert } from '../world/types.ts'

const charsMaxUsual = 300
const lineCharsMax = 3_000
/** At least this much of a long text is looked at. */
const lookedAtMin = 200

/** Control characters, bidi overrides, zero-width characters and halves of characters: they hide text or turn it around. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]+/gu
/** Marks that are piled up would cover the lines around them. */
const piledUp = /(\p{M}{2})\p{M}+/gu
const emojiBegin = /(?<![\p{L}\p{N}]):(?=[\w+'-]+:)/gu

const harmless = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  // Marks that format have look-alikes that do not.
  ['*', '\u2217'],
  ['~', '\u223c'],
  ['`', '\u02cb'],
])

/** One line of at most `charsMax` code points in which everything is visible: for `plain_text`. */
export function plain(text: string, charsMax = charsMaxUsual): string {
  const begin = text.trimStart()
  const part = begin.slice(0, 4 * charsMax + lookedAtMin)
  const clean = part.replace(invisible, ' ').replace(piledUp, '$1').replace(/\s+/g, ' ').trim()
  const chars = [...clean]
  if (part.length === begin.length && chars.length <= charsMax) return clean
  return `${chars
    .slice(0, charsMax - 1)
    .join('')
    .trimEnd()}…`
}

/** `plain` for mrkdwn. It is shortened before it is escaped, so no entity is cut. */
export function escaped(text: string, charsMax = charsMaxUsual): string {
  return plain(text, charsMax)
    .replace(emojiBegin, '\u2236')
    .replace(/[&<>*~`]/g, (char) => harmless.get(char) ?? char)
}

/** For where Slack reads no mrkdwn. */
export function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** Our own mrkdwn, shortened: never inside a character, an entity, a link or a date. */
export function cut(mrkdwn: string, charsMax: number): string {
  if (mrkdwn.length <= charsMax) return mrkdwn
  const part = mrkdwn.slice(0, Math.max(0, charsMax - 1))
  return `${part.replace(/(?:&[a-z]*|<[^>]*|[\ud800-\udbff])$/, '').trimEnd()}…`
}

const urlCharsMax = 1_000

/** The address as a link takes it; null for any other than http(s), and for one with a name in it that imitates another host. */
export function webAddress(address: string): string | null {
  const url = URL.parse(address)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  if (url.username !== '' || url.password !== '') return null
  const href = url.href.replace(/[|<>\s]/g, encodeURIComponent)
  return href.length > urlCharsMax ? null : href
}

/** `label` is escaped already; without a good address it stands alone. */
export function link(address: string | null, label: string): string {
  const href = address === null ? null : webAddress(address)
  return href === null ? label : `<${href}|${label.replaceAll('|', '\u2223')}>`
}

const webLink = /\[([^\]]+)\]\(([^\s()]+)\)|https?:\/\/(?:(?!&[lg]t;)[^\s()])*[^\s().,:;!?'"&\u2217]/g

/** Foreign Markdown: headings, bold, bullets and web links as Slack has them; all else is text. */
export function markdownLines(text: string): string[] {
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('```'))
  return lines.map((line) => {
    const marked = line.replace(/^\s*[-*+]\s+/, '• ').replace(/^\s*#{1,6}\s+(.*)$/, '**$1**')
    // What was made harmless is not so in an address, and two marks are to format.
    return escaped(marked, lineCharsMax)
      .replace(webLink, (whole: string, label = whole, url = whole) =>
        link(url.replaceAll('&amp;', '&').replaceAll('\u223c', '~'), label.replaceAll(/https?:\/\//g, '')),
      )
      .replace(/\u2217{2}(.+?)\u2217{2}/g, '*$1*')
  })
}

/** A time with its day, in the reader's zone. */
export function date(ms: number): string {
  return `<!date^${Math.floor(sane(ms) / second)}^{date_short_pretty} {time}|${utc(ms)}>`
}

/** `2026-11-21 04:12 UTC`. */
export function utc(ms: number): string {
  return `${new Date(sane(ms)).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

const lastMs = Date.UTC(9999, 0)
function sane(ms: number): number {
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), lastMs) : 0
}

/** `45 s`, `24 min`, `1 h 30 min`, `2 days`. */
export function duration(ms: number): string {
  const whole = Math.max(0, Math.round(ms / second)) * second
  if (whole < minute) return `${whole / second} s`
  if (whole < hour) return `${Math.floor(whole / minute)} min`
  const isDays = whole >= day
  const large = Math.floor(whole / (isDays ? day : hour))
  const small = Math.floor((whole % (isDays ? day : hour)) / (isDays ? hour : minute))
  const first = isDays ? count(large, 'day') : `${large} h`
  return small === 0 ? first : `${first} ${small} ${isDays ? 'h' : 'min'}`
}

/** A mention of a member, or the name of somebody whom Slack does not know. */
export function person(id: string): string {
  if (/^[UW][A-Z0-9]+$/.test(id)) return `<@${id}>`
  if (id === 'policy') return 'the policy file'
  return escaped(id.replace(/^(?:name|pager):/, ''), 60)
}

/** `@ana, @ben and 3 others`. */
export function people(ids: readonly string[], max = 3): string {
  const names = [...new Set(ids)].map(person)
  const rest = names.length - max
  return rest > 1 ? `${names.slice(0, max).join(', ')} and ${rest} others` : joined(names)
}

const collator = new Intl.Collator('en', { numeric: true })
/** As people count: db-3 before db-33. */
export function naturally(a: string, b: string): number {
  return collator.compare(a, b)
}

/** `db-3, db-4 … db-33`, sorted; the names are escaped already. */
export function listed(names: readonly string[], max = 6): string {
  const sorted = [...new Set(names)].sort(naturally)
  if (sorted.length <= Math.max(max, 3)) return joined(sorted)
  return `${sorted.slice(0, Math.max(max - 1, 2)).join(', ')} … ${sorted.at(-1)}`
}

/** `a, b and c`. */
export function joined(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 8 })

/** `1 alert`, `1,200 alerts`. */
export function count(n: number, one: string, several = `${one}s`): string {
  return `${number(n)} ${n === 1 ? one : several}`
}

export function number(n: number): string {
  return numbers.format(n)
}

/** `2nd`, `11th`. */
export function ordinal(n: number): string {
  const isTeen = n % 100 >= 11 && n % 100 <= 13
  return `${n}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`
}

/** `once`, `twice`, `3 times`. */
export function times(n: number): string {
  return ['never', 'once', 'twice'][n] ?? `${number(n)} times`
}

/** ` — deploying`, or nothing. */
export function because(reason: string): string {
  return reason.trim() === '' ? '' : ` — ${escaped(reason)}`
}

/** What people call a metric: `CPU busy`, `Disk / used`, `Load Average last minute`. */
export function metricWords({
  plugin,
  metric,
}: {
  readonly plugin: string
  readonly metric: string
}): string {
  const known = plugin.toLowerCase().split(' ')
  const words = metric.split(/[_.\s-]+/).filter((word) => word !== '' && !known.includes(word.toLowerCase()))
  const rest = words.filter((word, at) => at === 0 || !/^(?:percent|pct|%)$/i.test(word)).join(' ')
  if (plugin === '') return rest.toLowerCase().startsWith('cpu ') ? `CPU${rest.slice(3)}` : rest
  return rest === '' || metric === plugin ? plugin : `${plugin} ${rest}`
}

type Named = Pick<Alert, 'plugin' | 'metric' | 'title'>

/** What an alert is about: `CPU busy`; not escaped. What has no metric is told by its title. */
export function subjectOf({ plugin, metric, title }: Named): string {
  if (isSilence({ metric })) return 'No data'
  if (metric !== null) return metricWords({ plugin, metric }) || title
  return title.toLowerCase().includes(plugin.toLowerCase()) ? title || plugin : `${plugin}: ${title}`
}

/** What alerts of its kind have in common. */
export function kindName(alert: Named): string {
  return alert.metric === null ? alert.plugin : subjectOf(alert)
}

/** A heartbeat: its value is how many seconds ago the server reported last. */
export function isSilence({ metric }: Pick<Alert, 'metric'>): boolean {
  return metric === 'seconds_since_report'
}

/** `CPU busy on web-2`: the subject of acts, and what `ack CPU busy on web-2` means; not escaped. */
export function headlineWords(alert: Named & Pick<Alert, 'server'>): string {
  return `${plain(subjectOf(alert), 120)}${onServer(alert, plain)}`
}

function onServer(alert: Named & Pick<Alert, 'server'>, written: typeof plain): string {
  return isNamedIn(subjectOf(alert), alert.server) ? '' : ` on ${written(alert.server, 80)}`
}

/** `*CPU busy* on web-2`, within a sentence. */
export function headline(alert: Named & Pick<Alert, 'server'>): string {
  return `*${escaped(subjectOf(alert), 120)}*${onServer(alert, escaped)}`
}

const sizes = ['', 'k', 'M', 'G', 'T', 'P']
const secondsOf = new Map([
  ['s', 1],
  ['sec', 1],
  ['seconds', 1],
  ['ms', 0.001],
  ['min', 60],
])
/** From here on a time is easier to read in minutes. */
const secondsMax = (2 * minute) / second
const decimalsMax = 6

/** `beside`: a value that it is compared with, so the two are never rounded to the same. Not escaped. */
export function amount(value: number, units: string | null, beside: number | null = null): string {
  const unit = (units ?? '').trim()
  const others = beside === null ? [] : [beside]
  const seconds = secondsOf.get(unit.toLowerCase())
  if (seconds !== undefined && value * seconds >= secondsMax && value * seconds < 1e9)
    return duration(value * seconds * second)
  const [isBytes, per = ''] = /^(?:[Bb]ytes?|B)(\/s)?$/.exec(unit) ?? []
  if (isBytes !== undefined) {
    let at = 0
    while (Math.abs(value) / 1000 ** at >= 1000 && at < sizes.length - 1) at += 1
    const scaled = (n: number) => n / 1000 ** at
    return `${rounded(scaled(value), others.map(scaled))} ${sizes[at]}B${per}`
  }
  // Nearly all is not all.
  if (unit === '%') return `${rounded(value, [...others, 100])}%`
  return `${rounded(value, others)} ${unit}`.trim()
}

/** Whole from ten on, two digits below; more where it would look equal to one of the others. */
function rounded(value: number, others: readonly number[]): string {
  const size = Math.abs(value)
  if (size !== 0 && (size >= 1e15 || size < 1e-6)) return value.toExponential(1)
  let decimals = size >= 10 || size === 0 ? 0 : Math.min(decimalsMax, 1 - Math.floor(Math.log10(size)))
  const fixed = (n: number) => Number(n.toFixed(decimals))
  const looksEqual = () => others.some((other) => other !== value && fixed(other) === fixed(value))
  while (decimals < decimalsMax && looksEqual()) decimals += 1
  return number(fixed(value))
}
