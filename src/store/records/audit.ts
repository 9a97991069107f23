/** The audit and the notes: one row each; a row of the audit that was written before its outcome is settled after. */
import type { Kysely, Transaction } from 'kysely'
import type { Note } from '../../domain/alert/note.ts'
import type { Plan } from '../../domain/plan.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import type { Store } from '../../flow/ports/store.ts'
import type { Tables } from '../open/schema.ts'
import { chunks } from './chunks.ts'
import { fromAuditEntry, fromNote, toAuditEntry, toNote } from './rows-acting.ts'

export function auditStore(db: Kysely<Tables>): Pick<Store, 'audit' | 'auditById' | 'notesOf'> {
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
    notesOf: async (alertId) => {
      const rows = await db
        .selectFrom('notes')
        .selectAll()
        .where('alert_id', '=', alertId)
        .orderBy('at_ms')
        .orderBy('note_id')
        .execute()
      return rows.map(toNote)
    },
  }
}

/** An acknowledgement names its alert, and is of the alert's server all the same. */
function entries(db: Kysely<Tables>, hostname: string | null) {
  const all = db.selectFrom('audit')
  if (hostname === null) {
    return all.where((eb) =>
      eb.or([
        eb('audit.part_of', 'is', null),
        // Until the row of all of them is there, and where it tells another outcome, each stands for itself.
        eb.not(
          eb.exists(
            eb
              .selectFrom('audit as whole')
              .select('whole.audit_id')
              .whereRef('whole.audit_id', '=', 'audit.part_of')
              .whereRef('whole.outcome', '=', 'audit.outcome'),
          ),
        ),
      ]),
    )
  }
  return all.where((eb) =>
    eb.or([
      eb('audit.hostname', '=', hostname),
      eb(
        'audit.alert_id',
        'in',
        eb.selectFrom('alerts').select('alerts.alert_id').where('alerts.hostname', '=', hostname),
      ),
    ]),
  )
}

export async function writeRecords(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  for (const rows of chunks(plan.notes.map(fromNote))) await tx.insertInto('notes').values(rows).execute()
  for (const rows of chunks(plan.audit.map(fromAuditEntry))) {
    await tx
      .insertInto('audit')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('audit_id').doUpdateSet((eb) => ({
          at_ms: eb.ref('excluded.at_ms'),
          hostname: eb.ref('excluded.hostname'),
          outcome: eb.ref('excluded.outcome'),
          why: eb.ref('excluded.why'),
          detail: eb.ref('excluded.detail'),
        })),
      )
      .execute()
  }
}

export async function entryById(db: Kysely<Tables>, auditId: string): Promise<AuditEntry | null> {
  const row = await db.selectFrom('audit').selectAll().where('audit_id', '=', auditId).executeTakeFirst()
  return row === undefined ? null : toAuditEntry(row)
}

export async function noteById(db: Kysely<Tables>, noteId: string): Promise<Note | null> {
  const row = await db.selectFrom('notes').selectAll().where('note_id', '=', noteId).executeTakeFirst()
  return row === undefined ? null : toNote(row)
}
