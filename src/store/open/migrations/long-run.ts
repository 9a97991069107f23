/** A long run: ends are found by their server, and what is old by its time, however much is remembered. */
import { type Kysely, sql } from 'kysely'

export async function longRun(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('ends')
    .addColumn('hostname', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await sql`update ends set hostname = json_extract(record, '$.hostname')`.execute(db)
  await db.schema.createIndex('ends_by_server').on('ends').columns(['hostname', 'ended_ms']).execute()
  await db.schema.createIndex('ends_by_time').on('ends').column('ended_ms').execute()
  await sql`create index ends_undecided on ends (end_id) where decided = 0`.execute(db)
  // What only happened, by when it was first seen: a mute's hand-back lists those of its time, however many came before.
  await sql`create index alerts_happened on alerts (state, first_seen_ms) where state = 'oneoff'`.execute(db)
  await db.schema
    .createIndex('alerts_by_server_close')
    .on('alerts')
    .columns(['hostname', 'closed_ms'])
    .execute()
  // As of storms, there are few of them.
  await sql`create index cards_summaries on cards (channel, created_ms) where kind = 'summary'`.execute(db)
  await db.schema.createIndex('cards_by_time').on('cards').column('created_ms').execute()
}
