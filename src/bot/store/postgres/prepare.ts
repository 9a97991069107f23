/** Makes a Postgres ready to be monbot's memory: looks at the server, brings the tables to this version, looks at its rights. */
import {
  type DatabaseConnection,
  type Dialect,
  Kysely,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { tableNames } from '../move/end.ts'
import { type Mark, markName, parseMark, whyMoved } from '../move/mark.ts'
import { migratePostgres } from '../open/open-postgres.ts'
import { WordedPostgresAdapter } from '../sql/postgres.ts'
import { resultOf } from './driver.ts'
import { failureOf } from './failures.ts'
import { fenceTables } from './fence-tables.ts'
import { codeNumber, tooOld, waits } from './gate.ts'
import type { Answer, Link, PostgresPool } from './pool.ts'
import { type Ask, assertMayWrite, assertOurs, assertServer } from './server.ts'

export const allTables = [...fenceTables, ...tableNames]

/** An index on a large table takes its time. */
const migrationMs = 10 * 60_000
const limits = [
  'set local lock_timeout = 5000',
  `set local statement_timeout = ${migrationMs}`,
  'set local idle_in_transaction_session_timeout = 60000',
  'set local synchronous_commit = on',
]

/** Any number, the same for every version: whoever migrates has it. */
const migrationLock = 1_297_040_983

export type PrepareOptions = {
  /** Of a test; brings the tables to this version, in one transaction of this database. */
  readonly migrate?: (db: Kysely<unknown>) => Promise<void>
  /** Of a test: how new the code is. */
  readonly code?: number
}

/**
 * May be called again. Throws a `StoreError` if this Postgres cannot be the memory of this version, until a person mends
 * something; a `MemoryAway` if it cannot be reached, or if somebody was in the way: then later, again.
 */
export async function preparePostgres(pool: PostgresPool, options: PrepareOptions = {}): Promise<void> {
  const { migrate = migratePostgres, code = codeNumber } = options
  const link = await pool.take()
  const ask: Ask = async (text, values) => {
    try {
      const [answer] = await link.run(text, values, migrationMs)
      return answer?.rows ?? []
    } catch (error) {
      throw failureOf(error, pool.address)
    }
  }
  try {
    await assertServer(ask, pool.address)
    await assertOurs(ask, pool.address, allTables)
    await migrate(new Kysely({ dialect: migrating(link, pool.address, code) }))
    await assertMayWrite(ask, pool.address, allTables)
  } finally {
    link.release()
  }
}

/** The mark of a move in this database, with or without tables. Throws as `preparePostgres` does. */
export async function markIn(pool: PostgresPool): Promise<Mark | null> {
  const link = await pool.take()
  try {
    const [, there] = await link.run(
      `begin read only; select to_regclass('facts') is not null and to_regclass('gate') is not null as "isThere"`,
    )
    const isThere = there?.rows[0]?.isThere === true
    const [found] = isThere ? await link.run('select value from facts where name = $1', [markName]) : []
    return parseMark(found?.rows[0]?.value as string | undefined)
  } catch (error) {
    throw failureOf(error, pool.address)
  } finally {
    await link.run('rollback').catch(() => undefined)
    link.release()
  }
}

/** Throws a `StoreError` if this database is or was moved: then no bot may use it. */
export async function assertNotMoved(pool: PostgresPool): Promise<void> {
  const moved = whyMoved(pool.address, await markIn(pool))
  if (moved !== null) throw moved
}

/**
 * A migration holds the gate, as soon as there is one, so that it never meets a writer halfway; it needs no term. Older code than the
 * gate lets through migrates nothing.
 */
function migrating(link: Link, address: string, code: number): Dialect {
  /** What ended the transaction. Kysely goes on to ask, and would tell of the question that was refused for it. */
  let ended: unknown = null
  const run = async (text: string, values: readonly unknown[] = []) => {
    try {
      return await link.run(text, values, migrationMs)
    } catch (error) {
      ended ??= error
      throw failureOf(ended, address)
    }
  }
  const connection: DatabaseConnection = {
    executeQuery: async ({ sql, parameters }) => {
      const [answer] = await run(sql, parameters)
      return resultOf(answer as Answer)
    },
    streamQuery: () => {
      throw new Error('Nothing is streamed')
    },
  }
  const begin = async () => {
    ended = null
    // Of the transaction: one of the session would be lost behind a pooler.
    await run(['begin', ...limits, `select pg_advisory_xact_lock(${migrationLock})`].join('; '))
    const [there] = await run(`select to_regclass('gate') is not null as "isThere"`)
    if (there?.rows[0]?.isThere !== true) return
    const [passed] = await run(waits(code))
    if (passed?.rows.length === 0) throw tooOld(address)
  }
  const rollback = async () => {
    // Whoever rolls back has a better error to tell.
    await link.run('rollback').catch(() => undefined)
  }
  return {
    createAdapter: () => new WordedPostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createDriver: () => ({
      init: async () => undefined,
      acquireConnection: async () => connection,
      beginTransaction: () =>
        begin().catch(async (error) => {
          await rollback()
          throw error
        }),
      commitTransaction: async () => void (await run('commit')),
      rollbackTransaction: rollback,
      releaseConnection: async () => undefined,
      destroy: async () => undefined,
    }),
  }
}
