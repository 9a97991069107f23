/**
 * The memory of several bots in one Postgres, of which one leads and writes. Each batch is one statement that writes nothing unless
 * the lease is still ours: a bot that was frozen and deposed cannot overwrite what its successor decided.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { type Clock, minute, second } from '../clock.ts'
import { type Lease, LostLead, RefusedRows, type Row, type Store, UnfitStore } from './store.ts'

const leaseMs = 15 * second
/** A person hears within 3 s that the database is away. */
const connectMs = 2.5 * second
const answerMs = 5 * second
const loadMs = 60 * second
const awayMs = 2 * second
const goodbyeMs = second
/** Firewalls forget what was idle for longer, and tell neither end. */
const idleMs = minute
const format = 1
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
const about = `with found as (
    select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding,
      (select count(*)::int from pg_class where oid in (to_regclass('records'), to_regclass('leader'))) as tables,
      exists (select from pg_attribute where attrelid = to_regclass('leader') and attname = 'format') as ours)
  select version, tables, case
    when version < 14 then 'is version ' || version || ': monbot needs 14 or newer'
    when encoding <> 'UTF8' then 'keeps texts as ' || encoding || ': create a database with encoding UTF8'
    when 'off' in (current_setting('fsync'), current_setting('synchronous_commit'))
      then 'loses what it answered in a power cut: set fsync and synchronous_commit on'
    when tables > 0 and not ours or to_regclass('kysely_migration') is not null
      then 'holds tables of another program or version: create a database for monbot'
    end as unfit from found`
const columns = 'kind, id, live, at_ms::float8 as "atMs", doc'

