/** Who did what about an alert, in a few words each: the last line of a closed card. */

import { formatDuration } from '../../../domain/base/duration.ts'
import type { CardView } from '../../../domain/card/kinds.ts'
import type { AuditEntry } from '../../../domain/request/audit.ts'
import { counted, listed, name, person } from './phrases.ts'

type AlertView = CardView<'alert'>

const rolesShown = 3

/** `acknowledged by <@U1> after 2 min`, `muted 1 h by <@U2>`, `2 notes in the thread`. */
export function timelineLine({ alert, timeline, notes }: AlertView): string[] {
  const isTold = timeline.some((entry) => entry.act === 'acknowledge' && entry.alertId === alert.alertId)
  const acknowledged =
    alert.ackedBy === null || isTold
      ? []
      : [
          `acknowledged by ${person(alert.ackedBy)}${after(alert.startedMs, alert.ackedMs ?? alert.startedMs)}`,
        ]
  return [
    ...acknowledged,
    ...timeline.flatMap((entry) => {
      const words = entryWords(entry)
      if (words === null) return []
      const isAck = entry.act === 'acknowledge' && entry.alertId === alert.alertId
      return [`${words} by ${person(entry.userId)}${isAck ? after(alert.startedMs, entry.atMs) : ''}`]
    }),
    ...(notes > 0 ? [`${counted(notes, 'note')} in the thread`] : []),
  ]
}

function after(fromMs: number, toMs: number): string {
  return toMs > fromMs ? ` after ${formatDuration(toMs - fromMs)}` : ''
}

/** Null for what is told in another place, or by nobody. */
function entryWords({ act, atMs, detail }: AuditEntry): string | null {
  switch (act) {
    case 'acknowledge':
    case 'acknowledge_all':
      return 'acknowledged'
    case 'mute_server':
      return `muted${lengthWords(detail, atMs)}`
    case 'mute_account':
      return `whole account muted${lengthWords(detail, atMs)}`
    case 'unmute_server':
      return 'unmuted'
    case 'unmute_account':
      return 'account unmuted'
    case 'extend_mute':
      return 'mute extended'
    case 'undo_mute':
      return 'mute undone'
    case 'add_roles': {
      const roles = detail.roles ?? []
      return `role${roles.length === 1 ? '' : 's'} ${listed(roles.map(name), rolesShown)} added`
    }
    case 'add_marker':
      return 'marker dropped'
    case 'set_no_data':
      return 'no-data group set'
    case 'delete_server':
      return 'server deleted'
    case 'delete_metrics':
      return 'metrics deleted'
    case 'add_note':
    case 'end_mute':
    case 'repeat_switch':
    case 'hand_back':
    case 'remind':
      return null
  }
}

function lengthWords({ mode, untilMs }: AuditEntry['detail'], atMs: number): string {
  if (mode === 'healthy') return ' until healthy'
  return untilMs === undefined ? '' : ` ${formatDuration(untilMs - atMs)}`
}
