/** Renders alerts and mutes as lines of lists, and what is or was open under a mute. */
import type { Button } from '@slack/types'
import { type Alert, isLost } from '../../../domain/alert/alert.ts'
import { isLongNumber, numberOf } from '../../../domain/alert/episode.ts'
import { hidingOf, type MutedElsewhere } from '../../../domain/mute/hiding.ts'
import { isInForce, isOfAccount, type Mute, standingOf } from '../../../domain/mute/mute.ts'
import { muteFingerprint } from '../../../domain/mute/shown.ts'
import { escaped, printable } from '../../mrkdwn.ts'
import { actions } from '../../vocabulary.ts'
import { elsewhereFacts, inhibitedLines, silenceLine } from './elsewhere-words.ts'
import { headline } from './headline.ts'
import { button, valueCharsMax } from './message-parts.ts'
import {
  counted,
  endWords,
  idWords,
  inBlocks,
  name,
  person,
  plainThing,
  reasonWords,
  slackOnly,
  unconfirmedWords,
  type When,
} from './phrases.ts'

// A name that is longer is cut.
const nameCharsMax = 80
/** The least room that an alert's line needs. */
export const alertCharsMin = 480

/**
 * What and where, its id for commands, since when, who has it, and whether it is muted: the longest form that fits in `charsMax`
 * (at least `alertCharsMin`): with the alert's link, without it, or with the names cut and without the host's. On two lines, or
 * on one where `isCompact`.
 */
export function alertLine(
  alert: Alert,
  {
    mutes,
    charsMax,
    isCompact,
    hasLongId = true,
  }: { mutes: readonly Mute[]; charsMax: number; isCompact: boolean; hasLongId?: boolean },
): string {
  const short = [...(hasLongId ? [idOf(alert)] : shortId(alert)), ...factsOf(alert, mutes)]
  const joined = (facts: readonly string[], lineMax?: number) =>
    [headline(alert, inBlocks, lineMax), facts.join(' · ')].filter(Boolean).join(isCompact ? ' · ' : '\n')
  const whole = joined([...short, ...hostWords(alert)])
  return whole.length <= charsMax ? whole : joined(short, charsMax - short.join(' · ').length - ' · '.length)
}

/** What the headline does not say about an alert. */
function factsOf(alert: Alert, mutes: readonly Mute[]): string[] {
  const { state, ackedBy, closedMs, closedAfterMs, startedMs } = alert
  const isOver = state === 'closed' || state === 'unreported'
  const time = closedMs === null ? `since ${inBlocks(startedMs)}` : `closed ${inBlocks(closedMs)}`
  return [
    // Otherwise its headline says it.
    ...(isOver && closedAfterMs === null ? [time] : []),
    ...lostWords(alert, inBlocks),
    ...(isOver && ackedBy !== null ? [`👀 acknowledged by ${person(ackedBy)}`] : []),
    ...(state === 'open' ? hiddenFacts(alert, mutes) : []),
  ]
}

/** What hides it: a mute of monbot's before anything elsewhere. */
function hiddenFacts(alert: Alert, mutes: readonly Mute[]): string[] {
  const hiding = hidingOf(alert, mutes)
  if (hiding === null) return []
  return hiding.mute === null ? elsewhereFacts(hiding.elsewhere, inBlocks) : mutedWords(hiding.mute)
}

function mutedWords(mute: Mute): string[] {
  const what = isOfAccount(mute) ? 'account ' : mute.alert === null ? '' : ''
  if (standingOf(mute) === 'ending') return [`🔕 ${what}mute is ending`]
  return [`🔕 ${what}muted ${endWords(mute, inBlocks)}`]
}

const linesShown = 5
const lineLengthMax = 500

/** `Still open (7):` and the newest of them, or the one sentence that there is none. */
export function openLines(
  open: readonly Alert[],
  words: { none: string; some: string; when: When },
): string[] {
  if (open.length === 0) return [words.none]
  const rest = open.length - linesShown
  return [
    `${words.some}${rest > 0 ? ` (${open.length})` : ''}:`,
    ...open.slice(0, linesShown).map((alert) => lineOf(alert, words.when)),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ]
}

/** What is open under a mute; for the account's, also how many stay hidden by another mute. */
export function underLines(
  {
    open,
    stillMuted = 0,
    elsewhere = 0,
  }: {
    readonly open: readonly Alert[]
    readonly stillMuted?: number | undefined
    readonly elsewhere?: number | undefined
  },
  some: string,
  when: When,
): string[] {
  if (elsewhere > 0) {
    const here = underLines({ open, stillMuted }, some, when)
    return [...here, `In other channels: ${counted(elsewhere, 'open alert')}.`]
  }
  if (stillMuted === 0) return openLines(open, { none: 'No open alerts.', some, when })
  const rest = `${stillMuted} on individually muted servers, which stay muted.`
  const none = `No open alerts except ${rest}`
  return [...openLines(open, { none, some, when }), ...(open.length === 0 ? [] : [`And ${rest}`])]
}

