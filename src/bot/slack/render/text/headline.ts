/** Renders an alert's headline: where, what, how bad, since when, and who has it, in one line. */
import type { Alert } from '../../../domain/alert/alert.ts'
import { isSilence } from '../../../domain/alert/read-times.ts'
import type { Limit } from '../../../domain/alert/reading.ts'
import { isPercentage, subjectWords } from '../../../domain/alert/subject-words.ts'
import { factsOfTitle } from '../../../domain/alert/title-facts.ts'
import { formatAmount, formatLimit } from '../../../domain/base/amount.ts'
import { formatDuration } from '../../../domain/base/duration.ts'
import { agoTime, escaped, escapedWithin, link, utcTime } from '../../mrkdwn.ts'
import { sectionCharsMax } from './message-parts.ts'
import { betweenWords, inText, person, serverOf, type When } from './phrases.ts'

export const marks = { open: '🔴', closed: '🟢', unreported: '⚪', ignored: '⚪', oneoff: '🔵' } as const

/** Levels differ by emoji and word, as not everybody sees colours; most alerts are warnings and have no word. */
export const openMarks = { critical: '🚨 CRITICAL', warning: marks.open, info: '🟡' } as const

/** What a line about an alert begins with. */
export function statusEmoji({ state, severity }: Pick<Alert, 'state' | 'severity'>): string {
  if (state === 'open') return openMarks[severity]
  return state === 'oneoff' && severity === 'critical' ? `${marks.oneoff} CRITICAL` : marks[state]
}

/** How much room names and titles have, in characters before and after escaping. */
type Room = { readonly name: number; readonly title: number; readonly length: number }

const room: Room = { name: 80, title: 300, length: 600 }
/** Shorter and shorter, until the line fits. */
const narrow = [120, 60, 30, 15, 6].map((length): Room => ({ name: length, title: length, length }))
const unitsCharsMax = 24

/**
 * `🔴 *web-2* CPU busy *97 % (13:47)*, limit 90 % · opened 6 minutes ago · unacknowledged`, the longest form that fits: with the
 * link, without it, or with shortened names. As text it has no marks, and the time instead of the age.
 */
export function headline(alert: Alert, when: When, charsMax = sectionCharsMax): string {
  const wholeOf = (isLinked: boolean, space: Room) => {
    const place = when === inText ? nameOf(alert, space) : bold(alert, isLinked, space)
    return [lineOf(alert, place, when, space), ...ageWords(alert, when), ...ownerWords(alert)].join(' · ')
  }
  return fitting(charsMax, [
    () => wholeOf(true, room),
    () => wholeOf(false, room),
    ...narrow.map((space) => () => wholeOf(false, space)),
  ])
}

/** The headline without age and owner, for lists of many. */
export function briefHeadline(alert: Alert, { isLinked }: { isLinked: boolean }, charsMax: number): string {
  return fitting(
    charsMax,
    [room, ...narrow].map((space) => () => {
      const place = isLinked ? bold(alert, true, space) : nameOf(alert, space)
      return lineOf(asOpened(alert), place, inText, space)
    }),
  )
}

/** Without the value read last: the time that belongs to it takes too much room. */
function asOpened(alert: Alert): Alert {
  return alert.reading === undefined ? alert : { ...alert, reading: { ...alert.reading, last: null } }
}

/** The first that is short enough, else the last. */
function fitting(charsMax: number, forms: readonly (() => string)[]): string {
  let line = ''
  for (const form of forms) {
    line = form()
    if (line.length <= charsMax) break
  }
  return line
}

function lineOf(alert: Alert, place: string, when: When, space: Room): string {
  const { state } = alert
  const about = `${statusEmoji(alert)} ${place}`
  const title = titleWords(alert, space)
  if (state === 'open' && isSilence(alert))
    return `${about} sends no data (${silentWords(alert, when)})${title}`
  const what = isSilence(alert) ? 'no data' : shown(subjectWords(alert), space)
  const subject = what === '' ? about : `${about} ${what}`
  const measured = measuredWords(alert, when)
  if (state === 'open' || state === 'oneoff')
    return `${subject}${measured === '' ? '' : ` ${measured}`}${title}`
  const reached = isSilence(alert) ? '' : reachedWords(alert)
  return `${subject} ${endWords(alert, when)}${reached === '' ? '' : ` · ${reached}`}${title}`
}

function endWords(alert: Alert, when: When): string {
  if (alert.state === 'closed') return closedWords(alert, when)
  if (alert.state === 'ignored') return 'is ignored by the policy'
  return alert.missingMs !== null
    ? 'is not listed as open any more, and no end was seen'
    : 'is no longer reported after 30 days; nobody said that it closed'
}

function closedWords(alert: Alert, when: When): string {
  if (alert.closedMs === null) return 'closed'
  if (alert.closedAfterMs !== null) return `closed ${betweenWords(alert.closedAfterMs, alert.closedMs, when)}`
  const duration = formatDuration(alert.closedMs - alert.startedMs)
  // It was never seen open: its end is only known to be before it was first listed.
  if (alert.firstSeenMs >= alert.closedMs && alert.closedBy === 'record')
    return `opened and closed within ${duration}`
  if (alert.closedBy === 'absence') return `closed after about ${duration}`
  // Without a time from the API, its duration is at least this.
  return `closed after ${alert.startedMs === alert.firstSeenMs ? 'at least ' : ''}${duration}`
}

