/** A SQLite file that survives a power cut, and whose errors are sentences for people. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'
import type { SqliteDatabase, SqliteStatement } from 'kysely'
import { StoreError, storeErrorOf } from './store-error.ts'

const busyTimeoutMs = 5_000
/** How many prepared statements are kept: more than the bot has kinds of queries, apart from lists of different lengths. */
const statementsMax = 400

/** Returns the first of the folders that it made, if any. Throws a `StoreError` if this file's folder cannot be made, or contain a file. */
export function makeFolder(path: string): string | undefined {
  if (path === ':memory:') return undefined
  const first = translated(path, () => mkdirSync(dirname(path), { recursive: true }))
  assertFile(path)
  return first
}

/** Throws a `StoreError` if something else than a file has this name. */
export function assertFile(path: string): void {
  translated(path, () => {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== false) return
    throw new StoreError(
      `The database ${path} is a folder or a device, which keeps nothing: set DATABASE_URL to the path of a file.`,
    )
  })
}

/** Throws a `StoreError` if the file cannot be opened, or is damaged. A database in memory starts from `copy`. */
export function openFile(path: string, copy?: Buffer): SQLite.Database {
  return translated(path, () => {
    const sqlite = new SQLite(path === ':memory:' ? (copy ?? path) : path, { timeout: busyTimeoutMs })
    sqlite.pragma('journal_mode = WAL')
    sqlite.pragma('foreign_keys = ON')
    // In WAL mode better-sqlite3 falls back to NORMAL after the first transaction; a commit would then survive a crash of the
    // process, but not of the machine.
    sqlite.pragma('synchronous = FULL')
    // Otherwise a large sort would use a file in /tmp, which a container with a read-only root does not have.
    sqlite.pragma('temp_store = MEMORY')
    // Find damage now, and not in the night in which a damaged page is first needed.
    const found = String(sqlite.pragma('quick_check(1)', { simple: true }))
    if (found !== 'ok') throw new SQLite.SqliteError(found, 'SQLITE_CORRUPT')
    return sqlite
  })
}

type Watching = {
  /** Called before each transaction, and each statement outside of one: throws if it is no longer our file. */
  readonly assertThere: () => void
  /** Called before committing a transaction that wrote something, and after every write. */
  readonly beforeCommit: () => void
  readonly onWritten: () => void
  /** Receives each `StoreError` before it is thrown. */
  readonly onFailed: (failure: StoreError) => void
}

const unwatched: Watching = {
  assertThere: () => undefined,
  beforeCommit: () => undefined,
  onWritten: () => undefined,
  onFailed: () => undefined,
}

/**
 * The file as Kysely uses it; disk errors are thrown as a `StoreError`. Kysely prepares every statement again, which takes as
 * long as running it: the most recently used are kept.
 */
export function forKysely(
  sqlite: SQLite.Database,
  path: string,
  { assertThere, beforeCommit, onWritten, onFailed }: Watching = unwatched,
): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>()
  /** Something was written since no transaction was last open. */
  let isWritten = false
  const asked = <T>(talk: () => T): T => {
    try {
      return translated(path, talk)
    } catch (error) {
      if (error instanceof StoreError) onFailed(error)
      throw error
    }
  }

  function prepare(sql: string): SqliteStatement {
    const statement = asked(() => sqlite.prepare<unknown[]>(sql))
    const done = <T>(talk: () => T): T =>
      asked(() => {
        isWritten ||= !statement.readonly
        const result = talk()
        if (isWritten && !sqlite.inTransaction) {
          isWritten = false
          onWritten()
        }
        return result
      })
    return {
      reader: statement.reader,
      all: (values) => done(() => statement.all(...values)),
      run: (values) => done(() => statement.run(...values)),
      iterate: function* (values) {
        // A write that returns rows is noted at once, however long other work then takes.
        if (!statement.readonly) {
          yield* done(() => statement.all(...values))
          return
        }
        const rows = asked(() => statement.iterate(...values))
        for (let row = asked(() => rows.next()); row.done !== true; row = asked(() => rows.next())) {
          yield row.value
        }
      },
    }
  }

  return {
    close: () => sqlite.close(),
    prepare: (sql) => {
      if (!sqlite.inTransaction) asked(assertThere)
      else if (sql === 'commit' && isWritten) asked(beforeCommit)
      // On a full disk SQLite has already rolled back; an error about a missing transaction would hide the reason.
      if (sql === 'rollback' && !sqlite.inTransaction) return nothing
      const statement = kept.get(sql) ?? prepare(sql)
      // The most recently used one is last.
      kept.delete(sql)
      kept.set(sql, statement)
      const [oldest] = kept.keys()
      if (kept.size > statementsMax && oldest !== undefined) kept.delete(oldest)
      return statement
    },
  }
}

const nothing: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
}

/** Runs calls to SQLite; an error of the disk or of the file becomes a `StoreError`, any other is passed on. */
export function translated<T>(path: string, talk: () => T): T {
  try {
    return talk()
  } catch (error) {
    throw error instanceof StoreError ? error : (storeErrorOf(error, path) ?? error)
  }
}
