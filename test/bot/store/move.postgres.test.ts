/** From a file to a Postgres and back nothing changes, and whoever uses either is left in peace. */
import SQLite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../../src/bot/config/secret.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { openSharedMemory } from '../../../src/bot/store/postgres/shared-memory.ts'
import { realClock } from '../../../src/shared/clock.ts'
import { rowsIn } from '../../support/full-database.ts'
import { keptJournal } from '../../support/journal.ts'
import { contentOf, type MovingWorld, moved, movingWorld, refusalOf } from '../../support/moving.ts'
import { openTcpGate } from '../../support/tcp-gate.ts'

const world = () => movingWorld(onTestFinished)
type Database = Awaited<ReturnType<MovingWorld['database']>>

/** A bot on it. */
function aBot(database: Database, name: string) {
  const memory = openSharedMemory({
    url: database.url,
    connections: 2,
    holder: `${name}-1`,
    name,
    ownUrl: '',
    reachesSlack: () => true,
    clock: realClock,
    logger: keptJournal(),
    onDeposed: () => undefined,
  })
  onTestFinished(memory.close)
  return memory
}

const forever = new AbortController().signal

test('everything is there on the Postgres, in the order in which it was written, and back in a file', async () => {
  const here = await world()
  const { postgres, file } = here
  const from = await here.fullFile(2_001)
  const before = rowsIn(from.path)
  const database = await here.database()
  const address = `127.0.0.1:${postgres.port}/${database.name}`
  await moved(from, database)
  expect(await refusalOf(from)).toContain(`was moved to ${address} on `)
  expect(await refusalOf(database)).toBeNull()
  // What is written next follows all of it.
  const [next] = await postgres.query(
    `insert into cards (card_id, kind, channel, created_ms, state, wanted, shown, moved, not_before_ms, attempts, plain, tidies)
      values ('next', 'alert', 'C1', 0, 'wanted', 1, 0, 1, 0, 0, 0, 0)
      returning seq > (select max(seq) from cards) as "isLast", (select count(*)::int from cards) as count`,
    database.name,
  )
  expect(next).toEqual({ isLast: true, count: 2_001 })
  await postgres.query("delete from cards where card_id = 'next'", database.name)

  await moved(database, file('back.db'))
  expect(rowsIn(file('back.db').path)).toEqual(before)
  expect(await refusalOf(database)).toContain(`was moved to ${file('back.db').path} on `)
  expect(await refusalOf(file('back.db'))).toBeNull()
  await expect(moved(file('back.db'), database)).rejects.toThrow(
    `The database ${address} holds alerts already, and nothing is moved into one that was in use: name an empty one.`,
  )
  expect(await refusalOf(file('back.db'))).toBeNull()
})

test('names that are too long, and texts that no Postgres takes, arrive as they would from the API today', async () => {
  const here = await world()
  const from = await here.fullFile(3)
  const long = `${'h'.repeat(499)}🚨${'h'.repeat(3_000)}`
  const cut = `${'h'.repeat(499)}\ufffd`
  const sqlite = new SQLite(from.path)
  sqlite.prepare('update alerts set hostname = ?, plugin = ?, metric = ?').run(long, long, long)
  sqlite
    .prepare("update alerts set title = ?, details = ?, closed_ms = 1.5 where alert_id = 'alerts 0'")
    .run('a\0b', '{"trouble":"\\u0000\\ud800\\\\u0000","labels":{}}')
  sqlite.prepare("update notes set text = ? where note_id = 'notes 0'").run('\\u0000 \0')
  sqlite.prepare("update mutes set subject = ? where mute_id = 'mutes 0'").run(long)
  sqlite.close()
  const database = await here.database()
  await moved(from, database)
  const { alerts = [], notes = [], mutes = [] } = await contentOf(database, here)
  expect(alerts).toHaveLength(3)
  for (const alert of alerts) expect(alert).toMatchObject({ hostname: cut, plugin: cut, metric: cut })
  expect(alerts).toContainEqual(
    expect.objectContaining({
      title: 'a\ufffdb',
      details: '{"trouble":"\ufffd\ufffd\\\\u0000","labels":{}}',
      closed_ms: 2,
    }),
  )
  expect(notes).toContainEqual(expect.objectContaining({ note_id: 'notes 0', text: '\\u0000 \ufffd' }))
  expect(mutes).toContainEqual(expect.objectContaining({ mute_id: 'mutes 0', subject: cut }))
})

