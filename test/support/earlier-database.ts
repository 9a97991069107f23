/** Makes a database as an earlier version left it. */
import SQLite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import { migrations } from '../../src/bot/store/open/migrations.ts'

/** Applies these migrations, then these statements. */
export async function earlierDatabase(
  path: string,
  isDone: (migration: string) => boolean,
  statements: string,
): Promise<void> {
  const sqlite = new SQLite(path)
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) })
  const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => isDone(name)))
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => earlier },
  }).migrateToLatest()
  if (error !== undefined) throw error
  sqlite.exec(statements)
  await db.destroy()
}
