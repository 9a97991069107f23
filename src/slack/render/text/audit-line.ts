/** One row of the audit in a list: when, who, what, and how it went. */
import type { AuditEntry } from '../../../domain/request/audit.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { listedParts } from '../actions/entry-parts.ts'
import { entryWords } from '../actions/words.ts'
import { toldLine } from '../cards/announcement.ts'
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
  const why = entry.why === null ? '' : `: ${escapedWithin(entry.why.replaceAll('_', ' '), whyLengthMax)}`
  return `${at} · ${person(entry.userId)} · ${entryWords[entry.act].wanted(listedParts(entry))} · ${outcomes[entry.outcome]}${why}`
}

const outcomes = {
  done: 'done',
  nothing: 'there was nothing to do',
  refused: '🚫 refused',
  failed: '⚠️ failed',
  unknown: '⚠️ whether it was done is not known',
} as const satisfies Record<AuditEntry['outcome'], string>