test('what no column of a Postgres can hold ends the move in a sentence, and nothing is moved', async () => {
  const here = await world()
  const from = await here.fullFile(3)
  new SQLite(from.path).exec('update cards set wanted = 3000000000').close()
  const database = await here.database()
  await expect(moved(from, database)).rejects.toThrow(
    / does not take the cards \(22003\): nothing was moved\.$/,
  )
  expect([await refusalOf(from), await refusalOf(database)]).toEqual([null, null])
})

test('a Postgres that a bot leads on, or stands by on, is neither filled nor emptied', async () => {
  const here = await world()
  const { postgres } = here
  const database = await here.database()
  const from = await here.fullFile(3)
  const leader = aBot(database, 'bot-a')
  await leader.lead(forever)
  const inUse = `The Postgres at 127.0.0.1:${postgres.port}/${database.name} is in use: bot-a leads. Stop that first.`
  const told: string[] = []
  const onWait = (address: string) => void told.push(address)
  const both = [moved(from, database, { onWait }), moved(database, here.file('to.db'))]
  for (const refused of await Promise.allSettled(both)) {
    expect(refused).toMatchObject({ reason: { name: 'StoreError', message: inUse } })
  }
  expect(told).toEqual([`127.0.0.1:${postgres.port}/${database.name}`])
  expect([await refusalOf(from), await refusalOf(database)]).toEqual([null, null])
  expect(leader.state()).toMatchObject({ role: 'leads' })

  // Whoever led was killed, and whoever stands by will follow.
  await leader.close()
  await postgres.query("update leader set holder = 'killed', free = false", database.name)
  const standby = aBot(database, 'bot-b')
  const leads = standby.lead(forever)
  await expect.poll(() => postgres.query('select 1 from presence', database.name)).toHaveLength(1)
  await expect(moved(from, database)).rejects.toThrow('is in use: bot-b stands by. Stop that first.')
  await postgres.query('update leader set free = true', database.name)
  expect(await leads).not.toBeNull()
})

test.each<[string, (database: Database, here: MovingWorld) => unknown, RegExp]>([
  [
    'holds one row',
    async (database, { file, postgres }) => {
      await (await openStore(file('empty.db').path)).close()
      await moved(file('empty.db'), database)
      await postgres.query("insert into homes values ('U1', 1)", database.name)
    },
    /^The database 127.*_\d+ holds homes already, and nothing is moved into one that was in use: name an empty one\.$/,
  ],
  [
    'has tables of another program',
    ({ name }, { postgres }) => postgres.query('create table alerts (title text)', name),
    /^The Postgres at 127.*_\d+ is used by another program: name another database\.$/,
  ],
  [
    'has migrations of another program',
    async ({ name }, { postgres }) => {
      await postgres.query('create table kysely_migration (name text)', name)
      await postgres.query("insert into kysely_migration values ('2020_songs')", name)
    },
    /^The Postgres at 127.*_\d+ is used by another program: name another database\.$/,
  ],
  [
    'is of a newer version',
    async (database, here) => {
      await moved(await here.fullFile(1), database)
      await here.postgres.query("insert into kysely_migration values ('9999_more', '')", database.name)
    },
    /^The Postgres at 127.*_\d+ is of a newer version of monbot \(9999_more\): move it with that version\.$/,
  ],
  [
    'would lose what is written',
    ({ name }, { postgres }) => postgres.query(`alter database ${name} set synchronous_commit = off`),
    /^The Postgres at 127.*_\d+ would lose what is written in a power cut: set synchronous_commit = on\.$/,
  ],
  [
    'is not there',
    ({ name }, { postgres }) => postgres.query(`drop database ${name}`),
    /^Postgres at 127.*_\d+ has no database of that name: create it, encoded as UTF8, and run this again \(3D000: .*\)\.$/,
  ],
])('a Postgres that %s is refused as a target, and nothing is marked', async (_, make, why) => {
  const here = await world()
  const database = await here.database()
  await make(database, here)
  const from = here.file('from.db')
  await (await openStore(from.path)).close()
  await expect(moved(from, database)).rejects.toThrow(why)
  expect(await refusalOf(from)).toBeNull()
})

