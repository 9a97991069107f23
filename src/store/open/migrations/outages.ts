/** Each blind time has a row of its own, and those of one card know their card; what is over and was told as one stays one. */
import { type Kysely, sql } from 'kysely'

export async function outages(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('blinds').addColumn('card_of', 'text').execute()
  await db.schema.alterTable('blinds').addColumn('card_since_ms', 'bigint').execute()
  await db.schema.alterTable('blinds').addColumn('sure_ms', 'bigint').execute()
  await sql`update blinds set card_of = blind_id, card_since_ms = since_ms, sure_ms = until_ms`.execute(db)
  await db.schema.alterTable('blinds').dropColumn('times').execute()
  await db.schema.createIndex('blinds_by_card').on('blinds').column('card_of').execute()
}
