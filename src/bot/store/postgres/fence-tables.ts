/** The tables that decide who may write: made once, in the first migration on Postgres. */
import { type Kysely, sql } from 'kysely'

/**
 * Which server, in which history, as SQL: the first eight digits of the name of a WAL file are its timeline, which grows with each
 * failover (https://www.postgresql.org/docs/current/functions-admin.html). A server in recovery, which takes no writes, answers
 * with an error.
 */
export const timelineNow = `(select system_identifier from pg_control_system()) || '-' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`

const statements = [
  // `timeline`: of the server, up to which what a failover may forget was put right. `beat` grows while the leader is alive. `free`:
  // it ended; `gave_up`: because it reached no Slack.
  `create table leader (
    one boolean primary key default true check (one),
    holder text collate "C" not null default '',
    name text collate "C" not null default '',
    url text collate "C" not null default '',
    term bigint not null default 0,
    beat bigint not null default 0,
    free boolean not null default true,
    gave_up boolean not null default false,
    timeline text collate "C" not null default '',
    -- What a writer holds "for key share" keeps out only who changes columns of such a key: who takes the lease waits for
    -- commits under way, and who renews it never does.
    unique (holder, term)
  )`,
  `insert into leader (timeline) values (${timelineNow})`,
  // `n`: how many writing transactions of leaders were committed, ever.
  `create table gate (
    one boolean primary key default true check (one),
    n bigint not null default 0,
    code_min integer not null default 1
  ) with (fillfactor = 10)`,
  'insert into gate default values',
  // Whoever lost the answer to a COMMIT finds here whether it was written.
  `create table writers (
    holder text collate "C" primary key,
    commit_id text collate "C" not null
  ) with (fillfactor = 10)`,
  `create table presence (
    holder text collate "C" primary key,
    name text collate "C" not null,
    url text collate "C" not null,
    beat bigint not null,
    reaches_slack boolean not null
  )`,
]

export const fenceTables = ['leader', 'gate', 'writers', 'presence']

/** Makes `leader`, `gate`, `writers` and `presence`; the first two have their one row from then on. */
export async function makeFence<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
