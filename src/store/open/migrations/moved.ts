/** What changed by itself is shown before what only changed around it. */
import type { Kysely } from 'kysely'

export async function moved(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('cards')
    .addColumn('moved', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}
