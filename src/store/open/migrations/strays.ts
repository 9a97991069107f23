/** Requests to switch notifications that may be carried out late, and since when the API does not know a mute's server. */
import type { Kysely } from 'kysely'

export async function strays(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('mutes').addColumn('gone_ms', 'bigint').execute()
  await db.schema
    .createTable('strays')
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('asked_on', 'integer', (column) => column.notNull())
    .addColumn('since_ms', 'bigint', (column) => column.notNull())
    .addColumn('not_before_ms', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('mute_id', 'text')
    .addPrimaryKeyConstraint('strays_one', ['subject', 'asked_on'])
    .execute()
}
