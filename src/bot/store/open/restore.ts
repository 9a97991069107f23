/** Brings a backup back: the database that it replaces is kept beside it. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { replaceDatabase } from '../../../shared/replace-database.ts'
import { inspectDatabase } from './inspect.ts'
import { holdForBot } from './one-process.ts'
import { StoreError, storeErrorOf } from './store-error.ts'

export type Restored = {
  readonly alerts: number
  /** Migrations that the next start runs on it. */
  readonly waiting: number
  /** Where the replaced database is now; null if there was none. */
  readonly aside: string | null
}

/**
 * `stamp`: part of a name that tells when. Throws a `StoreError`, with nothing changed, if the backup is damaged, of a newer version or
 * none of monbot's, or if a bot uses the database at `target`.
 */
export async function restore(backup: string, target: string, stamp: string): Promise<Restored> {
  if (statSync(backup, { throwIfNoEntry: false })?.isFile() !== true)
    throw new StoreError(`There is no file ${backup}: name a file that monbot's backup has made.`)
  if (existsSync(target) && realpathSync(target) === realpathSync(backup))
    throw new StoreError(`The backup ${backup} is the database itself: name another file.`)
  await inspected(backup, backup)
  const held = holdForBot(target)
  try {
    let found = { alerts: 0, waiting: 0 }
    const check = async (copy: string) => {
      found = await inspected(copy, backup)
    }
    const aside = await replaceDatabase(backup, target, { check, stamp })
    return { ...found, aside }
  } catch (error) {
    throw error instanceof StoreError ? error : (storeErrorOf(error, target) ?? error)
  } finally {
    held.release()
  }
}

/** `name`: what it is called in sentences. */
async function inspected(path: string, name: string) {
  try {
    const { migrations, alerts, waiting } = await inspectDatabase(path)
    if (migrations > 0) return { alerts, waiting }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw new StoreError(
      `The backup ${name} cannot be used, and nothing was changed. ${error.message.replaceAll(path, name)}`,
    )
  }
  throw new StoreError(`The file ${name} is no backup of monbot, and nothing was changed.`)
}
