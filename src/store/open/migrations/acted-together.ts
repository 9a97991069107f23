/** Acts on several servers at once: the rows of each say which row tells of all of them. */
import type { Kysely } from 'kysely'

export async function actedTogether(db: Kysely<{ pending: object }>): Promise<void> {
  await db.schema.alterTable('audit').addColumn('part_of', 'text').execute()
  // What a receipt showed was not remembered: what is confirmed could not be held to it.
  await db.deleteFrom('pending').execute()
}
