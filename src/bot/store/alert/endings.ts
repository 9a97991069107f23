/** What people call an alert whose number has too many digits: its ending, as long as it must be to be nobody else's. */
import type { Kysely, Transaction } from 'kysely'
import type { Alert } from '../../domain/alert/alert.ts'
import { endingsOf, isLongNumber, numberOf } from '../../domain/alert/episode.ts'
import type { Plan } from '../../domain/plan.ts'
import type { Tables } from '../open/schema.ts'
import { toAlert } from '../records/rows.ts'

/** More are not told apart by a person. */
const endingsMax = 20

/** Of all that are remembered: the ending on a card stays what it is, and means nothing else as long as the card is known. */
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

/** Those that are called by this ending; if none is, those whose long number ends so. Every episode of each. */
export async function recallByEnding(db: Kysely<Tables>, ending: string): Promise<Alert[]> {
  const asked = db.selectFrom('alerts').selectAll().orderBy('started_ms', 'desc').limit(endingsMax)
  const called = await asked.where('ending', '=', ending).execute()
  if (called.length > 0) return called.map(toAlert)
  const ends = await asked.where('number', 'like', `%${ending}`).execute()
  return ends.filter((row) => isLongNumber(row.number)).map(toAlert)
}
