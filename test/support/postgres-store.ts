/** Opens the store on a database of its own, on the Postgres of this process. */
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import {
  migratePostgres,
  type OpenPostgres,
  openPostgresStore,
} from '../../src/bot/store/open/open-postgres.ts'
import { WordedPostgresAdapter } from '../../src/bot/store/sql/postgres.ts'
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
  template ??= migrated()
  const name = await postgres.create(await template)
  onTestFinished(async () => {
    await postgres.query(`drop database ${name} with (force)`)
  })
  return postgres.url(name)
}

/** Opens a store that is closed after the test, later than what was started on it. */
export async function postgresStore(): Promise<OpenPostgres> {
  const url = await migratedDatabase()
  const store = openPostgresStore(plainDialect(url))
  onTestFinished(() => store.close())
  const database = new URL(url).pathname.slice(1)
  return readBy(store, async (query) => (await sharedPostgres()).query(query, database))
}
