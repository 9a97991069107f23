/**
 * The memory of one process in a SQLite file: what `write` has answered survives a power cut. A lock of its own beside the file keeps
 * a second process out, which the system releases however the first one ends; a backup can read meanwhile.
 */
import { setImmediate } from 'node:timers/promises'
import type SQLite from 'better-sqlite3'
import { readable } from './rows.ts'
import { codeOf, lockBeside, openFile, sentenceOf, told } from './sqlite-file.ts'
import { type Lease, RefusedRows, type Row, type Store } from './store.ts'

const full = 2
/** So many rows are written before others have a turn. */
const rowsAtOnce = 500

const columns = 'kind, id, live, at_ms as atMs, doc'

type Stored = Omit<Row, 'live'> & { readonly live: number }

export function openSqlite(path: string): Store {
  let db: SQLite.Database | null = null
  let lock: SQLite.Database | null = null
  const opened = (): SQLite.Database => {
    if (db === null) throw new Error('expected lead() before the rows')
    return db
  }
  const ask = (sql: string, ...values: (string | number)[]): Row[] =>
    (
      opened()
        .prepare(sql)
        .all(...values) as Stored[]
    ).map((row) => ({ ...row, live: row.live === 1 }))

  return {
    kind: 'sqlite',
    lead: async (_name, signal) => {
      if (signal.aborted) return null
      lock ??= told(path, () => lockBeside(path))
      db ??= told(path, () => openFile(path))
      return leaseOf(db, path)
    },
    load: async () => readable(ask(`select ${columns} from records where live`)),
    past: async (kind, fromMs, untilMs, limit) => {
      const inTime = 'not live and kind = ? and at_ms >= ? and at_ms < ?'
      const sql = `select ${columns} from records where ${inTime} order by at_ms desc limit ?`
      return ask(sql, kind, fromMs, untilMs, limit)
    },
    prune: async (kind, beforeMs) =>
      opened().prepare('delete from records where not live and kind = ? and at_ms < ?').run(kind, beforeMs)
        .changes,
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
    term: 0,
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
