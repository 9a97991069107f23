/** What is said of one alert in a line: where, what, how bad, its end, and who is on it. */
import { day, second } from '../clock.ts'
import type { Alert } from '../world/types.ts'
import { amount, date, duration, escaped, isSilence, link, person, subjectOf, times } from './words.ts'

/** Open ones differ by sign and word, as not everybody sees colors. Green is closed, and nothing else. */
export function markOf(alert: Alert): string {
  if (alert.isOneoff) return alert.severity === 'critical' ? '🚨' : 'ℹ️'
  if (alert.closedMs !== null) return '🟢'
  if (alert.unlistedMs !== null) return '⚪'
  return { critical: '🚨', warning: '🔴', info: '🔵' }[alert.severity]
}

/** `🚨 *CRITICAL · <url|web-2>* CPU busy *97%* (limit 90%)`. */
export function openHeadline(alert: Alert): string {
  const critical = alert.severity === 'critical' ? 'CRITICAL · ' : ''
  return `${markOf(alert)} *${critical}${serverLink(alert)}* ${troubleWords(alert)}`
}

export function serverLink({ url, server, host }: Alert): string {
  return link(url, escaped(server || host, 80) || '?')
}

/** `CPU busy *97%* (limit 90%)`, `has sent no data since 01:06`; and the title where it says more than that. */
function troubleWords(alert: Alert): string {
  if (isSilence(alert)) return `has sent no data since ${date(silentSinceMs(alert))}`
  const { value, limit, units, side, isOwnTitle } = measuredOf(alert)
  const shown = value === null ? '' : ` *${escaped(amount(value, units, limit), 40)}*`
  const beside =
    limit === null ? '' : ` (${side === 'low' ? 'below' : 'limit'} ${escaped(amount(limit, units), 40)})`
  const title = isOwnTitle ? '' : moreOfTitle(alert)
  return `${escaped(subjectOf(alert), 120)}${shown}${value === null ? '' : beside}${title}`
}

/** A list's line has no room for a title. */
export function briefTrouble(alert: Alert): string {
  if (isSilence(alert)) return 'no data'
  const { value, limit, units } = measuredOf(alert)
  const shown = value === null ? '' : ` *${escaped(amount(value, units, limit), 30)}*`
  return `${escaped(subjectOf(alert), 60)}${shown}`
}

/** `CPU busy on web-2: 97%, limit 90%`: not escaped, for whoever cannot see the picture. */
export function altWords(alert: Alert): string {
  const { value, limit, units, side } = measuredOf(alert)
  const facts = [
    ...(value === null ? [] : [amount(value, units, limit)]),
    ...(limit === null ? [] : [`${side === 'low' ? 'below' : 'limit'} ${amount(limit, units)}`]),
  ]
  const beside = isSilence(alert) || facts.length === 0 ? '' : `: ${facts.join(', ')}`
  return `Chart of ${subjectOf(alert)} on ${alert.server}${beside}`
}

/** `🟢 web-2 CPU busy · closed T after 24 min · @ben`. */
export function closedHeadline(alert: Alert): string {
  const parts = [`🟢 ${serverLink(alert)} ${escaped(subjectOf(alert), 120)}`, closedWords(alert)]
  if (alert.reopened > 0) parts.push(reopenedWords(alert))
  if (alert.holder !== null) parts.push(person(alert.holder))
  return parts.join(' · ')
}

/** `👀 @ben, snoozed until T`; nothing where nobody is on it. */
export function holderWords({ holder, snooze }: Alert): string[] {
  if (holder === null) return []
  return [`👀 ${person(holder)}${snooze ? `, snoozed until ${date(snooze.untilMs)}` : ''}`]
}

/** Lengths that nobody measured are not claimed. */
export function closedWords({ closedMs, closedAfterMs, closedBy }: Alert): string {
  const after = closedAfterMs === null ? '' : ` after ${duration(closedAfterMs)}`
  if (closedBy === 'absence') return `no longer listed since ${date(closedMs ?? 0)}; closed`
  const by = closedBy === null || ['end', 'replaced'].includes(closedBy) ? '' : ` by ${person(closedBy)}`
  return `closed ${date(closedMs ?? 0)}${by}${after}`
}

/** The monitoring lists what began within 30 days; of what is older nobody knows. */
export function unlistedWords({ startedMs, unlistedMs }: Alert): string {
  const sinceMs = unlistedMs ?? startedMs
  if (sinceMs - startedMs > 29 * day) return 'over 30 days old, no longer reported'
  return `no longer listed since ${date(sinceMs)}; probably closed`
}

/** `reopened twice in 5 min`. */
export function reopenedWords({ reopened, reopenedFromMs, startedMs }: Alert): string {
  const within = reopenedFromMs === null ? '' : ` in ${duration(startedMs - reopenedFromMs)}`
  return `reopened ${times(reopened)}${within}`
}

/** Any ending of its number is understood: `#8398`. */
export function numberWords({ number }: Pick<Alert, 'number'>): string {
  return `#${escaped(number.length > 6 ? number.slice(-4) : number, 10)}`
}

function silentSinceMs({ startedMs, value }: Alert): number {
  return value !== null && value >= 0 && value < 1e9 ? startedMs - value * second : startedMs
}

const titleCharsMax = 400
const ownTitle =
  /(?:met or )?(exceeded|fell below) (-?\d{1,18}(?:\.\d{1,18})?) ?([^\s,]{0,10})(?:, (?:increasing|decreasing) to .{1,40})?$/u

/** Where the service says no limit, a title in the API's own form does: `… met or exceeded 90.00%, increasing to 97.20%`. */
export function measuredOf({ title, value, metric, details }: Alert) {
  const [whole, verb = '', said, unit = ''] = (title.length <= titleCharsMax && ownTitle.exec(title)) || []
  const named = /percent|pct/i.test(metric ?? '') ? '%' : null
  return {
    value,
    limit: details.limit ?? (said === undefined ? null : Number(said)),
    units: details.units ?? (unit || named),
    side: details.side ?? (verb === 'fell below' ? ('low' as const) : null),
    isOwnTitle: whole !== undefined,
  }
}

function moreOfTitle(alert: Alert): string {
  if (alert.metric === null) return ''
  const words = (text: string) => text.toLowerCase().match(/[^\s\d.,:%]\S*/g) ?? []
  const said = new Set(words(`${subjectOf(alert)} ${alert.server} ${alert.plugin} ${alert.metric}`))
  return words(alert.title).every((word) => said.has(word)) ? '' : ` — ${escaped(alert.title, 200)}`
}
