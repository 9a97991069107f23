/** Writes one plan in one transaction, or nothing of it. */
import type { Kysely, Transaction } from 'kysely'
import type { NewCard } from '../domain/card.ts'
import type { Plan } from '../domain/plan.ts'
import { chunks } from './recall.ts'
import { fromAlert, fromEnd, fromFacts, fromNewCard } from './rows.ts'
import type { Tables } from './schema.ts'

/** Ends older than what the API lists can close nothing that is still listed. */
const keepEndsMs = 31 * 24 * 60 * 60 * 1000

class StalePlan extends Error {}

/** `stale` when an alert is not at the version the plan was made on; nothing is written then. */
export async function commit(db: Kysely<Tables>, plan: Plan): Promise<'saved' | 'stale'> {
  try {
    await db.transaction().execute(async (tx) => {
      await writeAlerts(tx, plan)
      await writeEnds(tx, plan)
      await writeCards(tx, plan)
      await touchCards(tx, plan.touched)
      await writePictures(tx, plan)
      for (const row of fromFacts(plan.facts)) {
        await tx
          .insertInto('facts')
          .values(row)
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: row.value }))
          .execute()
      }
    })
    return 'saved'
  } catch (error) {
    if (error instanceof StalePlan) return 'stale'
    throw error
  }
}

async function writeAlerts(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  const fresh = plan.alerts.filter(({ was }) => was === null).map(({ alert }) => fromAlert(alert))
  const columns = 18
  for (const rows of chunks(fresh, Math.floor(5_000 / columns))) {
    const result = await tx
      .insertInto('alerts')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    if (Number(result.numInsertedOrUpdatedRows) !== rows.length) throw new StalePlan()
  }
  for (const { alert, was } of plan.alerts) {
    if (was === null) continue
    const { alert_id, ...row } = fromAlert(alert)
    const result = await tx
      .updateTable('alerts')
      .set(row)
      .where('alert_id', '=', alert_id)
      .where('version', '=', was)
      .executeTakeFirst()
    if (Number(result.numUpdatedRows) !== 1) throw new StalePlan()
  }
}

async function writeEnds(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  for (const rows of chunks(plan.keptEnds.map(fromEnd))) {
    await tx
      .insertInto('ends')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('end_id').doUpdateSet({ decided: (eb) => eb.ref('excluded.decided') }),
      )
      .execute()
  }
  for (const ids of chunks(plan.droppedEndIds)) {
    await tx.deleteFrom('ends').where('end_id', 'in', ids).execute()
  }
  if (plan.keptEnds.length > 0) {
    await tx
      .deleteFrom('ends')
      .where('ended_ms', '<', plan.atMs - keepEndsMs)
      .execute()
  }
}

async function writeCards(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  for (const card of plan.cards) {
    const result = await tx
      .insertInto('cards')
      .values(fromNewCard(card, plan.atMs))
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    if (Number(result.numInsertedOrUpdatedRows) === 1) await writeMembers(tx, card)
  }
}

async function writeMembers(tx: Transaction<Tables>, card: NewCard): Promise<void> {
  const rows = card.alertIds.map((alert_id, place) => ({ card_id: card.cardId, alert_id, place }))
  for (const some of chunks(rows)) await tx.insertInto('card_alerts').values(some).execute()
}

/** Every card that shows one of these alerts is to be shown anew. */
export async function touchCards(db: Kysely<Tables>, alertIds: readonly string[]): Promise<void> {
  const cardIds = new Set<string>()
  for (const ids of chunks(alertIds)) {
    const rows = await db.selectFrom('card_alerts').select('card_id').where('alert_id', 'in', ids).execute()
    for (const row of rows) cardIds.add(row.card_id)
  }
  for (const ids of chunks([...cardIds])) {
    await db
      .updateTable('cards')
      .set((eb) => ({ wanted: eb('wanted', '+', 1) }))
      .where('card_id', 'in', ids)
      .execute()
  }
}

async function writePictures(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  for (const { alertId, way } of plan.pictures) {
    await tx
      .insertInto('pictures')
      .values({
        alert_id: alertId,
        way,
        // Slack fetches a link by itself, so there is nothing to wait for.
        state: way === 'url' ? 'ready' : 'wanted',
        file_id: null,
        attempts: 0,
        not_before_ms: 0,
        why: null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}
