/** A ledger in a SQLite file, which a killed process leaves whole. Loads a native module: check the Node version first. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { z } from 'zod'
import type { Ledger } from './ledger.ts'

/** How long another process may hold the file before opening or writing fails. */
const busyMs = 2_000
const schemaVersion = 1

const row = z.object({ key: z.string(), body: z.string() })

/**
 * Opens or makes the file and its folder. Throws where the file is no ledger of this version or another service has it
 * open. A kill loses nothing; a power cut may lose the last second (`synchronous=NORMAL`), which is enough for a
 * service whose samples are gone in two seconds anyway.
 */
export function openSqliteLedger(file: string): Ledger {
  mkdirSync(dirname(file), { recursive: true })
  const db = new Database(file, { timeout: busyMs })
  try {
    // Two services on one file would give out the same ids.
    db.pragma('locking_mode = EXCLUSIVE')
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = NORMAL')
    const version = z.number().parse(db.pragma('user_version', { simple: true }))
    if (version !== 0 && version !== schemaVersion) {
      throw new Error(`${file}: expected a ledger of version ${schemaVersion}; came version ${version}`)
    }
    db.exec(
      `CREATE TABLE IF NOT EXISTS documents (
         kind TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, key)
       ) STRICT, WITHOUT ROWID`,
    )
    db.pragma(`user_version = ${schemaVersion}`)
  } catch (error) {
    db.close()
    throw error
  }
  const load = db.prepare('SELECT key, body FROM documents WHERE kind = ? ORDER BY key')
  const put = db.prepare('INSERT OR REPLACE INTO documents (kind, key, body) VALUES (?, ?, ?)')
  const remove = db.prepare('DELETE FROM documents WHERE kind = ? AND key = ?')
  return {
    isKept: true,
    load: (kind) =>
      load.all(kind).map((found) => {
        const { key, body } = row.parse(found)
        const value: unknown = JSON.parse(body)
        return { key, value }
      }),
    put: (kind, key, value) => void put.run(kind, key, JSON.stringify(value)),
    remove: (kind, key) => void remove.run(kind, key),
    together(run) {
      if (db.inTransaction) return run()
      db.exec('BEGIN')
      try {
        return run()
      } finally {
        db.exec('COMMIT')
      }
    },
    close: () => void db.close(),
  }
}
