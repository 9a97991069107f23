/** A database on the tests' Postgres with the tables of the fence and one to write into, and this process in the lead. */
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { type DriverParts, postgresDialect } from '../../src/bot/store/postgres/driver.ts'
import { makeFence } from '../../src/bot/store/postgres/fence-tables.ts'
import { openPostgresPool, type PostgresPool } from '../../src/bot/store/postgres/pool.ts'
import { realClock } from '../../src/shared/clock.ts'
import type { Postgres } from './postgres.ts'

export type Kept = { kept: { id: string; n: number } }

export const leading = { holder: 'holder-a', term: 3 }

/** A database with an empty table `kept`; `leading` leads in it. Resolves to its name. */
export async function fencedDatabase(postgres: Postgres): Promise<string> {
  const database = await postgres.create()
  const pool = new pg.Pool({ connectionString: postgres.url(database), max: 1 })
  // It says that it has ended before its connection has: a server that is stopped in between still tells that one.
  pool.on('error', () => undefined)
  const db = new Kysely({ dialect: new PostgresDialect({ pool }) })
  await makeFence(db)
  await db.destroy()
  await postgres.query('create table kept (id text collate "C" primary key, n bigint not null)', database)
  await lead(postgres, database, leading)
  return database
}

/** Another process, or a later term, leads from now on. */
export async function lead(postgres: Postgres, database: string, { holder, term }: typeof leading) {
  await postgres.query(`update leader set holder = '${holder}', term = ${term}, free = false`, database)
}

/** What is kept, straight from Postgres. */
export async function keptIn(postgres: Postgres, database: string): Promise<string[]> {
  const rows = await postgres.query<{ id: string; n: string }>('select id, n from kept order by id', database)
  return rows.map(({ id, n }) => `${id}=${n}`)
}

export type Bot = {
  readonly db: Kysely<Kept>
  readonly pool: PostgresPool
  readonly told: string[]
  close(): Promise<void>
}

/** A bot on this address; `told` is what its driver said. */
export function openBot(
  url: string,
  parts: Partial<DriverParts> & { connections?: number; answerMs?: number } = {},
): Bot {
  const { connections = 6, answerMs, ...given } = parts
  const pool = openPostgresPool(url, {
    clock: realClock,
    connections,
    ...(answerMs === undefined ? {} : { answerMs }),
  })
  const told: string[] = []
  const dialect = postgresDialect({
    pool,
    proof: () => leading,
    clock: realClock,
    onDeposed: () => told.push('deposed'),
    onForgotten: () => told.push('forgotten'),
    onAway: (sinceMs) => told.push(sinceMs === null ? 'back' : 'away'),
    ...given,
  })
  const db = new Kysely<Kept>({ dialect })
  return { db, pool, told, close: () => pool.close() }
}
