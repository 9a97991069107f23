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

/**
 * Brings the tables to this version, in one transaction: all of it or nothing. `preparePostgres` keeps other processes out meanwhile.
 * What a newer version added stays, and is no concern of this one.
 */
export async function migratePostgres(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(tx)
    const provider = { getMigrations: async () => ({ ...(await foreign(tx)), ...postgresMigrations }) }
    // Otherwise Kysely takes the table of another schema for its own.
    const own = rows[0] === undefined ? {} : { migrationTableSchema: rows[0].schema }
    const migrator = new Migrator({ db: tx, provider, allowUnorderedMigrations: true, ...own })
    const { error } = await migrator.migrateToLatest()
    if (error !== undefined) throw error
  })
}

/** Kysely would take migrations that it does not know for lost ones. */
async function foreign(db: Kysely<unknown>): Promise<Record<string, Migration>> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return Object.fromEntries(rows.map(({ name }) => [name, { up: async () => undefined }]))
}
