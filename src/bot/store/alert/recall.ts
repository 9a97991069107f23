/** Reading alerts, ends and facts. */
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Store } from '../../flow/ports/store.ts'
import { epochIn, mutesOver } from '../mute/mutes.ts'
import type { EndRow, Tables } from '../open/schema.ts'
import { eachOf } from '../open/yielding.ts'
import { toAlert, toEnd, toFacts } from '../records/rows.ts'
import { rowsOf } from '../records/statements.ts'
import { isIgnoredNow } from './alerts.ts'
import { recallByEnding } from './endings.ts'

/** As in the domain, without what is ignored, and with the states first, because the index is on them. */
const mayBeOpen = sql<boolean>`alerts.state in ('open', 'unreported')`

/** An end and the start that it closes may arrive in two readings. */
const endsAsideMs = 60 * 60_000

export function recallStore(db: Kysely<Tables>) {
  const alertsBy = async (column: 'alert_id' | 'number', values: readonly string[]) => {
    const asked = db.selectFrom('alerts').selectAll()
    return (await rowsOf(db, values, (some) => asked.where(column, 'in', some).execute())).map(toAlert)
  }
  return {
    recall: async () => {
      const alerts = db.selectFrom('alerts').selectAll()
      // The last includes the epoch, which must not be newer than the mutes.
      const facts = await db.selectFrom('facts').selectAll().execute()
      // Side by side: each waits for an answer of its own.
      const [shown, ignored, ends, mutes] = await Promise.all([
        alerts.where(mayBeOpen).execute(),
        // Each by its own index.
        alerts.where(isIgnoredNow).execute(),
        tellingEnds(db),
        mutesOver(db, null),
      ])
      return {
        alerts: new Map(await eachOf([...shown, ...ignored], (row) => [row.alert_id, toAlert(row)] as const)),
        ends: await eachOf(ends, toEnd),
        facts: toFacts(facts),
        mutes,
        muteEpoch: epochIn(facts),
      }
    },
    recallByIds: (alertIds) => alertsBy('alert_id', alertIds),
    recallByNumbers: (numbers) => alertsBy('number', numbers),
    recallByEnding: (ending) => recallByEnding(db, ending),
    recallEnds: async (numbers) => {
      const asked = db.selectFrom('ends').selectAll()
      return (await rowsOf(db, numbers, (some) => asked.where('number', 'in', some).execute())).map(toEnd)
    },
    carded: async (alertIds) => {
      const asked = db
        .selectFrom('card_alerts')
        .innerJoin('cards', 'cards.card_id', 'card_alerts.card_id')
        .select(['card_alerts.alert_id', 'cards.channel'])
        .distinct()
        .where('cards.kind', 'in', ['alert', 'storm', 'summary'])
      const rows = await rowsOf(db, alertIds, (some) =>
        asked.where('card_alerts.alert_id', 'in', some).execute(),
      )
      const byAlert = Map.groupBy(rows, (row) => row.alert_id)
      return new Map([...byAlert].map(([alertId, on]) => [alertId, on.map(({ channel }) => channel)]))
    },
    newestStartMs: async () => {
      const newest = db.selectFrom('alerts').select((eb) => eb.fn.max('started_ms').as('newest_ms'))
      return (await newest.executeTakeFirst())?.newest_ms ?? null
    },
  } satisfies Partial<Store>
}

/**
 * Undecided ends, those of the last hour, whose starts may be listed after them, and those that could close an open alert:
 * from its server, and not from before it. If an alert stays open for weeks, no other ends help.
 */
async function tellingEnds(db: Kysely<Tables>): Promise<Selectable<EndRow>[]> {
  const ofLastHour = sql<number>`(select max(last.ended_ms) - ${endsAsideMs} from ends as last)`
  const closing = db
    .selectFrom('alerts')
    .innerJoin('ends', (join) =>
      join.onRef('ends.hostname', '=', 'alerts.hostname').onRef('ends.ended_ms', '>=', 'alerts.started_ms'),
    )
    .selectAll('ends')
    .where(mayBeOpen)
  return db
    .selectFrom('ends')
    .selectAll()
    .where('decided', '=', sql.lit(0))
    .union(db.selectFrom('ends').selectAll().where('ended_ms', '>=', ofLastHour))
    .union(closing)
    .execute()
}
