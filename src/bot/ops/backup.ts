/**
 * Copies the database while a bot runs, and brings a copy back while none does. What people did since the copy is gone then, so the
 * next start forgets every mute and says so: a server that nobody remembers having muted must not stay silent.
 */
import { existsSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import SQLite from 'better-sqlite3'
import type { Config } from '../config/settings.ts'
import { want } from '../decide/want.ts'
import { doubt } from '../loops/settle.ts'
import { tellAnew } from '../loops/switches.ts'
import { kinds } from '../world/journal.ts'
import { assertOurs, inSentences, lockBeside } from '../world/sqlite.ts'
import { type Lease, LockedStore, type Row, type Store, UnfitStore, type Wait } from '../world/store.ts'
import type { World } from '../world/world.ts'

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
  const source = new SQLite(from, { readonly: true })
  try {
    assertOurs(source, from)
    begin(to)
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

/** Of what SQLite cannot write it would blame the database. */
function begin(file: string): void {
  try {
    writeFileSync(file, '')
  } catch (error) {
    throw new UnfitStore(`The copy can't be written: ${(error as Error).message}`)
  }
}

const rowsAtOnce = 1000
/** A bot that leads on a Postgres and was killed is waited for; one that runs goes on longer. */
const leadWithinMs = 30_000

/** `name` stands in sentences about the target. How many rows were copied. Throws an `UnfitStore` or a `LockedStore`. */
export async function copy(from: Store, to: Store, name: string): Promise<number> {
  const leases: Lease[] = []
  try {
    for (const store of [from, to]) leases.push(await leadOn(store))
    if ((await rowsIn(to)).length > 0)
      throw new UnfitStore(`${name} holds something already: copy into an empty database.`)
    const rows = await rowsIn(from)
    for (let at = 0; at < rows.length; at += rowsAtOnce)
      await leases[1]?.write(rows.slice(at, at + rowsAtOnce))
    return rows.length
  } finally {
    for (const lease of leases) await lease.free()
  }
}

async function leadOn(store: Store): Promise<Lease> {
  let last: Wait | null = null
  const lease = await store.lead('copy', AbortSignal.timeout(leadWithinMs), (wait) => {
    last = wait
  })
  if (lease !== null) return lease
  throw new LockedStore(sentenceOf(last))
}

function sentenceOf(wait: Wait | null): string {
  if (wait !== null && 'away' in wait) return `${wait.away}.`
  return `A bot leads on the Postgres (${wait?.leader ?? 'unknown'}): stop every bot on both databases first.`
}

async function rowsIn(store: Store): Promise<Row[]> {
  const rows = await store.load()
  for (const kind of kinds)
    rows.push(...(await store.past(kind, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 2 ** 31 - 1)))
  return rows
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
    for (const id of new Set(switches)) tellAnew({ world, nowMs }, id)
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
