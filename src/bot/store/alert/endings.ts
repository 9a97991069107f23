/** Gives alerts with long numbers an ending that is long enough to be unique, which people use as their id. */
import type { Kysely, Transaction } from 'kysely'
import type { Alert } from '../../domain/alert/alert.ts'
import { endingsOf, isLongNumber, numberOf } from '../../domain/alert/episode.ts'
import type { Plan } from '../../domain/plan.ts'
import type { Tables } from '../open/schema.ts'
import { toAlert } from '../records/rows.ts'

/** More are not told apart by a person. */
const endingsMax = 20

/**
 * Writes endings that are unique among all stored alerts, so that the one on a card stays valid as long as the card is stored.
 */
export async function writeEndings(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  for (const { alert, was } of plan.alerts) {
    const number = numberOf(alert.alertId)
    if (was !== null || !isLongNumber(number)) continue
    for (const ending of endingsOf(number)) {
      const taken = tx
        .selectFrom('alerts')
        .select('alert_id')
        .where('ending', '=', ending)
        .where('number', '<>', number)
      if ((await taken.executeTakeFirst()) !== undefined) continue
      await tx.updateTable('alerts').set({ ending }).where('alert_id', '=', alert.alertId).execute()
      break
    }
  }
}

/** The alerts with this ending; if there are none, those whose long number ends so. Every episode of each. */
export async function recallByEnding(db: Kysely<Tables>, ending: string): Promise<Alert[]> {
  const asked = db.selectFrom('alerts').selectAll().orderBy('started_ms', 'desc').limit(endingsMax)
  const called = await asked.where('ending', '=', ending).execute()
  if (called.length > 0) return called.map(toAlert)
  const ends = await asked.where('number', 'like', `%${ending}`).execute()
  return ends.filter((row) => isLongNumber(row.number)).map(toAlert)
}
