/**
 * Copies the database while a bot runs, and brings a copy back while none does. What people did since the copy is gone then, so the
 * next start forgets every mute and says so: a server that nobody remembers having muted must not stay silent.
 */
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import SQLite from 'better-sqlite3'
import { day } from '../clock.ts'
import type { Config } from '../config/settings.ts'
import { assertOurs, lockBeside, told } from '../world/sqlite.ts'
import { LockedStore, UnfitStore } from '../world/store.ts'

export type Copied = { readonly alerts: number; readonly mutes: number }
type Database = Config['database']

const pgDump =
  'A Postgres is copied and brought back by its own pg_dump and pg_restore: see docs/operating.md.'

/** Copies to a new file, and checks the copy. Throws an `UnfitStore` or a `LockedStore`; a file that is half made is `….partial`. */
export function backup(database: Database, file: string): Copied {
  const path = pathOf(database)
  if (!existsSync(path))
    throw new UnfitStore(`There is no database ${path}: DATABASE_URL names what is copied.`)
  const into = dirname(resolve(file))
  if (!existsSync(into)) throw new UnfitStore(`There is no folder ${into} for the backup.`)
  if (existsSync(file))
    throw new UnfitStore(
      `The file ${file} is there already, and no backup is overwritten: give another name.`,
    )
  return told(path, () => {
    const partial = `${file}.partial`
    const counts = copyTo(partial, path, null)
    own(partial, path, null)
    // Made first, since renaming would overwrite what somebody else has put there meanwhile.
    closeSync(openSync(file, 'wx'))
    renameSync(partial, file)
    return counts
  })
}

/** The file of this time in a folder that a timer fills: `monbot-2026-11-25T03-00-07Z.db`. */
export function datedFile(folder: string, nowMs: number): string {
  return join(folder, `monbot-${new Date(nowMs).toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`)
}

/**
 * Removes what was so named over `keepDays` ago, and answers how many. To be called once the new one is whole: what cannot be copied
 * any more must not lose its last copies. A copy that was taken into use has other files beside it, and stays.
 */
export function removeOld(folder: string, keepDays: number, nowMs: number): number {
  const names = readdirSync(folder)
  const old = names.filter((name) => {
    const [, date, time = ''] =
      /^monbot-(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)Z\.db(?:\.partial)?$/.exec(name) ?? []
    const isOld = Date.parse(`${date}T${time.replaceAll('-', ':')}Z`) < nowMs - keepDays * day
    return isOld && !['-lock', '-wal', '-shm'].some((end) => names.includes(name + end))
  })
  for (const name of old) rmSync(join(folder, name), { force: true })
  return old.length
}

export type Restored = Copied & {
  /** Where the database is now that was replaced; null if there was none. */
  readonly aside: string | null
}

/** Puts a backup in the place of the database, which is kept beside it; a kill at any moment leaves one of the two. Throws as above. */
export function restore(file: string, database: Database, nowMs: number): Restored {
  const path = pathOf(database)
  if (!existsSync(file)) throw new UnfitStore(`There is no file ${file}: name one that a backup has made.`)
  const isThere = existsSync(path)
  if (isThere && realpathSync(path) === realpathSync(file))
    throw new UnfitStore(`The file ${file} is the database itself: name a backup.`)
  const lock = told(path, () => lockBeside(path))
  try {
    return told(file, () => {
      const partial = `${path}.partial`
      const counts = copyTo(partial, file, nowMs)
      // Root may run this: the lock is then for the bot's user to take.
      for (const made of [partial, lock.name])
        own(made, isThere ? path : dirname(resolve(path)), isThere ? null : 0o600)
      const stamp = new Date(nowMs).toISOString().replace(/\.\d+|[-:]/g, '')
      const aside = isThere ? `${path}-replaced-${stamp}` : null
      if (aside !== null) setAside(path, aside)
      renameSync(partial, path)
      toDisk(dirname(resolve(path)))
      return { ...counts, aside }
    })
  } finally {
    lock.close()
  }
}

function pathOf(database: Database): string {
  if (database.kind === 'postgres') throw new UnfitStore(pgDump)
  return database.path
}

/** Whole, and ours: else it throws. `restoredMs`: marks it as brought back, for the next start. */
function copyTo(to: string, from: string, restoredMs: number | null): Copied {
  rmSync(to, { force: true })
  const source = new SQLite(from, { readonly: true })
  try {
    assertOurs(source, from)
    source.prepare('vacuum into ?').run(to)
  } finally {
    source.close()
  }
  const copy = new SQLite(to)
  try {
    if (copy.pragma('quick_check(1)', { simple: true }) !== 'ok')
      throw new LockedStore(`The database ${from} is damaged.`)
    if (restoredMs !== null)
      copy
        .prepare(
          `insert or replace into records (kind, id, live, at_ms, doc) values ('facts', 'restored', 1, 0, ?)`,
        )
        .run(JSON.stringify({ id: 'restored', value: { atMs: restoredMs } }))
    const count = (kind: string) =>
      Number(copy.prepare('select count(*) from records where live and kind = ?').pluck().get(kind))
    return { alerts: count('alerts'), mutes: count('mutes') }
  } finally {
    copy.close()
    toDisk(to)
  }
}

/** Gives a file the owner of another one, where root runs this, and its permissions or those that are given. */
function own(path: string, like: string, given: number | null): void {
  const { mode, uid, gid } = statSync(like)
  chmodSync(path, given ?? mode & 0o777)
  if (process.getuid?.() === 0) chownSync(path, uid, gid)
}

/** The file itself stays in its place: a link to it is made. Its log, which would be read into the one that replaces it, goes into it. */
function setAside(path: string, aside: string): void {
  try {
    const old = new SQLite(path)
    old.pragma('journal_mode = DELETE')
    old.close()
  } catch {
    // It is damaged: what is left of its log goes along.
  }
  linkSync(path, aside)
  for (const end of ['-wal', '-shm']) if (existsSync(path + end)) renameSync(path + end, aside + end)
}

function toDisk(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