/** `*97 %* (limit 90 %)`: the value that the alert opened with; or the one read last and when: `*97 % (13:47)*, limit 90 %`. */
function measuredWords(alert: Alert, when: When): string {
  const { value, limit, units } = measuredOf(alert)
  const { last = null, peak = null } = alert.reading ?? {}
  const current = last?.value ?? value
  if (current === null) return ''
  const amount = amountWords(current, units, limit)
  const worst = last === null || peak === null ? null : amountWords(peak, units, limit)
  const beside = [
    ...(worst === null || worst === amount ? [] : [`${limit?.side === 'low' ? 'lowest' : 'peak'} ${worst}`]),
    ...limitWords(limit, units),
  ]
  const aged = last === null ? amount : `${amount} (${when(last.atMs)})`
  const bolded = when === inText ? aged : `*${aged}*`
  if (last !== null) return [bolded, ...beside].join(', ')
  return `${bolded}${beside.length === 0 ? '' : ` (${beside.join(', ')})`}`
}

/** The worst value. Until it is read again after the close, it may have been worse, and the words say so. */
function reachedWords(alert: Alert): string {
  const { value, limit, units } = measuredOf(alert)
  const peak = alert.reading?.peak ?? null
  const worst = peak ?? value
  if (worst === null) return ''
  const isSure = peak !== null && (alert.reading?.readMs ?? 0) >= (alert.closedMs ?? Number.POSITIVE_INFINITY)
  const isLow = limit?.side === 'low'
  const sure = isLow ? 'lowest' : 'peak'
  const word = isSure ? sure : peak === null ? 'opened at' : isLow ? 'at most' : 'at least'
  const beside = limitWords(limit, units)
  return `${word} ${amountWords(worst, units, limit)}${beside.length === 0 ? '' : ` (${beside.join('')})`}`
}

function limitWords(limit: Limit | null, units: string | null): string[] {
  if (limit === null) return []
  const amount = cleaned(formatLimit(limit.value, units))
  return [limit.side === 'high' ? `limit ${amount}` : `below ${amount}`]
}

function amountWords(value: number, units: string | null, limit: Limit | null): string {
  return cleaned(formatAmount(value, units, limit?.value ?? null))
}

/** Units come from outside. */
function cleaned(amount: string): string {
  const [number = '', ...units] = amount.split(' ')
  return [number, escapedWithin(units.join(' '), unitsCharsMax)].join(' ').trim()
}

/** The service's own word counts more than what its title and the triggers suggest. */
function measuredOf({ title, value, metric, reading, details }: Alert) {
  const said = factsOfTitle(title)
  const named = isPercentage(metric) ? '%' : null
  return {
    value: value ?? said?.value ?? null,
    limit: details?.limit ?? said?.limit ?? reading?.limit ?? null,
    units: details?.units ?? ((said?.units ?? '') || (reading?.units ?? named)),
  }
}

/** How long a silent server has been silent: as a time, because an age would be wrong at once. */
function silentWords({ startedMs, value }: Alert, when: When): string {
  if (value === null || !(value >= 0 && value < 1e9)) return 'no report'
  const atMs = startedMs - value * 1_000
  return `last report ${when === inText ? utcTime(atMs) : agoTime(atMs, utcTime(atMs))}`
}

/** The title; nothing if the rest of the line says the same. */
function titleWords(alert: Alert, { title: charsMax, length }: Room): string {
  if (alert.title.trim() === '' || factsOfTitle(alert.title) !== null) return ''
  const said = wordsOf([subjectWords(alert), serverOf(alert), alert.plugin].join(' '))
  if (wordsOf(alert.title).every((word) => said.includes(word))) return ''
  return ` — ${within(alert.title, charsMax, length)}`
}

function wordsOf(text: string): string[] {
  return text.slice(0, 1_000).toLowerCase().split(/\s+/).filter(Boolean)
}

function ageWords({ state, startedMs }: Alert, when: When): string[] {
  if (state !== 'open' && state !== 'oneoff') return []
  const isOpen = state === 'open'
  const by = `${isOpen ? 'since' : 'at'} ${utcTime(startedMs)}`
  return [when === inText ? by : agoTime(startedMs, by, isOpen ? 'opened ' : 'happened ')]
}

function ownerWords({ state, ackedBy }: Alert): string[] {
  if (state !== 'open' && state !== 'oneoff') return []
  if (ackedBy !== null) return [`👀 ${person(ackedBy)}`]
  return state === 'open' ? ['unacknowledged'] : []
}

function bold(alert: Alert, isLinked: boolean, space: Room): string {
  const name = nameOf(alert, space)
  return `*${isLinked ? link(alert.url, name) : name}*`
}

function nameOf(alert: Alert, space: Room): string {
  return shown(serverOf(alert), space)
}

function shown(name: string, { name: charsMax, length }: Room): string {
  return within(name, charsMax, length)
}

function within(text: string, charsMax: number, length: number): string {
  const whole = escaped(text, charsMax)
  return whole.length <= length ? whole : escapedWithin(text, length)
}

/** `Disk /: used 95 %`: one of several on a server. */
export function shortSubject(alert: Alert): string {
  const { value, limit, units } = measuredOf(alert)
  const what = isSilence(alert) ? 'no data' : within(subjectWords(alert), 60, 160)
  const amount = value === null || isSilence(alert) ? '' : ` ${amountWords(value, units, limit)}`
  return what === '' ? within(alert.title, 60, 160) : `${what}${amount}`
}

/** The alert in an alternative text: `CPU busy on web-2`; not escaped. */
export function plainSubject(alert: Alert): string {
  const critical = alert.state === 'open' && alert.severity === 'critical' ? 'Critical: ' : ''
  return `${critical}${subjectWords(alert)} on ${serverOf(alert)}`
}
