/**
 * The memory of one process in a SQLite file: what `write` has answered survives a power cut. A lock of its own beside the file keeps
 * a second process out, which the system releases however the first one ends; a backup can read meanwhile.
 */
import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import { type Lease, LockedStore, RefusedRows, type Row, type Store, UnfitStore } from './store.ts'

/** `monb`: tells our files from those of other programs. */
const applicationId = 0x6d6f6e62
const format = 1
/** A process that was just killed may need a moment to disappear. */
const lockWaitMs = 1000
const busyWaitMs = 5000
const full = 2
/** So many rows are written before others have a turn. */
const rowsAtOnce = 500

const schema = `
  create table if not exists records (
    kind text not null, id text not null, live integer not null, at_ms integer not null, doc text not null, primary key (kind, id));
  create index if not exists records_live on records (kind) where live;
  create index if not exists records_past on records (kind, at_ms) where not live;
  pragma application_id = ${applicationId};
  pragma user_version = ${format};`
const columns = 'kind, id, live, at_ms as atMs, doc'

type Stored = Omit<Row, 'live'> & { readonly live: number }

export function openSqlite(path: string): Store {
  let db: SQLite.Database | null = null
  let lock: SQLite.Database | null = null
  const opened = (): SQLite.Database => {
    if (db === null) throw new Error('expected lead() before the rows')
    return db
  }
  const ask = (sql: string, ...values: (string | number)[]): Row[] => {
    const statement = opened().prepare<(string | number)[], Stored>(sql)
    return statement.all(...values).map((row) => ({ ...row, live: row.live === 1 }))
  }

  return {
    lead: async (_name, signal) => {
      if (signal.aborted) return null
      lock ??= inSentences(path, () => lockBeside(path))
      db ??= inSentences(path, () => openFile(path))
      return leaseOf(db, path)
    },
    load: async () => ask(`select ${columns} from records where live`),
    past: async (kind, fromMs, untilMs, limit) => {
      const inTime = 'not live and kind = ? and at_ms >= ? and at_ms < ?'
      const sql = `select ${columns} from records where ${inTime} order by at_ms desc limit ?`
      return ask(sql, kind, fromMs, untilMs, limit)
    },
    prune: async (kind, beforeMs) => {
      opened().prepare('delete from records where not live and kind = ? and at_ms < ?').run(kind, beforeMs)
    },
    close: async () => {
      db?.close()
      lock?.close()
      db = null
      lock = null
    },
  }
}

function leaseOf(db: SQLite.Database, path: string): Lease {
  const put = db.prepare(
    `insert into records (kind, id, live, at_ms, doc) values (?, ?, ?, ?, ?) on conflict (kind, id)
     do update set live = excluded.live, at_ms = excluded.at_ms, doc = excluded.doc`,
  )
  const remove = db.prepare('delete from records where kind = ? and id = ?')
  return {
    isFresh: () => true,
    hasForgotten: () => false,
    lost: new Promise(() => {}),
    free: async () => {},
    write: async (rows) => {
      try {
        db.exec('begin immediate')
        for (const [at, { kind, id, live, atMs, doc }] of rows.entries()) {
          if (doc === null) remove.run(kind, id)
          else put.run(kind, id, live ? 1 : 0, atMs, doc)
          if (at % rowsAtOnce === rowsAtOnce - 1) await setImmediate()
        }
        db.exec('commit')
      } catch (error) {
        if (db.inTransaction) db.exec('rollback')
        const isRefusal = /^SQLITE_(TOOBIG|CONSTRAINT|MISMATCH)/.test(codeOf(error))
        throw isRefusal ? new RefusedRows(codeOf(error)) : sentenceOf(error, path)
      }
      if (db.pragma('synchronous', { simple: true }) !== full) throw new Error('SQLite is not in FULL mode')
    },
  }
}

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

function openFile(path: string): SQLite.Database {
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
  const isEmpty = db.prepare('select 1 from sqlite_master').get() === undefined
  const isOurs = db.pragma('application_id', { simple: true }) === applicationId
  if (isEmpty || (isOurs && db.pragma('user_version', { simple: true }) === format)) return
  throw new UnfitStore(
    `The database ${path} is of another ${isOurs ? 'version of monbot' : 'program'}: ` +
      'set DATABASE_URL to a new file, or run what made this one.',
  )
}

/** Runs calls to SQLite and the disk, whose errors become sentences for people. */
export function inSentences<T>(path: string, talk: () => T): T {
  try {
    return talk()
  } catch (error) {
    throw sentenceOf(error, path)
  }
}

/** SQLite and the disk say themselves what is wrong: full, read-only, damaged, locked. Our own sentences stay as they are. */
export function sentenceOf(error: unknown, path: string): unknown {
  const code = codeOf(error)
  if (code === '') return error
  const todo = /CORRUPT|NOTADB/.test(code) ? ' Bring a backup back.' : ''
  return new LockedStore(`The database ${path} can't be used: ${(error as Error).message} (${code}).${todo}`)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