/** One-off alerts under the mute, which have no card; nothing if there were none. */
export function oneoffLines(oneoffs: readonly Alert[], when: When): string[] {
  return oneoffs.length === 0
    ? []
    : openLines(oneoffs, { none: '', some: 'Happened once while it was muted', when })
}

/** `7 alerts came while it was muted, 5 of them have closed again`. */
export function hiddenWords(
  { hidden, closed }: { readonly hidden: number; readonly closed: number },
  during: string,
): string {
  if (hidden === 0) return `no alert came ${during}`
  const fate =
    closed === 0
      ? ''
      : closed === hidden
        ? `, ${hidden === 1 ? 'it has' : 'all have'} closed again`
        : `, ${closed} of them ${closed === 1 ? 'has' : 'have'} closed again`
  return `${counted(hidden, 'alert')} came ${during}${fate}`
}

function lineOf(alert: Alert, when: When): string {
  const number = ` · ${idOf(alert)}`
  return `${headline(alert, when, lineLengthMax - number.length)}${number}`
}

const reasonCharsMax = 120

export function muteLine(mute: Mute): string {
  const what = isOfAccount(mute) ? 'The whole account' : name(plainThing(mute))
  const why = reasonWords(printable(mute.reason, reasonCharsMax))
  if (!isInForce(mute)) {
    return `⚠️ *${what}*: couldn't confirm the mute by ${person(mute.userId)}; taking it back`
  }
  return `🔕 *${what}* muted by ${person(mute.userId)} ${endWords(mute, inBlocks)}${why}${onlyWords(mute)}${stateWords(mute)}`
}

/** What is muted, and what is hidden elsewhere: a line each. */
export function mutedLines(mutes: readonly Mute[], outside: MutedElsewhere): string[] {
  const silences = outside.silences.map((silence) => silenceLine(silence, inBlocks))
  return [...mutes.map(muteLine), ...silences, ...inhibitedLines(outside)]
}

/** Of a mute of one alert: that nothing else is muted, and where. */
function onlyWords(mute: Mute): string {
  if (mute.alert === null) return ''
  const parts = [...(mute.alert.matchers === null ? ['this alert only'] : []), ...slackOnly(mute)]
  return parts.map((part) => ` · ${part}`).join('')
}

/**
 * The value of a button that ends a mute: which mute, with which terms, the person sees. `isOnCard`: its stamp names the alert.
 */
export function unmuteValue(mute: Mute, isOnCard = false): string {
  const { subject, alert, muteId } = mute
  if (alert !== null) return `mute:${muteFingerprint(mute)}|alert:${muteId}`
  const what = subject === null ? 'account' : `server:${subject}`
  return `mute:${muteFingerprint(mute)}|${isOnCard ? '' : what}`
}

/** A button that ends exactly this mute; none if its name is longer than a button can carry. */
export function unmuteButtons(mute: Mute): Button[] {
  const says = `Unmute ${plainThing(mute)}`
  const value = unmuteValue(mute)
  if (value.length > valueCharsMax) return []
  return [button({ actionId: actions.unmuteServer, label: printable(says, unmuteCharsMax), value, says })]
}

/** Slack's limit on a button is 75. */
const unmuteCharsMax = 60

function stateWords(mute: Mute): string {
  switch (standingOf(mute)) {
    case 'asked':
      return ` · ${unconfirmedWords}`
    case 'ending':
      return mute.confirmation === 'waiting'
        ? ' · ending: notifications are being switched on again'
        : ' · ending: may still be muted; retrying'
    case 'active':
      return ''
  }
}

/** Says that an alert's state is unknown; nothing if it is known. */
export function lostWords(alert: Alert, when: When): string[] {
  return isLost(alert) && alert.missingMs !== null ? [`not listed since ${when(alert.missingMs)}`] : []
}

/** The hostname, if people see another name. */
export function hostWords({ hostname, serverName }: Alert): string[] {
  return serverName === '' || serverName === hostname ? [] : [`host ${escaped(hostname, nameCharsMax)}`]
}

/** The id, for lists of many; none if it is too long to be typed. */
export function shortId(alert: Alert): string[] {
  return isLongNumber(numberOf(alert.alertId)) ? [] : [idOf(alert)]
}

/** An alert's id for commands: `#123`, or the end of a long number, `#…8398`. */
export function idOf({ alertId, ending }: Alert): string {
  return ending === undefined ? idWords(alertId) : `#…${name(ending)}`
}
