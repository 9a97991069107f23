/** A Postgres as one end of a move: this process leads on it meanwhile, so that no bot does. */
import { Kysely, sql, type Transaction } from 'kysely'
import type { SteadyClock } from '../../../shared/clock.ts'
import { openPostgresStore } from '../open/open-postgres.ts'
import { postgresMigrations } from '../open/postgres-schema.ts'
import type { Tables } from '../open/schema.ts'
import { StoreError } from '../open/store-error.ts'
import { postgresDialect } from '../postgres/driver.ts'
import { codeOf, failureOf } from '../postgres/failures.ts'
import { fenceTables } from '../postgres/fence-tables.ts'
import type { Lease } from '../postgres/lease.ts'
import { openLeaseRows } from '../postgres/lease-rows.ts'
import { openPostgresPool, type PostgresPool } from '../postgres/pool.ts'
import { markIn, preparePostgres } from '../postgres/prepare.ts'
import { insertAll } from '../records/statements.ts'
import { type End, order, ownFacts, type Row, type TableName, tableNames } from './end.ts'
import { type Column, fitting } from './fitting.ts'
import { holdLease } from './held-lease.ts'
import { type Mark, markName } from './mark.ts'

export type PostgresEndParts = {
  readonly clock: SteadyClock
  /** Random, of this process. */
  readonly holder: string
  readonly signal: AbortSignal
  /** Called once, if it has to wait for a leader that may have ended without a word. */
  readonly onWait: (address: string) => void
}

/** A sort of a large table takes its time. */
const answerMs = 10 * 60_000
/** One transaction writes everything. */
const transactionMs = 24 * 60 * 60_000
/** Between two statements the other end reads, or writes to a disk. */
const limits = `set local statement_timeout = ${answerMs}; set local idle_in_transaction_session_timeout = 60000`
const fetchedRows = 1_000

/**
 * Takes the lease, which `close` sets free, and brings the tables to this version. Throws a `StoreError` if a bot uses it, if it cannot
 * be a memory, or holds one of another program or of a newer version; a `MemoryAway` if it cannot be reached.
 */
