/** The tables' history, oldest first. A migration that has been released is never changed; a new one follows it. */
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migrations: Record<string, Migration> = {
  '0001_feed': { up: feed },
}

async function feed(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('alerts')
    .addColumn('alert_id', 'text', (column) => column.primaryKey())
    .addColumn('hostname', 'text', (column) => column.notNull())
    .addColumn('server_name', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('plugin', 'text', (column) => column.notNull())
    .addColumn('metric', 'text')
    .addColumn('value', 'double precision')
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('sparkline_url', 'text', (column) => column.notNull())
    .addColumn('trigger_id', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('started_ms', 'bigint', (column) => column.notNull())
    .addColumn('closed_ms', 'bigint')
    .addColumn('closed_by', 'text')
    .addColumn('absences', 'integer', (column) => column.notNull())
    .addColumn('roles', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('first_seen_ms', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('alerts_by_state').on('alerts').column('state').execute()
  await db.schema
    .createIndex('alerts_by_subject')
    .on('alerts')
    .columns(['hostname', 'plugin', 'started_ms'])
    .execute()
  await db.schema
    .createTable('ends')
    .addColumn('end_id', 'text', (column) => column.primaryKey())
    .addColumn('ended_ms', 'bigint', (column) => column.notNull())
    .addColumn('decided', 'integer', (column) => column.notNull())
    .addColumn('record', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('cards')
    .addColumn('card_id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('parent_id', 'text', (column) => column.references('cards.card_id'))
    .addColumn('page', 'integer')
    .addColumn('mention', 'text')
    .addColumn('created_ms', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('wanted', 'integer', (column) => column.notNull())
    .addColumn('shown', 'integer', (column) => column.notNull())
    .addColumn('ts', 'text')
    .addColumn('not_before_ms', 'bigint', (column) => column.notNull())
    .addColumn('sending_ms', 'bigint')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('plain', 'integer', (column) => column.notNull())
    .addColumn('tidy_ms', 'bigint')
    .addColumn('tidies', 'integer', (column) => column.notNull())
    .addColumn('why', 'text')
    .execute()
  await db.schema.createIndex('cards_by_state').on('cards').columns(['state', 'channel']).execute()
  await db.schema
    .createTable('card_alerts')
    .addColumn('card_id', 'text', (column) => column.notNull().references('cards.card_id'))
    .addColumn('alert_id', 'text', (column) => column.notNull().references('alerts.alert_id'))
    .addColumn('place', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('card_alerts_key', ['card_id', 'alert_id'])
    .execute()
  await db.schema.createIndex('card_alerts_by_alert').on('card_alerts').column('alert_id').execute()
  await db.schema
    .createTable('pictures')
    .addColumn('alert_id', 'text', (column) => column.primaryKey().references('alerts.alert_id'))
    .addColumn('way', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('file_id', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('not_before_ms', 'bigint', (column) => column.notNull())
    .addColumn('why', 'text')
    .execute()
  await db.schema
    .createTable('facts')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute()
}
