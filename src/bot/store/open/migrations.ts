/** The migrations of the tables, oldest first. A migration that has been released is never changed; a new one follows it. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { troubleSubject } from '../../domain/mute/subject.ts'
import { executing, later } from './later-migrations.ts'

export const firstMigration = '0001_tables'

const readings = [
  'alter table alerts add column units text',
  'alter table alerts add column limit_value double precision',
  'alter table alerts add column limit_side text',
  'alter table alerts add column last_value double precision',
  'alter table alerts add column last_ms bigint',
  'alter table alerts add column peak_value double precision',
  'alter table alerts add column read_ms bigint',
  'alter table alerts add column next_read_ms bigint',
  'create index alerts_to_read on alerts (next_read_ms) where next_read_ms is not null',
  'create index alerts_with_units on alerts (plugin, metric, started_ms) where units is not null',
  // What a card shows until the next picture is ready.
  'alter table card_pictures add column shown_file_id text',
]

/** Whatever was remembered before is of the usual severity; the next poll says better of what is open. */
const severity = [
  'alter table alerts add column said_severity text',
  "alter table alerts add column severity text not null default 'warning'",
]

const told = [
  // When a card said first that the outage is over.
  'alter table blinds add column told_ms bigint',
  'update blinds set told_ms = until_ms',
  // What people call an alert whose number has more digits than anybody types.
  'alter table alerts add column ending text',
  'create index alerts_by_ending on alerts (ending) where ending is not null',
  "update alerts set ending = substr(number, -6) where length(number) > 12 and number not glob '*[^0-9]*'",
]

const unread = [
  // The last reading before an alert was gone, where that was long ago.
  'alter table alerts add column closed_after_ms bigint',
]

/** What services say beyond the plain API. */
const details = ['alter table alerts add column details text', 'alter table alerts add column muted_by text']

/** Written as the queries are, so that they use it. */
const troubles = [
  "create index alerts_by_trouble on alerts (json_extract(details, '$.trouble'), started_ms) where details is not null",
]

/** Since when readings show that nothing outside mutes it, or when that was believed. */
const elsewhere = ['alter table alerts add column unmuted_ms bigint']

/** What the policy leaves out and is open. */
const ignored = [
  "create index alerts_ignored on alerts (alert_id) where state = 'ignored' and closed_ms is null",
]

/** The ids stay: they are in Slack's messages. */
const notices = [
  'alter table cards add column topic text',
  `update cards set kind = 'notice', topic = case kind
      when 'worsened' then 'became_critical' when 'reminder' then 'unacknowledged' when 'again' then 'flap_reminder'
      when 'forgotten' then 'stale_ack' else 'change_notice' end
    where kind in ('worsened', 'reminder', 'again', 'forgotten', 'told')`,
  "update cards set kind = 'mute_expiring' where kind = 'handback'",
]

/** Their cards keep their ids, which Slack's messages name. */
const outages = [
  'alter table blinds rename to outages',
  'alter table outages rename column blind_id to outage_id',
  "update cards set kind = 'outage' where kind = 'blind'",
]

const alerts = [
  `create table alerts (
    alert_id text primary key,
    number text not null,
    hostname text not null,
    server_name text not null,
    title text not null,
    plugin text not null,
    metric text,
    value double precision,
    url text not null,
    trigger_id text,
    state text not null,
    started_ms bigint not null,
    closed_ms bigint,
    closed_by text,
    absences integer not null,
    missing_ms bigint,
    roles text not null,
    acked_by text,
    acked_ms bigint,
    version integer not null,
    first_seen_ms bigint not null
  )`,
  // The API reuses one number for several alerts in turn.
  'create index alerts_by_number on alerts (number)',
  'create index alerts_by_state on alerts (state, started_ms)',
  'create index alerts_by_subject on alerts (hostname, plugin, started_ms)',
  'create index alerts_by_server on alerts (hostname, started_ms)',
  'create index alerts_by_server_close on alerts (hostname, closed_ms)',
  'create index alerts_by_start on alerts (started_ms)',
  'create index alerts_by_close on alerts (closed_ms)',
  'create index alerts_by_ack on alerts (acked_ms)',
  'create index alerts_by_first_sight on alerts (first_seen_ms)',
  // One-offs by when they were first seen: the question before a mute's end lists those of its time, however many came before.
  "create index alerts_happened on alerts (state, first_seen_ms) where state = 'oneoff'",
  `create table ends (
    end_id text primary key,
    number text not null,
    hostname text not null,
    ended_ms bigint not null,
    decided integer not null,
    history integer not null,
    record text not null
  )`,
  'create index ends_by_number on ends (number)',
  'create index ends_by_server on ends (hostname, ended_ms)',
  'create index ends_by_time on ends (ended_ms)',
  'create index ends_undecided on ends (end_id) where decided = 0',
]

