/** Cards that stand in the thread of another, and the board: which ones there are follows from what they show. */
import type { Alert } from '../alert/alert.ts'
import type { Note } from '../alert/note.ts'
import type { Mute } from '../mute/mute.ts'
import type { AuditEntry } from '../request/audit.ts'
import type { NewCard } from './card.ts'

/** Where something is told: in a channel, and in the thread of a card of that channel where there is one. */
export type Place = { readonly channel: string; readonly cardId: string | null }

const bare = { page: null, mention: null, alertIds: [] as readonly string[], subjectId: null }

export function noteCard(note: Note, at: Place): NewCard {
  return {
    ...bare,
    cardId: `note:${note.noteId}:${at.channel}`,
    kind: 'note',
    channel: at.channel,
    parentId: at.cardId,
    subjectId: note.noteId,
  }
}

export function toldCard(entry: Pick<AuditEntry, 'auditId'>, at: Place): NewCard {
  return {
    ...bare,
    cardId: `told:${entry.auditId}:${at.channel}`,
    kind: 'told',
    channel: at.channel,
    parentId: at.cardId,
    subjectId: entry.auditId,
  }
}

/** One for each deadline: an extended mute is handed back again. */
export function handbackCard(mute: Mute): NewCard {
  return {
    ...bare,
    cardId: `handback:${mute.muteId}:${mute.untilMs ?? 0}`,
    kind: 'handback',
    channel: mute.channel,
    parentId: mute.cardId,
    subjectId: mute.muteId,
  }
}

export function muteEndedCard(mute: Mute): NewCard {
  return {
    ...bare,
    cardId: `mute_ended:${mute.muteId}`,
    kind: 'mute_ended',
    channel: mute.channel,
    parentId: mute.cardId,
    subjectId: mute.muteId,
  }
}

export function reminderCard(alert: Alert, at: Place, mention: string | null): NewCard {
  return {
    ...bare,
    cardId: `reminder:${alert.alertId}:${at.channel}`,
    kind: 'reminder',
    channel: at.channel,
    parentId: at.cardId,
    mention,
    alertIds: [alert.alertId],
  }
}

/** One for all of a summary's alerts that nobody has taken (one at least), in its thread. */
export function summaryReminderCard(
  summaryId: string,
  alerts: readonly Alert[],
  to: { readonly channel: string; readonly mention: string | null },
): NewCard {
  return {
    ...bare,
    ...to,
    cardId: `reminder:${summaryId}`,
    kind: 'reminder',
    parentId: summaryId,
    alertIds: alerts.map(({ alertId }) => alertId),
  }
}

export function boardCard(channel: string): NewCard {
  return { ...bare, cardId: `board:${channel}`, kind: 'board', channel, parentId: null }
}
