/** Reads and writes outages of the API: each with the cards about it, and with what was found after it. */
import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely'
import type { Outage, ToldOutage } from '../../domain/outage/outage.ts'
import type { Plan } from '../../domain/plan.ts'
import type { Store } from '../../flow/ports/store.ts'
import type { OutageRow, Tables } from '../open/schema.ts'
import { StalePlan } from '../records/statements.ts'
import { sqlOf } from '../sql/words.ts'

/** An alert that began this shortly before may not have been listed at the last good poll; clocks differ as well. */
const beganBeforeMs = 5 * 60_000
/** An alert's absence is certain only after two sweeps; the second comes after the first good one. */
const absenceKnownMs = 2 * 60_000

export function outageStore(db: Kysely<Tables>) {
  return {
    outagesSince: async (fromMs) => {
      const rows = await db
        .selectFrom('outages')
        .selectAll()
        .where((eb) => eb.or([eb('until_ms', 'is', null), eb('until_ms', '>', fromMs)]))
        .orderBy(sqlOf(db).written)
        .execute()
      return rows.map(toOutage)
    },
    lastOutage: async () => {
      // In order of writing, not of time: the clock may have been set back.
      const row = await db
        .selectFrom('outages')
        .selectAll()
        .orderBy(sqlOf(db).written, 'desc')
        .limit(1)
        .executeTakeFirst()
      if (row === undefined) return null
      const told = await db
        .selectFrom('outages')
        .select('outage_id')
        .where('card_of', '=', row.card_of)
        .where('told_ms', 'is not', null)
        .limit(1)
        .executeTakeFirst()
      return { ...toOutage(row), ...(told === undefined ? {} : { isTold: true as const }) }
    },
    noteOutageTold: async (outageId, atMs) => {
      await db
        .updateTable('outages')
        .set({ told_ms: atMs })
        .where('outage_id', '=', outageId)
        .where('told_ms', 'is', null)
        .execute()
    },
  } satisfies Partial<Store>
}

/** The outages on one card, earliest first. */
export async function outagesOn(db: Kysely<Tables>, cardOf: string): Promise<Outage[]> {
  const rows = await db
    .selectFrom('outages')
    .selectAll()
    .where('card_of', '=', cardOf)
    .orderBy(sqlOf(db).written)
    .execute()
  // If the last outage's poll left no gap, there is none in the earlier outages either.
  const outages = rows.map(toOutage)
  return outages.map((outage, at) => ({
    ...outage,
    sureMs: outages.slice(at).find(({ sureMs }) => sureMs !== null)?.sureMs ?? null,
  }))
}

/** The outages on one card with what was found after each; every alert and every close counts for at most one of them. */
export async function toldOutagesOn(db: Kysely<Tables>, cardOf: string): Promise<ToldOutage[]> {
  const outages = await outagesOn(db, cardOf)
  const spans = outages.flatMap((outage, at) => spanOf(outage, outages[at - 1], outages[at + 1]))
  const [opened, closed] =
    spans.length === 0 ? [[], []] : await Promise.all([openedIn(db, spans), closedIn(db, spans)])
  return outages.map((outage) => {
    if (outage.untilMs === null) return { outage, found: null }
    const open = opened.find(({ outage_id }) => outage_id === outage.outageId)
    const over = closed.find(({ outage_id }) => outage_id === outage.outageId)
    return {
      outage,
      found: { opened: open?.opened ?? 0, stillOpen: open?.open ?? 0, closed: over?.closed ?? 0 },
    }
  })
}

/** An outage that is over: what began from `fromMs` may belong to it, and absences count until `absentMs`. */
type Span = {
  readonly outageId: string
  readonly fromMs: number
  readonly sinceMs: number
  readonly untilMs: number
  readonly absentMs: number
}

function spanOf(outage: Outage, before: Outage | undefined, next: Outage | undefined): Span[] {
  const { outageId, sinceMs, untilMs, sureMs } = outage
  if (untilMs === null) return []
  const fromMs = Math.max(sinceMs - beganBeforeMs, before?.untilMs ?? 0)
  const absentMs = Math.max(untilMs + absenceKnownMs, sureMs ?? 0)
  return [{ outageId, fromMs, sinceMs, untilMs, absentMs: Math.min(absentMs, next?.sinceMs ?? absentMs) }]
}

