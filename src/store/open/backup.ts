/** A copy of the database while the bot runs. */
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'
import { translated } from './sqlite-file.ts'
import { StoreError } from './store-error.ts'

type BackedUp = { readonly bytes: number; readonly alerts: number; readonly mutes: number }

/** Every page in one step: a copy made in several begins again whenever the bot writes in between. */
const allPages = 2 ** 31 - 1

/**
 * Copies the database at `from` to the new file `to`, by SQLite's online backup, and checks the copy. Neither the bot nor what
 * it writes meanwhile has to wait. Throws a `StoreError`, and leaves no file, if there is no such database, if `to` exists, or if
 * the copy is not whole.
 */
export async function backUp(from: string, to: string): Promise<BackedUp> {
  if (!existsSync(from)) {
    throw new StoreError(`There is no database ${from}: set DATABASE_URL to the one that monbot uses.`)
  }
  if (!existsSync(dirname(to))) throw new StoreError(`There is no folder ${dirname(to)} for the backup.`)
  if (existsSync(to)) {
    throw new StoreError(`The file ${to} is there already, and no backup is overwritten: give another name.`)
  }
  // Under its own name only once it is whole.
  const part = `${to}.part`
  rmSync(part, { force: true })
  try {
    const source = translated(from, () => new SQLite(from, { readonly: true }))
    try {
      await source.backup(part, { progress: () => allPages })
    } finally {
      source.close()
    }
    const counts = checked(part, from)
    renameSync(part, to)
    return { ...counts, bytes: statSync(to).size }
  } catch (error) {
    for (const file of [part, `${part}-wal`, `${part}-shm`]) rmSync(file, { force: true })
    throw error instanceof StoreError
      ? error
      : translated(to, () => {
          throw error
        })
  }
}

function checked(part: string, from: string): Omit<BackedUp, 'bytes'> {
  return translated(part, () => {
    const copy = new SQLite(part)
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
  })
}
