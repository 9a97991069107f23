/** What a new database on Postgres begins with: the tables as SQLite has them by then, and those of several processes. */
import type { Migration } from 'kysely/migration'
import { makeFence } from '../postgres/fence-tables.ts'
import { executing, later } from './later-migrations.ts'

/**
 * `seq`: see `Words.written`. An index takes 2,700 bytes of a row, and a name may have 1,500: none is of two names, and those of
 * a server are found by `alerts_by_server`.
 */
const alerts = [
  `create table alerts (
    alert_id text primary key, number text not null,
    hostname text not null, server_name text not null, title text not null, plugin text not null, metric text,
    value double precision, url text not null, trigger_id text, said_severity text,
    severity text not null default 'warning', state text not null, started_ms bigint not null,
    closed_ms bigint, closed_by text, closed_after_ms bigint, absences integer not null, missing_ms bigint,
    roles text not null, acked_by text, acked_ms bigint, acked_before text, said_ms bigint, reopened_ms bigint,
    unmuted_ms bigint, first_acked_ms bigint, version integer not null, first_seen_ms bigint not null,
    details text, muted_by text, trouble text, ending text,
    units text, limit_value double precision, limit_side text, last_value double precision, last_ms bigint,
    peak_value double precision, read_ms bigint, next_read_ms bigint
  )`,
  'create index alerts_by_number on alerts (number)',
  'create index alerts_by_state on alerts (state, started_ms)',
  'create index alerts_by_server on alerts (hostname, started_ms)',
  'create index alerts_by_server_close on alerts (hostname, closed_ms)',
  'create index alerts_by_start on alerts (started_ms)',
  'create index alerts_by_close on alerts (closed_ms)',
  'create index alerts_by_ack on alerts (first_acked_ms)',
  'create index alerts_by_first_sight on alerts (first_seen_ms)',
  "create index alerts_happened on alerts (state, first_seen_ms) where state = 'oneoff'",
  "create index alerts_ignored on alerts (alert_id) where state = 'ignored' and closed_ms is null",
  'create index alerts_of_trouble on alerts (trouble, started_ms)',
  `create index alerts_by_trouble on alerts ((details::json ->> 'trouble'), started_ms) where details is not null`,
  'create index alerts_by_ending on alerts (ending) where ending is not null',
  'create index alerts_with_units on alerts (plugin, started_ms) where units is not null',
  'create index alerts_to_read on alerts (next_read_ms) where next_read_ms is not null',
  `create table ends (
    end_id text primary key, number text not null, hostname text not null, ended_ms bigint not null,
    decided integer not null, history integer not null, record text not null
  )`,
  'create index ends_by_number on ends (number)',
  'create index ends_by_server on ends (hostname, ended_ms)',
  'create index ends_by_time on ends (ended_ms)',
  'create index ends_undecided on ends (end_id) where decided = 0',
]

const cards = [
  `create table cards (
    card_id text primary key, kind text not null, topic text, channel text not null,
    parent_id text references cards (card_id) deferrable, page integer, mention text, subject_id text,
    created_ms bigint not null, state text not null, wanted integer not null, shown integer not null,
    moved integer not null, ts text, not_before_ms bigint not null, sending_ms bigint, first_sending_ms bigint,
    attempts integer not null, plain integer not null, tidy_ms bigint, tidies integer not null, why text,
    seq bigint generated always as identity
  )`,
  'create index cards_by_place on cards (channel, ts)',
  'create index cards_by_parent on cards (parent_id)',
  'create index cards_by_subject on cards (subject_id)',
  'create index cards_by_time on cards (created_ms)',
  "create index cards_boards on cards (channel) where kind = 'board'",
  "create index cards_storms on cards (channel, created_ms) where kind = 'storm'",
  "create index cards_summaries on cards (channel, created_ms) where kind = 'summary'",
  `create index cards_waiting on cards (channel)
    where (state in ('wanted', 'unknown') or (state = 'shown' and (shown < wanted or tidy_ms is not null)))`,
  // Without foreign keys, which are four fifths of what 50,000 rows cost.
  `create table card_alerts (
    card_id text not null, alert_id text not null, place integer not null, primary key (card_id, alert_id)
  )`,
  'create index card_alerts_by_alert on card_alerts (alert_id)',
  'create index card_alerts_by_place on card_alerts (card_id, place, alert_id)',
  `create function forget_card_alerts() returns trigger language plpgsql as $$
    begin
      delete from card_alerts where card_id in (select card_id from gone);
      return null;
    end $$`,
  `create trigger cards_forgotten after delete on cards
    referencing old table as gone for each statement execute function forget_card_alerts()`,
  `create table card_pictures (
    card_id text primary key references cards (card_id) on delete cascade,
    alert_id text not null references alerts (alert_id), way text not null, state text not null, file_id text,
    shown_file_id text, attempts integer not null, not_before_ms bigint not null, why text
  )`,
  'create index card_pictures_by_state on card_pictures (state, not_before_ms, card_id)',
  'create index card_pictures_by_alert on card_pictures (alert_id)',
]

