/** Since when the list of what is open lacks an alert of which nothing says that it closed. */
import type { Kysely } from 'kysely'

export async function missing(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('alerts').addColumn('missing_ms', 'bigint').execute()
}
