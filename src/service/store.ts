/** The file of the service: one SQLite database, or one in memory. Whoever has a table makes it with `create table if not exists`. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { Refusal } from './source.ts'

export type Db = Database.Database

const format = 'monbot-service 2'

/** Throws a sentence for a file of another program or version, or one that another service uses. `isAlone` false: beside a service. */
export function openStore(file: string | null, isAlone = true): Db {
  if (file !== null) mkdirSync(dirname(file), { recursive: true })
  const lock = file === null || !isAlone ? null : lockOf(file)
  const db = new Database(file ?? ':memory:')
  try {
    db.pragma('busy_timeout = 2000')
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    const { n } = db.prepare("select count(*) n from sqlite_master where type = 'table'").get() as {
      n: number
    }
    db.exec('create table if not exists meta (name text primary key, value text not null) strict')
    const known = metaOf(db, 'format')
    if (n > 0 && known !== format)
      throw new Error(
        `MONITOR_FILE: expected a file of this service (${format}); came ${known ?? 'another one'}`,
      )
    if (known === null) setMeta(db, 'format', format)
  } catch (error) {
    db.close()
    lock?.close()
    throw error
  }
  if (lock !== null) locks.set(db, lock)
  return db
}

export function closeStore(db: Db): void {
  db.close()
  locks.get(db)?.close()
}

const locks = new WeakMap<Db, Db>()

/** A transaction on a file beside it, held as long as the process lives: the system ends it with the process. */
function lockOf(file: string): Db {
  const lock = new Database(`${file}-lock`, { timeout: 0 })
  try {
    lock.exec('begin exclusive')
    return lock
  } catch {
    lock.close()
    throw new Error(`MONITOR_FILE: expected a file that no other service uses; ${file} is in use`)
  }
}

export function metaOf(db: Db, name: string): string | null {
  const row = db.prepare('select value from meta where name = ?').get(name) as { value: string } | undefined
  return row?.value ?? null
}

export function setMeta(db: Db, name: string, value: string): void {
  const put = 'insert into meta values (?, ?) on conflict do update set value = excluded.value'
  db.prepare(put).run(name, value)
}

/** A map that is also a table of documents: small things that a person changes. */
export type Shelf<T> = {
  all(): ReadonlyMap<string, T>
  get(id: string): T | undefined
  put(id: string, value: T): void
  remove(id: string): void
}

export function openShelf<T>(db: Db, table: string, rowsMax: number): Shelf<T> {
  db.exec(
    `create table if not exists ${table} (id text primary key, doc text not null) strict, without rowid`,
  )
  const rows = db.prepare(`select id, doc from ${table}`).all() as { id: string; doc: string }[]
  const map = new Map(rows.map(({ id, doc }) => [id, JSON.parse(doc) as T]))
  const write = db.prepare(`insert into ${table} values (?, ?) on conflict do update set doc = excluded.doc`)
  const erase = db.prepare(`delete from ${table} where id = ?`)
  return {
    all: () => map,
    get: (id) => map.get(id),
    put(id, value) {
      if (!map.has(id) && map.size >= rowsMax)
        throw new Refusal(422, `expected at most ${rowsMax} ${table}; there are that many`)
      write.run(id, JSON.stringify(value))
      map.set(id, value)
    },
    remove(id) {
      erase.run(id)
      map.delete(id)
    },
  }
}
