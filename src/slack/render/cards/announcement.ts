/** A change that somebody made, announced in one line: who, what, until when, why. */
import type { CardView } from '../../../domain/card/kinds.ts'
import type { AuditEntry, AuditOutcome } from '../../../domain/request/audit.ts'
import { toldParts } from '../actions/entry-parts.ts'
import { actionWords, entryWords } from '../actions/words.ts'
import { type Rendered, section, textOf } from '../text/message-parts.ts'
import { inBlocks, inText, type When } from '../text/phrases.ts'

export function renderTold({ entry, isAlone }: CardView<'told'>): Rendered {
  const line = (when: When) => toldLine(entry, when, isAlone)
  return { text: textOf([line(inText)], ''), blocks: [section(line(inBlocks))] }
}

/** `🔕 <@U1> muted *web-1* until 15:00 — deploying`. */
export function toldLine(entry: AuditEntry, when: When, isAlone = false): string {
  const line = entryWords[entry.act].told(toldParts(entry, when, isAlone))
  // What monbot does by itself says in its own words how it went.
  return Object.hasOwn(actionWords, entry.act) ? `${line}${outcomes[entry.outcome]}` : line
}

const outcomes: Record<AuditOutcome, string> = {
  done: '',
  nothing: ' (already so)',
  refused: ' (refused: nothing changed)',
  failed: ' (failed: nothing changed)',
  unknown: ' (the monitoring API gave no clear answer: whether it was done is not known)',
}
