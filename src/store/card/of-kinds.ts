/** Which cards are treated so, as the condition of a query. */
import { type RawBuilder, sql } from 'kysely'
import { kindsThat, type Treatment } from '../../domain/card/kinds.ts'

/** Word for word in the statement, and one kind by `=`: only so SQLite uses an index that holds the cards of that kind alone. */
export function ofKinds(are: (treatment: Treatment) => boolean): RawBuilder<boolean> {
  const kinds = kindsThat(are)
  const [only] = kinds
  if (kinds.length === 1) return sql`cards.kind = ${sql.lit(only)}`
  return sql`cards.kind in (${sql.join(kinds.map((kind) => sql.lit(kind)))})`
}
