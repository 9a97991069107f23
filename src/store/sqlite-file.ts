/** A SQLite file that survives a power cut, and whose errors are sentences for people. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'
import type { SqliteDatabase, SqliteStatement } from 'kysely'
import { StoreError, storeErrorOf } from './store-error.ts'

const busyTimeoutMs = 5_000
/** Prepared statements that are kept: more than the bot has kinds of questions, lists of different lengths left aside. */
const statementsMax = 400

/** Throws a `StoreError` when the folder of this file is not there and cannot be made. */
export function makeFolder(path: string): void {
  if (path !== ':memory:') translated(path, () => mkdirSync(dirname(path), { recursive: true }))
}

/** Throws a `StoreError` when the file cannot be opened, or is damaged. */
export function openFile(path: string): SQLite.Database {
  return translated(path, () => {
    const sqlite = new SQLite(path, { timeout: busyTimeoutMs })
    sqlite.pragma('journal_mode = WAL')
    sqlite.pragma('foreign_keys = ON')
    // In WAL mode better-sqlite3 falls back to NORMAL after the first transaction; a commit would then survive a crash of
    // the process, and not one of the machine.
    sqlite.pragma('synchronous = FULL')
    // Found now, and not in the night in which a damaged page is first needed.
    const found = String(sqlite.pragma('quick_check(1)', { simple: true }))
    if (found !== 'ok') throw new SQLite.SqliteError(found, 'SQLITE_CORRUPT')
    return sqlite
  })
}

/**
 * The file as Kysely uses it; what goes wrong with the disk is thrown as a `StoreError`. Kysely has every statement prepared
 * anew, which takes as long as to run it: those used last are kept.
 */
export function forKysely(sqlite: SQLite.Database, path: string): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>()

  function prepare(sql: string): SqliteStatement {
    const statement = translated(path, () => sqlite.prepare<unknown[]>(sql))
    return {
      reader: statement.reader,
      all: (values) => translated(path, () => statement.all(...values)),
      run: (values) => translated(path, () => statement.run(...values)),
      // Two that are under way at once would be one and the same.
      iterate: (values) => sqlite.prepare<unknown[]>(sql).iterate(...values),
    }
  }

  return {
    close: () => sqlite.close(),
    prepare: (sql) => {
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
