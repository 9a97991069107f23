/** Writes one plan in one transaction, or nothing of it. */
import type { Kysely, Transaction } from 'kysely'
import { nextReadMs } from '../domain/alert/read-times.ts'
import type { NewCard } from '../domain/card/card.ts'
import { type Treatment, treatmentOf } from '../domain/card/kinds.ts'
import type { Plan } from '../domain/plan.ts'
import { endingsFor } from './alert/endings.ts'
import { outagesOn, writeOutages } from './alert/outages.ts'
import { knownUnits } from './alert/readings.ts'
import { markConcernedDirty } from './card/mark-dirty.ts'
import { writePictures } from './card/pictures.ts'
import { writeJoins, writeWithdrawn } from './card/storms.ts'
import { writeMarkers } from './mute/markers.ts'
import { checkEpoch, muteById, writeMutes, writeSwitches } from './mute/mutes.ts'
import { writePlanned } from './mute/planned.ts'
import type { Tables } from './open/schema.ts'
import { writePages } from './page/pages.ts'
import { entryById, noteById, writeRecords } from './records/audit.ts'
import { fromAlert, fromEnd, fromFacts, fromNewCard } from './records/rows.ts'
import { chunks, insertAll, putFact, StalePlan } from './records/statements.ts'
import { writeVerdicts } from './records/verdicts.ts'
import { type Rows, sqlOf } from './sql/words.ts'

/**
 * `stale` if an alert, a mute or a card that it takes has changed since the plan was made; then nothing is written. `lookFromMs`:
 * new cards may be in Slack already, and are looked for from then on; null: they are new for certain.
 */
export async function commit(
  db: Kysely<Tables>,
  plan: Plan,
  lookFromMs: number | null = null,
): Promise<'saved' | 'stale'> {
  try {
    await db.transaction().execute(async (tx) => {
      await checkEpoch(tx, plan)
      await writeWithdrawn(tx, plan)
      await writeMutes(tx, plan)
      await writeSwitches(tx, plan)
      await writePlanned(tx, plan)
      await writeOutages(tx, plan)
      await writePages(tx, plan)
      await writeAlerts(tx, plan)
      await writeEnds(tx, plan)
      // Before anything is marked dirty: that gives a finally refused card another try, and it must not take anything new.
      await writeJoins(tx, joinsOf(plan))
      // Before the new cards: they are already up to date.
      await markConcernedDirty(tx, plan)
      await writeRecords(tx, plan)
      await writeVerdicts(tx, plan)
      await writeCards(tx, plan, lookFromMs)
      await writeMarkers(tx, plan)
      await writePictures(tx, plan)
      for (const fact of fromFacts(plan.facts)) await putFact(tx, fact)
      for (const { name, value } of plan.state) {
        if (value === null) await tx.deleteFrom('facts').where('name', '=', name).execute()
        else await putFact(tx, { name, value })
      }
    })
    return 'saved'
  } catch (error) {
    if (error instanceof StalePlan) return 'stale'
    throw error
  }
}

async function writeAlerts(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  const endings = await endingsFor(tx, plan)
  const units = await knownUnits(tx, plan)
  const rowOf = ({ alert, was }: Plan['alerts'][number]) => ({
    ...fromAlert(alert),
    next_read_ms: nextReadMs(alert, plan.atMs, was === null),
  })
  const fresh = plan.alerts
    .filter(({ was }) => was === null)
    .map((change) => ({
      ...rowOf(change),
      ending: endings.get(change.alert.alertId) ?? null,
      units: units(change.alert),
    }))
  const inserted = await insertAll(tx, 'alerts', fresh, (alerts) =>
    alerts.onConflict((conflict) => conflict.doNothing()),
  )
  if (inserted !== fresh.length) throw new StalePlan()
  for (const change of plan.alerts) {
    const { alert, was } = change
    if (was === null) continue
    const { alert_id, ...row } = rowOf(change)
    const result = await tx
      .updateTable('alerts')
      // Who takes it next does not make it acknowledged later.
      .set((eb) => ({ ...row, first_acked_ms: eb.fn.coalesce('first_acked_ms', eb.val(alert.ackedMs)) }))
      .where('alert_id', '=', alert_id)
      .where('version', '=', was)
      .executeTakeFirst()
    if (Number(result.numUpdatedRows) !== 1) throw new StalePlan()
  }
}

