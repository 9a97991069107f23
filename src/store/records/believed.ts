/** Stored due times, as far as they can be believed. */
import { type Expression, type RawBuilder, sql } from 'kysely'

/**
 * The time in this column; 0 if it is further ahead than `maxMs`: it was written before the clock was set back, and what
 * waits for it has waited long enough.
 */
export function believed(
  column: string,
  nowMs: number,
  maxMs: number | Expression<number>,
): RawBuilder<number> {
  const ref = sql.ref<number>(column)
  return sql<number>`case when ${ref} > ${nowMs} + ${maxMs} then 0 else ${ref} end`
}
