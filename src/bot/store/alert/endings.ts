/** Gives alerts with long numbers an ending that is long enough to be unique, which people use as their id. */
import type { Kysely, Transaction } from 'kysely'
import type { Alert } from '../../domain/alert/alert.ts'
import { endingsOf, isLongNumber, numberOf } from '../../domain/alert/episode.ts'
import type { Plan } from '../../domain/plan.ts'
import type { Tables } from '../open/schema.ts'
import { toAlert } from '../records/rows.ts'
import { rowsOf } from '../records/statements.ts'

/** More are not told apart by a person. */
const endingsMax = 20

/**
 * Endings for the plan's new alerts, by their ids: unique among all stored alerts, so that the one on a card stays valid as long as
 * the card is stored. Those of one length are looked up at once.
 */
export async function endingsFor(tx: Transaction<Tables>, plan: Plan): Promise<ReadonlyMap<string, string>> {
  let without = plan.alerts.flatMap(({ alert: { alertId }, was }) => {
    const number = numberOf(alertId)
    return was === null && isLongNumber(number) ? [{ alertId, number, endings: endingsOf(number) }] : []
  })
  const found = new Map<string, string>()
  for (let length = 0; without.length > 0; length += 1) {
    const wanted = [...new Set(without.flatMap(({ endings }) => endings[length] ?? []))]
    const asked = tx.selectFrom('alerts').select(['ending', 'number'])
    const rows = await rowsOf(tx, wanted, (some) => asked.where('ending', 'in', some).execute())
    const takenBy = new Map(rows.map(({ ending, number }) => [ending, number]))
    without = without.filter(({ alertId, number, endings }) => {
      const ending = endings[length]
      // Another alert has its whole number.
      if (ending === undefined) return false
      const by = takenBy.get(ending)
      if (by !== undefined && by !== number) return true
      takenBy.set(ending, number)
      found.set(alertId, ending)
      return false
    })
  }
  return found
}

/** The alerts with this ending; if there are none, those whose long number ends so. Every episode of each. */
export async function recallByEnding(db: Kysely<Tables>, ending: string): Promise<Alert[]> {
  const asked = db.selectFrom('alerts').selectAll().orderBy('started_ms', 'desc').limit(endingsMax)
  const called = await asked.where('ending', '=', ending).execute()
  if (called.length > 0) return called.map(toAlert)
  const ends = await asked.where('number', 'like', `%${ending}`).execute()
  return ends.filter((row) => isLongNumber(row.number)).map(toAlert)
}
