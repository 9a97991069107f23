/**
 * One process per database: two would post every alert twice. It uses SQLite's own lock on a file beside the database, so
 * that the system releases it however the process dies, and nobody ever has to clean up.
 */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import SQLite from 'better-sqlite3'
import { keepMode } from '../../../shared/replace-database.ts'
import { makeFolder, translated } from './sqlite-file.ts'
import { StoreError } from './store-error.ts'

/** A process that was just killed may need a moment to disappear. */
const waitMs = 1_000

export type Held = {
  /** Throws a `StoreError` if the lock is lost: another process may take the file then. */
  assertHeld(): void
  release(): void
}

/** Throws a `StoreError` if another process has it. The folder of `path` must exist. */
export function holdAlone(path: string): Held {
  if (path === ':memory:') return { assertHeld: () => undefined, release: () => undefined }
  const file = lockPathOf(path)
  const lock = translated(file, () => new SQLite(file, { timeout: waitMs }))
  try {
    translated(file, () => {
      lock.exec('begin exclusive')
      // SQLite takes no exclusive lock on a read-only file, and does not say so; a write fails. It is never committed.
      lock.pragma('user_version = 1')
    })
  } catch (error) {
    lock.close()
    const isTaken = error instanceof StoreError && error.code?.startsWith('SQLITE_BUSY') === true
    if (!isTaken) throw error
    throw new StoreError(
      `The database ${path} is in use by another monbot: stop that one first, or set DATABASE_URL to a file of its own.`,
      error.code,
    )
  }
  const opened = inodeOf(file)
  return {
    assertHeld: () => {
      // A file that is deleted or replaced while open stays locked, but no longer keeps anybody out.
      if (inodeOf(file) === opened) return
      throw new StoreError(
        `The file ${file} was removed while monbot runs, and without it another monbot could use the database as well: leave it where it is, and start monbot again.`,
      )
    },
    release: () => lock.close(),
  }
}

/** As `holdAlone`, for a command that root may run: the folders and the lock that it makes are for the bot's user to take. */
export function holdForBot(path: string): Held {
  const first = makeFolder(path)
  if (first !== undefined) translated(path, () => keepOwner(realpathSync(first), realpathSync(dirname(path))))
  const file = lockPathOf(path)
  const isNew = !existsSync(file)
  const held = holdAlone(path)
  try {
    if (isNew) translated(file, () => keepMode(file, existsSync(path) ? path : dirname(file)))
    return held
  } catch (error) {
    held.release()
    throw error
  }
}

/** Gives the folders from `first` to `last` below it to whom the one around them belongs. */
function keepOwner(first: string, last: string): void {
  for (let made = last; `${made}/`.startsWith(`${first}/`); made = dirname(made))
    keepMode(made, dirname(first))
}

/** Does a process have it now? Changes nothing. */
export function isHeld(path: string): boolean {
  const file = lockPathOf(path)
  if (!existsSync(file)) return false
  const lock = translated(file, () => new SQLite(file, { readonly: true, timeout: 0 }))
  try {
    lock.prepare('select 1 from sqlite_master').get()
    return false
  } catch (error) {
    if (error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return true
    throw error
  } finally {
    lock.close()
  }
}

/** Two names of one file, through links, are one lock. */
function lockPathOf(path: string): string {
  const file = existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path))
  return `${file}-lock`
}

function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null
}