type About = { readonly version: number; readonly tables: number; readonly unfit: string | null }
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
    const { tables } = await aboutServer(lane)
    if (tables < 2) await lane.ask(schema, [], loadMs)
    isPrepared = true
  }

  return {
    lead: async (name, signal, onWait) => {
      const holder = randomUUID()
      while (!signal.aborted) {
        try {
          if (!isPrepared) await prepare()
          const sent = { steadyMs: clock.steadyMs(), wallMs: clock.nowMs() }
          const [taken] = await lane.ask<{ term: number }>(take, [holder, name, terms.leaseMs])
          if (taken !== undefined) return holdLease(terms, holder, taken.term, sent)
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
    load: () => pool.ask<Row>(`select ${columns} from records where live`, [], loadMs),
    past: (kind, fromMs, untilMs, limit) => {
      const inTime = 'not live and kind = $1 and at_ms >= $2 and at_ms < $3'
      const sql = `select ${columns} from records where ${inTime} order by at_ms desc limit $4`
      return pool.ask<Row>(sql, [kind, fromMs, untilMs, limit], loadMs)
    },
    prune: async (kind, beforeMs) => {
      const sql = 'delete from records where not live and kind = $1 and at_ms < $2'
      await pool.ask(sql, [kind, beforeMs], loadMs)
    },
    close: async () => void (await Promise.all([pool.close(), lane.close()])),
  }
}

/** Throws an `UnfitStore` where a start would refuse the server; reads only. */
export async function aboutServer(pool: Pool): Promise<About> {
  const [found] = await pool.ask<About>(about)
  if (found === undefined) throw new Error('expected one row about the server')
  if (found.unfit !== null) throw new UnfitStore(`The Postgres at ${pool.address} ${found.unfit}.`)
  return found
}

/** Who leads. Throws an `UnfitStore` once a newer version has changed the tables. */
async function leaderOf(lane: Pool): Promise<string | null> {
  const [leader] = await lane.ask<{ name: string; format: number }>('select name, format from leader')
  if (leader !== undefined && leader.format > format)
    throw new UnfitStore(`The Postgres at ${lane.address} is of a newer monbot: install that version again.`)
  return leader?.name ?? null
}

type Pool = {
  /** `host:port/database` */
  readonly address: string
  /** One statement. Throws `UnfitStore` at the start, `RefusedRows`, or else an error with a sentence. */
  ask<Row>(sql: string, values?: readonly unknown[], limitMs?: number): Promise<Row[]>
  close(): Promise<void>
}

/**
 * Opens no connection yet. Throws an `UnfitStore` where the address, or the certificate that it names, cannot be read. After the start a
 * setting was right once, and whatever a server says is passing.
 */
export function openPool(url: string, connections: number, isStart: () => boolean): Pool {
  const { address, config } = configOf(url)
  const pool = new pg.Pool({ ...config, max: connections, idleTimeoutMillis: idleMs })
  pool.on('error', () => {})
  // Of one that is in use, `pg` tells its query and then everybody: without a listener that would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    address,
    ask: async <Row>(sql: string, values: readonly unknown[] = [], limitMs = answerMs) => {
      let client: pg.PoolClient | null = null
      try {
        client = await pool.connect()
        const query = { text: sql, values: [...values], query_timeout: limitMs }
        const { rows } = await client.query(query)
        client.release()
        return rows as Row[]
      } catch (error) {
        // Of a connection that did not answer it is not known what it would still say.
        client?.release(!isSaid(error))
        throw failureOf(error, address, isStart())
      }
    },
    close: () =>
      Promise.race([pool.end(), new Promise<void>((resolve) => setTimeout(resolve, goodbyeMs).unref())]),
  }
}

function configOf(url: string): { readonly address: string; readonly config: pg.PoolConfig } {
  try {
    const parsed = new URL(url)
    // `sslmode` as libpq and everybody's documentation have it: for `pg` alone `require` is `verify-full`.
    parsed.searchParams.set('uselibpqcompat', 'true')
    // No `options` and no `statement_timeout`: PgBouncer refuses a connection that begins with them.
    const config = {
      connectionString: parsed.href,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10 * second,
    }
    const { host, port, database } = new pg.Client(config)
    return { address: `${host}:${port}/${database ?? ''}`, config }
  } catch {
    throw new UnfitStore(
      'DATABASE_URL: expected postgres://USER:PASSWORD@HOST/DATABASE, percent-encoded, and a readable file as sslrootcert (beside sslmode=verify-ca always).',
    )
  }
}

/** What a person must mend before a start: the user, the database, its schema, the rights to it, or TLS. */
const unfit = /^(28|3D|3F|42501)|CERT|TLS|SSL|UNABLE_TO/
/** Data, constraints and limits: the same rows would be refused again. */
const refusals = /^(22|23|54)/

/** Postgres and Node say themselves what is wrong, and never the password. */
function failureOf(error: unknown, address: string, isStart: boolean): Error {
  const { message, code = '' } = error as { readonly message: string; readonly code?: string }
  if (isSaid(error) && refusals.test(code)) return new RefusedRows(`The Postgres refuses it (${code})`)
  // Node has no words for a server that has several addresses, none of which answers.
  const words = `The Postgres at ${address} can't be used: ${message || code}`
  const isUnfit = unfit.test(code) || /SSL/.test(message)
  return isStart && isUnfit ? new UnfitStore(words) : new Error(words)
}

/** Did Postgres say this, or a pooler before it, and not Node? */
function isSaid(error: unknown): boolean {
  return error instanceof Error && 'severity' in error
}

/** A lower term than ours is a database that forgot that we took the lead, and holds nothing of what was acknowledged: -1. */
const before = '(select case when term = $2 then batch else -1 end as held from leader) as before'
const renewed = `until = now() + $3 * interval '1 ms', holder = $1, term = $2`
const renew = `update leader set ${renewed}, batch = case when term < $2 then 0 else batch end from ${before}
  where holder = $1 and term = $2 or term < $2 returning held::float8`
/** JSON holds none. An array of documents is written by `pg` with each quote escaped: thousands of them held everybody up. */
const separator = '\x1e'
const write = `with mine as (update leader set ${renewed}, batch = $4 from ${before}
    where holder = $1 and term = $2 and batch < $4 or term < $2 returning held),
  rows as (select * from unnest($5::text[], $6::text[], $7::boolean[], $8::bigint[],
      string_to_array($9, '${separator}', ''))
    as given (kind, id, live, at_ms, doc) where exists (select from mine)),
  gone as (delete from records using rows where records.kind = rows.kind and records.id = rows.id and rows.doc is null),
  put as (insert into records select * from rows where doc is not null on conflict (kind, id)
    do update set live = excluded.live, at_ms = excluded.at_ms, doc = excluded.doc)
  select held::float8 from mine`
const free = `update leader set until = now() - interval '1 ms' where holder = $1 and term = $2`

const writeMs = 20 * second
const freeMs = second

type Terms = {
  readonly leaseMs: number
  readonly clock: Clock
  readonly pool: Pool
  /** A connection for the lease alone. */
  readonly lane: Pool
}
type Sent = { readonly steadyMs: number; readonly wallMs: number }
type Held = { readonly held: number }

/** Keeps the lease until it is freed or lost. `sent`: when the request that took it was sent; the lease is younger than that. */
function holdLease({ leaseMs, clock, pool, lane }: Terms, holder: string, term: number, taken: Sent): Lease {
  const renewMs = leaseMs / 3
  /** What is under way when it ends takes a moment more, before another one may begin. */
  const freshMs = leaseMs - leaseMs / 7.5
  const { promise: lost, resolve: lose } = Promise.withResolvers<void>()
  const stopping = new AbortController()
  let sent = taken
  let batch = 0
  let acknowledged = 0
  let hasForgotten = false

  const now = (): Sent => ({ steadyMs: clock.steadyMs(), wallMs: clock.nowMs() })

  function end(): void {
    stopping.abort()
    lose()
  }

  /** The database holds an older batch than it has acknowledged before this request was sent. */
  function confirm(at: Sent, { held }: Held, known: number): void {
    if (at.steadyMs > sent.steadyMs) sent = at
    if (held < known) hasForgotten = true
  }

  async function keep(): Promise<void> {
    let waitMs = renewMs
    while (!stopping.signal.aborted) {
      await clock.wait(waitMs, stopping.signal)
      if (stopping.signal.aborted) return
      const [at, known] = [now(), acknowledged]
      try {
        const [row] = await lane.ask<Held>(renew, [holder, term, leaseMs], renewMs)
        if (row === undefined) return end()
        confirm(at, row, known)
        waitMs = renewMs
      } catch {
        // It is away: nobody else leads meanwhile, or whoever does is found once it is back.
        waitMs = renewMs / 5
      }
    }
  }

  async function writeBatch(rows: readonly Row[]): Promise<void> {
    batch += 1
    const number = batch
    const [at, known] = [now(), acknowledged]
    const columns = (['kind', 'id', 'live', 'atMs'] as const).map((name) => rows.map((row) => row[name]))
    const docs = rows.map(({ doc }) => doc ?? '').join(separator)
    const [row] = await pool.ask<Held>(write, [holder, term, leaseMs, number, ...columns, docs], writeMs)
    if (row === undefined) {
      end()
      throw new LostLead('another bot leads')
    }
    confirm(at, row, known)
    acknowledged = number
  }

  void keep()
  return {
    lost,
    write: writeBatch,
    isFresh: () => {
      const { steadyMs, wallMs } = now()
      return !stopping.signal.aborted && steadyMs - sent.steadyMs < freshMs && wallMs - sent.wallMs < freshMs
    },
    hasForgotten: () => {
      const did = hasForgotten
      hasForgotten = false
      return did
    },
    free: async () => {
      stopping.abort()
      await lane.ask(free, [holder, term], freeMs).catch(() => [])
    },
  }
}
