/** Inspects a database without changing it, whether or not a bot is using it. */
import SQLite from 'better-sqlite3'
import { markOf, whyMoved } from '../move/mark.ts'
import { migrations } from './migrations.ts'
import { openStore, unknownMigration } from './open-store.ts'
import { translated } from './sqlite-file.ts'
import { StoreError } from './store-error.ts'

type Inspected = {
  /** How many migrations it has, and how many it will get at the next start. */
  readonly migrations: number
  readonly waiting: number
  readonly alerts: number
}

/** Throws a `StoreError` if the file is damaged, cannot be read, is of another version, or not as monbot makes it. */
export async function inspectDatabase(path: string): Promise<Inspected> {
  const { names, tables } = reading(path, (sqlite) => {
    if (sqlite.pragma('quick_check(1)', { simple: true }) !== 'ok') {
      throw new StoreError(`The database ${path} is damaged: bring the file back from a backup.`)
    }
    const made = tablesOf(sqlite)
    const all = (query: string) => sqlite.prepare(query).pluck().all().map(String)
    const isMigrated = made.some(({ name }) => name === 'kysely_migration')
    const moved = made.some(({ name }) => name === 'facts') ? whyMoved(path, markOf(sqlite)) : null
    if (moved !== null) throw moved
    return { tables: made, names: isMigrated ? all('select name from kysely_migration order by name') : [] }
  })
  const unknown = unknownMigration(names, path)
  if (unknown !== null) throw unknown
  await assertFits(path, tables, names)
  return {
    migrations: names.length,
    waiting: Object.keys(migrations).length - names.length,
    alerts:
      names.length === 0
        ? 0
        : reading(path, (sqlite) => Number(sqlite.prepare('select count(*) from alerts').pluck().get())),
  }
}

function reading<T>(path: string, read: (sqlite: SQLite.Database) => T): T {
  return translated(path, () => during(new SQLite(path, { readonly: true, fileMustExist: true }), read))
}

function during<T>(sqlite: SQLite.Database, read: (sqlite: SQLite.Database) => T): T {
  try {
    return read(sqlite)
  } finally {
    sqlite.close()
  }
}

type Table = { readonly name: string; readonly sql: string }

/** With its indexes. */
function tablesOf(sqlite: SQLite.Database): readonly Table[] {
  const made = "type in ('table', 'index') and sql is not null and name not like 'sqlite\\_%' escape '\\'"
  return sqlite
    .prepare(`select name, sql from sqlite_master where ${made} order by type desc, rowid`)
    .all() as Table[]
}

/** Starts with empty tables like these, as the bot would, and compares what becomes of them with a new database. */
async function assertFits(
  path: string,
  tables: readonly Table[],
  migrated: readonly string[],
): Promise<void> {
  const empty = during(new SQLite(':memory:'), (sqlite) => {
    for (const { sql } of tables) sqlite.exec(sql)
    // Without a time that can be read, the next start would call them corrupted.
    const at = new Date(0).toISOString()
    for (const name of migrated) sqlite.prepare('insert into kysely_migration values (?, ?)').run(name, at)
    return sqlite.serialize()
  })
  const missing = await missingFrom(empty).catch((error: unknown) => {
    if (!(error instanceof SQLite.SqliteError)) throw error
    return error.message
  })
  if (missing === null) return
  throw new StoreError(
    `The database ${path} is not as monbot made it (${missing}): bring the file back from a backup, or set DATABASE_URL to another one.`,
  )
}

/** The first table or index of a new database that this one lacks once it is migrated, or has in another form. */
async function missingFrom(empty: Buffer): Promise<string | null> {
  const own = new Set((await startedFrom(empty)).map(({ sql }) => sql))
  const lacking = (await startedFrom()).find(({ sql }) => !own.has(sql))
  return lacking === undefined ? null : `${lacking.name} is missing or another one`
}

async function startedFrom(copy?: Buffer): Promise<readonly Table[]> {
  const store = await openStore(':memory:', undefined, copy)
  const tables = during(new SQLite(store.copy()), tablesOf)
  await store.close()
  return tables
}
