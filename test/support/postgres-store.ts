/** Opens the store on a database of its own, on the Postgres of this process. */
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import type { Store } from '../../src/bot/flow/ports/store.ts'
import { assembleStore } from '../../src/bot/store/assemble.ts'
import { migratePostgres } from '../../src/bot/store/open/open-postgres.ts'
import type { Tables } from '../../src/bot/store/open/schema.ts'
import { StorablePostgresCompiler, WordedPostgresAdapter } from '../../src/bot/store/sql/postgres.ts'
import { sharedPostgres } from './postgres.ts'
import { readBy } from './rows-in.ts'

const numbers = [pg.types.builtins.INT8, pg.types.builtins.NUMERIC]

/** As Kysely speaks to it: with no gate and no term. */
export function plainDialect(url: string): PostgresDialect {
  const types = {
    getTypeParser: (oid: number) =>
      numbers.includes(oid) ? Number : (pg.types.getTypeParser(oid) as (text: string) => unknown),
  }
  const pool = new pg.Pool({ connectionString: url, max: 6, types })
  // One that is idle while the server stops.
  pool.on('error', () => undefined)
  const dialect = new PostgresDialect({ pool })
  dialect.createAdapter = () => new WordedPostgresAdapter()
  dialect.createQueryCompiler = () => new StorablePostgresCompiler()
  return dialect
}

let template: Promise<string> | null = null

async function migrated(): Promise<string> {
  const postgres = await sharedPostgres()
  const name = await postgres.create()
  const db = new Kysely<unknown>({ dialect: plainDialect(postgres.url(name)) })
  await migratePostgres(db)
  await db.destroy()
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
  const db = free.pop() ?? new Kysely<Tables>({ dialect: plainDialect(await ownDatabase()) })
  onTestFinished(async () => {
    for (const table of emptied) await db.deleteFrom(table).execute()
    free.push(db)
  })
  return readBy(assembleStore(db), async (query) => (await sql.raw(query).execute(db)).rows)
}

/** Each before those that its rows refer to. */
const emptied = [
  ...(['card_pictures', 'card_alerts', 'cards', 'notes', 'alerts', 'ends', 'mutes', 'switches'] as const),
  ...(['outages', 'audit', 'markers', 'requests', 'pending', 'homes', 'facts', 'copies'] as const),
]

async function ownDatabase(): Promise<string> {
  const postgres = await sharedPostgres()
  template ??= migrated()
  return postgres.url(await postgres.create(await template))
}
