/** Reading alerts, ends and facts. */
import type { Kysely } from 'kysely'
import type { Alert } from '../domain/alert.ts'
import type { End } from '../domain/correlate.ts'
import type { Recalled, Store } from '../flow/store-port.ts'
import { chunks } from './chunks.ts'
import { liveMutes } from './mutes.ts'
import { toAlert, toEnd, toFacts } from './rows.ts'
import type { Tables } from './schema.ts'

export function recallStore(
  db: Kysely<Tables>,
): Pick<Store, 'recall' | 'recallByIds' | 'recallEnds' | 'carded'> {
  return {
    recall: () => recall(db),
    recallByIds: (alertIds) => recallByIds(db, alertIds),
    recallEnds: (endIds) => recallEnds(db, endIds),
    carded: (alertIds) => carded(db, alertIds),
  }
}

async function recall(db: Kysely<Tables>): Promise<Recalled> {
  const open = await db.selectFrom('alerts').selectAll().where('state', '=', 'open').execute()
  const oldestMs = open.reduce((least, row) => Math.min(least, row.started_ms), Number.MAX_SAFE_INTEGER)
  const ends = await db
    .selectFrom('ends')
    .selectAll()
    .where((eb) => eb.or([eb('decided', '=', 0), eb('ended_ms', '>=', oldestMs)]))
    .execute()
  const facts = await db.selectFrom('facts').selectAll().execute()
  return {
    alerts: new Map(open.map((row) => [row.alert_id, toAlert(row)])),
    ends: ends.map(toEnd),
    facts: toFacts(facts),
    ...(await liveMutes(db)),
  }
}

async function recallByIds(db: Kysely<Tables>, alertIds: readonly string[]): Promise<readonly Alert[]> {
  const found: Alert[] = []
  for (const ids of chunks(alertIds)) {
    const rows = await db.selectFrom('alerts').selectAll().where('alert_id', 'in', ids).execute()
    found.push(...rows.map(toAlert))
  }
  return found
}

async function recallEnds(db: Kysely<Tables>, endIds: readonly string[]): Promise<readonly End[]> {
  const found: End[] = []
  for (const ids of chunks(endIds)) {
    const rows = await db.selectFrom('ends').selectAll().where('end_id', 'in', ids).execute()
    found.push(...rows.map(toEnd))
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
