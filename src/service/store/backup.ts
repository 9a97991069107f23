/** Copies the service's file while it is in use. Loads a native module: check the Node version first. */
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
import Database from 'better-sqlite3'
import { keepMode } from '../../shared/replace-database.ts'
import { LedgerError, ledgerErrorOf } from './ledger-error.ts'
import { openReadOnly } from './read-ledger.ts'

/** Every page in one step: a copy made in several begins again whenever the service writes in between. */
const allPages = 2 ** 31 - 1

export type BackedUp = { readonly bytes: number; readonly alerts: number; readonly silences: number }

/**
 * Copies the file at `from` to the new file `to`, by SQLite's online backup, and checks the copy; neither the service nor what it
 * writes has to wait. Throws a `LedgerError`, and leaves no file, if `from` is no file of the service, if `to` exists, or if the
 * copy is not whole.
 */
export async function backUp(from: string, to: string): Promise<BackedUp> {
  const folder = dirname(resolve(to))
  if (!existsSync(folder)) throw new LedgerError(`There is no folder ${dirname(to)} for the backup.`)
  // A link that leads nowhere is there as well.
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined)
    throw new LedgerError(`The file ${to} is there already, and no backup is overwritten: give another name.`)
  let own: string | null = null
  const remove = (): void => {
    if (own !== null) rmSync(own, { recursive: true, force: true })
  }
  // An aborted copy leaves nothing behind either.
  process.once('exit', remove)
  try {
    own = mkdtempSync(join(folder, '.monbot-backup-'))
    // Under its own name only once it is whole.
    const copy = join(own, 'copy.db')
    await copyPages(from, copy)
    const counts = checked(copy, from)
    keepMode(copy, from)
    // Made first, because renaming would overwrite what somebody else has put there meanwhile.
    closeSync(openSync(to, 'wx'))
    renameSync(copy, to)
    return { ...counts, bytes: statSync(to).size }
  } catch (error) {
    throw ledgerErrorOf(error, isOfReading(error) ? from : to) ?? error
  } finally {
    remove()
    process.off('exit', remove)
  }
}

async function copyPages(from: string, copy: string): Promise<void> {
  const source = openReadOnly(from)
  try {
    await source.backup(copy, { progress: () => allPages })
  } finally {
    source.close()
  }
}

function checked(path: string, from: string): Omit<BackedUp, 'bytes'> {
  const copy = new Database(path)
  try {
    // One file holds everything: nobody has to move a log along with it.
    copy.pragma('journal_mode = DELETE')
    if (copy.pragma('quick_check(1)', { simple: true }) !== 'ok')
      throw new LedgerError(`The file ${from} is damaged, and its copy was thrown away.`)
    const count = copy.prepare('SELECT count(*) FROM documents WHERE kind = ?').pluck()
    return { alerts: Number(count.get('alert')), silences: Number(count.get('silence')) }
  } finally {
    copy.close()
  }
}

/** SQLite does not say of which file it speaks: what was read is the service's, what cannot be written is the backup. */
function isOfReading(error: unknown): boolean {
  const code = error instanceof Database.SqliteError ? error.code : ''
  return /^SQLITE_(?:CORRUPT|NOTADB|BUSY|IOERR_(?:SHORT_)?READ)/.test(code)
}
