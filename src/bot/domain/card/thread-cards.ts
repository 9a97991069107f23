/** Cards that stand in the thread of another, and the board: which ones there are follows from what they show. */
import type { Alert, Note } from '../alert/alert.ts'
import type { Mute } from '../mute/mute.ts'
import type { AuditEntry } from '../request/audit.ts'
import { type NewCard, newCard } from './card.ts'

/** Where something is posted: a channel, and the card of that channel in whose thread it goes, if there is one. */
export type Place = { readonly channel: string; readonly cardId: string | null }

export function noteCard({ noteId }: Note, { channel, cardId }: Place): NewCard {
  return newCard('note', `${noteId}:${channel}`, { channel, parentId: cardId, subjectId: noteId })
}

export function changeNotice({ auditId }: Pick<AuditEntry, 'auditId'>, { channel, cardId }: Place): NewCard {
  const of = `${auditId}:${channel}`
  return newCard('notice', of, { topic: 'change_notice', channel, parentId: cardId, subjectId: auditId })
}

/** One for each deadline: the owner of an extended mute is asked again. */
export function expiringCard({ muteId, untilMs, channel, cardId }: Mute): NewCard {
  return newCard('mute_expiring', `${muteId}:${untilMs ?? 0}`, {
    channel,
    parentId: cardId,
    subjectId: muteId,
  })
}

export function muteEndedCard(mute: Mute, { channel, cardId }: Place = mute): NewCard {
  const { muteId } = mute
  const of = channel === mute.channel ? muteId : `${muteId}:${channel}`
  return newCard('mute_ended', of, { channel, parentId: cardId, subjectId: muteId })
}

/** A card that alerts stand on, and where it stands. */
export type Root = { readonly cardId: string; readonly channel: string }

/** `of` tells it from the others of the same card. In another `channel` it has no thread, and names the card instead. */
export function reminderCard(
  of: string,
  alerts: readonly Alert[],
  {
    root,
    mention,
    channel = null,
  }: { readonly root: Root; readonly mention: string | null; readonly channel?: string | null },
): NewCard {
  const isElsewhere = channel !== null && channel !== root.channel
  const place = isElsewhere
    ? { channel, subjectId: root.cardId }
    : { channel: root.channel, parentId: root.cardId }
  return newCard('notice', of, { topic: 'unacknowledged', ...place, mention, alertIds: idsOf(alerts) })
}

/** Once for each time that the alert came back on this card. */
export function flapReminder(alert: Alert, { cardId, channel }: Root, mention: string | null): NewCard {
  const of = `${alert.alertId}:${channel}${alert.reopenedMs === null ? '' : `:${alert.reopenedMs}`}`
  const alertIds = [alert.alertId]
  return newCard('notice', of, { topic: 'flap_reminder', channel, parentId: cardId, mention, alertIds })
}

/** Once for what somebody took at one time, and for each time that they said to be still on it. */
export function staleAckNotice(
  alerts: readonly Alert[],
  { cardId, channel }: Root,
  { owner, sinceMs }: { readonly owner: string; readonly sinceMs: number },
): NewCard {
  const of = `${cardId}:${owner}:${sinceMs}`
  const place = { channel, parentId: cardId }
  return newCard('notice', of, { topic: 'stale_ack', ...place, subjectId: owner, alertIds: idsOf(alerts) })
}

function idsOf(alerts: readonly Alert[]): readonly string[] {
  return alerts.map(({ alertId }) => alertId)
}

/** The file and the card that shows it; below that one, or beside it where it stands in a thread itself. */
export function pictureCard(
  fileId: string,
  of: { readonly cardId: string; readonly channel: string; readonly parentId: string | null },
): NewCard {
  const { cardId, channel, parentId } = of
  return newCard('picture', `${fileId}:${cardId}`, {
    channel,
    parentId: parentId ?? cardId,
    subjectId: cardId,
  })
}

/** Of the id of a `pictureCard`; Slack's ids of files have no colon. */
export function fileOn(cardId: string): string {
  return cardId.split(':')[1] ?? ''
}

export function boardCard(channel: string): NewCard {
  return newCard('board', channel, { channel })
}
