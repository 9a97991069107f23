/** Acting: acknowledgements, mutes, notes, the audit, markers, what was asked, Home tabs, and pictures by card. */
import { type Kysely, sql } from 'kysely'

export async function acting(db: Kysely<unknown>): Promise<void> {
  await alterAlerts(db)
  await alterCards(db)
  await takeOverPictures(db)
  await createMutes(db)
  await createRecords(db)
  await createRequests(db)
}

async function alterAlerts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('alerts').addColumn('acked_by', 'text').execute()
  await db.schema.alterTable('alerts').addColumn('acked_ms', 'bigint').execute()
  await db.schema.dropIndex('alerts_by_state').execute()
  const indices: Record<string, string[]> = {
    alerts_by_state: ['state', 'started_ms'],
    alerts_by_server: ['hostname', 'started_ms'],
    alerts_by_start: ['started_ms'],
    alerts_by_close: ['closed_ms'],
    alerts_by_ack: ['acked_ms'],
  }
  for (const [name, columns] of Object.entries(indices)) {
    await db.schema.createIndex(name).on('alerts').columns(columns).execute()
  }
}

async function alterCards(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('cards').addColumn('subject_id', 'text').execute()
  await db.schema.createIndex('cards_by_place').on('cards').columns(['channel', 'ts']).execute()
  await db.schema.createIndex('cards_by_parent').on('cards').column('parent_id').execute()
  await db.schema.createIndex('cards_by_subject').on('cards').column('subject_id').execute()
  // No index of all kinds: nearly every card is of one kind, and the planner would take it for a short way.
  await sql`create index cards_boards on cards (channel) where kind = 'board'`.execute(db)
  // Nearly every card ever made is shown as it should be: an index of the others only keeps the next job near.
  await sql`create index cards_waiting on cards (channel) where ${sql.raw(isWaiting)}`.execute(db)
  await db.schema.dropIndex('cards_by_state').execute()
  await db.schema
    .createIndex('card_alerts_by_place')
    .on('card_alerts')
    .columns(['card_id', 'place', 'alert_id'])
    .execute()
}

/** As `waits` in `store/card/cards.ts` says it: SQLite takes the index only where the words are the same. */
const isWaiting = `(state in ('wanted', 'unknown') or (state = 'shown' and (shown < wanted or tidy_ms is not null)))`

async function takeOverPictures(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('card_pictures')
    .addColumn('card_id', 'text', (column) => column.primaryKey().references('cards.card_id'))
    .addColumn('alert_id', 'text', (column) => column.notNull().references('alerts.alert_id'))
    .addColumn('way', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('file_id', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('not_before_ms', 'bigint', (column) => column.notNull())
    .addColumn('why', 'text')
    .execute()
  // What nobody had brought when the alert was over is not wanted any more.
  await sql`
    insert into card_pictures (card_id, alert_id, way, state, file_id, attempts, not_before_ms, why)
    select cards.card_id, pictures.alert_id, pictures.way, pictures.state, pictures.file_id, pictures.attempts,
      pictures.not_before_ms, pictures.why
    from pictures
    join alerts on alerts.alert_id = pictures.alert_id
    join card_alerts on card_alerts.alert_id = pictures.alert_id
    join cards on cards.card_id = card_alerts.card_id and cards.kind = 'alert'
    where pictures.state <> 'wanted' or alerts.state in ('open', 'oneoff')`.execute(db)
  await db.schema.dropTable('pictures').execute()
  await db.schema
    .createIndex('card_pictures_by_state')
    .on('card_pictures')
    .columns(['state', 'not_before_ms', 'card_id'])
    .execute()
  await db.schema.createIndex('card_pictures_by_alert').on('card_pictures').column('alert_id').execute()
}

async function createMutes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('mutes')
    .addColumn('mute_id', 'text', (column) => column.primaryKey())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('mode', 'text', (column) => column.notNull())
    .addColumn('until_ms', 'bigint')
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('started_ms', 'bigint', (column) => column.notNull())
    .addColumn('terms_ms', 'bigint', (column) => column.notNull())
    .addColumn('previous', 'text')
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('card_id', 'text')
    .addColumn('handback_ms', 'bigint')
    .addColumn('ended_ms', 'bigint')
    .addColumn('ended_by', 'text')
    .addColumn('ended_by_user_id', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('not_before_ms', 'bigint', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .execute()
  await sql`create unique index mutes_live on mutes (subject) where state <> 'ended'`.execute(db)
  await db.schema.createIndex('mutes_by_subject').on('mutes').columns(['subject', 'started_ms']).execute()
}

async function createRecords(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('notes')
    .addColumn('note_id', 'text', (column) => column.primaryKey())
    .addColumn('alert_id', 'text', (column) => column.notNull().references('alerts.alert_id'))
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('at_ms', 'bigint', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('notes_by_alert').on('notes').columns(['alert_id', 'at_ms']).execute()
  await db.schema
    .createTable('audit')
    .addColumn('audit_id', 'text', (column) => column.primaryKey())
    .addColumn('at_ms', 'bigint', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('via', 'text', (column) => column.notNull())
    .addColumn('act', 'text', (column) => column.notNull())
    .addColumn('hostname', 'text')
    .addColumn('alert_id', 'text')
    .addColumn('channel', 'text')
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('why', 'text')
    .addColumn('detail', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('audit_by_time').on('audit').column('at_ms').execute()
  await db.schema.createIndex('audit_by_server').on('audit').columns(['hostname', 'at_ms']).execute()
  await db.schema.createIndex('audit_by_alert').on('audit').columns(['alert_id', 'at_ms']).execute()
  await db.schema
    .createTable('markers')
    .addColumn('marker_id', 'text', (column) => column.primaryKey())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('card_id', 'text')
    .addColumn('created_ms', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('not_before_ms', 'bigint', (column) => column.notNull())
    .addColumn('why', 'text')
    .execute()
  await db.schema.createIndex('markers_by_state').on('markers').columns(['state', 'not_before_ms']).execute()
}

async function createRequests(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('requests')
    .addColumn('request_key', 'text', (column) => column.primaryKey())
    .addColumn('at_ms', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('requests_by_time').on('requests').column('at_ms').execute()
  await db.schema
    .createTable('pending')
    .addColumn('pending_id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('change', 'text', (column) => column.notNull())
    .addColumn('at_ms', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('homes')
    .addColumn('user_id', 'text', (column) => column.primaryKey())
    .addColumn('at_ms', 'bigint', (column) => column.notNull())
    .execute()
}
