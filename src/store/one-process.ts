/**
 * One process a database: two would post every alert twice. The lock is SQLite's own, on a file beside the database, so
 * that the system takes it back from whoever dies, however that happens, and nobody ever has to clean up.
 */
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import SQLite from 'better-sqlite3'
import { translated } from './sqlite-file.ts'
import { StoreError } from './store-error.ts'

/** A process that was just killed may need a moment to be gone. */
const waitMs = 1_000

export type Held = { release(): void }

/** Throws a `StoreError` when another process has it. The folder of `path` must be there. */
export function holdAlone(path: string): Held {
  if (path === ':memory:') return { release: () => undefined }
  const lock = translated(path, () => new SQLite(lockPathOf(path), { timeout: waitMs }))
  try {
    translated(path, () => lock.exec('begin exclusive'))
  } catch (error) {
    lock.close()
    const isTaken = error instanceof StoreError && error.code?.startsWith('SQLITE_BUSY') === true
    if (!isTaken) throw error
    throw new StoreError(
      `The database ${path} is in use by another monbot: stop that one first, or set DATABASE_URL to a file of its own.`,
      error.code,
    )
  }
  return { release: () => lock.close() }
}

/** Two names of one file, by way of links, are one lock. */
function lockPathOf(path: string): string {
  const file = existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path))
  return `${file}-lock`
}
