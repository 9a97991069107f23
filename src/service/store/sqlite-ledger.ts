/** A ledger in an SQLite file that survives kills and power cuts. Loads a native module: check the Node version first. */
import { z } from 'zod'
import { type DiskEvents, openDisk } from './disk.ts'
import type { Ledger } from './ledger.ts'
import { LedgerError } from './ledger-error.ts'
import { openSqliteArchive } from './sqlite-archive.ts'

const row = z.object({ key: z.string(), body: z.string() })

/** File errors are thrown as a `LedgerError` with the file's name; the first one after the start also goes to `onLost`. */
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
        // Skipping it would act as if it had never existed: an open alert would appear closed.
        if (value === undefined) {
          throw new LedgerError(
            `The file ${file} is damaged, its document ${kind} ${JSON.stringify(key)} cannot be read: bring it back from a backup, or move it away to start with an empty one.`,
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

  /** On a full disk SQLite has already done so. */
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
