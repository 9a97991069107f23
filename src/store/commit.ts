/** Writes one plan in one transaction, or nothing of it. */
import type { Kysely, Transaction } from 'kysely'
import type { NewCard } from '../domain/card.ts'
import type { Plan } from '../domain/plan.ts'
import { entryById, noteById, writeRecords } from './audit.ts'
import { chunks } from './chunks.ts'
import { writeMarkers } from './markers.ts'
import { checkEpoch, muteById, writeMutes } from './mutes.ts'
import { writePictures } from './pictures.ts'
import { fromAlert, fromEnd, fromFacts, fromNewCard } from './rows.ts'
import type { Tables } from './schema.ts'
import { StalePlan } from './stale-plan.ts'
import { touchConcerned } from './touch.ts'

/** `stale` when an alert or a mute is not as it was when the plan was made; nothing is written then. */
export async function commit(db: Kysely<Tables>, plan: Plan): Promise<'saved' | 'stale'> {
  try {
    await db.transaction().execute(async (tx) => {
      await checkEpoch(tx, plan)
      await writeMutes(tx, plan)
      await writeAlerts(tx, plan)
      await writeEnds(tx, plan)
      // Before the new cards: they are wanted as they are.
      await touchConcerned(tx, plan)
      await writeRecords(tx, plan)
      await writeCards(tx, plan)
      await writeFolds(tx, plan)
      await writeMarkers(tx, plan)
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
  const columns = 20
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
}

async function writeCards(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  for (const card of plan.cards) {
    await assertShowable(tx, card)
    const result = await tx
      .insertInto('cards')
      .values(fromNewCard(card, plan.atMs))
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    if (Number(result.numInsertedOrUpdatedRows) === 1) await writeMembers(tx, card)
  }
}

// Here, where it can be seen who made it: found only when it is to be shown, it would stop everything behind it.
async function assertShowable(tx: Transaction<Tables>, card: NewCard): Promise<void> {
  if (!(await isSubjectThere(tx, card))) throw new Error(`What the card ${card.cardId} shows is not there`)
}

async function isSubjectThere(tx: Transaction<Tables>, card: NewCard): Promise<boolean> {
  const subjectId = card.subjectId ?? ''
  switch (card.kind) {
    case 'note':
      return (await noteById(tx, subjectId)) !== null
    case 'told':
      return (await entryById(tx, subjectId)) !== null
    case 'handback':
    case 'mute_ended':
      return (await muteById(tx, subjectId)) !== null
    case 'board':
      return true
    case 'alert':
    case 'summary':
    case 'page':
    case 'reminder':
      return card.alertIds.length > 0
  }
}

/** A folded alert becomes the last one on the card, and so the one that it shows. */
async function writeFolds(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  for (const { cardId, alertId } of plan.folds) {
    const last = await tx
      .selectFrom('card_alerts')
      .select((eb) => eb.fn.max('place').as('place'))
      .where('card_id', '=', cardId)
      .executeTakeFirst()
    await tx
      .insertInto('card_alerts')
      .values({ card_id: cardId, alert_id: alertId, place: (last?.place ?? -1) + 1 })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

async function writeMembers(tx: Transaction<Tables>, card: NewCard): Promise<void> {
  const rows = card.alertIds.map((alert_id, place) => ({ card_id: card.cardId, alert_id, place }))
  for (const some of chunks(rows)) await tx.insertInto('card_alerts').values(some).execute()
}
