/** Renders a card of many alerts once none is open: one line that says what it was, how long it took, and who had it. */
import { type Alert, lastedMs } from '../../../domain/alert/alert.ts'
import { type Counted, countsOf } from '../../../domain/base/counts.ts'
import { formatDuration } from '../../../domain/base/duration.ts'
import type { CardView } from '../../../domain/card/kinds.ts'
import { reasonsOf } from '../../../domain/card/reasons.ts'
import type { Count } from '../../../domain/request/answer.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { marks } from '../text/headline.ts'
import { type Rendered, said } from '../text/message-parts.ts'
import { counted, fromTo, listed, person, serverOf, type When } from '../text/phrases.ts'
import { overActions, verdictWords } from './verdicts.ts'

const reasonsShown = 2
const reasonLengthMax = 100
const peopleShown = 4
const oneoffsShown = 2
const oneoffLengthMax = 80

type StormView = CardView<'summary' | 'storm'>

/** `🟢 *Storm over: 199 alerts*, Timeouts, 03:20 – 03:41 (21 min) · <@U1> had 198, <@U2> 1 · median time to close 46 s`. */
export function renderStormOver({ kind, alerts, stamp, verdicts }: StormView): Rendered {
  const all = lasting(alerts)
  const isClosed = all.length > 0 && all.every(({ state }) => state === 'closed')
  const opinions = verdictWords(verdicts)
  return said(
    (when) => [[`${overLine(kind, alerts, all, when)}${alsoWords(alerts, all)}`, ...opinions].join(' · ')],
    isClosed ? [overActions({ ...stamp, alertId: null }, verdicts, counted(all.length, 'alert'))] : [],
  )
}

function overLine(
  kind: StormView['kind'],
  alerts: readonly Alert[],
  all: readonly Alert[],
  when: When,
): string {
  if (all.length === 0) return `${marks.oneoff} *${counted(alerts.length, 'one-off alert')} fired at once*`
  // An alert that is no longer reported, or is ignored by now, is not known to be closed.
  const unclear = all.filter(({ state }) => state !== 'closed').length
  const which = `${counted(all.length, 'alert')} that ${came(kind, all.length)}`
  if (unclear > 0)
    return `${marks.unreported} *None of the ${which} is listed as open any more* · ${ownerWords(all)}`
  const words =
    kind === 'storm'
      ? `Storm over: ${counted(all.length, 'alert')}`
      : all.length === 1
        ? 'The alert that was found open has closed'
        : `All ${which} have closed`
  const what = [`${marks.closed} *${words}*`, reasonWords(all), ...spanWords(all, when)].join(', ')
  return [what, ownerWords(all), ...medianWords(all)].join(' · ')
}

function reasonWords(all: readonly Alert[]): string {
  const reasons = reasonsOf(all, reasonsShown)
  const [only] = reasons.most
  // With one reason, its number equals the total.
  return reasons.names === 1 && only !== undefined
    ? nameWithin(only.name, reasonLengthMax)
    : countWords(reasons, reasonLengthMax)
}

/** From the first that started to the last that closed. */
function spanWords(all: readonly Alert[], when: When): string[] {
  const [firstMs] = extremes(all.map(({ startedMs }) => startedMs))
  const [, lastMs] = extremes(all.flatMap(({ closedMs }) => closedMs ?? []))
  if (!Number.isFinite(lastMs)) return []
  const isVague = all.some(({ closedMs, closedAfterMs }) => closedAfterMs !== null && closedMs === lastMs)
  if (isVague) return [`began ${when(firstMs)}, over by ${when(lastMs)}`]
  return [`${fromTo(firstMs, lastMs, when)} (${formatDuration(lastMs - firstMs)})`]
}

function ownerWords(all: readonly Alert[]): string {
  const owners = countsOf(
    // Includes alerts that were handed back or reopened since.
    all.flatMap(({ ackedBy, ackedBefore }) => ackedBy ?? ackedBefore ?? []),
    Number.POSITIVE_INFINITY,
  )
  const [first, ...others] = owners.most
  if (first === undefined) return 'nobody had it'
  if (first.count === all.length) return `${person(first.name)} had ${all.length === 1 ? 'it' : 'all'}`
  const had = owners.most.reduce((sum, { count }) => sum + count, 0)
  const each = [
    `${person(first.name)} had ${first.count}`,
    ...others.map(({ name, count }) => `${person(name)} ${count}`),
  ]
  return `${listed(each, peopleShown)}${had < all.length ? ` of ${all.length}` : ''}`
}

/** Nothing for one alert: its duration is shown already. */
function medianWords(all: readonly Alert[]): string[] {
  const took = all.flatMap((alert) => lastedMs(alert) ?? [])
  const median = took.sort((a, b) => a - b)[Math.floor((took.length - 1) / 2)]
  return median === undefined || took.length < 2 ? [] : [`median time to close ${formatDuration(median)}`]
}

/** One-off alerts never close, so they are mentioned once the others have. */
function alsoWords(alerts: readonly Alert[], all: readonly Alert[]): string {
  const words = oneoffWords(alerts)
  return words === '' || all.length === 0 ? '' : ` · ${words}`
}

/** One-off alerts: `+1 one-off: worker-1 Log Watcher`; empty if there are none. */
export function oneoffWords(alerts: readonly Alert[]): string {
  const oneoffs = alerts.filter(({ state }) => state === 'oneoff')
  if (oneoffs.length === 0) return ''
  const named = oneoffs
    .slice(0, oneoffsShown)
    .map((alert) => nameWithin(`${serverOf(alert)} ${alert.plugin}`, oneoffLengthMax))
  const rest = oneoffs.length - named.length
  return `+${counted(oneoffs.length, 'one-off')}: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** How the alerts came to be on one card: `fired at once`. */
function came(kind: CardView<'summary' | 'storm'>['kind'], count: number): string {
  if (kind === 'storm') return 'fired at once'
  return `${count === 1 ? 'was' : 'were'} found open`
}

/** The alerts that have an end, that is, without one-off ones. */
export function lasting(alerts: readonly Alert[]): readonly Alert[] {
  return alerts.filter(({ state }) => state !== 'oneoff')
}

/** `CPU ×5, Disk ×3 and 2 more`: the most frequent names first. `lengthMax`: of each, once it is escaped. */
export function countWords({ most, names }: Counted, lengthMax: number): string {
  const rest = names - most.length
  return `${frequent(most, lengthMax)}${rest > 0 ? ` and ${rest} more` : ''}`
}

export function frequent(counts: readonly Count[], lengthMax: number): string {
  return counts.map(({ name, count }) => `${nameWithin(name, lengthMax)} ×${count}`).join(', ')
}

function nameWithin(name: string, lengthMax: number): string {
  return escapedWithin(name, lengthMax) || '(no name)'
}

/** The least and the greatest; there may be too many to be arguments. */
export function extremes(times: readonly number[]): readonly [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const time of times) {
    least = Math.min(least, time)
    most = Math.max(most, time)
  }
  return [least, most]
}
