/** Cards that stand in the thread of another, and the board: which ones there are follows from what they show. */
import type { Alert } from '../alert/alert.ts'
import type { Note } from '../alert/note.ts'
import type { Mute } from '../mute/mute.ts'
import type { AuditEntry } from '../request/audit.ts'
import { type NewCard, newCard } from './card.ts'

/** Where something is posted: a channel, and the card of that channel in whose thread it goes, if there is one. */
export type Place = { readonly channel: string; readonly cardId: string | null }

export function noteCard({ noteId }: Note, { channel, cardId }: Place): NewCard {
  return newCard('note', `${noteId}:${channel}`, { channel, parentId: cardId, subjectId: noteId })
}

export function toldCard({ auditId }: Pick<AuditEntry, 'auditId'>, { channel, cardId }: Place): NewCard {
  return newCard('told', `${auditId}:${channel}`, { channel, parentId: cardId, subjectId: auditId })
}

/** One for each deadline: an extended mute is handed back again. */
export function handbackCard({ muteId, untilMs, channel, cardId }: Mute): NewCard {
  return newCard('handback', `${muteId}:${untilMs ?? 0}`, { channel, parentId: cardId, subjectId: muteId })
}

export function muteEndedCard({ muteId, channel, cardId }: Mute): NewCard {
  return newCard('mute_ended', muteId, { channel, parentId: cardId, subjectId: muteId })
}

export function reminderCard(
  { alertId }: Alert,
  { channel, cardId }: Place,
  mention: string | null,
): NewCard {
  const of = `${alertId}:${channel}`
  return newCard('reminder', of, { channel, parentId: cardId, mention, alertIds: [alertId] })
}

/** One for all of a summary's alerts that nobody has taken (one at least), in its thread. */
export function summaryReminderCard(
  summaryId: string,
  alerts: readonly Alert[],
  { channel, mention }: { readonly channel: string; readonly mention: string | null },
): NewCard {
  const alertIds = alerts.map(({ alertId }) => alertId)
  return newCard('reminder', summaryId, { channel, mention, parentId: summaryId, alertIds })
}

export function boardCard(channel: string): NewCard {
  return newCard('board', channel, { channel })
}
