/** Planned mutes: one row for each that may still begin. */
import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import { jsonOf } from '../../domain/base/storable.ts'
import type { PlannedMute, PlannedRule, PlannedWhat } from '../../domain/mute/planned.ts'
import type { Plan } from '../../domain/plan.ts'
import type { Store } from '../../flow/ports/store.ts'
import type { PlannedMuteRow, Tables } from '../open/schema.ts'
import { StalePlan } from '../records/statements.ts'

export function plannedStore(db: Kysely<Tables>) {
  return { planned: () => plannedMutes(db) } satisfies Partial<Store>
}

export async function plannedMutes(db: Kysely<Tables>): Promise<PlannedMute[]> {
  const rows = await db.selectFrom('planned_mutes').selectAll().orderBy('planned_id').execute()
  return rows.map(toPlanned)
}

/** Throws a `StalePlan` if one is not at its version, or is there although it should be new. */
export async function writePlanned(tx: Transaction<Tables>, { planned }: Plan): Promise<void> {
  for (const { plannedId, next, was } of planned) {
    if (was === null) {
      if (next === null) continue
      const result = await tx
        .insertInto('planned_mutes')
        .values(fromPlanned(next))
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      if (Number(result.numInsertedOrUpdatedRows) !== 1) throw new StalePlan()
      continue
    }
    const found = { planned_id: plannedId, version: was }
    const isWritten =
      next === null
        ? (
            await tx
              .deleteFrom('planned_mutes')
              .where((eb) => eb.and(found))
              .executeTakeFirst()
          ).numDeletedRows
        : (
            await tx
              .updateTable('planned_mutes')
              .set(fromPlanned(next))
              .where((eb) => eb.and(found))
              .executeTakeFirst()
          ).numUpdatedRows
    if (Number(isWritten) !== 1) throw new StalePlan()
  }
}

function toPlanned(row: Selectable<PlannedMuteRow>): PlannedMute {
  return {
    plannedId: row.planned_id,
    what: JSON.parse(row.what) as PlannedWhat,
    rule: JSON.parse(row.rule) as PlannedRule,
    zone: row.zone,
    reason: row.reason,
    userId: row.user_id,
    channel: row.channel,
    cardId: row.card_id,
    doneMs: row.done_ms,
    skippedMs: row.skipped_ms,
    toldMs: row.told_ms,
    version: row.version,
  }
}

function fromPlanned(planned: PlannedMute): Insertable<PlannedMuteRow> {
  return {
    planned_id: planned.plannedId,
    what: jsonOf(planned.what),
    rule: jsonOf(planned.rule),
    zone: planned.zone,
    reason: planned.reason,
    user_id: planned.userId,
    channel: planned.channel,
    card_id: planned.cardId,
    done_ms: planned.doneMs,
    skipped_ms: planned.skippedMs,
    told_ms: planned.toldMs,
    version: planned.version,
  }
}
