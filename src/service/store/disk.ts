/** The service's SQLite file, opened for one process and watched; any failure ends its use. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { z } from 'zod'
import { holdAlone } from './hold-alone.ts'
import { LedgerError, ledgerErrorOf, openOwnFile } from './ledger-error.ts'

/** How long to wait for another process that holds the file before opening fails. */
const busyMs = 2_000

/** Version 1 had only documents, which included the points. */
const schemaVersion = 2

const tableNames: ReadonlySet<string> = new Set(['documents', 'series', 'chunks', 'minutes'])

/** Distinguishes our table from another one of the same name. */
const documentColumns = 'kind key body'

/** A series' number is never reused: minutes of a removed one must never become another's. */
const tables = `
  CREATE TABLE IF NOT EXISTS documents (
    kind TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS series (
    id INTEGER PRIMARY KEY AUTOINCREMENT, hostname TEXT NOT NULL, key TEXT NOT NULL, UNIQUE (hostname, key)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY, series INTEGER NOT NULL, step_ms INTEGER NOT NULL, at_ms INTEGER NOT NULL, body BLOB NOT NULL,
    UNIQUE (series, step_ms, at_ms)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS chunks_by_age ON chunks (step_ms, at_ms);
  CREATE TABLE IF NOT EXISTS minutes (
    id INTEGER PRIMARY KEY, hostname TEXT NOT NULL, body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS minutes_by_server ON minutes (hostname)
`

export type Disk = {
  readonly db: Database.Database
  /** Runs an SQLite operation. Throws a `LedgerError`, then and ever after, if the file becomes unusable. */
  read<Result>(talk: () => Result): Result
  /** The same, and checks that the file is still the one that was opened; a transaction checks only at its start. */
  write<Result>(talk: () => Result): Result
  /** A lost file is left as it is: closing the last connection would write pending data into it. */
  close(): void
}

export type DiskEvents = {
  /** Called once, before the throw, if the file becomes unusable. */
  onLost(failure: LedgerError): void
  /** Receives what was done to a file of an earlier version. */
  report(line: string): void
}

/** Opens or creates the file and its folder. Throws a `LedgerError` with the file's name; another program's file is left unchanged. */
export function openDisk(file: string, { onLost, report }: DiskEvents): Disk {
  let lost: LedgerError | null = null
  const { db, lock } = translated(file, () => openDatabase(file, report))
  const own = openOwnFile(file)

  function read<Result>(talk: () => Result): Result {
    if (lost !== null) throw lost
    try {
      return translated(file, talk)
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error
      lost = error
      onLost(error)
      throw error
    }
  }

  return {
    db,
    read,
    write: (talk) =>
      read(() => {
        if (!db.inTransaction) own.assert()
        const result = talk()
        if (!db.inTransaction) own.note()
        return result
      }),
    close() {
      if (lost === null) db.close()
      lock.release()
    },
  }
}

function openDatabase(
  file: string,
  report: (line: string) => void,
): { readonly db: Database.Database; readonly lock: { release(): void } } {
  mkdirSync(dirname(file), { recursive: true })
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw new LedgerError(`The file ${file} is a folder or a device: set MONITOR_FILE to the path of a file.`)
  }
  const db = new Database(file, { timeout: busyMs })
  let lock: { release(): void } | null = null
  try {
    const version = refuseForeign(db, file)
    lock = holdAlone(file, busyMs)
    db.pragma('journal_mode = WAL')
    // Set because better-sqlite3 defaults to NORMAL with WAL: after a power cut, ids must not be assigned twice.
    db.pragma('synchronous = FULL')
    // Little of the default 16 MB would be read twice.
    db.pragma('cache_size = -4000')
    db.transaction(() => migrate(db, file, version, report)).immediate()
    return { db, lock }
  } catch (error) {
    db.close()
    lock?.release()
    throw error
  }
}

/** Returns the version of its tables, 0 for a new file. Writes nothing. */
export function refuseForeign(db: Database.Database, file: string): number {
  const version = z.number().parse(db.pragma('user_version', { simple: true }))
  const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
  const found = names.pluck().all().map(String)
  const columns = db.prepare("SELECT name FROM pragma_table_info('documents')").pluck().all().join(' ')
  const foreign = found.find((name) => !tableNames.has(name) || version === 0 || columns !== documentColumns)
  if (foreign !== undefined) {
    throw new LedgerError(
      `The file ${file} is the database of another program, with a table ${JSON.stringify(foreign)}: set MONITOR_FILE to another path.`,
    )
  }
  if (version <= schemaVersion) return version
  throw new LedgerError(
    `The file ${file} is of a newer version of the service (${version}; this one knows ${schemaVersion}): start that version, or set MONITOR_FILE to another path.`,
  )
}

function migrate(db: Database.Database, file: string, version: number, report: (line: string) => void): void {
  db.exec(tables)
  if (version === 1) {
    const { changes } = db.prepare("DELETE FROM documents WHERE kind = 'bucket'").run()
    if (changes > 0) {
      report(
        `the file ${file} is of an earlier version: the points of its charts were dropped, and all else was kept`,
      )
    }
  }
  db.pragma(`user_version = ${schemaVersion}`)
}

function translated<Result>(file: string, talk: () => Result): Result {
  try {
    return talk()
  } catch (error) {
    throw ledgerErrorOf(error, file) ?? error
  }
}