async function openedIn(db: Kysely<Tables>, spans: readonly Span[]) {
  const span = firstSpan(spans, isOpenedIn)
  return db
    .selectFrom('alerts')
    .select((eb) => [
      span.as('outage_id'),
      eb.fn.countAll<number>().as('opened'),
      eb.fn.countAll<number>().filterWhere('state', '=', 'open').as('open'),
    ])
    .where('first_seen_ms', '>', Math.min(...spans.map(({ sinceMs }) => sinceMs)))
    .groupBy('outage_id')
    .execute()
}

/**
 * What came and went meanwhile is found by the history, which may be read only later; open alerts are always found at once.
 * After a first start the history, too, is seen for the first time, and what began long before belongs to no outage.
 */
function isOpenedIn({ fromMs, sinceMs, untilMs }: Span): RawBuilder<unknown> {
  return sql`first_seen_ms > ${sinceMs} and started_ms >= ${fromMs} and state <> 'ignored'
    and (first_seen_ms <= ${untilMs} or (started_ms <= ${untilMs} and state <> 'open'))`
}

async function closedIn(db: Kysely<Tables>, spans: readonly Span[]) {
  const span = firstSpan(
    spans,
    // If it was never seen open, its close is known as soon as the alert is.
    (one) => sql`closed_ms > ${one.sinceMs} and (closed_ms <= ${one.untilMs}
      or (closed_by = 'absence' and closed_ms <= ${one.absentMs})
      or (closed_ms <= first_seen_ms and ${isOpenedIn(one)}))`,
  )
  return db
    .selectFrom('alerts')
    .select((eb) => [span.as('outage_id'), eb.fn.countAll<number>().as('closed')])
    .where('closed_ms', '>', Math.min(...spans.map(({ sinceMs }) => sinceMs)))
    .where('state', '=', 'closed')
    .groupBy('outage_id')
    .execute()
}

/** The earliest span that a row belongs to, so that none counts twice; null if there is none. */
function firstSpan(
  spans: readonly Span[],
  isOf: (span: Span) => RawBuilder<unknown>,
): RawBuilder<string | null> {
  const cases = spans.map((span) => sql`when ${isOf(span)} then ${span.outageId}`)
  return sql<string | null>`case ${sql.join(cases, sql` `)} end`
}

/** Throws a `StalePlan` if one is not at its version. A change makes the cards about it due for an update. */
export async function writeOutages(tx: Transaction<Tables>, { outages }: Plan): Promise<void> {
  for (const { outage, was } of outages) {
    const { outage_id, ...row } = fromOutage(outage)
    if (was === null) {
      const result = await tx
        .insertInto('outages')
        .values({ outage_id, ...row, told_ms: null })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      if (Number(result.numInsertedOrUpdatedRows) !== 1) throw new StalePlan()
    } else {
      const result = await tx
        .updateTable('outages')
        .set(row)
        .where('outage_id', '=', outage_id)
        .where('version', '=', was)
        .executeTakeFirst()
      if (Number(result.numUpdatedRows) !== 1) throw new StalePlan()
    }
    await tx
      .updateTable('cards')
      .set((eb) => ({ wanted: eb('wanted', '+', 1) }))
      .where('subject_id', '=', outage.cardOf)
      .where('kind', '=', 'outage')
      .execute()
  }
}

function toOutage(row: Selectable<OutageRow>): Outage {
  return {
    outageId: row.outage_id,
    cardOf: row.card_of,
    cardSinceMs: row.card_since_ms,
    sinceMs: row.since_ms,
    why: row.why,
    untilMs: row.until_ms,
    sureMs: row.sure_ms,
    version: row.version,
  }
}

function fromOutage(outage: Outage): Omit<OutageRow, 'told_ms'> {
  return {
    outage_id: outage.outageId,
    card_of: outage.cardOf,
    card_since_ms: outage.cardSinceMs,
    since_ms: outage.sinceMs,
    why: outage.why,
    until_ms: outage.untilMs,
    sure_ms: outage.sureMs,
    version: outage.version,
  }
}
