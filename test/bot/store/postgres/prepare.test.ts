/** A Postgres is looked at before it is trusted, and brought to this version by whoever comes first. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { afterAll, expect, test } from 'vitest'
import { MemoryAway } from '../../../../src/bot/domain/base/failure.ts'
import { makeFence } from '../../../../src/bot/store/postgres/fence-tables.ts'
import { openPostgresPool, type PostgresPool } from '../../../../src/bot/store/postgres/pool.ts'
import { preparePostgres } from '../../../../src/bot/store/postgres/prepare.ts'
import { realClock } from '../../../../src/shared/clock.ts'
import { isPgBouncerMissing, openPgBouncer } from '../../../support/pgbouncer.ts'
import { openPostgres, type Postgres, sharedPostgres } from '../../../support/postgres.ts'

const pools: PostgresPool[] = []
afterAll(async () => {
  for (const pool of pools) await pool.close()
})

function poolOn(url: string): PostgresPool {
  const pool = openPostgresPool(url, { clock: realClock, connections: 2 })
  pools.push(pool)
  return pool
}

/** A step that breaks older code, and one that only adds. */
const steps = {
  '0001_tables': { up: (db: Kysely<unknown>) => makeFence(db) },
  '0002_more': {
    up: async (db: Kysely<unknown>) => void (await sql`create table more (n bigint)`.execute(db)),
  },
}

const breaking = {
  ...steps,
  '0003_breaks': {
    up: async (db: Kysely<unknown>) => {
      await sql`update gate set code_min = 2`.execute(db)
      await sql`alter table more rename column n to m`.execute(db)
    },
  },
}

function migrateTo(migrations: object) {
  return async (db: Kysely<unknown>) => {
    await db.transaction().execute(async (tx) => {
      const provider = { getMigrations: async () => migrations as typeof steps }
      const { error } = await new Migrator({ db: tx, provider }).migrateToLatest()
      if (error !== undefined) throw error
    })
  }
}

const migrate = migrateTo(steps)

async function tablesOf(postgres: Postgres, database: string): Promise<string[]> {
  const rows = await postgres.query<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and ordinal_position = 1 order by 1`,
    database,
  )
  return rows.map(({ name }) => name)
}

test('three that start at once make the tables once, and later starts find them', async () => {
  const postgres = await sharedPostgres()
  const database = await postgres.create()
  const url = postgres.url(database)
  await Promise.all([1, 2, 3].map(() => preparePostgres(poolOn(url), { migrate })))
  const tables = [
    'gate',
    'kysely_migration',
    'kysely_migration_lock',
    'leader',
    'more',
    'presence',
    'writers',
  ]
  expect(await tablesOf(postgres, database)).toEqual(tables)
  await preparePostgres(poolOn(url), { migrate })
  expect(await postgres.query('select code_min, n from gate', database)).toEqual([{ code_min: 1, n: '0' }])
})

test.skipIf(isPgBouncerMissing)('two that start at once behind a pooler make them once too', async () => {
  const postgres = await sharedPostgres()
  const database = await postgres.create()
  const pooler = await openPgBouncer(postgres)
  await Promise.all([1, 2].map(() => preparePostgres(poolOn(pooler.url(database)), { migrate })))
  expect(await tablesOf(postgres, database)).toContain('more')
  await pooler.close()
})

test('a migration that fails leaves nothing behind', async () => {
  const postgres = await sharedPostgres()
  const database = await postgres.create()
  const fails = {
    ...steps,
    '0003_fails': { up: async (db: Kysely<unknown>) => void (await sql`nonsense`.execute(db)) },
  }
  const pool = poolOn(postgres.url(database))
  await expect(preparePostgres(pool, { migrate: migrateTo(fails) })).rejects.toThrow('syntax error')
  expect(await tablesOf(postgres, database)).toEqual([])
  await preparePostgres(pool, { migrate })
  expect(pool.counts()).toMatchObject({ open: 1, taken: 0 })
})

test('code that a migration left behind is told so in a sentence', async () => {
  const postgres = await sharedPostgres()
  const database = await postgres.create()
  const pool = poolOn(postgres.url(database))
  await preparePostgres(pool, { migrate })
  await preparePostgres(pool, { migrate: migrateTo(breaking), code: 2 })
  const late = preparePostgres(pool, { migrate: migrateTo(breaking), code: 1 })
  await expect(late).rejects.toMatchObject({ name: 'StoreError', isSetting: true })
  await expect(late).rejects.toThrow('used by a newer version of monbot now: start that version.')
})

test('a migration waits for a writer that is halfway, and says so if that takes long', async () => {
  const postgres = await sharedPostgres()
  const database = await postgres.create()
  const pool = poolOn(postgres.url(database))
  await preparePostgres(pool, { migrate })
  const link = await pool.take()
  await link.run('begin; update gate set n = n + 1')
  const next = migrateTo(breaking)
  await expect(preparePostgres(poolOn(postgres.url(database)), { migrate: next })).rejects.toThrow(MemoryAway)
  await link.run('commit')
  link.release()
  await preparePostgres(pool, { migrate: next })
})

test.each([
  ['encoding', `encoding 'SQL_ASCII'`, '', 'keeps its database as SQL_ASCII'],
  ['synchronous_commit', `encoding 'UTF8'`, 'set synchronous_commit = off', 'set synchronous_commit = on'],
  ['schema', `encoding 'UTF8'`, 'set search_path = nowhere', 'has no schema that monbot may use'],
])('a database with a wrong %s is refused', async (name, how, setting, words) => {
  const postgres = await sharedPostgres()
  const database = `wrong_${name}_${process.pid}`
  await postgres.query(`create database ${database} template template0 ${how}`)
  if (setting !== '') await postgres.query(`alter database ${database} ${setting}`)
  const refused = preparePostgres(poolOn(postgres.url(database)), { migrate })
  await expect(refused).rejects.toMatchObject({ name: 'StoreError', isSetting: true })
  await expect(refused).rejects.toThrow(words)
  expect(await tablesOf(postgres, database)).toEqual([])
})

test('a database with tables of another program is refused, and left as it is', async () => {
  const postgres = await sharedPostgres()
  for (const table of ['alerts', 'kysely_migration']) {
    const database = await postgres.create()
    await postgres.query(`create table ${table} (name text)`, database)
    const refused = preparePostgres(poolOn(postgres.url(database)))
    await expect(refused).rejects.toMatchObject({ name: 'StoreError', isSetting: true })
    await expect(refused).rejects.toThrow(`holds a table ${table} of another program`)
    expect(await tablesOf(postgres, database)).toEqual([table])
  }
})

test('a server that does not say whether it failed over is refused, with what to grant', async () => {
  const postgres = await sharedPostgres()
  const database = await postgres.create()
  await postgres.query(`create role kept_${process.pid} login`)
  await postgres.query('revoke execute on function pg_control_system() from public', database)
  const url = `postgres://kept_${process.pid}:x@127.0.0.1:${postgres.port}/${database}`
  await expect(preparePostgres(poolOn(url))).rejects.toThrow('grant it execute on pg_control_system()')
})

