/** Helpers for statements on several tables. */
import { type Expression, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../open/schema.ts'

/** SQLite takes 32,766 parameters in a statement; far fewer keep each statement short. */
const parametersMax = 500

/** Splits long lists into pieces that fit one statement each. */
export function chunks<Item>(items: readonly Item[], size = parametersMax): Item[][] {
  const pieces: Item[][] = []
  for (let from = 0; from < items.length; from += size) pieces.push(items.slice(from, from + size))
  return pieces
}

/** Reads rows for a long list, in one statement for each piece. */
export async function rowsOf<Item, Row>(
  items: readonly Item[],
  read: (some: Item[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: Row[] = []
  for (const some of chunks(items)) for (const row of await read(some)) found.push(row)
  return found
}

/**
 * The time in this column; 0 if it is further ahead than `maxMs`, because it was written before the clock was set back, and the
 * wait is over.
 */
export function believed(
  column: string,
  nowMs: number,
  maxMs: number | Expression<number>,
): RawBuilder<number> {
  const ref = sql.ref<number>(column)
  // Not `now + max`: Postgres would take both for the smallest type that fits the one it knows.
  return sql<number>`case when ${ref} - ${maxMs} > ${nowMs} then 0 else ${ref} end`
}

/** Writes a fact: one value by its name, replacing the former one. */
export async function putFact(db: Kysely<Tables>, fact: { name: string; value: string }): Promise<void> {
  await db
    .insertInto('facts')
    .values(fact)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: fact.value }))
    .execute()
}

/** Thrown and caught within a commit's transaction: what the plan was made on has changed, so nothing is written. */
export class StalePlan extends Error {
  override readonly name = 'StalePlan'
}
