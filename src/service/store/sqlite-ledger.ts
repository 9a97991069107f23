/** A ledger in a SQLite file, which neither a killed process nor a power cut harms. Loads a native module: check the Node version first. */
import { z } from 'zod'
import { type DiskEvents, openDisk } from './disk.ts'
import type { Ledger } from './ledger.ts'
import { LedgerError } from './ledger-error.ts'
import { openSqliteArchive } from './sqlite-archive.ts'

const row = z.object({ key: z.string(), body: z.string() })

/** What goes wrong with the file is thrown as a `LedgerError`, its name in it; the first one after the start is told to `onLost`. */
export function openSqliteLedger(file: string, events: DiskEvents): Ledger {
  const disk = openDisk(file, events)
  const { db, read, write } = disk
  const load = db.prepare('SELECT key, body FROM documents WHERE kind = ? ORDER BY key')
  const put = db.prepare('INSERT OR REPLACE INTO documents (kind, key, body) VALUES (?, ?, ?)')
  const remove = db.prepare('DELETE FROM documents WHERE kind = ? AND key = ?')
  return {
    isKept: true,
    load: (kind, schema) =>
      read(() => load.all(kind)).map((found) => {
        const { key, body } = row.parse(found)
        const value = schema.safeParse(parseJson(body)).data
        // Left out it would be as if it had never been: an alert that is open would be closed for whoever asks.
        if (value === undefined) {
          throw new LedgerError(
            `The file ${file} is damaged, its document ${kind} ${JSON.stringify(key)} cannot be read: bring it back from a backup, or move it away to begin anew.`,
          )
        }
        return { key, value }
      }),
    put: (kind, key, value) => write(() => void put.run(kind, key, JSON.stringify(value))),
    remove: (kind, key) => write(() => void remove.run(kind, key)),
    together(run) {
      if (db.inTransaction) return run()
      write(() => db.exec('BEGIN'))
      try {
        const result = run()
        write(() => db.exec('COMMIT'))
        return result
      } catch (error) {
        if (error instanceof LedgerError) rollBack()
        else write(() => db.exec('COMMIT'))
        throw error
      }
    },
    archive: openSqliteArchive(disk),
    close: disk.close,
  }

  /** On a full disk SQLite has done so by itself. */
  function rollBack(): void {
    if (db.inTransaction) db.exec('ROLLBACK')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
