/** Stored times that something waits for, as far as they may be believed. */
import { type Expression, type RawBuilder, sql } from 'kysely'

/**
 * The time in this column; 0 where it is further ahead than `maxMs`: it was written by a clock that has been set back since,
 * and what waits for it has waited long enough.
 */
export function believed(
  column: string,
  nowMs: number,
  maxMs: number | Expression<number>,
): RawBuilder<number> {
  const ref = sql.ref<number>(column)
  return sql<number>`case when ${ref} > ${nowMs} + ${maxMs} then 0 else ${ref} end`
}
