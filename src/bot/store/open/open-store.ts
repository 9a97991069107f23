/** Opens the store: a SQLite file (or `:memory:`), migrated, and checked to survive a power cut before it is used. */
import type SQLite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Store } from '../../flow/ports/store.ts'
import { assembleStore } from '../assemble.ts'
import { markOf, whyMoved } from '../move/mark.ts'
import { firstMigration, migrations } from './migrations.ts'
import { type Held, holdAlone } from './one-process.ts'
import { type OwnFile, openOwnFile } from './own-file.ts'
import type { Tables } from './schema.ts'
import { forKysely, makeFolder, openFile, translated } from './sqlite-file.ts'
import { StoreError, storeErrorOf } from './store-error.ts'
import { yieldingDialect } from './yielding.ts'

export type OpenStore = Store & {
  close(): Promise<void>
  /** A copy of everything, for another database in memory to start from. */
  copy(): Buffer
  /** Rows changed since it was opened: a test checks that an idle poll writes nothing. */
  changes(): number
  /** How a commit reaches the disk, as SQLite reports it now. */
  durability(): { readonly journalMode: string; readonly synchronous: 'FULL' | 'not FULL' }
}

/**
 * Throws a `StoreError` if the file cannot be opened or migrated, is in use by another process, or does not keep what is
 * written. Later, every call of the store throws one once the disk is full or fails, or the file is gone; `onLost` receives
 * the first of them. A database in memory starts from `copy` if it is given, which saves all migrations.
 */
export async function openStore(
  path: string,
  onLost: (failure: StoreError) => void = () => undefined,
  copy?: Buffer,
): Promise<OpenStore> {
  makeFolder(path)
  const held = holdAlone(path)
  try {
    return await openHeld(path, held, onLost, copy)
  } catch (error) {
    held.release()
    throw error
  }
}

async function openHeld(
  path: string,
  held: Held,
  onLost: (failure: StoreError) => void,
  copy?: Buffer,
): Promise<OpenStore> {
  const sqlite = openFile(path, copy)
  let own: OwnFile | null = null
  // A failure while it is being opened is thrown by the opening itself.
  let isOpen = false
  let lost: StoreError | null = null
  const database = forKysely(sqlite, path, {
    assertThere: () => {
      // All later callers fail at once: otherwise each would wait as long for a lock as the first, and the process could not end.
      if (lost !== null) throw lost
      held.assertHeld()
      own?.assert()
    },
    beforeCommit: () => own?.beforeCommit(),
    onWritten: () => own?.note(),
    onFailed: (failure) => {
      if (!isOpen || lost !== null) return
      lost = failure
      onLost(failure)
    },
  })
  const db = new Kysely<Tables>({ dialect: yieldingDialect(database) })
  await bringUpToDate(sqlite, db, path)
  own = translated(path, () => {
    const moved = whyMoved(path, markOf(sqlite))
    if (moved !== null) throw moved
    assertDurable(sqlite, path)
    return openOwnFile(sqlite, path)
  })
  isOpen = true
  return {
    ...assembleStore(db),
    changes: () => sqlite.prepare('select total_changes()').pluck().get() as number,
    durability: () => durability(sqlite),
    copy: () => sqlite.serialize(),
    close: async () => {
      // Work in progress may be giving others their turn right now.
      await db.connection().execute(async () => undefined)
      // The last to close it writes its log into the file: never into one that is not ours.
      if (lost === null) {
        database.prepare('select 1')
        await db.destroy()
      }
      own?.close()
      held.release()
    },
  }
}

/** Makes the tables of this version. Throws a `StoreError` if those of another one are there. */
export async function bringUpToDate(
  sqlite: SQLite.Database,
  db: Kysely<Tables>,
  path: string,
): Promise<void> {
  const done = migrationsDone(sqlite, path)
  if (done.length < Object.keys(migrations).length) await migrate(sqlite, db, path)
}

/** By name. Throws a `StoreError` if the database is of another version: its tables may differ from what we expect. */
function migrationsDone(sqlite: SQLite.Database, path: string): readonly string[] {
  const names = translated(path, () => {
    const isThere = sqlite.prepare("select 1 from sqlite_master where name = 'kysely_migration'").get()
    if (isThere === undefined) return []
    return sqlite.prepare('select name from kysely_migration order by name').pluck().all().map(String)
  })
  const unknown = unknownMigration(names, path)
  if (unknown !== null) throw unknown
  return names
}

/** Why this version cannot use a database with these migrations; null if it can. */
export function unknownMigration(names: readonly string[], path: string): StoreError | null {
  const unknown = names.find((name) => !(name in migrations))
  if (unknown === undefined) return null
  if (!names.includes(firstMigration)) {
    return new StoreError(
      `The database ${path} was made by an earlier version of monbot (${names.at(-1)}) and cannot be taken over: move it away, and start monbot again to begin with an empty one.`,
      null,
      true,
    )
  }
  return new StoreError(
    `The database ${path} is of a newer version of monbot (${unknown}): start that version, or bring back a backup from before it.`,
    null,
    true,
  )
}

// All of it in one transaction, which Kysely does not do for SQLite: a migration interrupted by a crash must leave nothing
// behind, or no later start could run it again.
async function migrate(sqlite: SQLite.Database, db: Kysely<Tables>, path: string): Promise<void> {
  // In any order: a database may have been made between two that were written side by side.
  const provider = { getMigrations: async () => migrations }
  const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true })
  try {
    sqlite.exec('begin immediate')
    const { error } = await migrator.migrateToLatest()
    if (error !== undefined) throw error
    sqlite.exec('commit')
  } catch (error) {
    if (sqlite.inTransaction) sqlite.exec('rollback')
    if (error instanceof StoreError) throw error
    const known = storeErrorOf(error, path)
    if (known !== null) throw known
    throw new StoreError(`The database ${path} cannot be migrated: ${reason(error)}`)
  }
}

// Read after a write: before the first one the pragma shows FULL even if it is about to become NORMAL.
function assertDurable(sqlite: SQLite.Database, path: string): void {
  const write = sqlite.prepare(
    "insert into facts (name, value) values ('openedWith', ?) on conflict do update set value = excluded.value",
  )
  write.run(sqlite.prepare('select sqlite_version()').pluck().get())
  if (durability(sqlite).synchronous !== 'FULL') {
    throw new StoreError(`The database ${path} would not survive a power cut: synchronous is not FULL`)
  }
}

function durability(sqlite: SQLite.Database): ReturnType<OpenStore['durability']> {
  const full = 2
  const level = sqlite.pragma('synchronous', { simple: true })
  const journalMode = String(sqlite.pragma('journal_mode', { simple: true }))
  return { journalMode, synchronous: level === full ? 'FULL' : 'not FULL' }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
