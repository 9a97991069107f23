/**
 * Copies the database while a bot runs, and brings a copy back while none does. What people did since the copy is gone then, so the
 * next start forgets every mute and says so: a server that nobody remembers having muted must not stay silent.
 */
import { existsSync, realpathSync, renameSync, rmSync } from 'node:fs'
import SQLite from 'better-sqlite3'
import type { Config } from '../config/settings.ts'
import { assertOurs, inSentences, lockBeside } from '../world/sqlite.ts'
import { LockedStore, UnfitStore } from '../world/store.ts'

export type Copied = { readonly alerts: number; readonly mutes: number }
type Database = Config['database']

const pgDump =
  'A Postgres is copied and brought back by its own pg_dump and pg_restore: see docs/operating.md.'

/** Copies to a new file, and checks the copy. Throws an `UnfitStore` or a `LockedStore`. */
export function backup(database: Database, file: string): Copied {
  const path = pathOf(database)
  if (!existsSync(path))
    throw new UnfitStore(`There is no database ${path}: DATABASE_URL names what is copied.`)
  if (existsSync(file))
    throw new UnfitStore(
      `The file ${file} is there already, and no backup is overwritten: give another name.`,
    )
  // A copy that is half made, as after a kill, must not look like a whole one.
  const partial = `${file}.partial`
  return inSentences(path, () => {
    const counts = copyTo(partial, path, null)
    renameSync(partial, file)
    return counts
  })
}

/** Puts a backup in the place of the database, which is kept as `aside`. Throws as above. */
export function restore(
  file: string,
  database: Database,
  nowMs: number,
): Copied & { readonly aside: string | null } {
  const path = pathOf(database)
  if (!existsSync(file)) throw new UnfitStore(`There is no file ${file}: name one that a backup has made.`)
  const isThere = existsSync(path)
  if (isThere && realpathSync(path) === realpathSync(file))
    throw new UnfitStore(`The file ${file} is the database itself: name a backup.`)
  const lock = inSentences(path, () => lockBeside(path))
  try {
    const partial = `${path}.partial`
    const counts = inSentences(file, () => copyTo(partial, file, nowMs))
    const aside = `${path}-replaced-${new Date(nowMs).toISOString().replace(/\.\d+|[-:]/g, '')}`
    // Its log would be read into whatever stands in its place.
    for (const end of ['', '-wal', '-shm']) if (existsSync(path + end)) renameSync(path + end, aside + end)
    renameSync(partial, path)
    return { ...counts, aside: isThere ? aside : null }
  } finally {
    lock.close()
  }
}

function pathOf(database: Database): string {
  if (database.kind === 'postgres') throw new UnfitStore(pgDump)
  return database.path
}

/** Whole, and ours, or it throws. `restoredMs`: marks it as brought back, for the next start. */
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
  }
}
