/** Times in which the API could not be read: each with the cards that tell of it, and with what was found after it. */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Blind, Found } from '../domain/blind.ts'
import type { Plan } from '../domain/plan.ts'
import type { Store } from '../flow/store-port.ts'
import type { BlindRow, Tables } from './schema.ts'
import { StalePlan } from './stale-plan.ts'

/** What began so shortly before may not have been listed at the last good poll; clocks differ as well. */
const beganBeforeMs = 5 * 60_000
/** That an alert is gone is known only once two sweeps did not show it; the second comes after the first good one. */
const absenceKnownMs = 2 * 60_000

export function blindStore(db: Kysely<Tables>): Pick<Store, 'lastBlind'> {
  return {
    lastBlind: async () => {
      // By the order of writing, not by its time: the clock may have been set back.
      const row = await db
        .selectFrom('blinds')
        .selectAll()
        .orderBy(sql`rowid`, 'desc')
        .limit(1)
        .executeTakeFirst()
      return row === undefined ? null : toBlind(row)
    },
  }
}

export async function blindById(db: Kysely<Tables>, blindId: string): Promise<Blind | null> {
  const row = await db.selectFrom('blinds').selectAll().where('blind_id', '=', blindId).executeTakeFirst()
  return row === undefined ? null : toBlind(row)
}

/** Null while it lasts: nothing can be found then. */
export async function foundAfter(db: Kysely<Tables>, { sinceMs, untilMs }: Blind): Promise<Found | null> {
  if (untilMs === null) return null
  const opened = await db
    .selectFrom('alerts')
    .select((eb) => [
      eb.fn.countAll<number>().as('opened'),
      eb.fn.countAll<number>().filterWhere('state', '=', 'open').as('open'),
    ])
    .where('first_seen_ms', '>=', sinceMs)
    // What came and went meanwhile is found by the history, which may be read only later; what is open never is.
    .where((eb) =>
      eb.or([
        eb('first_seen_ms', '<=', untilMs),
        eb.and([eb('started_ms', '<=', untilMs), eb('state', '<>', 'open')]),
      ]),
    )
    // After a first start the history is seen for the first time as well.
    .where('started_ms', '>=', sinceMs - beganBeforeMs)
    .executeTakeFirstOrThrow()
  const closed = await db
    .selectFrom('alerts')
    .select((eb) => eb.fn.countAll<number>().as('closed'))
    .where('closed_ms', '>=', sinceMs)
    .where('closed_ms', '<=', untilMs + absenceKnownMs)
    .where('state', '=', 'closed')
    .where((eb) => eb.or([eb('closed_ms', '<=', untilMs), eb('closed_by', '=', 'absence')]))
    .executeTakeFirstOrThrow()
  return { opened: opened.opened, stillOpen: opened.open, closed: closed.closed }
}

/** Throws a `StalePlan` when one is not at its version. A change makes the cards that tell of it wanted anew. */
export async function writeBlinds(tx: Transaction<Tables>, { blinds }: Plan): Promise<void> {
  for (const { blind, was } of blinds) {
    const { blind_id, ...row } = fromBlind(blind)
    if (was === null) {
      const result = await tx
        .insertInto('blinds')
        .values({ blind_id, ...row })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      if (Number(result.numInsertedOrUpdatedRows) !== 1) throw new StalePlan()
      continue
    }
    const result = await tx
      .updateTable('blinds')
      .set(row)
      .where('blind_id', '=', blind_id)
      .where('version', '=', was)
      .executeTakeFirst()
    if (Number(result.numUpdatedRows) !== 1) throw new StalePlan()
    await tx
      .updateTable('cards')
      .set((eb) => ({ wanted: eb('wanted', '+', 1) }))
      .where('subject_id', '=', blind_id)
      .where('kind', '=', 'blind')
      .execute()
  }
}

function toBlind(row: Selectable<BlindRow>): Blind {
  return {
    blindId: row.blind_id,
    sinceMs: row.since_ms,
    why: row.why,
    untilMs: row.until_ms,
    times: row.times,
    version: row.version,
  }
}

function fromBlind(blind: Blind): BlindRow {
  return {
    blind_id: blind.blindId,
    since_ms: blind.sinceMs,
    why: blind.why,
    until_ms: blind.untilMs,
    times: blind.times,
    version: blind.version,
  }
}
