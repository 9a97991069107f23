/** Puts who is on call into words: on boards and Home, where a card calls them, and at a change of shift. */

import type { ShiftChange } from '../../../domain/oncall/kept.ts'
import { asksForOnCall, missing } from '../../../domain/oncall/mention.ts'
import {
  isOnCallTrouble,
  type OnCall,
  type OnCallPerson,
  onCallAt,
  type Skipped,
} from '../../../domain/oncall/shift.ts'
import type { Health } from '../../../domain/request/answer.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { counted, inBlocks, name, person, type When } from './phrases.ts'

const whyCharsMax = 300

type Person = Pick<OnCallPerson, 'name' | 'userId'>
type PersonWords = (who: Person) => string

const notFound = '(not found in Slack)'

/** Where a mention notifies nobody, or may. */
export const mentioned: PersonWords = ({ name: words, userId }) =>
  userId === null ? `*${name(words)}* ${notFound}` : person(userId)

/** Without a mention: a board that is posted anew must not notify anybody. */
const named: PersonWords = ({ name: words, userId }) => {
  const short = `*${name(words.replace(/@.*$/, ''))}*`
  return userId === null ? `${short} ${notFound}` : short
}

/** `📟 *Ana Garcia* on call until 08:00, then *Ben Okafor*`; nothing where there is no calendar. `isPosted`: it may notify. */
export function onCallLine({ onCall, nowMs }: Health, isPosted: boolean, when: When = inBlocks): string[] {
  if (onCall == null) return []
  const words = isPosted ? named : mentioned
  const doubts = [...doubtWords(onCall, when), ...skippedWords({ skipped: onCall.skipped })]
  const doubt = doubts.length === 0 ? '' : ` (${doubts.join('; ')})`
  return [`📟 ${nowWords(onCall, nowMs, words, when)}${doubt}`]
}

/** `*Ana* on call until 08:00, then *Ben*`; `nobody on call until 20:00, then *Ben*`. */
export function nowWords(onCall: OnCall, nowMs: number, words: PersonWords, when: When): string {
  const at = onCallAt(onCall, nowMs)
  switch (at.kind) {
    case 'unknown':
      return '*Not known who is on call*'
    case 'nobody':
      return at.next === null
        ? '*Nobody on call*'
        : `*Nobody on call* until ${when(at.next.startMs)}, then ${words(at.next.person)}`
    case 'person': {
      const { duty, next } = at
      const now = `${words(duty.person)} on call`
      // Beyond what was read nobody knows whether it ends.
      if (duty.endMs >= onCall.knownUntilMs) return now
      const absent = onCall.skipped > 0 ? 'not known' : 'nobody'
      const then = next === null || next.startMs > duty.endMs ? absent : words(next.person)
      return `${now} until ${when(duty.endMs)}, then ${then}`
    }
  }
}

/** Why it may be outdated; nothing if it is not. */
function doubtWords({ readMs, failing }: OnCall, when: When): string[] {
  if (failing === null) return []
  const known = readMs === null ? '' : 'last known: '
  return [`${known}the on-call calendar is not readable since ${when(failing.sinceMs)}`]
}

/** `2 events of the on-call calendar cannot be read: unknown time zone Berlin`; nothing if all can. */
export function skippedWords({ skipped = 0, skippedWhy }: Partial<Skipped>): string[] {
  if (skipped === 0) return []
  const why = skippedWhy == null ? '' : `: ${escapedWithin(skippedWhy, whyCharsMax)}`
  return [`${counted(skipped, 'event')} of the on-call calendar cannot be read${why}`]
}

/** The problems for boards, Home and the status: a calendar that cannot be read once that has lasted, and events at once. */
export function onCallTroubles({ onCall, nowMs }: Pick<Health, 'onCall' | 'nowMs'>): string[] {
  if (onCall == null) return []
  const skipped = skippedWords(onCall)
  if (onCall.failing === null || !isOnCallTrouble(onCall, nowMs)) return skipped
  const { sinceMs, why } = onCall.failing
  return [
    `can't read who is on call since ${inBlocks(sinceMs)}: ${escapedWithin(why, whyCharsMax)}`,
    ...skipped,
  ]
}

/** Whom a card calls, each once, as Slack notifies them; where the one on call cannot be, why not. */
export function calledWords(mention: string | null): string[] {
  if (mention === null) return []
  if (!asksForOnCall(mention)) return [mention]
  const names = mention.split(' ').map((one) => absences.get(one) ?? one.replace(/^oncall:(.+)$/, '<@$1>'))
  return [[...new Set(names)].join(' ')]
}

const absences: ReadonlyMap<string, string> = new Map([
  [missing.nobody, '📟 nobody is on call'],
  [missing.unknown, '📟 not known who is on call'],
  [missing.unfound, '📟 who is on call was not found in Slack: `/mon oncall`'],
])

/** The line for the channel: `📟 @ben is on call until 20:00 · before: @ana`. */
export function shiftWords(
  { now, before, untilMs, unreadSinceMs, ...skipped }: ShiftChange,
  when: When,
): string {
  const until = untilMs === null ? '' : ` until ${when(untilMs)}`
  const doubt =
    unreadSinceMs === null
      ? []
      : [`last known: the on-call calendar is not readable since ${when(unreadSinceMs)}`]
  const parts = [
    now === null ? `📟 *Nobody is on call*${until}` : `📟 ${mentioned(now)} is on call${until}`,
    ...(before === null ? [] : [`before: ${mentioned(before)}`]),
    ...doubt,
    ...skippedWords(skipped),
  ]
  return parts.join(' · ')
}
