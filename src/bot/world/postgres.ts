/**
 * The memory of several bots in one Postgres, of which one leads and writes. Each batch is one statement that writes nothing unless
 * the lease is still ours: a bot that was frozen and deposed cannot overwrite what its successor decided.
 */
import { randomUUID } from 'node:crypto'
import { type Clock, second } from '../clock.ts'
import { holdLease, type Terms } from './lease.ts'
import { openPool, type Pool } from './postgres-pool.ts'
import { readable } from './rows.ts'
import { type Row, type Store, UnfitStore } from './store.ts'

const leaseMs = 15 * second
const awayMs = 2 * second
const loadMs = 60 * second
const format = 1
const versionMin = 14
/** Any number, the same in every version: whoever makes the tables holds it. */
const schemaLock = 1_297_040_983

const schema = `select pg_advisory_xact_lock(${schemaLock});
  create table if not exists records (kind text not null, id text not null, live boolean not null, at_ms bigint not null,
    doc text not null, primary key (kind, id));
  create index if not exists records_live on records (kind) where live;
  create index if not exists records_past on records (kind, at_ms) where not live;
  create table if not exists leader (one boolean primary key default true check (one), holder text not null, name text not null,
    term bigint not null, batch bigint not null, until timestamptz not null, format int not null default ${format})`
const take = `insert into leader (holder, name, term, batch, until)
  values ($1, $2, 1, 0, now() + $3 * interval '1 ms') on conflict (one) do update
  set holder = $1, name = $2, term = leader.term + 1, batch = 0, until = now() + $3 * interval '1 ms'
  where (leader.until < now() or leader.holder = $1) and leader.format <= ${format} returning term::float8`
const about = `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
  current_setting('fsync') <> 'off' and current_setting('synchronous_commit') <> 'off' as "isDurable",
  pg_is_in_recovery() as "isStandby", to_regclass('kysely_migration') is not null as "isOld",
  (select count(*)::int from pg_class where oid in (to_regclass('records'), to_regclass('leader'))) as tables,
  exists (select from pg_attribute where attrelid = to_regclass('leader') and attname = 'format') as "isOurs"`
const columns = 'kind, id, live, at_ms::float8 as "atMs", doc'

type About = {
  readonly version: number
  readonly encoding: string
  readonly isDurable: boolean
  readonly isStandby: boolean
  readonly isOld: boolean
  readonly tables: number
  readonly isOurs: boolean
}
type Options = {
  readonly url: string
  readonly connections: number
  readonly clock: Clock
  /** Of a test: a shorter term. */
  readonly leaseMs?: number
}

export function openPostgres({ url, connections, clock, ...rest }: Options): Store {
  let isPrepared = false
  const pool = openPool(url, connections, () => !isPrepared)
  // The lease has a connection of its own: it must be renewed while others wait for theirs.
  const lane = openPool(url, 1, () => !isPrepared)
  const terms: Terms = { leaseMs: rest.leaseMs ?? leaseMs, clock, pool, lane }

  async function prepare(): Promise<void> {
    const found = await aboutServer(lane)
    if (found.tables < 2) await lane.ask(schema, [], loadMs)
    isPrepared = true
  }

  return {
    kind: 'postgres',
    lead: async (name, signal, onWait) => {
      const holder = randomUUID()
      while (!signal.aborted) {
        try {
          if (!isPrepared) await prepare()
          const sent = { steadyMs: clock.steadyMs(), wallMs: clock.nowMs() }
          const [taken] = await lane.ask<{ term: number }>(take, [holder, name, terms.leaseMs])
          if (taken !== undefined) return holdLease(terms, { holder, term: taken.term, sent })
          onWait({ leader: await leaderOf(lane) })
          await clock.wait(terms.leaseMs / 30, signal)
        } catch (error) {
          if (error instanceof UnfitStore) throw error
          onWait({ away: error instanceof Error ? error.message : String(error) })
          await clock.wait(awayMs, signal)
        }
      }
      return null
    },
    load: async () => readable(await pool.ask<Row>(`select ${columns} from records where live`, [], loadMs)),
    past: (kind, fromMs, untilMs, limit) => {
      const inTime = 'not live and kind = $1 and at_ms >= $2 and at_ms < $3'
      const sql = `select ${columns} from records where ${inTime} order by at_ms desc limit $4`
      return pool.ask<Row>(sql, [kind, fromMs, untilMs, limit], loadMs)
    },
    prune: async (kind, beforeMs) => {
      const sql = `with gone as (delete from records where not live and kind = $1 and at_ms < $2 returning 1)
        select count(*)::int from gone`
      const [row] = await pool.ask<{ count: number }>(sql, [kind, beforeMs], loadMs)
      return row?.count ?? 0
    },
    close: async () => void (await Promise.all([pool.close(), lane.close()])),
  }
}

/** Throws an `UnfitStore` where a start would refuse the server; reads only. */
export async function aboutServer(
  pool: Pool,
): Promise<{ readonly version: number; readonly tables: number }> {
  const [found] = await pool.ask<About>(about)
  if (found === undefined) throw new Error('expected one row about the server')
  assertFit(found, pool.address)
  return found
}

/** Who leads. Throws an `UnfitStore` once a newer version has changed the tables. */
async function leaderOf(lane: Pool): Promise<string | null> {
  const [leader] = await lane.ask<{ name: string; format: number }>('select name, format from leader')
  if (leader !== undefined && leader.format > format)
    throw new UnfitStore(`The Postgres at ${lane.address} is of a newer monbot: install that version again.`)
  return leader?.name ?? null
}

function assertFit(found: About, address: string): void {
  const refuse = (why: string): never => {
    throw new UnfitStore(`The Postgres at ${address} ${why}.`)
  }
  if (found.version < versionMin * 10_000)
    refuse(`is version ${Math.floor(found.version / 10_000)}: monbot needs ${versionMin} or newer`)
  if (found.encoding !== 'UTF8')
    refuse(`keeps texts as ${found.encoding}: create a database with encoding UTF8`)
  if (!found.isDurable) refuse('loses what it answered in a power cut: set fsync and synchronous_commit on')
  if (found.isOld) refuse('holds the tables of monbot 0.2 or older: create a new database')
  if (found.tables > 0 && !found.isOurs)
    refuse('holds tables of another program: create a database for monbot')
  // It may be one for a moment only, while servers change their roles.
  if (found.isStandby) throw new Error(`The Postgres at ${address} is a standby server`)
}
