/** A SQLite file that survives a power cut, and whose errors are sentences for people. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'
import type { SqliteDatabase, SqliteStatement } from 'kysely'
import { StoreError, storeErrorOf } from './store-error.ts'

const busyTimeoutMs = 5_000
/** Prepared statements that are kept: more than the bot has kinds of questions, lists of different lengths left aside. */
const statementsMax = 400

/** Throws a `StoreError` when the folder of this file is not there and cannot be made, or when no file can stand there. */
export function makeFolder(path: string): void {
  if (path === ':memory:') return
  translated(path, () => {
    mkdirSync(dirname(path), { recursive: true })
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== false) return
    throw new StoreError(
      `The database ${path} is a folder or a device, which keeps nothing: set DATABASE_URL to the path of a file.`,
    )
  })
}

/** Throws a `StoreError` when the file cannot be opened, or is damaged. In memory, it begins with `copy`. */
export function openFile(path: string, copy?: Buffer): SQLite.Database {
  return translated(path, () => {
    const sqlite = new SQLite(path === ':memory:' ? (copy ?? path) : path, { timeout: busyTimeoutMs })
    sqlite.pragma('journal_mode = WAL')
    sqlite.pragma('foreign_keys = ON')
    // In WAL mode better-sqlite3 falls back to NORMAL after the first transaction; a commit would then survive a crash of
    // the process, and not one of the machine.
    sqlite.pragma('synchronous = FULL')
    // A large sort would else go to a file in /tmp, which a container with a read-only root does not have.
    sqlite.pragma('temp_store = MEMORY')
    // Found now, and not in the night in which a damaged page is first needed.
    const found = String(sqlite.pragma('quick_check(1)', { simple: true }))
    if (found !== 'ok') throw new SQLite.SqliteError(found, 'SQLITE_CORRUPT')
    return sqlite
  })
}

export type Watching = {
  /** Asked before each transaction, and each statement outside of one: throws where it is not the file any more. */
  readonly assertThere: () => void
  /** Told before a transaction that wrote something is committed, and after whatever was written. */
  readonly beforeCommit: () => void
  readonly onWritten: () => void
  /** Told of each `StoreError` before it is thrown. */
  readonly onFailed: (failure: StoreError) => void
}

const unwatched: Watching = {
  assertThere: () => undefined,
  beforeCommit: () => undefined,
  onWritten: () => undefined,
  onFailed: () => undefined,
}

/**
 * The file as Kysely uses it; what goes wrong with the disk is thrown as a `StoreError`. Kysely has every statement prepared
 * anew, which takes as long as to run it: those used last are kept.
 */
export function forKysely(
  sqlite: SQLite.Database,
  path: string,
  { assertThere, beforeCommit, onWritten, onFailed }: Watching = unwatched,
): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>()
  /** Something was written since the last time that nothing was open. */
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
        // What writes and answers is written down at once, however long others then have their turn.
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
      // On a full disk SQLite has rolled back by itself; that there is nothing left to roll back would hide the reason.
      if (sql === 'rollback' && !sqlite.inTransaction) return nothing
      const statement = kept.get(sql) ?? prepare(sql)
      // The last one used stands last.
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

/** Runs what talks to SQLite; an error of the disk or of the file becomes a `StoreError`, any other stays as it is. */
export function translated<T>(path: string, talk: () => T): T {
  try {
    return talk()
  } catch (error) {
    throw error instanceof StoreError ? error : (storeErrorOf(error, path) ?? error)
  }
}
