/** The migrations that run on both SQLite and Postgres, oldest first; those before them made the tables of each. */
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { collated, WordedPostgresAdapter } from '../sql/postgres.ts'

/** Each statement as both understand it: `text`, `integer`, `bigint` and `double precision`, no foreign key on `card_alerts`. */
export const later: Record<string, Migration> = {
  '0017_fence': executing([
    // Of an update that is under way, and messages that came of calls of a process that leads no more.
    'alter table cards add column call_ms bigint',
    'create table copies (card_id text not null, channel text not null, ts text not null, primary key (card_id, ts))',
  ]),
  '0018_pages': executing([
    // What the pager is told; `live` 1: somebody is to be called, or something is to be told.
    'create table pages (page_key text primary key, live integer not null, at_ms bigint not null, page text not null, version integer not null)',
    'create index pages_live on pages (live) where live = 1',
  ]),
  '0020_planned_mutes': executing([
    `create table planned_mutes (
      planned_id text not null primary key, what text not null, rule text not null, zone text not null, reason text not null,
      user_id text, channel text not null, card_id text, done_ms bigint not null, skipped_ms bigint, told_ms bigint,
      version integer not null
    )`,
  ]),
  '0022_verdicts': executing([
    `create table verdicts (
      alert_id text not null, user_id text not null, rule text not null, verdict text not null,
      at_ms bigint not null, primary key (alert_id, user_id)
    )`,
    'create index verdicts_by_time on verdicts (at_ms)',
  ]),
}

export function executing(statements: readonly string[]): Migration {
  return {
    up: async (db) => {
      const isPostgres = db.getExecutor().adapter instanceof WordedPostgresAdapter
      for (const statement of statements) {
        await sql.raw(isPostgres ? collated(statement) : statement).execute(db)
      }
    },
  }
}