const mutes = [
  `create table mutes (
    mute_id text primary key, subject text not null, alert text, mode text not null, until_ms bigint,
    user_id text not null, reason text not null, state text not null, started_ms bigint not null,
    terms_ms bigint not null, previous text, channel text not null, card_id text, handback_ms bigint,
    ended_ms bigint, ended_by text, ended_by_user_id text, confirmation text not null default 'confirmed',
    version integer not null
  )`,
  "create unique index mutes_live on mutes (subject) where state = 'active'",
  'create index mutes_by_subject on mutes (subject, started_ms)',
  'create index mutes_of_alerts on mutes (state) where alert is not null',
  "create index mutes_unconfirmed on mutes (subject) where confirmation <> 'confirmed'",
  `create table switches (
    subject text primary key, wanted text not null, revision integer not null, said_revision integer not null,
    asked_revision integer not null, mute_id text, audit_id text, places text not null, moot integer not null,
    asked_ms bigint, doubt_ms bigint, attempts integer not null, not_before_ms bigint not null, gone_ms bigint,
    version integer not null
  )`,
  'create index switches_by_request on switches (audit_id) where audit_id is not null',
  `create table markers (
    marker_id text primary key, "text" text not null, card_id text, created_ms bigint not null,
    state text not null, attempts integer not null, not_before_ms bigint not null, why text
  )`,
  'create index markers_by_state on markers (state, not_before_ms)',
]

const records = [
  `create table outages (
    outage_id text primary key, card_of text not null, card_since_ms bigint not null, since_ms bigint not null,
    why text not null, until_ms bigint, sure_ms bigint, told_ms bigint, version integer not null,
    seq bigint generated always as identity
  )`,
  'create index blinds_by_card on outages (card_of)',
  `create table notes (
    note_id text primary key, alert_id text not null references alerts (alert_id) on delete cascade,
    user_id text not null, at_ms bigint not null, "text" text not null
  )`,
  'create index notes_by_alert on notes (alert_id, at_ms)',
  `create table audit (
    audit_id text primary key, at_ms bigint not null, user_id text, via text not null, act text not null,
    hostname text, alert_id text, channel text, outcome text not null, why text, detail text not null, part_of text
  )`,
  'create index audit_by_time on audit (at_ms)',
  'create index audit_by_server on audit (hostname, at_ms)',
  'create index audit_by_alert on audit (alert_id, at_ms)',
  'create table facts (name text primary key, value text not null)',
  'create table requests (request_key text primary key, at_ms bigint not null)',
  'create index requests_by_time on requests (at_ms)',
  'create table pending (pending_id text primary key, user_id text not null, change text not null, at_ms bigint not null)',
  'create table homes (user_id text primary key, at_ms bigint not null)',
]

/** By name, as for SQLite. */
export const postgresMigrations: Record<string, Migration> = {
  '0016_schema': {
    up: async (db) => {
      await executing([...alerts, ...cards, ...mutes, ...records]).up(db)
      await makeFence(db)
    },
  },
  ...later,
}
