/** Storms and blind times. */
import { type Kysely, sql } from 'kysely'

export async function storms(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('blinds')
    .addColumn('blind_id', 'text', (column) => column.primaryKey())
    .addColumn('since_ms', 'bigint', (column) => column.notNull())
    .addColumn('why', 'text', (column) => column.notNull())
    .addColumn('until_ms', 'bigint')
    .addColumn('times', 'integer', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .execute()
  // As of boards, there are few of them among all the cards.
  await sql`create index cards_storms on cards (channel, created_ms) where kind = 'storm'`.execute(db)
  await db.schema.createIndex('alerts_by_first_sight').on('alerts').column('first_seen_ms').execute()
}