test('a server without fsync is refused, and so is a standby server', async () => {
  const postgres = await openPostgres({ settings: { fsync: 'off' } })
  const pool = poolOn(postgres.url('postgres'))
  await expect(preparePostgres(pool, { migrate })).rejects.toThrow('set fsync = on')
  await postgres.stop()
  const copy = mkdtempSync(join(tmpdir(), 'monbot-standby-'))
  cpSync(postgres.folder, copy, { recursive: true, preserveTimestamps: true })
  writeFileSync(join(copy, 'standby.signal'), '')
  const standby = await openPostgres({ from: copy })
  const refused = preparePostgres(poolOn(standby.url('postgres')), { migrate })
  await expect(refused).rejects.toMatchObject({ name: 'StoreError', isSetting: false })
  await expect(refused).rejects.toThrow('is a standby server, or still recovering')
  await standby.close()
  await postgres.close()
  rmSync(copy, { recursive: true })
})

test('a user without rights, a wrong user and a database that is not there are told in a sentence', async () => {
  const postgres = await sharedPostgres()
  const database = await postgres.create()
  await postgres.query(`create role weak_${process.pid} login`)
  const urlOf = (user: string, name: string) =>
    `postgres://${user}:very-secret@127.0.0.1:${postgres.port}/${name}`
  const weak = urlOf(`weak_${process.pid}`, database)
  const cases: [url: string, words: string][] = [
    [weak, 'does not let the user of DATABASE_URL do what monbot must'],
    [urlOf('nobody', database), 'refuses the user or the password of DATABASE_URL'],
    [urlOf('postgres', 'nowhere'), 'has no database of that name'],
  ]
  for (const [url, words] of cases) {
    const refused = preparePostgres(poolOn(url), { migrate })
    await expect(refused).rejects.toMatchObject({ name: 'StoreError', isSetting: true })
    await expect(refused).rejects.toThrow(words)
    await expect(refused).rejects.not.toThrow('very-secret')
  }
  await preparePostgres(poolOn(postgres.url(database)), { migrate })
  await expect(preparePostgres(poolOn(weak), { migrate })).rejects.toMatchObject({ code: '42501' })
})
