/** Copies the database while the bot runs. */
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import SQLite from 'better-sqlite3'
import { keepMode } from '../../../shared/replace-database.ts'
import { translated } from './sqlite-file.ts'
import { StoreError, storeErrorOf } from './store-error.ts'

type BackedUp = { readonly bytes: number; readonly alerts: number; readonly mutes: number }

/** Every page in one step: a copy made in several begins again whenever the bot writes in between. */
const allPages = 2 ** 31 - 1

/**
 * Copies the database at `from` to the new file `to`, by SQLite's online backup, and checks the copy. Neither the bot nor what
 * it writes meanwhile has to wait. Throws a `StoreError`, and leaves no file, if there is no such database, if `to` exists, or if
 * the copy is not whole. It touches no file that is there already.
 */
export async function backUp(from: string, to: string): Promise<BackedUp> {
  if (!existsSync(from)) {
    throw new StoreError(`There is no database ${from}: set DATABASE_URL to the one that monbot uses.`)
  }
  let folder: string | null = null
  const remove = () => folder !== null && rmSync(folder, { recursive: true, force: true })
  // An aborted copy leaves nothing behind either.
  process.once('exit', remove)
  try {
    folder = folderBeside(to)
    // Under its own name only once it is whole.
    const copy = join(folder, 'copy.db')
    await copyPages(from, copy)
    const counts = checked(copy, from)
    keepMode(copy, from)
    // Made first, because renaming would overwrite what somebody else has put there meanwhile.
    closeSync(openSync(to, 'wx'))
    renameSync(copy, to)
    return { ...counts, bytes: statSync(to).size }
  } catch (error) {
    throw told(error, from, to)
  } finally {
    remove()
    process.off('exit', remove)
  }
}

/** Makes a folder that nobody else uses, on the disk of `to`. */
function folderBeside(to: string): string {
  const folder = dirname(resolve(to))
  if (!existsSync(folder)) throw new StoreError(`There is no folder ${dirname(to)} for the backup.`)
  // A link that leads nowhere is there as well.
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) {
    throw new StoreError(`The file ${to} is there already, and no backup is overwritten: give another name.`)
  }
  return mkdtempSync(join(folder, '.monbot-backup-'))
}

async function copyPages(from: string, copy: string): Promise<void> {
  const source = translated(from, () => new SQLite(from, { readonly: true }))
  try {
    // Only reading tells whether it is a database, and that nobody has locked it.
    translated(from, () => source.pragma('schema_version'))
    await source.backup(copy, { progress: () => allPages })
  } finally {
    source.close()
  }
}

function checked(path: string, from: string): Omit<BackedUp, 'bytes'> {
  const copy = new SQLite(path)
  try {
    // One file holds everything: nobody has to move a log along with it.
    copy.pragma('journal_mode = DELETE')
    if (copy.pragma('quick_check(1)', { simple: true }) !== 'ok') {
      throw new StoreError(`The database ${from} is damaged, and its copy was thrown away.`)
    }
    const count = (query: string) => Number(copy.prepare(`select count(*) from ${query}`).pluck().get())
    return { alerts: count('alerts'), mutes: count("mutes where state <> 'ended'") }
  } finally {
    copy.close()
  }
}

/** SQLite does not say of which file it speaks: what was read comes from the database, what cannot be written is the backup. */
function told(error: unknown, from: string, to: string): unknown {
  if (error instanceof StoreError) return error
  const code = error instanceof SQLite.SqliteError ? error.code : ''
  if (code === 'SQLITE_ERROR') {
    const why = error instanceof Error ? error.message : ''
    return new StoreError(
      `The file ${from} is no database of monbot (${why}): set DATABASE_URL to the one that monbot uses.`,
    )
  }
  const isRead = /^SQLITE_(?:CORRUPT|NOTADB|IOERR_(?:SHORT_)?READ)/.test(code)
  return (isRead ? storeErrorOf(error, from) : storeErrorOf(error, to, 'backup')) ?? error
}
