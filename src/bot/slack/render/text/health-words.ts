/** Puts monbot's health into words: problems first, because they mean that the rest may be outdated. */
import { type StillUnreadable, unusableWords } from '../../../domain/alert/unreadable.ts'
import { formatDuration, formatRoughly } from '../../../domain/base/duration.ts'
import type { JobKind, UnexpectedError } from '../../../domain/base/unexpected-error.ts'
import type { Mute } from '../../../domain/mute/mute.ts'
import { isOnCallTrouble } from '../../../domain/oncall/shift.ts'
import type { OutageTimes } from '../../../domain/outage/outage.ts'
import type { Health } from '../../../domain/request/answer.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { onCallTroubles } from './on-call-words.ts'
import { counted, hiddenNumbers, inBlocks, sentence, type When } from './phrases.ts'
import { closedWords, lateWords } from './trouble-words.ts'

const whyCharsMax = 300

type Told = Health & { readonly mutes?: readonly Mute[] }

/** The worst problem, in a few words for the first line; `troublesOf` has the details. */
export function troubleTitle(told: Told): string {
  if (told.lastPollMs === null) return 'Monitoring not read yet'
  if (told.failing !== null && told.failing.isPartial !== true) return 'Monitoring unreachable'
  if (told.pager != null) return 'Paging fails'
  if (doubtsOf(told).length > 0) return 'Monitoring partly unreadable'
  const { slack, troubles, late = [], unshown = 0 } = told
  if (!slack.ready || troubles.length + late.length + unshown > 0) return 'Slack trouble'
  if (endlessWords(told.mutes ?? []).length > 0) return 'Mutes not ended'
  if (told.rolesUnread) return 'Roles unreadable'
  const { onCall, nowMs } = told
  if (onCall != null && isOnCallTrouble(onCall, nowMs)) return 'On-call calendar unreadable'
  return onCallTroubles(told).length > 0 ? 'On-call calendar partly unreadable' : 'Error in monbot'
}

/** Follows numbers that may be outdated. */
export const lastKnown = ' (last known)'

/** All problems, a sentence each; none if all is well. `waitingIn`: the cards that wait, by channel, if known. */
export function troublesOf(
  { slack, troubles, unexpectedErrors, unshown = 0, late = [], mutes = [], ...health }: Told,
  waitingIn: ReadonlyMap<string, number> = new Map(),
): string[] {
  return [
    ...doubtsOf(health),
    ...pagerWords(health.pager),
    ...(health.rolesUnread ? [rolesWords(health.rolesUnread)] : []),
    ...onCallTroubles(health),
    ...endlessWords(mutes),
    ...(slack.ready ? [] : [`Slack not connected since ${inBlocks(slack.sinceMs)}`]),
    ...closedWords(troubles, waitingIn),
    ...lateWords(late, troubles),
    ...(unshown === 0 ? [] : [unshownWords(unshown)]),
    ...unexpectedErrorWords(unexpectedErrors),
  ]
}

/** The pager that cannot be told: nobody is called by it. */
function pagerWords(pager: Health['pager']): string[] {
  return pager == null
    ? []
    : [`paging fails since ${inBlocks(pager.sinceMs)}: ${escapedWithin(pager.why, whyCharsMax)}`]
}

function rolesWords(why: string): string {
  return `server roles cannot be read, so new alerts may be in the wrong channel: ${escapedWithin(why, whyCharsMax)}`
}

/** Mutes whose time is over but which could not be ended. */
function endlessWords(mutes: readonly Mute[]): string[] {
  const endless = mutes.filter(({ confirmation }) => confirmation === 'stuck')
  if (endless.length === 0) return []
  return [`couldn't confirm the end of ${counted(endless.length, 'mute')}; may still be muted; retrying`]
}

function unshownWords(unshown: number): string {
  const cards = unshown === 1 ? '1 card is' : `${unshown} cards are`
  return `${cards} missing or out of date in Slack, which does not take what monbot sends; its log says why`
}

type Reading = Pick<Health, 'lastPollMs' | 'failing' | 'coverage' | 'unreadable' | 'doubt'>

/** Why the known alerts may be outdated or incomplete; nothing if they are neither. */
function doubtsOf(reading: Reading, when: When = inBlocks): string[] {
  const { coverage, unreadable, doubt } = reading
  const outage = readingWords(reading, when)
  return [
    ...(outage === null ? [] : [outage]),
    ...(coverage.open === 'complete'
      ? []
      : ["can't read the list of open alerts to its end; some may be missing"]),
    ...(unreadable ? illegibleWords(unreadable, when) : []),
    ...(doubt ? [doubtWords(doubt)] : []),
  ]
}

function doubtWords(why: string): string {
  return `the monitoring says that what it lists may not be all: ${escapedWithin(why, whyCharsMax)}`
}

