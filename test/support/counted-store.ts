/** Opens the store with a count of what goes to the database: statements on SQLite, messages on Postgres, each a journey. */
import SQLite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { onTestFinished } from 'vitest'
import type { Store } from '../../src/bot/flow/ports/store.ts'
import { assembleStore } from '../../src/bot/store/assemble.ts'
import { openStore } from '../../src/bot/store/open/open-store.ts'
import type { Tables } from '../../src/bot/store/open/schema.ts'
import { forKysely } from '../../src/bot/store/open/sqlite-file.ts'
import { yieldingDialect } from '../../src/bot/store/open/yielding.ts'
import { postgresDialect } from '../../src/bot/store/postgres/driver.ts'
import { type Link, openPostgresPool } from '../../src/bot/store/postgres/pool.ts'
import { realClock } from '../../src/shared/clock.ts'
import { sharedPostgres } from './postgres.ts'
import { lead, leading } from './postgres-memory.ts'
import { migratedDatabase } from './postgres-store.ts'

export type CountedStore = {
  readonly store: Store
  /** How many there were since the last look, and their texts. */
  taken(): readonly string[]
}

export type Dialect = 'sqlite' | 'postgres'

export async function countedStore(dialect: Dialect): Promise<CountedStore> {
  const asked: string[] = []
  const store = dialect === 'sqlite' ? await onSqlite(asked) : await onPostgres(asked)
  return { store, taken: () => asked.splice(0) }
}

async function onSqlite(asked: string[]): Promise<Store> {
  const empty = await openStore(':memory:')
  const sqlite = new SQLite(empty.copy())
  await empty.close()
  const database = forKysely(sqlite, ':memory:')
  const prepare: typeof database.prepare = (sql) => {
    asked.push(sql)
    return database.prepare(sql)
  }
  const db = new Kysely<Tables>({ dialect: yieldingDialect({ ...database, prepare }) })
  onTestFinished(() => db.destroy())
  return assembleStore(db)
}

async function onPostgres(asked: string[]): Promise<Store> {
  const url = await migratedDatabase()
  await lead(await sharedPostgres(), new URL(url).pathname.slice(1), leading)
  const pool = openPostgresPool(url, { clock: realClock })
  onTestFinished(() => pool.close())
  const counted = (link: Link): Link => ({
    run: (text, ...rest) => {
      asked.push(text)
      return link.run(text, ...rest)
    },
    isUsed: link.isUsed,
    serverPid: link.serverPid,
    release: link.release,
  })
  const dialect = postgresDialect({
    pool: { ...pool, take: async () => counted(await pool.take()) },
    proof: () => leading,
    clock: realClock,
  })
  return assembleStore(new Kysely({ dialect }))
}
