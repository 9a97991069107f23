/** Opens the store on a Postgres: one schema per database, migrated by whoever comes first. */
import { type Dialect, Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Store } from '../../flow/ports/store.ts'
import { assembleStore } from '../assemble.ts'
import { postgresMigrations } from './postgres-schema.ts'
import type { Tables } from './schema.ts'

export type OpenPostgres = Store & {
  /** Ends its connections, once what is under way is done. */
  close(): Promise<void>
}

/** `dialect` has `WordedPostgresAdapter`, and its database is migrated. */
export function openPostgresStore(dialect: Dialect): OpenPostgres {
  const db = new Kysely<Tables>({ dialect })
  return { ...assembleStore(db), close: () => db.destroy() }
}

/** Any number, the same for every version: whoever migrates has it. */
const migrationLock = 1_297_040_983

/**
 * Brings the tables to this version, in one transaction: all of it or nothing, and one process at a time. What a newer version
 * added stays, and is no concern of this one.
 */
export async function migratePostgres(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // Of the transaction, not of the session: behind a pooler a session is another one with each transaction.
    await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(tx)
    const provider = { getMigrations: async () => ({ ...(await foreign(tx)), ...postgresMigrations }) }
    const migrator = new Migrator({ db: tx, provider, allowUnorderedMigrations: true })
    const { error } = await migrator.migrateToLatest()
    if (error !== undefined) throw error
  })
}

/** Kysely would take migrations that it does not know for lost ones. */
async function foreign(db: Kysely<unknown>): Promise<Record<string, Migration>> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return Object.fromEntries(rows.map(({ name }) => [name, { up: async () => undefined }]))
}