async function writeEnds(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  await insertAll(tx, 'ends', plan.keptEnds.map(fromEnd), (ends) =>
    ends.onConflict((conflict) =>
      conflict.column('end_id').doUpdateSet({ decided: (eb) => eb.ref('excluded.decided') }),
    ),
  )
  for (const ids of chunks(tx, plan.droppedEndIds)) {
    await tx.deleteFrom('ends').where('end_id', 'in', ids).execute()
  }
}

async function writeCards(tx: Transaction<Tables>, plan: Plan, lookFromMs: number | null): Promise<void> {
  const gone = await goneParents(tx, plan)
  const doubted = lookFromMs === null ? {} : { state: 'unknown', first_sending_ms: lookFromMs }
  const cards = plan.cards.map((card) => (gone.has(card.parentId) ? { ...card, parentId: null } : card))
  for (const card of cards) await assertShowable(tx, card)
  const fresh = new Set<string>()
  for (const some of chunks(tx, cards)) {
    const into = tx.insertInto('cards')
    const rows = some.map((card) => ({ ...fromNewCard(card, plan.atMs), ...doubted }))
    const inserted = await sqlOf(tx)
      .inserted(into, 'cards', rows)
      .onConflict((conflict) => conflict.doNothing())
      .returning('card_id')
      .execute()
    for (const { card_id } of inserted) fresh.add(card_id)
  }
  const members: Rows<'card_alerts'>[] = []
  for (const { cardId, kind, alertIds } of cards) {
    // The first of two with one name.
    const isNew = fresh.delete(cardId)
    if (isNew) members.push(...alertIds.map((alert_id, place) => ({ card_id: cardId, alert_id, place })))
    // These are named for their moment: another one has the same name, and what this one lists would be shown nowhere.
    else if (kind === 'storm' || kind === 'summary') throw new StalePlan()
  }
  await insertAll(tx, 'card_alerts', members)
}

/** Cards that were withdrawn into a storm after somebody wrote in their threads: such replies go to the channel. */
async function goneParents(tx: Transaction<Tables>, { cards }: Plan): Promise<ReadonlySet<string | null>> {
  const parents = new Set(cards.flatMap(({ parentId }) => (parentId === null ? [] : [parentId])))
  for (const { cardId } of cards) parents.delete(cardId)
  for (const ids of chunks(tx, [...parents])) {
    const rows = await tx.selectFrom('cards').select('card_id').where('card_id', 'in', ids).execute()
    for (const { card_id } of rows) parents.delete(card_id)
  }
  return parents
}

// Checked here, where the author is known: found only when it is shown, it would block everything behind it.
async function assertShowable(tx: Transaction<Tables>, card: NewCard): Promise<void> {
  const { cardId, alertIds, subjectId } = card
  const { subject } = treatmentOf(card)
  const isShowable = subject === 'alerts' ? alertIds.length > 0 : await isThere[subject](tx, subjectId ?? '')
  if (!isShowable) throw new Error(`What the card ${cardId} shows is not there`)
}

const isThere: Record<
  Exclude<Treatment['subject'], 'alerts'>,
  (tx: Transaction<Tables>, subjectId: string) => Promise<boolean>
> = {
  note: async (tx, noteId) => (await noteById(tx, noteId)) !== null,
  entry: async (tx, auditId) => (await entryById(tx, auditId)) !== null,
  mute: async (tx, muteId) => (await muteById(tx, muteId)) !== null,
  outage: async (tx, cardOf) => (await outagesOn(tx, cardOf)).length > 0,
  none: async () => true,
}

/** A folded alert also becomes the card's last one, and so the one that it shows. */
function joinsOf({ folds, joins }: Plan): Pick<Plan, 'joins'> {
  return { joins: [...folds.map(({ cardId, alertId }) => ({ cardId, alertIds: [alertId] })), ...joins] }
}
