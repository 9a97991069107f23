/** Writers on a real Postgres take turns, prove their term, and write all or nothing. */
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { Deposed } from '../../../../src/bot/domain/base/failure.ts'
import { sharedPostgres } from '../../../support/postgres.ts'
import { type Bot, fencedDatabase, keptIn, lead, leading, openBot } from '../../../support/postgres-memory.ts'

const bots: Bot[] = []
afterAll(async () => {
  for (const bot of bots) await bot.close()
})

async function world() {
  const postgres = await sharedPostgres()
  const database = await fencedDatabase(postgres)
  const bot = openBot(postgres.url(database))
  bots.push(bot)
  return { postgres, database, ...bot, kept: () => keptIn(postgres, database) }
}

test('what is written is read again, with numbers as numbers', async () => {
  const { db, kept } = await world()
  await db
    .insertInto('kept')
    .values({ id: 'a', n: 2 ** 52 })
    .execute()
  const rows = await db.selectFrom('kept').selectAll().execute()
  expect(rows).toEqual([{ id: 'a', n: 2 ** 52 }])
  const sum = await db
    .selectFrom('kept')
    .select((eb) => eb.fn.sum('n').as('sum'))
    .executeTakeFirst()
  expect(sum).toEqual({ sum: 2 ** 52 })
  const changed = await db.updateTable('kept').set({ n: 1 }).where('id', '=', 'a').executeTakeFirst()
  expect(changed.numUpdatedRows).toBe(1n)
  expect(await kept()).toEqual(['a=1'])
})

test('60 commits at once take turns, without a deadlock', async () => {
  const { db, pool, kept } = await world()
  const ids = Array.from({ length: 10 }, (_, id) => String(id))
  await db
    .insertInto('kept')
    .values(ids.map((id) => ({ id, n: 0 })))
    .execute()
  const commits = Array.from({ length: 60 }, (_, turn) =>
    db.transaction().execute(async (tx) => {
      // Each in an order of its own: without turns they would lock each other out.
      for (const id of ids.toSorted((a, b) => ((+a * 7 + turn) % 10) - ((+b * 7 + turn) % 10))) {
        await tx
          .updateTable('kept')
          .set((eb) => ({ n: eb('n', '+', 1) }))
          .where('id', '=', id)
          .execute()
      }
    }),
  )
  await Promise.all(commits)
  expect(await kept()).toEqual(ids.map((id) => `${id}=60`))
  expect(pool.counts()).toMatchObject({ taken: 0, waiting: 0 })
})

test('a deposed writer writes nothing by any path, and is told once', async () => {
  const { db, pool, told, kept, postgres, database } = await world()
  await db.insertInto('kept').values({ id: 'a', n: 1 }).execute()
  await lead(postgres, database, { holder: 'holder-b', term: 4 })
  const paths = [
    () => db.transaction().execute((tx) => tx.updateTable('kept').set({ n: 2 }).execute()),
    () => db.insertInto('kept').values({ id: 'b', n: 1 }).execute(),
    () => db.updateTable('kept').set({ n: 2 }).execute(),
    () => db.deleteFrom('kept').execute(),
    () => db.deleteFrom('kept').returningAll().execute(),
    () => sql`delete from kept`.execute(db),
    () => sql`with gone as (delete from kept returning id) select id from gone`.execute(db),
    () => sql`/* sweeping */ delete from kept`.execute(db),
    () => sql`truncate kept`.execute(db),
  ]
  for (const path of paths) await expect(path()).rejects.toThrow(Deposed)
  expect(await kept()).toEqual(['a=1'])
  expect(told).toEqual(['deposed'])
  // Reading is harmless.
  expect(await db.selectFrom('kept').selectAll().execute()).toHaveLength(1)
  expect(pool.counts()).toMatchObject({ taken: 0, waiting: 0 })
})

