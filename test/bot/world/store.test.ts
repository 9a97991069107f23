/** One contract, held by both databases: rows that were written are there, and only one process leads. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { realClock } from '../../../src/bot/clock.ts'
import { silentLog } from '../../../src/bot/log.ts'
import { fill, journalOf } from '../../../src/bot/world/journal.ts'
import { openPool, openPostgres as openStore } from '../../../src/bot/world/postgres.ts'
import { openSqlite } from '../../../src/bot/world/sqlite.ts'
import {
  type Lease,
  LockedStore,
  LostLead,
  RefusedRows,
  type Row,
  type Store,
  UnfitStore,
  type Wait,
} from '../../../src/bot/world/store.ts'
import { World } from '../../../src/bot/world/world.ts'
import { openPostgres, type Postgres } from '../worlds/postgres.ts'

const leaseMs = 1500
let postgres: Postgres
const folder = mkdtempSync(join(tmpdir(), 'monbot-store-'))
const opened: Store[] = []

beforeAll(async () => {
  postgres = await openPostgres()
})
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()))
  await postgres.close()
  rmSync(folder, { recursive: true, force: true })
})

const newFile = () => join(mkdtempSync(join(folder, 'file-')), 'monbot.db')
function kept(store: Store): Store {
  opened.push(store)
  return store
}
const onPostgres = (url: string, clock = realClock) =>
  kept(openStore({ url, connections: 2, clock, leaseMs }))
const row = (id: string, fields: Partial<Row> = {}): Row => ({
  kind: 'acts',
  id,
  live: true,
  atMs: 0,
  doc: JSON.stringify({ id, ...fields }),
  ...fields,
})
async function lead(store: Store, onWait: (wait: Wait) => void = () => {}): Promise<Lease> {
  const lease = await store.lead('a', AbortSignal.timeout(60_000), onWait)
  if (lease === null) throw new Error('expected to lead within a minute')
  return lease
}
const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id)

describe.each([
  ['sqlite', async () => kept(openSqlite(newFile()))],
  ['postgres', async () => onPostgres(postgres.url(await postgres.create()))],
])('%s', (_kind, open) => {
  test('loads what is live, the last of each id, and deletes what has no document', async () => {
    const store = await open()
    const lease = await lead(store)
    await lease.write([row('a'), row('b'), row('c')])
    await lease.write([row('a', { doc: '{"id":"a","value":2}' }), row('b', { doc: null })])
    await lease.write([row('c', { live: false, atMs: 5 })])
    const doc = '{"id":"a","value":2}'
    expect(await store.load()).toEqual([{ kind: 'acts', id: 'a', live: true, atMs: 0, doc }])
  })

  test('finds the past, the newest first, and prunes only what ended earlier', async () => {
    const store = await open()
    const lease = await lead(store)
    const past = [1000, 2000, 3000].map((atMs) => row(`at-${atMs}`, { live: false, atMs }))
    await lease.write([...past, row('live'), row('other', { kind: 'posts', live: false, atMs: 2000 })])
    expect(idsOf(await store.past('acts', 1000, 3000, 10))).toEqual(['at-2000', 'at-1000'])
    expect(idsOf(await store.past('acts', 0, 9999, 1))).toEqual(['at-3000'])
    await store.prune('acts', 2000)
    expect(idsOf(await store.past('acts', 0, 9999, 10))).toEqual(['at-3000', 'at-2000'])
    expect(idsOf(await store.load())).toEqual(['live'])
  })

  test('writes nothing of a batch in which one row is refused', async () => {
    const store = await open()
    const lease = await lead(store)
    const poison = row('poison', { kind: null as never })
    await expect(lease.write([row('good'), poison])).rejects.toThrow(RefusedRows)
    expect(await store.load()).toEqual([])
    await lease.write([row('good')])
    expect(idsOf(await store.load())).toEqual(['good'])
  })

  test('takes every text that a record may hold', async () => {
    const store = await open()
    const world = new World()
    const journal = journalOf({ world, lease: await lead(store), clock: realClock, log: silentLog })
    world.listen(journal.add)
    const ids = ['nul \0', `long ${'x'.repeat(3000)}`, 'half \ud800', '🚨 "quoted" \\ {a,NULL}', 'NULL', '']
    for (const id of ids) world.put('facts', { id, value: `${id} '; drop table records; --` })
    await journal.cleared()
    const again = new World()
    fill(again, await store.load())
    expect([...again.facts.keys()].toSorted()).toEqual(ids.toSorted())
    expect(again.facts.get('nul \0')?.value).toBe("nul \0 '; drop table records; --")
  })

  test('writes a batch of thousands whole', async () => {
    const store = await open()
    const lease = await lead(store)
    await lease.write(Array.from({ length: 3000 }, (_, n) => row(`${n}`)))
    expect(await store.load()).toHaveLength(3000)
  })
})

describe('a file', () => {
  test('refuses a second process in a sentence, and lets a backup read', async () => {
    const path = newFile()
    const first = kept(openSqlite(path))
    await (await lead(first)).write([row('a')])
    await expect(lead(openSqlite(path))).rejects.toThrow(`The database ${path} is in use by another monbot`)
    const reader = new SQLite(path, { readonly: true })
    expect(reader.prepare('select count(*) from records').pluck().get()).toBe(1)
    reader.close()
    await first.close()
    await lead(kept(openSqlite(path)))
  })

  const made = (sql: string) => (path: string) => {
    const db = new SQLite(path)
    db.exec(sql)
    db.close()
  }
  test.each([
    ['another program', UnfitStore, made('create table songs (title)'), 'of another program'],
    ['an old monbot', UnfitStore, made('create table kysely_migration (name)'), 'of another program'],
    [
      'a newer monbot',
      UnfitStore,
      made('create table a (b); pragma application_id = 0x6d6f6e62; pragma user_version = 2'),
      'of another version of monbot',
    ],
    [
      'no database',
      LockedStore,
      (path: string) => writeFileSync(path, 'x'.repeat(5000)),
      'file is not a database',
    ],
    ['damaged', LockedStore, damage, 'Bring a backup back'],
  ])('%s is refused in a sentence', async (_case, Kind, prepare, sentence) => {
    const path = newFile()
    prepare(path)
    const failure = await lead(kept(openSqlite(path))).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Kind)
    expect(String(failure)).toContain(sentence)
  })

  function damage(path: string): void {
    made('create table records (a); create index i on records (a)')(path)
    const bytes = readFileSync(path)
    bytes.fill(0xff, 4096, 8000)
    writeFileSync(path, bytes)
    const db = new SQLite(path)
    db.pragma('application_id = 0x6d6f6e62')
    db.pragma('user_version = 1')
    db.close()
    chmodSync(path, 0o644)
  }

  test('survives a power cut with what was answered: synchronous stays FULL', async () => {
    const path = newFile()
    const first = kept(openSqlite(path))
    await lead(first)
    await first.close()
    const again = kept(openSqlite(path))
    // A file that is in WAL mode already opens with NORMAL; `write` itself throws then.
    await expect((await lead(again)).write([row('a')])).resolves.toBeUndefined()
  })
})

/** The clock of a process that is stopped: its waits never end. */
function freezable() {
  const { promise: never } = Promise.withResolvers<void>()
  let isFrozen = false
  const wait = async (ms: number, signal?: AbortSignal) => {
    await realClock.wait(ms, signal)
    if (isFrozen && !signal?.aborted) await never
  }
  const freeze = () => {
    isFrozen = true
  }
  return { ...realClock, wait, freeze }
}

