/** Which cards are treated like this, as the condition of a query. */
import { type RawBuilder, sql } from 'kysely'
import { kindsThat, type Treatment } from '../../domain/card/kinds.ts'

/**
 * The kinds are written into the statement, and a single one with `=`: only then does SQLite use an index of that kind alone.
 */
export function ofKinds(are: (treatment: Treatment) => boolean): RawBuilder<boolean> {
  const kinds = kindsThat(are)
  const [only] = kinds
  if (kinds.length === 1) return sql`cards.kind = ${sql.lit(only)}`
  return sql`cards.kind in (${sql.join(kinds.map((kind) => sql.lit(kind)))})`
}
