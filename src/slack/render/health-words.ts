/** How monbot is, in words: what is wrong first, because then the rest may be old. */
import type { Health } from '../../domain/answer.ts'
import { formatDuration } from '../../domain/duration.ts'
import { escapedWithin } from '../mrkdwn.ts'
import { counted, inBlocks, sentence } from './phrases.ts'
import { closedWords } from './trouble-words.ts'

const whyCharsMax = 300

/** Nothing where all is well. `waitingIn`: the cards that wait, by channel, where they are known. */
export function troublesOf(
  { slack, troubles, ...health }: Omit<Health, 'nowMs'>,
  waitingIn: ReadonlyMap<string, number> = new Map(),
): string[] {
  const blind = blindness(health)
  return [
    ...(blind === null ? [] : [blind]),
    ...(health.isWhole ? [] : [notWhole]),
    ...(slack.ready ? [] : [`Slack is not connected since ${inBlocks(slack.sinceMs)}`]),
    ...closedWords(troubles, waitingIn),
  ]
}

const notWhole = 'more alerts are open than monbot can list; some of them are told of nowhere'

/** Why what is known of alerts is old; null where it is not. */
function blindness({ lastPollMs, failing }: Pick<Health, 'lastPollMs' | 'failing'>): string | null {
  if (failing !== null) {
    const what = failing.isPartial === true ? 'what has closed cannot' : 'no alerts can'
    return `${what} be read since ${inBlocks(failing.sinceMs)}: ${escapedWithin(failing.why, whyCharsMax)}`
  }
  return lastPollMs === null ? 'the monitoring API has not been read yet' : null
}

/** What is open now is not known, only what was when the API was last read. */
export function isBlind({ lastPollMs, failing }: Pick<Health, 'lastPollMs' | 'failing'>): boolean {
  return lastPollMs === null || (failing !== null && failing.isPartial !== true)
}

/** The first line of an answer about alerts: that it may be old, and why. Nothing where it is not. */
export function doubtLines(health: Health): string[] {
  const blind = blindness(health)
  const doubts = [...(blind === null ? [] : [blind]), ...(health.isWhole ? [] : [notWhole])].map(sentence)
  return doubts.length === 0 ? [] : [`⚠️ ${doubts.join(' ')} As far as monbot knows:`]
}

export function lastPollWords({ lastPollMs }: Health): string {
  return lastPollMs === null ? 'No good poll yet' : `Last good poll ${inBlocks(lastPollMs)}`
}

/** With how long ago it was; only for what is read at once. */
export function lastPollAgo({ nowMs, lastPollMs }: Health): string {
  if (lastPollMs === null) return 'No good poll of the monitoring API yet'
  return `Last good poll of the monitoring API ${formatDuration(nowMs - lastPollMs)} ago, ${inBlocks(lastPollMs)}`
}

/** Over HTTP there are no connections to count. */
export function slackWords({ slack }: Health): string {
  const over = slack.sockets === 0 ? '' : ` over ${counted(slack.sockets, 'connection')}`
  return `Slack ${slack.ready ? `connected since ${inBlocks(slack.sinceMs)}${over}` : 'not connected'}`
}
