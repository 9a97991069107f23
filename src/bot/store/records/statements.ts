/** Helpers for statements on several tables. */
import { type Expression, type Kysely, type RawBuilder, sql, type TransactionBuilder } from 'kysely'
import type { Tables } from '../open/schema.ts'
import { type InsertInto, type Rows, sqlOf } from '../sql/words.ts'

/** Splits long lists into pieces that fit one statement each. */
export function chunks<Item>(db: Kysely<Tables>, items: readonly Item[], size = sqlOf(db).listMax): Item[][] {
  const pieces: Item[][] = []
  for (let from = 0; from < items.length; from += size) pieces.push(items.slice(from, from + size))
  return pieces
}

/** Reads rows for a long list, in one statement for each piece; nothing is asked for an empty one. */
export async function rowsOf<Item, Row>(
  db: Kysely<Tables>,
  items: readonly Item[],
  read: (some: Item[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: Row[] = []
  for (const some of chunks(db, items)) for (const row of await read(some)) found.push(row)
  return found
}

/** Inserts rows that all have the same columns; returns how many were inserted or, by `or`, updated. */
export async function insertAll<Table extends keyof Tables>(
  db: Kysely<Tables>,
  table: Table,
  rows: readonly Rows<Table>[],
  or: (insert: InsertInto<Table>) => InsertInto<Table> = (insert) => insert,
): Promise<number> {
  const words = sqlOf(db)
  let inserted = 0
  for (const some of chunks(db, rows, words.rowsMax(Object.keys(rows[0] ?? {}).length))) {
    const into = db.insertInto(table) as unknown as InsertInto<Table>
    const result = await or(words.inserted(into, table, some)).executeTakeFirst()
    inserted += Number(result.numInsertedOrUpdatedRows)
  }
  return inserted
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

/** A transaction that reads, and whose reads are all of the moment of the first: on SQLite every one is. */
export function asOfOneMoment(db: Kysely<Tables>): TransactionBuilder<Tables> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
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
