/** Puts every action, and what monbot does by itself, into words: as an announcement, in the audit's list, and as an answer. */
import type { Change, ChangeKind } from '../../../domain/request/actions.ts'
import type { Act, AuditEntry, AuditOutcome } from '../../../domain/request/audit.ts'
import type { Done } from '../../../domain/request/reply.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { shiftWords } from '../text/on-call-words.ts'
import { capital, counted, inBlocks, person, type When } from '../text/phrases.ts'
import type { DoneWords, EntryWords, WordsOf } from './action-words.ts'
import { alertWords } from './alert-words.ts'
import {
  isMany,
  listedParts,
  mutesOf,
  own,
  type ToldParts,
  type ToldWhere,
  toldParts,
} from './entry-parts.ts'
import { muteWords } from './mute-words.ts'
import { plannedMissed, plannedSoon, plannedWords } from './planned-words.ts'
import { serviceWords } from './service-words.ts'

const whyLengthMax = 200

export const actionWords: WordsOf<Change> = {
  ...alertWords,
  ...muteWords,
  ...plannedWords,
  ...serviceWords,
}

/** What monbot does by itself, including how it went. */
const ownWords: Readonly<Record<Exclude<Act, ChangeKind>, EntryWords>> = {
  end_mute: {
    told: muteEnded,
    wanted: ({ server }) => `end the mute of ${server}`,
  },
  repeat_switch: {
    told: notRepeated,
    wanted: ({ server }) => `switch notifications of ${server} once more`,
  },
  not_reached: {
    told: ({ detail, entry }) =>
      `⚠️ ${person(detail.to ?? null)} got no direct message from monbot: ${unreachedWhy(entry.why)}. Tell them another way.`,
    wanted: ({ detail }) => `send ${person(detail.to ?? null)} a direct message`,
  },
  report: {
    told: () => '📊 monbot posted the report',
    wanted: () => 'post the report',
  },
  mute_expiring: {
    told: ({ entry, detail, what, why, when }) => {
      if (detail.owner === undefined) return `⏰ The mute of ${what} ends soon`
      const end = detail.untilMs === undefined ? 'soon' : when(detail.untilMs)
      return `⏰ ${person(detail.owner)}, your ${mutesOf(entry)} ${isMany(entry) ? 'end' : 'ends'} ${end}${why}\n*Mute servers…* on the card above mutes what is still open.`
    },
    wanted: ({ server }) => `release the mute of ${server} to its owner`,
  },
  shift_change: {
    told: ({ detail, when }) =>
      detail.shift === undefined ? '📟 The shift changed' : shiftWords(detail.shift, when),
    wanted: () => 'tell who is on call',
  },
  planned_soon: { told: plannedSoon, wanted: ({ server }) => `tell of the planned mute of ${server}` },
  planned_missed: { told: plannedMissed, wanted: ({ server }) => `begin the planned mute of ${server}` },
}

export const entryWords: Readonly<Record<Act, EntryWords>> = { ...actionWords, ...ownWords }

const doneWords: { readonly [Kind in Done['act']]: DoneWords<Kind> } = actionWords

/** The reply to the person whose change was made. */
export function doneLines<Kind extends Done['act']>(
  act: Kind,
  done: Extract<Done, { act: Kind }>,
  when: When,
): string[] {
  return doneWords[act].done(done, when)
}

/** Does the clicked card show the outcome? */
export function isDoneOnCard<Kind extends Done['act']>(
  act: Kind,
  done: Extract<Done, { act: Kind }>,
): boolean {
  return doneWords[act].isOnCard(done)
}

function muteEnded({ entry, what, onAgain }: ToldParts): string {
  const mutes = mutesOf(entry)
  const are = isMany(entry) ? 'are' : 'is'
  if (entry.why === 'unknown_server') {
    const servers = isMany(entry) ? 'these servers' : 'the server'
    return `🔔 The ${mutes} ${are} over: the monitoring API no longer knows ${servers}, so whether notifications are on is not known.`
  }
  if (entry.why === 'interrupted')
    return `🔔 The monitoring API never confirmed the ${mutes}, and ${isMany(entry) ? 'they are' : 'it is'} over: ${onAgain}. May still be muted late: repeated for 30 min.`
  if (entry.why === 'elsewhere') return `🔔 The ${mutes} was ended at the Alertmanager: ${onAgain}`
  return entry.outcome === 'done'
    ? `🔔 The ${mutes} ${isMany(entry) ? 'have' : 'has'} ended: ${onAgain}${cameWords(entry.detail)}`
    : `⚠️ ${capital(what)} may still be muted; retrying${answerOf(entry.detail)}. What is open there is shown from now on.`
}