/** Exactly as `waits` in `store/card/queue.ts`: SQLite uses the index only if the words are the same. */
const isWaiting = `(state in ('wanted', 'unknown') or (state = 'shown' and (shown < wanted or tidy_ms is not null)))`

const cards = [
  `create table cards (
    card_id text primary key,
    kind text not null,
    channel text not null,
    parent_id text references cards (card_id),
    page integer,
    mention text,
    subject_id text,
    created_ms bigint not null,
    state text not null,
    wanted integer not null,
    shown integer not null,
    moved integer not null,
    ts text,
    not_before_ms bigint not null,
    sending_ms bigint,
    first_sending_ms bigint,
    attempts integer not null,
    plain integer not null,
    tidy_ms bigint,
    tidies integer not null,
    why text
  )`,
  'create index cards_by_place on cards (channel, ts)',
  'create index cards_by_parent on cards (parent_id)',
  'create index cards_by_subject on cards (subject_id)',
  'create index cards_by_time on cards (created_ms)',
  // No index of all kinds: nearly every card is of one kind, and the planner would mistake it for a fast path.
  "create index cards_boards on cards (channel) where kind = 'board'",
  "create index cards_storms on cards (channel, created_ms) where kind = 'storm'",
  "create index cards_summaries on cards (channel, created_ms) where kind = 'summary'",
  // Nearly every card is shown correctly: an index of the others is enough to find the next job fast.
  `create index cards_waiting on cards (channel) where ${isWaiting}`,
  // What belongs to a card is deleted with it. An alert stays as long as a card shows it.
  `create table card_alerts (
    card_id text not null references cards (card_id) on delete cascade,
    alert_id text not null references alerts (alert_id),
    place integer not null,
    primary key (card_id, alert_id)
  )`,
  'create index card_alerts_by_alert on card_alerts (alert_id)',
  'create index card_alerts_by_place on card_alerts (card_id, place, alert_id)',
  `create table card_pictures (
    card_id text primary key references cards (card_id) on delete cascade,
    alert_id text not null references alerts (alert_id),
    way text not null,
    state text not null,
    file_id text,
    attempts integer not null,
    not_before_ms bigint not null,
    why text
  )`,
  'create index card_pictures_by_state on card_pictures (state, not_before_ms, card_id)',
  'create index card_pictures_by_alert on card_pictures (alert_id)',
]

const mutes = [
  `create table mutes (
    mute_id text primary key,
    subject text not null,
    mode text not null,
    until_ms bigint,
    user_id text not null,
    reason text not null,
    state text not null,
    started_ms bigint not null,
    terms_ms bigint not null,
    previous text,
    channel text not null,
    card_id text,
    handback_ms bigint,
    ended_ms bigint,
    ended_by text,
    ended_by_user_id text,
    attempts integer not null,
    not_before_ms bigint not null,
    gone_ms bigint,
    version integer not null
  )`,
  "create unique index mutes_live on mutes (subject) where state <> 'ended'",
  'create index mutes_by_subject on mutes (subject, started_ms)',
  `create table strays (
    subject text not null,
    asked_on integer not null,
    since_ms bigint not null,
    not_before_ms bigint not null,
    attempts integer not null,
    mute_id text,
    primary key (subject, asked_on)
  )`,
  `create table markers (
    marker_id text primary key,
    text text not null,
    card_id text,
    created_ms bigint not null,
    state text not null,
    attempts integer not null,
    not_before_ms bigint not null,
    why text
  )`,
  'create index markers_by_state on markers (state, not_before_ms)',
]

const records = [
  `create table blinds (
    blind_id text primary key,
    card_of text not null,
    card_since_ms bigint not null,
    since_ms bigint not null,
    why text not null,
    until_ms bigint,
    sure_ms bigint,
    version integer not null
  )`,
  'create index blinds_by_card on blinds (card_of)',
  `create table notes (
    note_id text primary key,
    alert_id text not null references alerts (alert_id) on delete cascade,
    user_id text not null,
    at_ms bigint not null,
    text text not null
  )`,
  'create index notes_by_alert on notes (alert_id, at_ms)',
  `create table audit (
    audit_id text primary key,
    at_ms bigint not null,
    user_id text,
    via text not null,
    act text not null,
    hostname text,
    alert_id text,
    channel text,
    outcome text not null,
    why text,
    detail text not null,
    part_of text
  )`,
  'create index audit_by_time on audit (at_ms)',
  'create index audit_by_server on audit (hostname, at_ms)',
  'create index audit_by_alert on audit (alert_id, at_ms)',
  'create table facts (name text primary key, value text not null)',
]

const requests = [
  'create table requests (request_key text primary key, at_ms bigint not null)',
  'create index requests_by_time on requests (at_ms)',
  `create table pending (
    pending_id text primary key,
    user_id text not null,
    change text not null,
    at_ms bigint not null
  )`,
  'create table homes (user_id text primary key, at_ms bigint not null)',
]

