/** One row of the audit in a list: when, who, what, and how it went. */
import type { AuditEntry } from '../../../domain/request/audit.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { listedParts } from '../actions/entry-parts.ts'
import { entryWords } from '../actions/words.ts'
import { toldLine } from '../cards/thread.ts'
import { inBlocks, person } from './phrases.ts'

const whyLengthMax = 200

/** Less room than this cannot hold what must stand in a line. */
export const auditCharsMin = 800

/** What was done, in the words of its announcement; what was not done, and what is too long, in fewer. */
export function auditLine(entry: AuditEntry, charsMax: number): string {
  const at = inBlocks(entry.atMs)
  if (entry.outcome === 'done') {
    const told = `${at} · ${toldLine(entry, inBlocks)}`
    if (told.length <= charsMax) return told
  }
  const outcome =
    entry.outcome === 'nothing'
      ? unchangedWords(entry.why)
      : `${outcomes[entry.outcome]}${whyWords(entry.why)}`
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
])

function whyWords(why: string | null): string {
  return why === null ? '' : `: ${refusals.get(why) ?? escapedWithin(why.replaceAll('_', ' '), whyLengthMax)}`
}

const refusals = new Map([
  ['none_open', 'no open alert'],
  ['many_alerts', 'several alerts are open'],
  ['groups_unread', 'user groups could not be read'],
  ['pending_gone', 'answered already, or too old'],
])

const outcomes = {
  done: 'done',
  refused: '🚫 refused',
  failed: '⚠️ failed',
  unknown: '⚠️ not known whether it was done',
} as const satisfies Record<Exclude<AuditEntry['outcome'], 'nothing'>, string>
