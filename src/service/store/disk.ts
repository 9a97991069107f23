/** The service's SQLite file, opened for one process, watched, and talked to in two ways; what goes wrong with it ends its use. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { z } from 'zod'
import { LedgerError, ledgerErrorOf } from './ledger-error.ts'
import { openOwnFile } from './own-file.ts'
import { documentColumns, schemaVersion, tableNames, tables } from './tables.ts'

/** How long another process may hold the file before opening it fails. */
const busyMs = 2_000

export type Disk = {
  readonly db: Database.Database
  /** Runs what talks to SQLite. Throws a `LedgerError`, then and ever after, where the file cannot be used any more. */
  read<Result>(talk: () => Result): Result
  /** The same, and the file must still be the one that was opened; in a transaction only its beginning asks. */
  write<Result>(talk: () => Result): Result
  /** A file that is lost is left as it is: the last to close it would write what it still has into it. */
  close(): void
}

export type DiskEvents = {
  /** Told once, before it is thrown, that the file cannot be used any more. */
  onLost(failure: LedgerError): void
  /** Told what was done to a file of an earlier version. */
  report(line: string): void
}

/** Opens or makes the file and its folder. Throws a `LedgerError` with the file's name; a file of another program stays as it is. */
export function openDisk(file: string, { onLost, report }: DiskEvents): Disk {
  let lost: LedgerError | null = null
  const db = translated(file, () => openDatabase(file, report))
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
    },
  }
}

function openDatabase(file: string, report: (line: string) => void): Database.Database {
  mkdirSync(dirname(file), { recursive: true })
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw new LedgerError(`The file ${file} is a folder or a device: set MONITOR_FILE to the path of a file.`)
  }
  const db = new Database(file, { timeout: busyMs })
  try {
    const version = refuseForeign(db, file)
    // Two services on one file would give out the same ids.
    db.pragma('locking_mode = EXCLUSIVE')
    db.pragma('journal_mode = WAL')
    // Set, because better-sqlite3 takes NORMAL with WAL by itself: a power cut must not give out the same ids again.
    db.pragma('synchronous = FULL')
    // Of the usual 16 MB little would be asked for twice.
    db.pragma('cache_size = -4000')
    db.transaction(() => migrate(db, file, version, report)).immediate()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Answers the version of its tables, 0 for a new file. Nothing was written until then. */
function refuseForeign(db: Database.Database, file: string): number {
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
