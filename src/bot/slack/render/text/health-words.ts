/** How monbot is, in words: what is wrong first, because then the rest may be old. */
import { type StillUnreadable, unusableWords } from '../../../domain/alert/unreadable.ts'
import { formatDuration, formatRoughly } from '../../../domain/base/duration.ts'
import type { JobKind, Mishap } from '../../../domain/base/mishap.ts'
import { hidesForAttempts, type Mute } from '../../../domain/mute/mute.ts'
import type { OutageTimes } from '../../../domain/outage/outage.ts'
import type { Health } from '../../../domain/request/answer.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { counted, hiddenNumbers, inBlocks, sentence, type When } from './phrases.ts'
import { closedWords, lateWords } from './trouble-words.ts'

const whyCharsMax = 300

type Told = Omit<Health, 'nowMs'> & { readonly mutes?: readonly Mute[] }

/** What is wrong, in two words for the first line; `troublesOf` says the rest. */
export function troubleTitle(told: Told): string {
  if (told.lastPollMs === null) return 'Monitoring not read yet'
  if (told.failing !== null && told.failing.isPartial !== true) return 'Monitoring unreachable'
  if (doubtsOf(told).length > 0) return 'Monitoring partly unreadable'
  const { slack, troubles, late = [], unshown = 0 } = told
  if (!slack.ready || troubles.length + late.length + unshown > 0) return 'Slack trouble'
  if (endlessWords(told.mutes ?? []).length > 0) return 'Mutes not ended'
  return told.rolesUnread ? 'Roles unreadable' : 'Error in monbot'
}

/** Beside what was read last and may have changed since. */
export const lastKnown = ' (last known)'

/** Nothing where all is well. `waitingIn`: the cards that wait, by channel, where they are known. */
export function troublesOf(
  { slack, troubles, mishaps, unshown = 0, late = [], mutes = [], ...health }: Told,
  waitingIn: ReadonlyMap<string, number> = new Map(),
): string[] {
  return [
    ...doubtsOf(health),
    ...(health.rolesUnread ? [rolesWords(health.rolesUnread)] : []),
    ...endlessWords(mutes),
    ...(slack.ready ? [] : [`Slack not connected since ${inBlocks(slack.sinceMs)}`]),
    ...closedWords(troubles, waitingIn),
    ...lateWords(late, troubles),
    ...(unshown === 0 ? [] : [unshownWords(unshown)]),
    ...mishapWords(mishaps),
  ]
}

function rolesWords(why: string): string {
  return `server roles cannot be read, so new alerts may be in the wrong channel: ${escapedWithin(why, whyCharsMax)}`
}

/** Their time is over, and servers stay silent. */
function endlessWords(mutes: readonly Mute[]): string[] {
  const endless = mutes.filter(({ state, attempts }) => state === 'ending' && attempts >= hidesForAttempts)
  if (endless.length === 0) return []
  return [`couldn't confirm the end of ${counted(endless.length, 'mute')}; may still be muted; retrying`]
}

function unshownWords(unshown: number): string {
  const cards = unshown === 1 ? '1 card is' : `${unshown} cards are`
  return `${cards} missing or out of date in Slack, which does not take what monbot sends; its log says why`
}

type Reading = Pick<Health, 'lastPollMs' | 'failing' | 'isWhole' | 'unreadable'>

/** Why what is known of alerts may be old, or not all of it; nothing where it is neither. */
function doubtsOf(reading: Reading, when: When = inBlocks): string[] {
  const { isWhole, unreadable } = reading
  const outage = readingWords(reading, when)
  return [
    ...(outage === null ? [] : [outage]),
    ...(isWhole ? [] : ["can't read the list of open alerts to its end; some may be missing"]),
    ...(unreadable ? illegibleWords(unreadable, when) : []),
  ]
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

/** Why what is known of alerts is old; null where it is not. */
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

/** What is open now is not known, or not all of it: an empty list then does not say that nothing is. */
export function isDoubtful({ lastPollMs, failing, isWhole, unreadable }: Reading): boolean {
  const isFailing = failing !== null && failing.isPartial !== true
  return lastPollMs === null || isFailing || !isWhole || (unreadable?.open ?? 0) > 0
}

/** The first line of an answer about alerts: that it may be old or not all, and why. Nothing where it is neither. */
export function doubtLines(health: Health, when: When = inBlocks): string[] {
  const known = doubtsOf(health, when)
  // For one poll whenever something came and went between two: no trouble of monbot's, but what is counted now may grow.
  const isUnsettled = known.length === 0 && health.isPastSettled === false
  const doubts = (isUnsettled ? ['what has closed is not all known yet'] : known).map(sentence)
  return doubts.length === 0 ? [] : [`⚠️ ${doubts.join(' ')} Last known:`]
}

/** What a mute hides, as far as alerts were read. */
export function hiddenLines(
  { open, lastWeek }: { readonly open: number; readonly lastWeek: number },
  health: Health | undefined,
  when: When = inBlocks,
): string[] {
  return [...(health === undefined ? [] : doubtLines(health, when)), hiddenNumbers(open, lastWeek)]
}

/** What was not seen as it happened, in an answer about a span of time; nothing where all of it was. */
export function outageLines(outage: OutageTimes | undefined): string[] {
  if (outage === undefined || outage.times === 0) return []
  const after = outage.isSure ? 'caught up' : 'what came and went then may be missing'
  return [
    `⚫ Monitoring down for ${formatRoughly(outage.ms)} in that time (${counted(outage.times, 'outage')}): ${after}.`,
  ]
}

/** Counted apart from what is open; nothing where there is none. */
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

/** With how long ago it was; only for what is read at once. */
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
} as const satisfies Record<JobKind, string>

/** What monbot itself broke at: which work, how often, and what finds it in the log. One a kind of work. */
function mishapWords(mishaps: readonly Mishap[]): string[] {
  return mishaps.map(({ job, errorId, times, lastMs }) => {
    const often = times === 1 ? `at ${inBlocks(lastMs)}` : `${times} times, last at ${inBlocks(lastMs)}`
    return `an error in monbot stopped ${workOf[job]} ${often}: its log says why, under \`${errorId}\``
  })
}
