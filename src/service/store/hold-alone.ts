/**
 * One process per file: two services would assign the same ids. A lock on a file beside it, which the system releases however the
 * process dies; the file itself stays readable, so that it can be copied meanwhile.
 */
import { realpathSync } from 'node:fs'
import Database from 'better-sqlite3'

/** Throws SQLite's error if another process has it (`SQLITE_BUSY`), or if the lock cannot be written. The file must exist. */
export function holdAlone(file: string, waitMs: number): { release(): void } {
  // Two names of one file, through links, are one lock.
  const lock = new Database(`${realpathSync(file)}-lock`, { timeout: waitMs })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    // SQLite takes no exclusive lock on a read-only file, and does not say so; a write fails. It is never committed.
    lock.pragma('user_version = 1')
    return { release: () => lock.close() }
  } catch (error) {
    lock.close()
    throw error
  }
}