test('the same process in a later term is not the one that was proven', async () => {
  const { db, kept, postgres, database } = await world()
  await lead(postgres, database, { ...leading, term: leading.term + 1 })
  await expect(db.insertInto('kept').values({ id: 'a', n: 1 }).execute()).rejects.toThrow(Deposed)
  expect(await kept()).toEqual([])
})

test('whoever takes the lead waits for a commit under way, and whoever renews it does not', async () => {
  const { db, kept, postgres, database } = await world()
  let isTaken = false
  const taken = await db.transaction().execute(async (tx) => {
    await tx.insertInto('kept').values({ id: 'a', n: 1 }).execute()
    await postgres.query('update leader set beat = beat + 1', database)
    const taking = lead(postgres, database, { holder: 'holder-b', term: 4 }).then(() => {
      isTaken = true
    })
    const waits =
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'update leader%'"
    await expect.poll(() => postgres.query(waits, database)).toHaveLength(1)
    // The term is still the one that was proven.
    await tx.insertInto('kept').values({ id: 'b', n: 1 }).execute()
    expect(isTaken).toBe(false)
    return { taking }
  })
  await taken.taking
  expect(await kept()).toEqual(['a=1', 'b=1'])
  await expect(db.insertInto('kept').values({ id: 'c', n: 1 }).execute()).rejects.toThrow(Deposed)
  expect(await kept()).toEqual(['a=1', 'b=1'])
})

test('a late note of a deposed process needs no term, and takes turns with the leader', async () => {
  const { db, kept, postgres, database } = await world()
  const deposed = openBot(postgres.url(database), { proof: null })
  bots.push(deposed)
  await db
    .insertInto('kept')
    .values(['a', 'b'].map((id) => ({ id, n: 0 })))
    .execute()
  const add = (by: Bot['db'], ids: string[]) =>
    by.transaction().execute(async (tx) => {
      for (const id of ids) {
        await tx
          .updateTable('kept')
          .set((eb) => ({ n: eb('n', '+', 1) }))
          .where('id', '=', id)
          .execute()
      }
    })
  const work = Array.from({ length: 20 }, () => [add(db, ['a', 'b']), add(deposed.db, ['b', 'a'])])
  await Promise.all(work.flat())
  expect(await kept()).toEqual(['a=40', 'b=40'])
})

test('a standby writes nothing', async () => {
  const { kept, postgres, database } = await world()
  const standby = openBot(postgres.url(database), { proof: () => null })
  bots.push(standby)
  await expect(standby.db.insertInto('kept').values({ id: 'a', n: 1 }).execute()).rejects.toThrow('A standby')
  expect(await standby.db.selectFrom('kept').selectAll().execute()).toEqual([])
  expect(await kept()).toEqual([])
})

test('a transaction that reads sees one moment, and passes no gate', async () => {
  const { db, postgres, database } = await world()
  await db.insertInto('kept').values({ id: 'a', n: 1 }).execute()
  const n = async () => (await postgres.query<{ n: string }>('select n from gate', database))[0]?.n
  const before = await n()
  const seen = await db
    .transaction()
    .setAccessMode('read only')
    .execute(async (tx) => {
      const first = await tx.selectFrom('kept').selectAll().execute()
      await postgres.query("insert into kept values ('b', 1)", database)
      return [first.length, (await tx.selectFrom('kept').selectAll().execute()).length]
    })
  expect(seen).toEqual([1, 1])
  expect(await n()).toBe(before)
})

test('code that a migration left behind writes nothing, and is told why', async () => {
  const { db, kept, postgres, database } = await world()
  await db.insertInto('kept').values({ id: 'a', n: 1 }).execute()
  await postgres.query('update gate set code_min = 1000', database)
  const late = db.insertInto('kept').values({ id: 'b', n: 1 }).execute()
  await expect(late).rejects.toThrow('used by a newer version of monbot now: start that version.')
  await expect(late).rejects.toMatchObject({ name: 'StoreError', isSetting: true })
  expect(await kept()).toEqual(['a=1'])
})
