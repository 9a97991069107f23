/** Opens the store on a database of its own, on the Postgres of this process. */
import { type Dialect, Kysely, sql } from 'kysely'
import { onTestFinished } from 'vitest'
import type { Store } from '../../src/bot/flow/ports/store.ts'
import { assembleStore } from '../../src/bot/store/assemble.ts'
import { tableNames } from '../../src/bot/store/move/end.ts'
import type { Tables } from '../../src/bot/store/open/schema.ts'
import { postgresDialect } from '../../src/bot/store/postgres/driver.ts'
import { openPostgresPool, type PostgresPool } from '../../src/bot/store/postgres/pool.ts'
import { preparePostgres } from '../../src/bot/store/postgres/prepare.ts'
import { realClock } from '../../src/shared/clock.ts'
import { sharedPostgres } from './postgres.ts'
import { readBy } from './rows-in.ts'

/** Who leads in each of these databases. */
const leading = { holder: 'test', term: 1 }

/** Of all databases that were opened; a test may open hundreds. */
const pools = new Set<PostgresPool>()

/** As the bot that leads speaks to it. */
function leadingDialect(url: string): Dialect {
  // Those that nobody uses at the moment give way, as the server takes so many connections in all.
  for (const pool of pools) pool.renew()
  const pool = openPostgresPool(url, { clock: realClock })
  pools.add(pool)
  return postgresDialect({ pool, proof: () => leading, clock: realClock })
}

let template: Promise<string> | null = null

async function migrated(): Promise<string> {
  const postgres = await sharedPostgres()
  const name = await postgres.create()
  const pool = openPostgresPool(postgres.url(name), { clock: realClock, connections: 1 })
  await preparePostgres(pool)
  await pool.close()
  await postgres.query(`update leader set holder = '${leading.holder}', term = ${leading.term}`, name)
  return name
}

/** The URL of a migrated database without rows, which is gone after the test. */
export async function migratedDatabase(): Promise<string> {
  const postgres = await sharedPostgres()
  const url = await ownDatabase()
  onTestFinished(async () => {
    await postgres.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`)
  })
  return url
}

/** Those that no test has now, each empty. */
const free: Kysely<Tables>[] = []

/**
 * Opens a store on an empty database, which later tests have in turn: to make one takes longer than most of what a test does
 * with it.
 */
export async function postgresStore(): Promise<Store> {
  const db = free.pop() ?? new Kysely<Tables>({ dialect: leadingDialect(await ownDatabase()) })
  onTestFinished(async () => {
    // Each before those that its rows refer to.
    for (const table of tableNames.toReversed()) await db.deleteFrom(table).execute()
    free.push(db)
  })
  const read = async (query: string) => (await sql.raw(query).execute(db)).rows
  // Instead of rows, transactions are counted.
  const changes = async () => Number(((await read('select n from gate')) as { n: number }[])[0]?.n)
  return readBy({ ...assembleStore(db), changes }, read)
}

async function ownDatabase(): Promise<string> {
  const postgres = await sharedPostgres()
  template ??= migrated()
  return postgres.url(await postgres.create(await template))
}
