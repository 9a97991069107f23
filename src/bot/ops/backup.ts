/**
 * Copies the database while a bot runs, and brings a copy back while none does. What people did since the copy is gone then, so the
 * next start forgets every mute and says so: a server that nobody remembers having muted must not stay silent.
 */
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import SQLite from 'better-sqlite3'
import type { Config } from '../config/settings.ts'
import { want } from '../decide/new-post.ts'
import { doubt } from '../loops/settle.ts'
import { assertOurs, lockBeside, sentenceOf, told } from '../world/sqlite.ts'
import { LockedStore, UnfitStore } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { keepMode, replaceDatabase } from './replace-database.ts'

export type Copied = { readonly alerts: number; readonly mutes: number }
type Database = Config['database']

const pgDump =
  'A Postgres is copied and brought back by its own pg_dump and pg_restore: see docs/operating.md.'
/** Every page in one step: a copy made in several begins again whenever the bot writes in between. */
const allPages = 2 ** 31 - 1

/** Copies to a new file, and checks the copy. Throws an `UnfitStore` or a `LockedStore`, and leaves no file then. */
export async function backup(database: Database, file: string): Promise<Copied> {
  const path = pathOf(database)
  if (!existsSync(path))
    throw new UnfitStore(`There is no database ${path}: DATABASE_URL names what is copied.`)
  const into = dirname(resolve(file))
  if (!existsSync(into)) throw new UnfitStore(`There is no folder ${into} for the backup.`)
  // A link that leads nowhere is there as well.
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    throw new UnfitStore(
      `The file ${file} is there already, and no backup is overwritten: give another name.`,
    )
  const folder = told(file, () => mkdtempSync(join(into, '.monbot-backup-')))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // A copy that is broken off by a signal leaves nothing behind either.
  process.once('exit', remove)
  try {
    const copy = join(folder, 'copy.db')
    const source = new SQLite(path, { readonly: true })
    try {
      assertOurs(source, path)
      await source.backup(copy, { progress: () => allPages })
    } finally {
      source.close()
    }
    const counts = examined(copy, path)
    keepMode(copy, path)
    // Made first, since renaming would overwrite what somebody else has put there meanwhile.
    closeSync(openSync(file, 'wx'))
    renameSync(copy, file)
    return counts
  } catch (error) {
    throw sentenceOf(error, path)
  } finally {
    remove()
    process.off('exit', remove)
  }
}

export type Restored = Copied & {
  /** Where the database is now that was replaced; null if there was none. */
  readonly aside: string | null
}

/** Puts a backup in the place of the database, which is kept beside it. Throws as `backup` does, with nothing changed then. */
export async function restore(file: string, database: Database, nowMs: number): Promise<Restored> {
  const path = pathOf(database)
  if (!existsSync(file)) throw new UnfitStore(`There is no file ${file}: name one that a backup has made.`)
  if (existsSync(path) && realpathSync(path) === realpathSync(file))
    throw new UnfitStore(`The file ${file} is the database itself: name a backup.`)
  const lock = told(path, () => lockBeside(path))
  try {
    // Root may run this: the lock is then for the bot's user to take.
    keepMode(lock.name, existsSync(path) ? path : dirname(lock.name))
    let counts: Copied = { alerts: 0, mutes: 0 }
    const check = async (copy: string) => {
      counts = examined(copy, file)
      mark(copy, nowMs)
    }
    const stamp = new Date(nowMs).toISOString().replace(/\.\d+|[-:]/g, '')
    const aside = await replaceDatabase(file, path, { check, stamp })
    return { ...counts, aside }
  } catch (error) {
    throw sentenceOf(error, file)
  } finally {
    lock.close()
  }
}

/**
 * What a start does first on a backup that was brought back, and only then: it ends every mute, tells the monitoring to notify of
 * everything that it knows, looks for what may have been posted since, and lists quietly what is open now. A Postgres that was brought
 * back by its own tools has the mark where a person wrote it (docs/operating.md).
 */
export function afterRestore(world: World, nowMs: number, channel: string | null): boolean {
  if (world.fact('restored') === undefined) return false
  world.decide(() => {
    const switches = [
      'account',
      ...[...hostsOf(world)].map((host) => `server:${host}`),
      ...world.switches.keys(),
    ]
    for (const { id } of [...world.activeMutes.values()])
      world.patch('mutes', id, { ended: { atMs: nowMs, by: 'restore' } })
    for (const id of new Set(switches)) {
      const told = { id, told: 'unknown', telling: null, tries: 0, dueMs: nowMs, repeatsMs: [] } as const
      world.put('switches', { ...told, missingMs: null, why: null })
    }
    for (const post of world.posts.values()) {
      if (post.state === 'new') doubt(world, post, nowMs)
      // It may have been edited since.
      else if (post.state === 'live' && !post.isShownClosed)
        world.patch('posts', post.id, { shownHash: null })
    }
    // Without it the next poll is a first one: a quiet list, which calls nobody.
    world.remove('facts', 'polled', 'gone')
    world.remove('facts', 'restored', 'gone')
    const id = world.nextId(nowMs)
    const text = 'every mute has ended, and what people did since that backup is gone'
    const act = { id, atMs: nowMs, by: 'monbot', kind: 'restore', subject: 'the database' } as const
    world.put('acts', { ...act, outcome: 'done', data: { text } })
    if (channel !== null)
      want(world, nowMs, {
        id: `said:${id}:${channel}`,
        kind: 'said',
        channel,
        data: { act: id },
        isLoud: true,
      })
  })
  return true
}

/** Every server that it has heard of. */
function hostsOf(world: World): Set<string> {
  const listed = Object.values(world.fact('roles')?.servers ?? {}).flat()
  const muted = [...world.mutes.values()].flatMap(({ subject }) => subject.match(/^server:(.*)$/)?.[1] ?? [])
  return new Set([...[...world.alerts.values()].map(({ host }) => host), ...listed, ...muted])
}

function pathOf(database: Database): string {
  if (database.kind === 'postgres') throw new UnfitStore(pgDump)
  return database.path
}

/** Whole, and ours: else nothing is done with it. `name`: what it is called in sentences. */
function examined(copy: string, name: string): Copied {
  const db = new SQLite(copy, { fileMustExist: true })
  try {
    assertOurs(db, name)
    // One file holds everything: nobody has to move a log along with it.
    db.pragma('journal_mode = DELETE')
    if (db.pragma('quick_check(1)', { simple: true }) !== 'ok')
      throw new LockedStore(`The database ${name} is damaged.`)
    const count = (kind: string) =>
      Number(db.prepare('select count(*) from records where live and kind = ?').pluck().get(kind))
    return { alerts: count('alerts'), mutes: count('mutes') }
  } finally {
    db.close()
  }
}

function mark(copy: string, nowMs: number): void {
  const db = new SQLite(copy)
  const doc = JSON.stringify({ id: 'restored', value: { atMs: nowMs } })
  db.prepare(
    `insert or replace into records (kind, id, live, at_ms, doc) values ('facts', 'restored', 1, 0, ?)`,
  ).run(doc)
  db.close()
}