function unreachedWhy(why: string | null): string {
  return unreached.get(why ?? '') ?? `Slack refused it (${escapedWithin(why ?? 'no reason', whyLengthMax)})`
}

const unreached = new Map([
  ['missing_scope', 'its app lacks the scope `im:write`'],
  ['user_disabled', 'their account is deactivated'],
  ['user_not_found', 'Slack knows nobody by this id'],
  ['cannot_dm_bot', 'it is an app'],
])

function cameWords({ hidden }: AuditEntry['detail']): string {
  if (hidden === undefined) return ''
  return `. ${hidden === 0 ? 'No alert' : counted(hidden, 'alert')} came while they were muted`
}

/** Shown only if it fails: an earlier request may have been carried out late. */
function notRepeated({ what, detail }: ToldParts): string {
  const doubt =
    detail.muteId === undefined ? 'be silent, though it is not muted' : 'notify, though it is muted'
  return `⚠️ ${capital(what)} may ${doubt}; retrying${answerOf(detail)}`
}

function answerOf({ answer }: ToldParts['detail']): string {
  return answer === undefined ? '' : ` (${own(answer)})`
}

/** `🔕 <@U1> muted *web-1* until 15:00 — deploying`. */
export function toldLine(entry: AuditEntry, when: When, where: ToldWhere): string {
  const line = entryWords[entry.act].told(toldParts(entry, when, where))
  // The words for what monbot does by itself include the outcome.
  return Object.hasOwn(actionWords, entry.act) ? `${line}${toldOutcomes[entry.outcome]}` : line
}

const toldOutcomes: Record<AuditOutcome, string> = {
  done: '',
  nothing: ' (already so)',
  refused: ' (refused: nothing changed)',
  failed: ' (failed: nothing changed)',
  unknown: ' (the monitoring API gave no clear answer: whether it was done is not known)',
}

/** The least room that a line of the audit needs. */
export const auditCharsMin = 800

/** What was done, in the words of its announcement; what was not done, and what is too long, in fewer. */
export function auditLine(entry: AuditEntry, charsMax: number): string {
  const at = inBlocks(entry.atMs)
  if (entry.outcome === 'done') {
    const told = `${at} · ${toldLine(entry, inBlocks, 'audit')}`
    if (told.length <= charsMax) return told
  }
  const outcome =
    entry.outcome === 'nothing'
      ? unchangedWords(entry.why)
      : `${listedOutcomes[entry.outcome]}${whyWords(entry.why)}`
  return `${at} · ${person(entry.userId)} · ${entryWords[entry.act].wanted(listedParts(entry))} · ${outcome}`
}

/** Nothing was done: `already acknowledged`. */
function unchangedWords(why: string | null): string {
  return (
    unchanged.get(why ?? '') ?? `already ${escapedWithin((why ?? 'so').replaceAll('_', ' '), whyLengthMax)}`
  )
}

const unchanged = new Map([
  ['all_closed', 'already closed'],
  ['already', 'already so'],
  ['changed', 'asked again, as it had changed'],
  ['no_deadline', 'has no end to move'],
  ['not_muted', 'not muted'],
  ['silence_over', 'already over'],
])

function whyWords(why: string | null): string {
  return why === null ? '' : `: ${refusals.get(why) ?? escapedWithin(why.replaceAll('_', ' '), whyLengthMax)}`
}

const refusals = new Map([
  ['none_open', 'no open alert'],
  ['many_alerts', 'several alerts are open'],
  ['groups_unread', 'user groups could not be read'],
  ['pending_gone', 'answered already, or too old'],
  ['unknown_server', 'the monitoring API does not know the server'],
])

const listedOutcomes = {
  done: 'done',
  refused: '🚫 refused',
  failed: '⚠️ failed',
  unknown: '⚠️ not known whether it was done',
} as const satisfies Record<Exclude<AuditEntry['outcome'], 'nothing'>, string>
