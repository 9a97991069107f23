/** Brings a backup of the service's file back: the file that it replaces is kept beside it. Loads a native module: check the Node version first. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { keepMode, replaceDatabase } from '../../shared/replace-database.ts'
import { refuseForeign } from './disk.ts'
import { holdAlone } from './hold-alone.ts'
import { LedgerError, ledgerErrorOf } from './ledger-error.ts'
import { openReadOnly } from './read-ledger.ts'

const busyMs = 1_000

export type Restored = {
  readonly alerts: number
  readonly silences: number
  /** Where the replaced file is now; null if there was none. */
  readonly aside: string | null
}

/** Throws a `LedgerError`, with nothing changed, if the backup is damaged, newer, or none of the service, or if a service uses the file at `target`. */
export async function restore(backup: string, target: string, stamp: string): Promise<Restored> {
  if (statSync(backup, { throwIfNoEntry: false })?.isFile() !== true)
    throw new LedgerError(`There is no file ${backup}: name a file that the service's backup has made.`)
  if (existsSync(target) && realpathSync(target) === realpathSync(backup))
    throw new LedgerError(`The backup ${backup} is the service's file itself: name another file.`)
  counted(backup, backup)
  const isThere = existsSync(target)
  let held: { release(): void } | null = null
  try {
    if (isThere) {
      const lock = `${realpathSync(target)}-lock`
      const hadLock = existsSync(lock)
      held = holdAlone(target, busyMs)
      // Made by root, nobody else could take it.
      if (!hadLock) keepMode(lock, target)
    }
    let found = { alerts: 0, silences: 0 }
    const check = async (copy: string) => {
      found = counted(copy, backup)
    }
    const aside = await replaceDatabase(backup, target, { check, stamp })
    return { ...found, aside }
  } catch (error) {
    throw ledgerErrorOf(error, target) ?? error
  } finally {
    held?.release()
  }
}

/** `name`: what it is called in sentences. */
function counted(path: string, name: string) {
  try {
    const db = openReadOnly(path)
    try {
      if (db.pragma('quick_check(1)', { simple: true }) !== 'ok')
        throw new LedgerError(`The file ${path} is damaged.`)
      refuseForeign(db, path)
      const count = db.prepare('SELECT count(*) FROM documents WHERE kind = ?').pluck()
      return { alerts: Number(count.get('alert')), silences: Number(count.get('silence')) }
    } finally {
      db.close()
    }
  } catch (error) {
    const told = error instanceof Database.SqliteError ? ledgerErrorOf(error, path) : error
    if (!(told instanceof LedgerError)) throw error
    throw new LedgerError(
      `The backup ${name} cannot be used, and nothing was changed. ${told.message.replaceAll(path, name)}`,
    )
  }
}
