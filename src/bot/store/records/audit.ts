/** Reads and writes the audit and the notes: one row each; the outcome of an audit row may be written later. */
import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Note } from '../../domain/alert/alert.ts'
import { jsonOf } from '../../domain/base/storable.ts'
import type { Plan } from '../../domain/plan.ts'
import type { Act, AuditDetail, AuditEntry, AuditOutcome } from '../../domain/request/audit.ts'
import type { Store } from '../../flow/ports/store.ts'
import type { AuditRow, NoteRow, Tables } from '../open/schema.ts'
import { insertAll } from './statements.ts'

export function auditStore(db: Kysely<Tables>) {
  return {
    auditById: (auditId) => entryById(db, auditId),
    audit: async ({ hostname, sinceMs, offset, limit }) => {
      const found = entries(db, hostname).where('at_ms', '>=', sinceMs)
      const { total } = await found
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      const rows = await found
        .selectAll()
        .orderBy('at_ms', 'desc')
        .orderBy('audit_id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute()
      return { entries: rows.map(toAuditEntry), total }
    },
    markersDuring: async ({ hostname, fromMs, toMs, limit }) => {
      const rows = await db
        .selectFrom('audit')
        .selectAll()
        .where('at_ms', '>=', fromMs)
        .where('at_ms', '<=', toMs)
        .where('outcome', '=', 'done')
        .where(sql<boolean>`(act = 'add_marker' or (act = 'add_roles' and hostname = ${hostname}))`)
        .orderBy('at_ms', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toAuditEntry).reverse()
    },
  } satisfies Partial<Store>
}

/** An acknowledgement names its alert, but counts for the alert's server too. */
function entries(db: Kysely<Tables>, hostname: string | null) {
  const all = db.selectFrom('audit')
  if (hostname === null) {
    // Each one is listed separately until the row for all exists, and if its outcome differs from that row.
    return all.where(sql<boolean>`(audit.part_of is null or not exists (
      select 1 from audit as whole
      where whole.audit_id = audit.part_of and whole.outcome = audit.outcome
    ))`)
  }
  return all.where(sql<boolean>`(audit.hostname = ${hostname}
    or audit.alert_id in (select alert_id from alerts where alerts.hostname = ${hostname}))`)
}

export async function writeRecords(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  await insertAll(tx, 'notes', plan.notes.map(fromNote))
  await insertAll(tx, 'audit', plan.audit.map(fromAuditEntry), (entries) =>
    entries.onConflict((conflict) =>
      conflict.column('audit_id').doUpdateSet((eb) => ({
        at_ms: eb.ref('excluded.at_ms'),
        hostname: eb.ref('excluded.hostname'),
        outcome: eb.ref('excluded.outcome'),
        why: eb.ref('excluded.why'),
        detail: eb.ref('excluded.detail'),
      })),
    ),
  )
}

export async function entryById(db: Kysely<Tables>, auditId: string): Promise<AuditEntry | null> {
  const row = await db.selectFrom('audit').selectAll().where('audit_id', '=', auditId).executeTakeFirst()
  return row === undefined ? null : toAuditEntry(row)
}

export async function noteById(db: Kysely<Tables>, noteId: string): Promise<Note | null> {
  const row = await db.selectFrom('notes').selectAll().where('note_id', '=', noteId).executeTakeFirst()
  return row === undefined ? null : toNote(row)
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

function fromNote(note: Note): Insertable<NoteRow> {
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

function fromAuditEntry(entry: AuditEntry): Insertable<AuditRow> {
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
    detail: jsonOf(entry.detail),
    part_of: entry.partOf ?? null,
  }
}