export async function openPostgresEnd(
  url: string,
  role: 'source' | 'target',
  parts: PostgresEndParts,
): Promise<End> {
  const { clock, holder, signal, onWait } = parts
  const pool = openPostgresPool(url, { clock, connections: 2, answerMs })
  let lease: Lease | null = null
  const close = async () => {
    await lease?.release()
    await pool.close()
  }
  try {
    const { address } = pool
    if (await isEmpty(pool, role)) await preparePostgres(pool)
    const rows = openLeaseRows(openPostgresPool(url, { clock, connections: 1 }))
    const held = await holdLease({ rows, address, holder, clock, signal, onWait: () => onWait(address) })
    lease = held.lease
    await preparePostgres(pool)
    const { term, depose } = held.lease
    const proof = () => ({ holder, term: term() })
    const dialect = postgresDialect({ pool, proof, clock, transactionMs, onDeposed: depose })
    // What it forgot is put right before it is moved, because nobody would know of it there.
    if (held.forgot && role === 'source') {
      await openPostgresStore(dialect).doubtMemory(clock.nowMs())
      await held.lease.noteTimeline()
    }
    return { ...endOf(pool, new Kysely({ dialect })), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Are there no tables yet? Throws a `StoreError` if those that are there are none of this version. */
async function isEmpty(pool: PostgresPool, role: 'source' | 'target'): Promise<boolean> {
  const ours = [...fenceTables, ...tableNames]
  const [found] = await asked(
    pool,
    `select to_regclass('kysely_migration') is not null as "isMigrated",
      exists (select 1 from pg_class where relnamespace = current_schema()::regnamespace and relname = any($1)) as "isTaken"`,
    [ours],
  )
  const names =
    found?.isMigrated === true ? await asked(pool, 'select name from kysely_migration order by name') : []
  const unknown = names.map(({ name }) => String(name)).find((name) => !(name in postgresMigrations))
  if (unknown !== undefined && names.some(({ name }) => String(name) in postgresMigrations)) {
    throw new StoreError(
      `The Postgres at ${pool.address} is of a newer version of monbot (${unknown}): move it with that version.`,
      null,
      true,
    )
  }
  if (unknown === undefined && names.length > 0) return false
  if (role === 'target' && unknown === undefined && found?.isTaken !== true) return true
  const holds = role === 'source' ? 'holds no memory of monbot' : 'is used by another program'
  throw new StoreError(`The Postgres at ${pool.address} ${holds}: name another database.`, null, true)
}

async function asked(pool: PostgresPool, text: string, values: readonly unknown[] = []) {
  const link = await pool.take()
  try {
    const [answer] = await link.run(text, values)
    return answer?.rows ?? []
  } catch (error) {
    throw failureOf(error, pool.address)
  } finally {
    link.release()
  }
}

function endOf(pool: PostgresPool, db: Kysely<Tables>): Omit<End, 'close'> {
  const name = pool.address
  /** That of `fill`, whose rows nobody else sees yet. */
  let filling: Transaction<Tables> | null = null

  async function columnsOf(table: TableName): Promise<readonly Column[]> {
    const rows = await asked(
      pool,
      `select attname as name, atttypid in ('int4'::regtype, 'int8'::regtype) as "isInteger" from pg_attribute
        where attrelid = to_regclass($1) and attnum > 0 and not attisdropped and attidentity = ''
        order by attname::text collate "C"`,
      [table],
    )
    return rows as Column[]
  }

  const where = (table: TableName) =>
    table === 'facts'
      ? sql`where name not in (${sql.join(ownFacts.map((fact) => sql.lit(fact)))})`
      : sql.raw('')

  /** All of one moment. */
  async function* rows(table: TableName): AsyncGenerator<Row> {
    const columns = (await columnsOf(table)).map((column) => column.name)
    const by = order[table] === 'written' ? 'seq' : order[table]
    const own = filling === null ? await db.startTransaction().setAccessMode('read only').execute() : null
    const within = own ?? (filling as Transaction<Tables>)
    try {
      await sql.raw(limits).execute(within)
      const listed = sql.join(columns.map((column) => sql.ref(column)))
      await sql`declare moved no scroll cursor for
        select ${listed} from ${sql.table(table)} ${where(table)} order by ${sql.raw(by)}`.execute(within)
      for (;;) {
        const fetched = await sql<
          Record<string, Row[number]>
        >`fetch ${sql.lit(fetchedRows)} from moved`.execute(within)
        for (const row of fetched.rows) yield columns.map((column) => row[column] ?? null)
        if (fetched.rows.length < fetchedRows) break
      }
      await sql`close moved`.execute(within)
    } finally {
      await own?.rollback().execute()
    }
  }

  async function write(tx: Transaction<Tables>, table: TableName, some: readonly Row[]): Promise<void> {
    if (some.length === 0) return
    const columns = (await columnsOf(table)).map((column) => column.name)
    const named = some.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])))
    await insertAll(tx, table, named as never)
  }

  async function putMark(within: Kysely<Tables>, mark: Mark | null): Promise<void> {
    const value = JSON.stringify(mark)
    if (mark === null) await within.deleteFrom('facts').where('name', '=', markName).execute()
    else
      await within
        .insertInto('facts')
        .values({ name: markName, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute()
  }

  return {
    name,
    columns: async (table) => (await columnsOf(table)).map((column) => column.name),
    fitting: async (table) => fitting(table, await columnsOf(table)),
    rows,
    holds: async () => {
      for (const table of tableNames) {
        const { rows: found } = await sql`select 1 from ${sql.table(table)} ${where(table)} limit 1`.execute(
          db,
        )
        if (found.length > 0) return table
      }
      return null
    },
    mark: () => markIn(pool),
    setMark: (mark) => putMark(db, mark),
    fill: (work, mark) =>
      db.transaction().execute(async (tx) => {
        filling = tx
        try {
          // A card may stand before the one that it replies to.
          await sql.raw(`${limits}; set constraints all deferred`).execute(tx)
          await work((table, some) => write(tx, table, some).catch((error) => untaken(error, table, name)))
          await sql`set constraints all immediate`.execute(tx)
          await putMark(tx, mark)
        } finally {
          filling = null
        }
      }),
  }
}

/** A value that Postgres does not take: https://www.postgresql.org/docs/current/errcodes-appendix.html */
function untaken(error: unknown, table: TableName, name: string): never {
  const code = codeOf(error)
  if (code === null || !/^(?:22|23|54)/.test(code)) throw error
  throw new StoreError(`${name} does not take the ${table} (${code}): nothing was moved.`)
}
