/** Who did what about an alert, in a few words each: the last line of a closed card. */

import { formatDuration } from '../../../domain/base/duration.ts'
import type { CardView } from '../../../domain/card/kinds.ts'
import type { AuditEntry } from '../../../domain/request/audit.ts'
import { entryWords } from '../actions/words.ts'
import { counted, person } from './phrases.ts'

type AlertView = CardView<'alert'>

/** `acknowledged by <@U1> after 2 min`, `muted 1 h by <@U2>`, `2 notes in the thread`. */
export function timelineLine({ alert, timeline, notes }: AlertView): string[] {
  const isTold = timeline.some((entry) => isTaking(entry) && entry.alertId === alert.alertId)
  const acknowledged =
    alert.ackedBy === null || isTold
      ? []
      : [
          `acknowledged by ${person(alert.ackedBy)}${after(alert.startedMs, alert.ackedMs ?? alert.startedMs)}`,
        ]
  return [
    ...acknowledged,
    ...timeline.flatMap((entry) => {
      const words = entryWords[entry.act].timeline?.(entry)
      if (words === undefined) return []
      const isAck = isTaking(entry) && entry.alertId === alert.alertId
      return [`${words} by ${person(entry.userId)}${isAck ? after(alert.startedMs, entry.atMs) : ''}`]
    }),
    ...(notes > 0 ? [`${counted(notes, 'note')} in the thread`] : []),
  ]
}

function isTaking({ act }: AuditEntry): boolean {
  return act === 'acknowledge' || act === 'take_over'
}

function after(fromMs: number, toMs: number): string {
  return toMs > fromMs ? ` after ${formatDuration(toMs - fromMs)}` : ''
}
