/** Rows to domain values and back: mutes, notes, the audit. */
import type { Insertable, Selectable } from 'kysely'
import type { Note } from '../../domain/alert/note.ts'
import type { Mute, MuteEndedBy, MuteMode, MuteState, MuteTerms } from '../../domain/mute/mute.ts'
import type { Act, AuditDetail, AuditEntry, AuditOutcome } from '../../domain/request/audit.ts'
import type { AuditRow, MuteRow, NoteRow } from '../open/schema.ts'

/** The account's: no hostname is empty. */
const account = ''

export function subjectOf(hostname: string | null): string {
  return hostname ?? account
}

export function hostnameOf(subject: string): string | null {
  return subject === account ? null : subject
}

export function toMute(row: Selectable<MuteRow>): Mute {
  return {
    muteId: row.mute_id,
    hostname: hostnameOf(row.subject),
    mode: row.mode as MuteMode,
    untilMs: row.until_ms,
    userId: row.user_id,
    reason: row.reason,
    state: row.state as MuteState,
    startedMs: row.started_ms,
    termsMs: row.terms_ms,
    previous: row.previous === null ? null : (JSON.parse(row.previous) as MuteTerms),
    channel: row.channel,
    cardId: row.card_id,
    handbackMs: row.handback_ms,
    endedMs: row.ended_ms,
    endedBy: row.ended_by as MuteEndedBy | null,
    endedByUserId: row.ended_by_user_id,
    attempts: row.attempts,
    notBeforeMs: row.not_before_ms,
    goneMs: row.gone_ms,
    version: row.version,
  }
}

export function fromMute(mute: Mute): Insertable<MuteRow> {
  return {
    mute_id: mute.muteId,
    subject: subjectOf(mute.hostname),
    mode: mute.mode,
    until_ms: mute.untilMs,
    user_id: mute.userId,
    reason: mute.reason,
    state: mute.state,
    started_ms: mute.startedMs,
    terms_ms: mute.termsMs,
    previous: mute.previous === null ? null : JSON.stringify(mute.previous),
    channel: mute.channel,
    card_id: mute.cardId,
    handback_ms: mute.handbackMs,
    ended_ms: mute.endedMs,
    ended_by: mute.endedBy,
    ended_by_user_id: mute.endedByUserId,
    attempts: mute.attempts,
    not_before_ms: mute.notBeforeMs,
    gone_ms: mute.goneMs,
    version: mute.version,
  }
}

export function toNote(row: Selectable<NoteRow>): Note {
  return {
    noteId: row.note_id,
    alertId: row.alert_id,
    userId: row.user_id,
    atMs: row.at_ms,
    text: row.text,
  }
}

export function fromNote(note: Note): Insertable<NoteRow> {
  return {
    note_id: note.noteId,
    alert_id: note.alertId,
    user_id: note.userId,
    at_ms: note.atMs,
    text: note.text,
  }
}

export function toAuditEntry(row: Selectable<AuditRow>): AuditEntry {
  return {
    auditId: row.audit_id,
    atMs: row.at_ms,
    userId: row.user_id,
    via: row.via as AuditEntry['via'],
    act: row.act as Act,
    hostname: row.hostname,
    alertId: row.alert_id,
    channel: row.channel,
    outcome: row.outcome as AuditOutcome,
    why: row.why,
    detail: JSON.parse(row.detail) as AuditDetail,
    ...(row.part_of === null ? {} : { partOf: row.part_of }),
  }
}

export function fromAuditEntry(entry: AuditEntry): Insertable<AuditRow> {
  return {
    audit_id: entry.auditId,
    at_ms: entry.atMs,
    user_id: entry.userId,
    via: entry.via,
    act: entry.act,
    hostname: entry.hostname,
    alert_id: entry.alertId,
    channel: entry.channel,
    outcome: entry.outcome,
    why: entry.why,
    detail: JSON.stringify(entry.detail),
    part_of: entry.partOf ?? null,
  }
}
