/** Makes cards in the thread of another card, and the board. Their ids follow from what they show. */
import { type Alert, isLive, type Note } from '../alert/alert.ts'
import type { Mute, Place } from '../mute/mute.ts'
import type { AuditEntry } from '../request/audit.ts'
import { type NewCard, newCard } from './card.ts'
import { descriptionOn } from './details-shown.ts'

export function noteCard({ noteId }: Note, { channel, cardId }: Place): NewCard {
  return newCard('note', `${noteId}:${channel}`, { channel, parentId: cardId, subjectId: noteId })
}

export function changeNotice({ auditId }: Pick<AuditEntry, 'auditId'>, { channel, cardId }: Place): NewCard {
  const of = `${auditId}:${channel}`
  return newCard('notice', of, { topic: 'change_notice', channel, parentId: cardId, subjectId: auditId })
}

/** The handoff that comes with a change of shift; one for each channel. */
export function handoffCard({ auditId }: Pick<AuditEntry, 'auditId'>, channel: string): NewCard {
  return newCard('notice', `${auditId}:${channel}:handoff`, { topic: 'handoff', channel, subjectId: auditId })
}

/** The whole description of an alert, for the thread of its card; null where that card shows all of it. */
export function descriptionNotice(alert: Alert, { cardId, channel }: Root): NewCard | null {
  if (!isLive(alert) || descriptionOn(alert).isWhole) return null
  const of = `${alert.alertId}:${channel}`
  return newCard('notice', of, {
    topic: 'description',
    channel,
    parentId: cardId,
    subjectId: alert.alertId,
  })
}

/** The notice that a mute ends soon, one for each deadline: the owner of an extended mute is asked again. */
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

/** A card of alerts, and its channel. */
export type Root = { readonly cardId: string; readonly channel: string }

/**
 * A reminder. `of` distinguishes it from others of the same card. In another `channel` it has no thread, and links to the card
 * instead.
 */
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

/** The notice that a flapping alert stays open, once for each time that it reopened on this card. */
export function flapReminder(alert: Alert, { cardId, channel }: Root, mention: string | null): NewCard {
  const of = `${alert.alertId}:${channel}${alert.reopenedMs === null ? '' : `:${alert.reopenedMs}`}`
  const alertIds = [alert.alertId]
  return newCard('notice', of, { topic: 'flap_reminder', channel, parentId: cardId, mention, alertIds })
}

/**
 * The question whether somebody is still on it, once for what they acknowledged at one time, and for each time that they
 * confirmed it.
 */
export function staleAckNotice(
  alerts: readonly Alert[],
  { cardId, channel }: Root,
  { owner, sinceMs }: { readonly owner: string; readonly sinceMs: number },
): NewCard {
  const of = `${cardId}:${owner}:${sinceMs}`
  const place = { channel, parentId: cardId }
  return newCard('notice', of, { topic: 'stale_ack', ...place, subjectId: owner, alertIds: idsOf(alerts) })
}

/** The direct message to somebody to whom alerts were handed; `root`: the card that it links to, if there is one. */
export function handedNotice(
  { auditId }: Pick<AuditEntry, 'auditId'>,
  alerts: readonly Alert[],
  { to, root }: { readonly to: string; readonly root: Root | null },
): NewCard {
  const place = { channel: to, subjectId: root?.cardId ?? null }
  return newCard('notice', `${auditId}:${to}`, { topic: 'handed', ...place, alertIds: idsOf(alerts) })
}

/** The audit row in the id of a `handedNotice`; no id of ours has a colon. */
export function handedEntry(cardId: string): string {
  return cardId.split(':')[1] ?? ''
}

function idsOf(alerts: readonly Alert[]): readonly string[] {
  return alerts.map(({ alertId }) => alertId)
}

/** The reply with a chart, in the thread of the card that shows it, or beside that card if it is in a thread itself. */
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

/** The file in the id of a `pictureCard`; Slack's file ids have no colon. */
export function fileOn(cardId: string): string {
  return cardId.split(':')[1] ?? ''
}

/** A file that somebody asked for; one for each request. */
export function fileCard({ auditId }: Pick<AuditEntry, 'auditId'>, { channel, cardId }: Place): NewCard {
  return newCard('notice', auditId, { topic: 'file', channel, parentId: cardId, subjectId: auditId })
}

/** The report of the time up to its occurrence; one for each. */
export function reportCard({ auditId }: Pick<AuditEntry, 'auditId'>, channel: string): NewCard {
  return newCard('notice', auditId, { topic: 'report', channel, subjectId: auditId })
}

export function boardCard(channel: string): NewCard {
  return newCard('board', channel, { channel })
}