/** Who had an alert before, since when its reminders count, and when it was acknowledged first. */
const owners = [
  'alter table alerts add column acked_before text',
  'alter table alerts add column said_ms bigint',
  'alter table alerts add column reopened_ms bigint',
  'alter table alerts add column first_acked_ms bigint',
  'update alerts set first_acked_ms = acked_ms',
  'drop index alerts_by_ack',
  'create index alerts_by_ack on alerts (first_acked_ms)',
]

// What people decided, and what the API is to be told of it, were one row; requests in doubt were rows of their own.
// A mute that was being asked for when the process ended was to be taken back; one that was being ended still is.
const isOwed = "state in ('asked', 'ending')"

const switches = [
  `create table switches (
    subject text primary key,
    wanted text not null,
    revision integer not null,
    said_revision integer not null,
    asked_revision integer not null,
    mute_id text,
    audit_id text,
    places text not null,
    moot integer not null,
    asked_ms bigint,
    doubt_ms bigint,
    attempts integer not null,
    not_before_ms bigint not null,
    gone_ms bigint,
    version integer not null
  )`,
  'create index switches_by_request on switches (audit_id) where audit_id is not null',
  `insert into switches
    select subject, case when ${isOwed} then 'on' else 'off' end, 1, case when ${isOwed} then 0 else 1 end, 1,
      mute_id, null, '[]', 0, null, case when state = 'asked' then terms_ms end,
      case when state = 'ending' then attempts else 0 end, case when state = 'ending' then not_before_ms else 0 end,
      case when state = 'ending' then gone_ms end, 1
    from mutes where state <> 'ended'`,
  // The newest doubt of a subject, in whichever direction.
  `insert into switches
    select subject, 'on', 1, 1, 1, mute_id, null, '[]', 0, null, null, 0, 0, null, 1
    from strays where true on conflict (subject) do nothing`,
  `update switches set
    doubt_ms = (
      select max(since_ms) from (
        select since_ms from strays where strays.subject = switches.subject
        union all select switches.doubt_ms where switches.doubt_ms is not null
      )
    )
    where subject in (select subject from strays)`,
  `update switches set
    not_before_ms = (select min(not_before_ms) from strays where strays.subject = switches.subject)
    where said_revision = revision and doubt_ms is not null`,
  "alter table mutes add column confirmation text not null default 'confirmed'",
  `update mutes set confirmation = case when attempts >= 3 then 'stuck' else 'waiting' end where state = 'ending'`,
  `update mutes set confirmation = 'waiting', ended_by = 'interrupted', ended_ms = terms_ms where state = 'asked'`,
  // When its end was decided is not known any more: shortly before its next try.
  "update mutes set ended_ms = not_before_ms where state = 'ending' and ended_ms is null",
  `drop index mutes_live`,
  `update mutes set state = 'ended' where ${isOwed}`,
  "create unique index mutes_live on mutes (subject) where state = 'active'",
  "create index mutes_unconfirmed on mutes (subject) where confirmation <> 'confirmed'",
  'alter table mutes drop column attempts',
  'alter table mutes drop column not_before_ms',
  'alter table mutes drop column gone_ms',
  'drop table strays',
  "update audit set act = 'mute_expiring' where act = 'hand_back'",
]

export const migrations: Record<string, Migration> = {
  [firstMigration]: executing([...alerts, ...cards, ...mutes, ...records, ...requests]),
  '0002_owners': executing(owners),
  '0003_readings': executing(readings),
  '0006_severity': executing(severity),
  '0007_told': executing(told),
  '0008_unread': executing(unread),
  '0009_switches': executing(switches),
  '0010_notices': executing(notices),
  '0011_outages': executing(outages),
  '0012_details': executing(details),
  '0013_elsewhere': executing(elsewhere),
  '0014_alert_mutes': { up: alertMutes },
  '0015_ignored': executing(ignored),
  '0016_troubles': executing(troubles),
  ...later,
}

/** Mutes of single alerts are looked up by the name of the trouble, which alerts of before have not. */
async function alertMutes(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table alerts add column trouble text').execute(db)
  await sql.raw('alter table mutes add column alert text').execute(db)
  const { rows } = await sql<Parameters<typeof troubleSubject>[0] & { alertId: string; said: string | null }>`
    select alert_id as alertId, hostname, plugin, metric, trigger_id as triggerId, title, value,
      json_extract(details, '$.trouble') as said
    from alerts`.execute(db)
  for (const { alertId, said, ...alert } of rows) {
    const details = said === null ? {} : { details: { ...noDetails, trouble: said } }
    await sql`update alerts set trouble = ${troubleSubject({ ...alert, ...details })}
      where alert_id = ${alertId}`.execute(db)
  }
  await sql.raw('create index alerts_of_trouble on alerts (trouble, started_ms)').execute(db)
  await sql.raw('create index mutes_of_alerts on mutes (state) where alert is not null').execute(db)
}

const noDetails = { labels: {}, description: '', links: [], canMute: false }