test('a Postgres without a memory, and both the same, are refused as they stand', async () => {
  const here = await world()
  const database = await here.database()
  await expect(moved(database, here.file('to.db'))).rejects.toThrow(
    / holds no memory of monbot: name another/,
  )
  expect(
    await here.postgres.query('select 1 from pg_tables where schemaname = current_schema()', database.name),
  ).toEqual([])
  const again = {
    ...database,
    url: new Secret(`${database.url.reveal().replace('postgres:monbot', 'other:monbot')}`),
  }
  await expect(moved(database, again)).rejects.toThrow('Both are the same database')
  const file = await here.fullFile(1)
  await expect(moved(file, file)).rejects.toThrow('Both are the same database')
})

test('no bot starts on a Postgres that is being moved, and none that stood by leads there afterwards', async () => {
  const here = await world()
  const from = await here.fullFile(50)
  const database = await here.database()
  const started: Promise<unknown>[] = []
  await moved(from, database, {
    onStep: (step) => {
      if (step.kind !== 'target marked') return
      const bot = aBot(database, 'bot-a')
      started.push(bot.lead(forever).catch((error: Error) => error.message))
    },
  })
  expect(await Promise.all(started)).toEqual([expect.stringContaining('is being filled from')])

  // It began to stand by before the move, and looks only afterwards.
  await here.postgres.query(
    "update leader set holder = 'bot-z', free = false, beat = beat + 1",
    database.name,
  )
  const standby = aBot(database, 'bot-b')
  const led = standby.lead(forever).catch((error: Error) => error.message)
  await expect.poll(() => standby.state().leader).toMatchObject({})
  const mark = JSON.stringify({ state: 'moved', moveId: 'm', other: '/there.db', atMs: 0 })
  await here.postgres.query(
    `insert into facts values ('move', '${mark}') on conflict (name) do update set value = excluded.value`,
    database.name,
  )
  await here.postgres.query('update leader set free = true', database.name)
  expect(await led).toContain('was moved to /there.db on 1970-01-01T00:00Z')
  expect(await here.postgres.query('select free from leader', database.name)).toEqual([{ free: true }])
})

test('two moves side by side: one is done, and the other is refused or waits its turn', async () => {
  const here = await world()
  const from = await here.fullFile(200)
  const other = here.file('other.db')
  await (await openStore(other.path)).close()
  new SQLite(other.path).exec("insert into homes values ('U1', 1)").close()
  const database = await here.database()
  const both = await Promise.allSettled([moved(from, database), moved(other, database)])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const [winner, loser] = both[0]?.status === 'fulfilled' ? [from, other] : [other, from]
  expect(await refusalOf(loser)).toBeNull()
  expect(await contentOf(database, here)).toEqual(rowsIn(winner.path))
})

const lost = ['before', 'source marked', 'target marked', 'copied alerts', 'copied facts', 'kept']

test.each(lost.flatMap((step) => [['to', step] as const, ['from', step] as const]))(
  '%s a Postgres, the answer to the COMMIT after "%s" is lost: it is moved all the same, once',
  async (way, step) => {
    const here = await world()
    const gate = await openTcpGate(here.postgres.port)
    onTestFinished(gate.close)
    const full = await here.fullFile(20)
    const direct = await here.database()
    const database = { ...direct, url: new Secret(here.postgres.url(direct.name, gate.port)) }
    if (way === 'from') await moved(full, database)
    const [from, to] = way === 'to' ? [full, database] : [database, here.file('to.db')]
    const lose = () => void gate.loseAnswerTo('commit')
    if (step === 'before') lose()
    const onStep: NonNullable<Parameters<typeof moved>[2]>['onStep'] = (done) => {
      if (step === ('table' in done ? `${done.kind} ${done.table}` : done.kind)) lose()
    }
    await moved(from, to, { onStep }).catch(async (error: Error) => {
      // Then it says so, and is run again.
      gate.open()
      expect(error.message).toMatch(/^(?:The database .* is being moved|Postgres at .* cannot be reached)/)
      await moved(from, to)
    })
    gate.open()
    expect(await refusalOf(from)).toContain('was moved to')
    expect(await contentOf(to, here)).toEqual(rowsIn(full.path))
  },
)
