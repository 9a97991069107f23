/** The database's file: locked for one process, ours and whole, or refused in a sentence for people. */
import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import SQLite from 'better-sqlite3'
import { LockedStore, UnfitStore } from './store.ts'

/** `monb`: tells our files from those of other programs. */
const applicationId = 0x6d6f6e62
const format = 1
/** A process that was just killed may need a moment to disappear. */
const lockWaitMs = 1000
const busyWaitMs = 5000

const schema = `
  create table if not exists records (
    kind text not null, id text not null, live integer not null, at_ms integer not null, doc text not null, primary key (kind, id));
  create index if not exists records_live on records (kind) where live;
  create index if not exists records_past on records (kind, at_ms) where not live;
  pragma application_id = ${applicationId};
  pragma user_version = ${format};`

/** Throws a `LockedStore` while another process uses the database. Its folder is made where it is missing. */
export function lockBeside(path: string): SQLite.Database {
  mkdirSync(dirname(path), { recursive: true })
  // Two names of one file, through links, are one lock.
  const real = existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path))
  const lock = new SQLite(`${real}-lock`, { timeout: lockWaitMs })
  try {
    lock.exec('begin exclusive')
    // On a read-only disk `begin exclusive` takes no lock, and says nothing; a write fails. It is never committed.
    lock.pragma('user_version = 1')
    return lock
  } catch (error) {
    lock.close()
    if (!codeOf(error).startsWith('SQLITE_BUSY')) throw error
    throw new LockedStore(
      `The database ${path} is in use by another monbot: stop that one, or set DATABASE_URL to a file of its own.`,
    )
  }
}

export function openFile(path: string): SQLite.Database {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new UnfitStore(`DATABASE_URL: expected the path of a file; ${path} is a folder or a device.`)
  const db = new SQLite(path, { timeout: busyWaitMs })
  try {
    assertOurs(db, path)
    db.pragma('journal_mode = WAL')
    // better-sqlite3 opens a file in WAL mode with NORMAL, with which a power cut may undo what was answered.
    db.pragma('synchronous = FULL')
    // A container with a read-only root has no place for temporary files.
    db.pragma('temp_store = MEMORY')
    // Find damage now, and not in the night in which a damaged page is first needed.
    const found = String(db.pragma('quick_check(1)', { simple: true }))
    if (found !== 'ok') throw new SQLite.SqliteError(found, 'SQLITE_CORRUPT')
    db.exec(schema)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Throws an `UnfitStore` unless the file is empty, or a database of this version of monbot. */
export function assertOurs(db: SQLite.Database, path: string): void {
  const tables = db.prepare("select name from sqlite_master where type = 'table'").pluck().all()
  const isOurs = db.pragma('application_id', { simple: true }) === applicationId
  const version = Number(db.pragma('user_version', { simple: true }))
  if (tables.length === 0 || (isOurs && version === format)) return
  if (isOurs && version > format)
    throw new UnfitStore(
      `The database ${path} is of a newer monbot (format ${version}; this one knows ${format}): install that version again, or bring a backup back.`,
    )
  const whose = tables.includes('kysely_migration')
    ? 'of monbot 0.2 or older, which this version cannot read'
    : 'of another program'
  throw new UnfitStore(`The database ${path} is ${whose}: set DATABASE_URL to a new file.`)
}

/** Runs calls to SQLite and the disk, whose errors become sentences for people. */
export function told<T>(path: string, talk: () => T): T {
  try {
    return talk()
  } catch (error) {
    throw sentenceOf(error, path)
  }
}

const sentences: readonly (readonly [codes: RegExp, sentence: string])[] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, 'cannot be written, because the disk is full: make room'],
  [/^(SQLITE_READONLY|EROFS)/, 'cannot be written: its disk, folder or file is read-only for this user'],
  [/^(SQLITE_CANTOPEN|SQLITE_PERM|EACCES|EPERM|ENOTDIR|EEXIST|ELOOP|ENAMETOOLONG)/, 'cannot be opened'],
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, 'is locked by another process: end what holds it'],
  [/^SQLITE_CORRUPT/, 'is damaged: bring a backup back, or move it away to begin anew'],
  [/^SQLITE_NOTADB/, 'is no SQLite database, or damaged: set another path, or bring a backup back'],
  [/^SQLITE_IOERR/, 'cannot be read or written: its disk may be full, or failing'],
]

export function sentenceOf(error: unknown, path: string): unknown {
  const code = codeOf(error)
  const sentence = sentences.find(([codes]) => codes.test(code))?.[1]
  return sentence === undefined ? error : new LockedStore(`The database ${path} ${sentence} (${code}).`)
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
