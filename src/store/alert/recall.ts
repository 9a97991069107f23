/** Reading alerts, ends and facts. */
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Alert } from '../../domain/alert/alert.ts'
import type { End } from '../../domain/alert/pairing.ts'
import type { Recalled, Store } from '../../flow/ports/store.ts'
import { liveMutes } from '../mute/mutes.ts'
import { eachOf } from '../open/breathing.ts'
import type { EndRow, Tables } from '../open/schema.ts'
import { toAlert, toEnd, toFacts } from '../records/rows.ts'
import { chunks } from '../records/statements.ts'

/** As in the domain, with the states first, because the index is on them. */
const mayBeOpen = sql<boolean>`alerts.state in ('open', 'unreported')
  and (alerts.state = 'open' or alerts.missing_ms is not null)`

/** An end and the start that it closes may arrive in two readings. */
const endsAsideMs = 60 * 60_000

export function recallStore(
  db: Kysely<Tables>,
): Pick<Store, 'recall' | 'recallByIds' | 'recallByNumbers' | 'recallEnds' | 'carded' | 'newestStartMs'> {
  return {
    recall: () => recall(db),
    recallByIds: (alertIds) => recallAlerts(db, 'alert_id', alertIds),
    recallByNumbers: (numbers) => recallAlerts(db, 'number', numbers),
    recallEnds: (numbers) => recallEnds(db, numbers),
    carded: (alertIds) => carded(db, alertIds),
    newestStartMs: async () => {
      const newest = db.selectFrom('alerts').select((eb) => eb.fn.max('started_ms').as('newest_ms'))
      return (await newest.executeTakeFirst())?.newest_ms ?? null
    },
  }
}

async function recall(db: Kysely<Tables>): Promise<Recalled> {
  const open = await db.selectFrom('alerts').selectAll().where(mayBeOpen).execute()
  const ends = await tellingEnds(db)
  const facts = await db.selectFrom('facts').selectAll().execute()
  return {
    alerts: new Map(await eachOf(open, (row) => [row.alert_id, toAlert(row)] as const)),
    ends: await eachOf(ends, toEnd),
    facts: toFacts(facts),
    ...(await liveMutes(db)),
  }
}

/**
 * Undecided ends, those of the last hour, whose starts may be listed after them, and those that could close an open alert:
 * from its server, and not from before it. If an alert stays open for weeks, no other ends help.
 */
async function tellingEnds(db: Kysely<Tables>): Promise<Selectable<EndRow>[]> {
  const { last_ms: lastMs } = await db
    .selectFrom('ends')
    .select((eb) => eb.fn.max('ended_ms').as('last_ms'))
    .executeTakeFirstOrThrow()
  if (lastMs === null) return []
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
    .union(
      db
        .selectFrom('ends')
        .selectAll()
        .where('ended_ms', '>=', lastMs - endsAsideMs),
    )
    .union(closing)
    .execute()
}

async function recallAlerts(
  db: Kysely<Tables>,
  by: 'alert_id' | 'number',
  values: readonly string[],
): Promise<readonly Alert[]> {
  const found: Alert[] = []
  for (const some of chunks(values)) {
    const rows = await db.selectFrom('alerts').selectAll().where(by, 'in', some).execute()
    for (const row of rows) found.push(toAlert(row))
  }
  return found
}

async function recallEnds(db: Kysely<Tables>, numbers: readonly string[]): Promise<readonly End[]> {
  const found: End[] = []
  for (const some of chunks(numbers)) {
    const rows = await db.selectFrom('ends').selectAll().where('number', 'in', some).execute()
    for (const row of rows) found.push(toEnd(row))
  }
  return found
}

async function carded(db: Kysely<Tables>, alertIds: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const ids of chunks(alertIds)) {
    const rows = await db
      .selectFrom('card_alerts')
      .select('alert_id')
      .distinct()
      .where('alert_id', 'in', ids)
      .execute()
    for (const row of rows) found.add(row.alert_id)
  }
  return found
}
