/** Reads the service's file beside a running service. Loads a native module: check the Node version first. */
import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { type Ledger, memoryLedger } from './ledger.ts'
import { LedgerError, ledgerErrorOf } from './ledger-error.ts'
import { documentsIn } from './sqlite-ledger.ts'

/** Needs no lock. Throws a `LedgerError` if `file` is no file of the service, or an error of SQLite. */
export function openReadOnly(file: string): Database.Database {
  if (!existsSync(file))
    throw new LedgerError(`There is no file ${file}: set MONITOR_FILE to that of the service.`)
  const db = new Database(file, { readonly: true })
  try {
    if (db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'documents'").get()) return db
  } catch (error) {
    db.close()
    throw error
  }
  db.close()
  throw new LedgerError(
    `The file ${file} is no file of the service: set MONITOR_FILE to that of the service.`,
  )
}

/** What `read` makes of the ledger as it is at one moment; what it puts there goes nowhere. Throws a `LedgerError`. */
export function readLedger<Value>(file: string, read: (ledger: Ledger) => Value): Value {
  let db: Database.Database | null = null
  try {
    db = openReadOnly(file)
    const all = db.prepare('SELECT key, body FROM documents WHERE kind = ? ORDER BY key')
    const load: Ledger['load'] = (kind, schema) => documentsIn(file, kind, schema, all.all(kind))
    return db.transaction(() => read({ ...memoryLedger(), isKept: true, load }))()
  } catch (error) {
    throw ledgerErrorOf(error, file) ?? error
  } finally {
    db?.close()
  }
}
