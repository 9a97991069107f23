/** One row of the audit in a list: when, who, what, and how it went. */

import { numberOf } from '../../../domain/alert/episode.ts'
import type { AuditEntry } from '../../../domain/request/audit.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { toldLine } from '../cards/announcement.ts'
import { counted, inBlocks, listed, name, person, serverName } from './phrases.ts'

const whyLengthMax = 200
const namesShown = 2

/** Less room than this cannot hold what must stand in a line. */
export const auditCharsMin = 800

/** What was done in the words that everyone was told; what was not done, and what is too long, in fewer. */
export function auditLine(entry: AuditEntry, charsMax: number): string {
  const at = inBlocks(entry.atMs)
  if (entry.outcome === 'done') {
    const told = `${at} · ${toldLine(entry, inBlocks)}`
    if (told.length <= charsMax) return told
  }
  const why = entry.why === null ? '' : `: ${escapedWithin(entry.why.replaceAll('_', ' '), whyLengthMax)}`
  return `${at} · ${person(entry.userId)} · ${wanted(entry)} · ${outcomes[entry.outcome]}${why}`
}

const outcomes = {
  done: 'done',
  nothing: 'there was nothing to do',
  refused: '🚫 refused',
  failed: '⚠️ failed',
  unknown: '⚠️ whether it was done is not known',
} as const satisfies Record<AuditEntry['outcome'], string>

function wanted(entry: AuditEntry): string {
  const { detail, hostname } = entry
  const names = listed((detail.names ?? []).map(name), namesShown)
  const isNone = hostname === null && detail.names?.length === 0
  const server = isNone
    ? 'the servers of a list'
    : hostname === null && names !== ''
      ? names
      : serverName(hostname)
  const alert = entry.alertId === null ? 'an alert' : `#${name(numberOf(entry.alertId))}`
  switch (entry.act) {
    case 'mute_server':
      return `mute ${server}`
    case 'unmute_server':
      return `unmute ${server}`
    case 'mute_account':
      return 'mute the whole account'
    case 'unmute_account':
      return 'unmute the whole account'
    case 'extend_mute':
      return `extend the mute of ${server}`
    case 'undo_mute':
      return `take back the mute of ${server}`
    case 'add_roles':
      return `add ${server} to ${listed((detail.roles ?? []).map(name), namesShown)}`
    case 'add_marker':
      return 'drop a marker'
    case 'acknowledge':
      return `acknowledge ${alert}`
    case 'acknowledge_all':
      return detail.alerts === undefined
        ? 'acknowledge all alerts of a list'
        : `acknowledge ${counted(detail.alerts, 'alert')}`
    case 'add_note':
      return `write about ${alert}`
    case 'set_no_data':
      return `set the no-data group of ${server}`
    case 'delete_server':
      return `delete the server ${server}`
    case 'delete_metrics':
      return `delete the metrics ${names}`
    case 'end_mute':
      return `end the mute of ${server}`
    case 'repeat_switch':
      return `switch notifications of ${server} once more`
    case 'hand_back':
      return `hand back the mute of ${server}`
    case 'remind':
      return `remind of ${alert}`
  }
}