function illegibleWords({ open, listed, past, sinceMs }: StillUnreadable, when: When): string[] {
  const since = `since ${when(sinceMs)}`
  return [
    ...(open === 0
      ? []
      : [`can't read ${open} of ${counted(listed, 'open alert')} ${since}: ${unusableWords}`]),
    ...(past === 0
      ? []
      : [`can't read ${counted(past, 'record')} of past alerts ${since}; what came and went may be missing`]),
  ]
}

/** Why the known alerts are outdated; null if they are not. */
function readingWords(
  { lastPollMs, failing }: Pick<Health, 'lastPollMs' | 'failing'>,
  when: When,
): string | null {
  if (failing !== null) {
    const what = failing.isPartial === true ? 'what has closed' : 'alerts'
    return `can't read ${what} since ${when(failing.sinceMs)}: ${escapedWithin(failing.why, whyCharsMax)}`
  }
  return lastPollMs === null ? 'the monitoring API has not been read yet' : null
}

/** Is it uncertain what is open? Then an empty list does not mean that nothing is. */
export function isDoubtful({ lastPollMs, failing, coverage, unreadable }: Reading): boolean {
  const isFailing = failing !== null && failing.isPartial !== true
  return lastPollMs === null || isFailing || coverage.open !== 'complete' || (unreadable?.open ?? 0) > 0
}

/** The first line of an answer about alerts that may be outdated or incomplete, with the reason; nothing otherwise. */
export function doubtLines(health: Health, when: When = inBlocks): string[] {
  const known = doubtsOf(health, when)
  // So for one poll whenever an alert opened and closed between two: no problem, but the count may still grow.
  const isUnsettled = known.length === 0 && health.coverage.past !== 'complete'
  const doubts = (isUnsettled ? ['what has closed is not all known yet'] : known).map(sentence)
  return doubts.length === 0 ? [] : [`⚠️ ${doubts.join(' ')} Last known:`]
}

/** What a mute hides, as far as alerts were read. */
export function hiddenLines(
  { open, lastWeek }: { readonly open: number; readonly lastWeek: number | null },
  health: Health | undefined,
  when: When = inBlocks,
): string[] {
  return [...(health === undefined ? [] : doubtLines(health, when)), hiddenNumbers(open, lastWeek)]
}

/** The outages within the time that an answer covers; nothing if there were none. */
export function outageLines(outage: OutageTimes | undefined): string[] {
  if (outage === undefined || outage.times === 0) return []
  const after = outage.isSure ? 'caught up' : 'what came and went then may be missing'
  return [
    `⚫ Monitoring down for ${formatRoughly(outage.ms)} in that time (${counted(outage.times, 'outage')}): ${after}.`,
  ]
}

/** How many alerts are unknown, neither open nor closed; nothing if none is. */
export function unknownLines(lost = 0): string[] {
  if (lost === 0) return []
  const [are, them] = lost === 1 ? ['is', 'it'] : ['are', 'them']
  return [
    `⚪ ${counted(lost, 'alert')} ${are} unknown: not listed as open any more, and no end of ${them} was seen.`,
  ]
}

export function lastPollWords({ lastPollMs }: Health): string {
  return lastPollMs === null ? 'No good poll yet' : `Last good poll ${inBlocks(lastPollMs)}`
}

/** The last poll with its age, for messages that are read at once. */
export function lastPollAgo({ nowMs, lastPollMs }: Health): string {
  if (lastPollMs === null) return 'No good poll yet'
  return `Last good poll ${formatDuration(nowMs - lastPollMs)} ago (${inBlocks(lastPollMs)})`
}

export function slackWords({ slack }: Health): string {
  return `Slack ${slack.ready ? 'connected' : 'not connected'}`
}

const workOf = {
  poll: 'reading alerts',
  card: 'a card',
  delivery: 'the queue of cards',
  picture: 'a picture',
  marker: 'a marker',
  mute: 'ending a mute',
  reminder: 'a reminder',
  home: 'a Home tab',
  board: 'the boards',
  outages: 'reporting outages',
  retention: 'forgetting what is old',
  schedule: 'its schedule',
  heartbeat: 'its heartbeat',
  reading: 'reading a metric anew',
  page: 'a page',
  oncall: 'reading who is on call',
  file: 'making a file',
  report: 'its report',
} as const satisfies Record<JobKind, string>

/** What monbot itself broke at: which work, how often, and what finds it in the log. One a kind of work. */
function unexpectedErrorWords(unexpectedErrors: readonly UnexpectedError[]): string[] {
  return unexpectedErrors.map(({ job, errorId, times, lastMs }) => {
    const often = times === 1 ? `at ${inBlocks(lastMs)}` : `${times} times, last at ${inBlocks(lastMs)}`
    return `an error in monbot stopped ${workOf[job]} ${often}: its log says why, under \`${errorId}\``
  })
}