describe('a Postgres', () => {
  test('lets one lead; the other hears who, and takes over at once when the lead is freed', async () => {
    const url = postgres.url(await postgres.create())
    const first = await lead(onPostgres(url))
    const waits: Wait[] = []
    const second = lead(onPostgres(url), (wait) => waits.push(wait))
    await expect.poll(() => waits).toContainEqual({ leader: 'a' })
    await first.free()
    await second
  })

  test('keeps out a leader that was frozen and deposed: it writes nothing, and hears that it lost', async () => {
    const url = postgres.url(await postgres.create())
    const clock = freezable()
    const store = onPostgres(url, clock)
    const frozen = await lead(store)
    await frozen.write([row('a', { doc: '{"id":"a","by":"frozen"}' })])
    clock.freeze()
    const next = await lead(onPostgres(url))
    expect(frozen.isFresh()).toBe(false)
    await next.write([row('a', { doc: '{"id":"a","by":"next"}' })])
    await expect(frozen.write([row('a', { doc: '{"id":"a","by":"late"}' }), row('b')])).rejects.toThrow(
      LostLead,
    )
    await frozen.lost
    expect((await store.load()).map(({ doc }) => doc)).toEqual(['{"id":"a","by":"next"}'])
  })

  test.each([
    ['wall', 'a suspended machine stops the other'],
    ['steady', 'a person sets the other'],
  ])('counts the age of the lease by the %s clock: %s', async (which) => {
    let aheadMs = 0
    const clock = {
      ...realClock,
      nowMs: () => realClock.nowMs() + (which === 'wall' ? aheadMs : 0),
      steadyMs: () => realClock.steadyMs() + (which === 'steady' ? aheadMs : 0),
    }
    const lease = await lead(onPostgres(postgres.url(await postgres.create()), clock))
    expect(lease.isFresh()).toBe(true)
    aheadMs = leaseMs
    expect(lease.isFresh()).toBe(false)
  })

  test('refuses an earlier batch that arrives after a later one', async () => {
    const name = await postgres.create()
    const store = onPostgres(postgres.url(name))
    const lease = await lead(store)
    await postgres.query('update leader set batch = 100', name)
    await expect(lease.write([row('early')])).rejects.toThrow(LostLead)
    expect(await store.load()).toEqual([])
  })

  test('has the last word of a record though the answer to a commit was lost', async () => {
    const store = onPostgres(postgres.url(await postgres.create()))
    const { world, journal } = await living(store, (lease) => {
      let isFirst = true
      return {
        ...lease,
        write: async (rows) => {
          await lease.write(rows)
          if (!isFirst) return
          isFirst = false
          world.put('facts', { id: 'a', value: 'newer' })
          throw new Error('connection reset')
        },
      }
    })
    world.put('facts', { id: 'a', value: 'older' })
    await journal.cleared()
    expect((await store.load()).map(({ doc }) => doc)).toEqual(['{"id":"a","value":"newer"}'])
  })

  test('is waited for while it is away, and leads on with the same term', async () => {
    const own = await openPostgres()
    const store = onPostgres(own.url(await own.create()))
    const { world, journal, lease } = await living(store)
    world.put('facts', { id: 'a', value: 1 })
    await journal.cleared()
    // One whose connection dies under it would end the process, if nobody listened.
    const pool = openPool(own.url('postgres'), 1, () => false)
    const asleep = pool.ask('select pg_sleep(3600)').catch(String)
    const isUnderWay = "select from pg_stat_activity where query = 'select pg_sleep(3600)'"
    await expect.poll(async () => (await own.query(isUnderWay)).length).toBe(1)
    await own.stop('SIGKILL')
    expect(await asleep).toContain('terminated')
    world.put('facts', { id: 'b', value: 2 })
    const cleared = journal.cleared()
    await expect.poll(() => journal.awaySinceMs()).not.toBeNull()
    await expect.poll(() => lease.isFresh()).toBe(false)
    const waits: Wait[] = []
    const standby = lead(onPostgres(own.url('monbot_none')), (wait) => waits.push(wait)).catch(String)
    await expect.poll(() => waits.map((wait) => 'away' in wait)).toContain(true)
    await own.start()
    await cleared
    expect(idsOf(await store.load())).toEqual(['a', 'b'])
    expect(lease.isFresh()).toBe(true)
    expect(await standby).toContain('does not exist')
    await own.close()
  })

  test.each([
    ['the last batches', 'update leader set batch = 1'],
    ['that we took the lead', "update leader set batch = 900, term = term - 1, holder = 'another'"],
  ])('gets every live record again after a failover that forgot %s', async (_what, forget) => {
    const name = await postgres.create()
    const store = onPostgres(postgres.url(name))
    const { world, journal, lease } = await living(store)
    for (const id of ['a', 'b', 'c']) {
      world.put('facts', { id, value: 1 })
      await journal.cleared()
    }
    await postgres.query(`delete from records; ${forget}`, name)
    world.put('facts', { id: 'd', value: 1 })
    await expect.poll(async () => idsOf(await store.load()).toSorted()).toEqual(['a', 'b', 'c', 'd'])
    expect(lease.isFresh()).toBe(true)
  })

  const named = async (encoding?: string) => postgres.url(await postgres.create(encoding))
  const holding = async (sql: string) => {
    const name = await postgres.create()
    await postgres.query(sql, name)
    return postgres.url(name)
  }
  test.each([
    ['another encoding', () => named('SQL_ASCII'), 'create a database with encoding UTF8'],
    ['an unknown user', async () => (await named()).replace('postgres:test@', 'bob:hush@'), 'does not exist'],
    ['an unknown database', async () => postgres.url('nowhere'), 'does not exist'],
    ['no TLS', async () => (await named()).replace('disable', 'require'), 'does not support SSL'],
    [
      'an old monbot',
      () => holding('create table kysely_migration (name text)'),
      'another program or version',
    ],
    ['another program', () => holding('create table leader (name text)'), 'another program'],
    ['not durable', forgetful, 'power cut'],
    [
      'no certificate',
      async () => `${await named()}&sslrootcert=/none.pem`,
      'a readable file as sslrootcert',
    ],
  ])('is refused in a sentence: %s', async (_case, url, sentence) => {
    const at = await url()
    const failure = await Promise.resolve()
      .then(() => lead(onPostgres(at)))
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UnfitStore)
    expect(String(failure)).toContain(sentence)
    expect(String(failure)).not.toContain('hush')
  })

  async function forgetful(): Promise<string> {
    const name = await postgres.create()
    await postgres.query(`alter database ${name} set synchronous_commit = off`)
    return postgres.url(name)
  }

  async function living(store: Store, around: (lease: Lease) => Lease = (lease) => lease) {
    const world = new World()
    const lease = await lead(store)
    const journal = journalOf({ world, lease: around(lease), clock: realClock, log: silentLog })
    world.listen(journal.add)
    return { world, journal, lease }
  }
})
