/** What becomes of writers when Postgres, or the way to it, fails at the worst moment. */
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { Deposed, MemoryAway } from '../../../../src/bot/domain/base/failure.ts'
import { forgottenTimeline } from '../../../../src/bot/store/postgres/gate.ts'
import { patienceMs } from '../../../support/patience.ts'
import { isPgBouncerMissing, openPgBouncer } from '../../../support/pgbouncer.ts'
import { openPostgres, type Postgres, sharedPostgres } from '../../../support/postgres.ts'
import { type Bot, fencedDatabase, keptIn, lead, openBot } from '../../../support/postgres-memory.ts'
import { openTcpGate, type TcpGate } from '../../../support/tcp-gate.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

type World = Bot & {
  postgres: Postgres
  database: string
  gate: TcpGate
  kept(): Promise<string[]>
  /** From now on its network leads to another server. */
  turn(to: Postgres): void
}

/** A bot that reaches its Postgres through a gate. */
async function world(given?: Postgres, parts: { answerMs?: number } = {}): Promise<World> {
  const postgres = given ?? (await sharedPostgres())
  const name = await fencedDatabase(postgres)
  let { port } = postgres
  const gate = await openTcpGate(() => port)
  const bot = openBot(postgres.url(name, gate.port), parts)
  closing.push(gate.close, bot.close)
  const turn = (to: Postgres) => {
    port = to.port
    gate.cut()
    gate.open()
  }
  return {
    turn,
    ...bot,
    postgres,
    database: name,
    gate,
    kept: () => keptIn(postgres, name),
  }
}

async function ownPostgres(settings: Record<string, string | number> = {}): Promise<Postgres> {
  const postgres = await openPostgres({ settings })
  closing.push(postgres.close)
  return postgres
}

const put = ({ db }: Bot, id: string, n = 1) => db.insertInto('kept').values({ id, n }).execute()

/** A transaction of two rows, with something in between. */
function putTwo({ db }: Bot, between: () => unknown = () => undefined): Promise<void> {
  return db.transaction().execute(async (tx) => {
    await tx.insertInto('kept').values({ id: 'x', n: 1 }).execute()
    await between()
    await tx.insertInto('kept').values({ id: 'y', n: 1 }).execute()
  })
}

/** What it was told in the end: work waits and tries again, for as long as it takes. */
async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  const untilMs = Date.now() + patienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof MemoryAway) || Date.now() > untilMs) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

const nothingWritten = { name: 'MemoryAway', mayBeWritten: false }
const mayBeWritten = { name: 'MemoryAway', mayBeWritten: true }
const atRest = { taken: 0, waiting: 0 }

test('the answer to COMMIT is lost, and it was written: it counts as written, once', async () => {
  const bot = await world()
  await put(bot, 'a')
  const lost = bot.gate.loseAnswerTo('commit\0')
  await putTwo(bot)
  await lost
  expect(await bot.kept()).toEqual(['a=1', 'x=1', 'y=1'])
  const again = bot.gate.loseAnswerTo('commit\0')
  await put(bot, 'b')
  await again
  expect(await bot.kept()).toEqual(['a=1', 'b=1', 'x=1', 'y=1'])
  expect(bot.pool.counts()).toMatchObject(atRest)
})

test('COMMIT is lost on its way: nothing is written, and a single write is done again', async () => {
  const bot = await world()
  await put(bot, 'a')
  const { take } = bot.pool
  /** The next COMMIT meets a network that is cut. */
  const loseCommit = () => {
    let isCut = false
    const cutting = async () => {
      const link = await take()
      const run: typeof link.run = (text, ...rest) => {
        if (text === 'commit' && !isCut) {
          isCut = true
          bot.gate.cut()
          bot.gate.open()
        }
        return link.run(text, ...rest)
      }
      return { ...link, run }
    }
    Object.assign(bot.pool, { take: cutting })
  }
  loseCommit()
  await bot.db
    .updateTable('kept')
    .set((eb) => ({ n: eb('n', '+', 1) }))
    .execute()
  expect(await bot.kept()).toEqual(['a=2'])
  loseCommit()
  await expect(putTwo(bot)).rejects.toMatchObject(nothingWritten)
  expect(await bot.kept()).toEqual(['a=2'])
  await putTwo(bot)
  expect(await bot.kept()).toEqual(['a=2', 'x=1', 'y=1'])
  expect(bot.pool.counts()).toMatchObject(atRest)
})

test('nobody can say what became of a commit: that is said, and later writers go on', async () => {
  const bot = await world(undefined, { answerMs: 5_000 })
  await put(bot, 'a')
  const done = putTwo(bot, () => {
    void bot.gate.loseAnswerTo('commit\0').then(() => bot.gate.cut())
  })
  await expect(done).rejects.toMatchObject(mayBeWritten)
  bot.gate.open()
  await untilDone(() => put(bot, 'b'))
  expect(await bot.kept()).toEqual(['a=1', 'b=1', 'x=1', 'y=1'])
  expect(bot.told).toEqual(['away', 'back'])
})

test('the answer is lost while another process takes the lead: written counts, unwritten is deposed', async () => {
  const bot = await world()
  await put(bot, 'a')
  const taken = bot.gate
    .loseAnswerTo('commit\0')
    .then(() => lead(bot.postgres, bot.database, { holder: 'holder-b', term: 4 }))
  await putTwo(bot)
  await taken
  await expect(put(bot, 'b')).rejects.toThrow(Deposed)
  expect(await bot.kept()).toEqual(['a=1', 'x=1', 'y=1'])
})

test('a connection cut within a transaction: nothing is written, and the next one is', async () => {
  const bot = await world()
  const cut = () => {
    bot.gate.cut()
    bot.gate.open()
  }
  await expect(putTwo(bot, cut)).rejects.toMatchObject(nothingWritten)
  expect(await bot.kept()).toEqual([])
  await putTwo(bot)
  expect(await bot.kept()).toEqual(['x=1', 'y=1'])
  expect(bot.pool.counts()).toMatchObject(atRest)
})

test('all connections are terminated: idle ones cost nobody anything, one in use its transaction', async () => {
  const bot = await world()
  await put(bot, 'a')
  await Promise.all(Array.from({ length: 6 }, () => bot.db.selectFrom('kept').selectAll().execute()))
  const terminate = () =>
    bot.postgres.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${bot.database}' and pid <> pg_backend_pid()`,
    )
  await terminate()
  await put(bot, 'b')
  await terminate()
  expect(await bot.db.selectFrom('kept').selectAll().execute()).toHaveLength(2)
  await expect(putTwo(bot, terminate)).rejects.toMatchObject(nothingWritten)
  expect(await bot.kept()).toEqual(['a=1', 'b=1'])
  await putTwo(bot)
  expect(bot.told).toEqual([])
  expect(bot.pool.counts()).toMatchObject(atRest)
})

test('transactions that break leave no connection behind, neither here nor at the server', async () => {
  const bot = await world()
  const cut = () => {
    bot.gate.cut()
    bot.gate.open()
  }
  const work = Array.from({ length: 60 }, async (_, turn) => {
    if (turn % 3 === 0) return putTwo(bot, cut)
    if (turn % 3 === 1) return put(bot, 'same')
    return bot.db.selectFrom('kept').selectAll().execute()
  })
  await Promise.allSettled(work)
  expect(bot.pool.counts()).toMatchObject(atRest)
  const ours = `select 1 from pg_stat_activity where datname = '${bot.database}' and pid <> pg_backend_pid()`
  await expect
    .poll(async () => (await bot.postgres.query(ours)).length - bot.pool.counts().open, {
      timeout: patienceMs,
    })
    .toBe(0)
  const held = `select 1 from pg_locks where relation in (select oid from pg_class where relname in ('gate', 'leader', 'kept'))`
  expect(await bot.postgres.query(held, bot.database)).toEqual([])
})

test('a statement that hangs is given up, its connection destroyed, and nothing of it is written', async () => {
  const bot = await world()
  const hangs = bot.db.transaction().execute(async (tx) => {
    await tx.insertInto('kept').values({ id: 'x', n: 1 }).execute()
    await sql`set local statement_timeout = 300`.execute(tx)
    await sql`select pg_sleep(60)`.execute(tx)
  })
  await expect(hangs).rejects.toMatchObject(nothingWritten)
  expect(await bot.kept()).toEqual([])
  expect(bot.pool.counts()).toMatchObject(atRest)
  await put(bot, 'a')
})

test('an answer that never comes is given up: what was asked counts as not written, and its connection is destroyed', async () => {
  const bot = await world(undefined, { answerMs: 5_000 })
  await put(bot, 'a')
  const swallowed = putTwo(bot, () => bot.gate.swallow())
  await expect(swallowed).rejects.toThrow(/does not answer/)
  await expect(bot.db.selectFrom('kept').selectAll().execute()).rejects.toMatchObject(nothingWritten)
  expect(bot.pool.counts()).toEqual({ open: 0, taken: 0, waiting: 0 })
  // What comes late meets a connection that nobody listens to.
  bot.gate.open()
  await untilDone(() => put(bot, 'b'))
  expect(await bot.kept()).toEqual(['a=1', 'b=1'])
  expect(bot.told).toEqual(['away', 'back'])
})

test('a COMMIT that is swallowed is asked about behind the gate, where its transaction is over for certain', async () => {
  const bot = await world(undefined, { answerMs: 8_000 })
  await put(bot, 'a')
  const swallowed = bot.db.transaction().execute(async (tx) => {
    await tx.insertInto('kept').values({ id: 'x', n: 1 }).execute()
    bot.gate.swallow()
    setTimeout(() => bot.gate.open(), 9_000)
  })
  await expect(swallowed).rejects.toMatchObject(nothingWritten)
  expect(await bot.kept()).toEqual(['a=1'])
  await put(bot, 'b')
  expect(bot.pool.counts()).toMatchObject(atRest)
})

test('a network that swallows everything is noticed, and those who wait do so no longer', async () => {
  const bot = await world()
  await put(bot, 'a')
  bot.gate.swallow()
  const writers = ['b', 'c', 'd'].map((id) => put(bot, id))
  for (const writer of writers) await expect(writer).rejects.toMatchObject(nothingWritten)
  expect(bot.told).toEqual(['away'])
  bot.gate.cut()
  bot.gate.open()
  await untilDone(() => put(bot, 'e'))
  expect(await bot.kept()).toEqual(['a=1', 'e=1'])
  expect(bot.told).toEqual(['away', 'back'])
  expect(bot.pool.counts()).toMatchObject(atRest)
})

test.each(['SIGINT', 'SIGKILL'] as const)(
  'Postgres ends by %s and starts again: writers wait, nothing is lost',
  async (signal) => {
    const postgres = await ownPostgres()
    const bot = await world(postgres)
    await put(bot, 'a')
    const cut = putTwo(bot, () => postgres.stop(signal))
    await expect(cut).rejects.toMatchObject(nothingWritten)
    const many = await Promise.allSettled(['b', 'c', 'd'].map((id) => put(bot, id)))
    expect(many.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(bot.told).toEqual(['away'])
    const waiting = untilDone(() => put(bot, 'e'))
    await postgres.start()
    await waiting
    expect(await bot.kept()).toEqual(['a=1', 'e=1'])
    expect(bot.told).toEqual(['away', 'back'])
    expect(bot.pool.counts()).toMatchObject(atRest)
  },
)

test('no connection is left for monbot: it waits for one', async () => {
  const postgres = await ownPostgres({
    max_connections: 5,
    superuser_reserved_connections: 1,
    reserved_connections: 0,
  })
  const database = await fencedDatabase(postgres)
  await postgres.query('create role bot login', database)
  await postgres.query('grant all on all tables in schema public to bot', database)
  const urlOf = () => postgres.url(database).replace('postgres:monbot-test', 'bot:monbot-test')
  const others = openBot(urlOf(), { connections: 4 })
  closing.push(others.close)
  const taken = await Promise.all(Array.from({ length: 4 }, () => others.pool.take()))
  const bot = openBot(urlOf())
  closing.push(bot.close)
  await expect(put(bot, 'a')).rejects.toThrow(/no connection left for monbot \(53300\)/)
  expect(bot.told).toEqual(['away'])
  for (const link of taken) link.release(true)
  await untilDone(() => put(bot, 'a'))
  expect(bot.told).toEqual(['away', 'back'])
})

test('a server that became read-only is left for another one', async () => {
  const bot = await world()
  await put(bot, 'a')
  await bot.postgres.query(`alter database ${bot.database} set default_transaction_read_only = on`)
  const terminate = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${bot.database}' and pid <> pg_backend_pid()`
  await bot.postgres.query(terminate)
  await expect(put(bot, 'b')).rejects.toThrow(/takes no writes now/)
  expect(bot.told).toEqual(['away'])
  await bot.postgres.query(`alter database ${bot.database} reset default_transaction_read_only`)
  // On connections that are new: an old one would go on with what it was told when it began.
  await untilDone(() => put(bot, 'b'))
  expect(await bot.kept()).toEqual(['a=1', 'b=1'])
  expect(bot.told).toEqual(['away', 'back'])
})

/** Two servers: one goes on, the other is as it was when a first row was written. */
async function forgetful() {
  const postgres = await ownPostgres()
  const bot = await world(postgres)
  await put(bot, 'a')
  await postgres.stop()
  const earlier = await openPostgres({ from: postgres.folder })
  closing.push(earlier.close)
  await postgres.start()
  await untilDone(() => put(bot, 'b'))
  await untilDone(() => put(bot, 'c'))
  bot.told.splice(0)
  const timeline = async () =>
    (await earlier.query<{ timeline: string }>('select timeline from leader', bot.database))[0]?.timeline
  return { ...bot, earlier, timeline, keptEarlier: () => keptIn(earlier, bot.database) }
}

test('an older copy of the folder is brought back: that is said before anything is written to it', async () => {
  const bot = await forgetful()
  bot.turn(bot.earlier)
  // However much others write there first.
  const others = openBot(bot.earlier.url(bot.database), { proof: null })
  closing.push(others.close)
  for (const id of ['p', 'q', 'r']) await put(others, id)
  await others.db.deleteFrom('kept').where('id', 'in', ['p', 'q', 'r']).execute()
  await expect(put(bot, 'd')).rejects.toMatchObject({
    ...nothingWritten,
    message: expect.stringMatching(/has forgotten/),
  })
  expect(await bot.keptEarlier()).toEqual(['a=1'])
  expect(bot.told).toEqual(['forgotten'])
  // Should this process end now, whoever leads next still puts it right.
  expect(await bot.timeline()).toBe(forgottenTimeline)
  await put(bot, 'd')
  await putTwo(bot)
  expect(await bot.keptEarlier()).toEqual(['a=1', 'd=1', 'x=1', 'y=1'])
  expect(bot.told).toEqual(['forgotten'])
  expect(bot.pool.counts()).toMatchObject(atRest)
})

test('in the older copy somebody else leads: this process writes nothing, and leaves word of what it knows', async () => {
  const bot = await forgetful()
  await lead(bot.earlier, bot.database, { holder: 'holder-z', term: 1 })
  bot.turn(bot.earlier)
  await expect(put(bot, 'd')).rejects.toThrow(Deposed)
  expect(await bot.keptEarlier()).toEqual(['a=1'])
  expect(await bot.timeline()).toBe(forgottenTimeline)
  expect(bot.told).toEqual(['deposed'])
})

test('a commit whose answer was lost, and which the failover forgot, was not written', async () => {
  const bot = await forgetful()
  const lost = bot.gate.loseAnswerTo('commit\0').then(() => bot.turn(bot.earlier))
  await expect(putTwo(bot)).rejects.toMatchObject(nothingWritten)
  await lost
  expect(await bot.keptEarlier()).toEqual(['a=1'])
})

test('a process that waits in vain for the gate says so, and holds nothing', async () => {
  const bot = await world()
  const other = openBot(bot.postgres.url(bot.database))
  closing.push(other.close)
  const link = await other.pool.take()
  await link.run('begin; update gate set n = n + 1')
  await expect(put(bot, 'a')).rejects.toThrow(/is busy with another writer/)
  await link.run('rollback')
  link.release()
  await put(bot, 'a')
  expect(bot.told).toEqual([])
  expect(bot.pool.counts()).toMatchObject(atRest)
})

test('a writer that is frozen halfway loses its turn, and nothing of it is written', async () => {
  const bot = await world()
  const frozen = putTwo(bot, () => new Promise((resolve) => setTimeout(resolve, 6_000)))
  await expect(frozen).rejects.toMatchObject(nothingWritten)
  expect(await bot.kept()).toEqual([])
  await put(bot, 'a')
})

test('a write in a transaction that only reads is a bug, and no sign of a server that is away', async () => {
  const bot = await world()
  const wrong = bot.db
    .transaction()
    .setAccessMode('read only')
    .execute((tx) => tx.deleteFrom('kept').execute())
  await expect(wrong).rejects.toMatchObject({ code: '25006' })
  expect(bot.told).toEqual([])
  expect(bot.pool.counts()).toMatchObject(atRest)
})

test('a bug is told as it is, and leaves nothing behind', async () => {
  const bot = await world()
  await put(bot, 'a')
  await expect(put(bot, 'a')).rejects.toMatchObject({ code: '23505' })
  await expect(sql`nonsense`.execute(bot.db)).rejects.toMatchObject({ code: '42601' })
  const swallowed = bot.db.transaction().execute(async (tx) => {
    await tx.insertInto('kept').values({ id: 'b', n: 1 }).execute()
    await tx
      .insertInto('kept')
      .values({ id: 'a', n: 1 })
      .execute()
      .catch(() => undefined)
  })
  await expect(swallowed).rejects.toThrow('after one of its statements had failed')
  const circle: { own?: unknown } = {}
  circle.own = circle
  await expect(sql`select ${circle}::text`.execute(bot.db)).rejects.toThrow(TypeError)
  expect(await bot.kept()).toEqual(['a=1'])
  expect(bot.pool.counts()).toMatchObject({ open: 1, ...atRest })
  expect(bot.told).toEqual([])
})

test.skipIf(isPgBouncerMissing)(
  'behind a pooler with two connections to the server all of that holds',
  async () => {
    const postgres = await sharedPostgres()
    const database = await fencedDatabase(postgres)
    const pooler = await openPgBouncer(postgres)
    closing.push(pooler.close)
    const gate = await openTcpGate(pooler.port)
    const bot = openBot(postgres.url(database, gate.port))
    closing.push(gate.close, bot.close)
    await put(bot, 'sum', 0)
    const adding = (db: Bot['db']) =>
      db
        .updateTable('kept')
        .set((eb) => ({ n: eb('n', '+', 1) }))
        .where('id', '=', 'sum')
    const work = Array.from({ length: 60 }, async (_, turn) => {
      if (turn % 2 === 0) await adding(bot.db).execute()
      else {
        await bot.db.transaction().execute(async (tx) => {
          await adding(tx as Bot['db']).execute()
          await tx.selectFrom('kept').selectAll().execute()
        })
      }
      await bot.db
        .transaction()
        .setAccessMode('read only')
        .execute((tx) => tx.selectFrom('kept').selectAll().execute())
    })
    await Promise.all(work)
    expect(await keptIn(postgres, database)).toEqual(['sum=60'])
    const lost = gate.loseAnswerTo('commit\0')
    await adding(bot.db).execute()
    await lost
    expect(await keptIn(postgres, database)).toEqual(['sum=61'])
    await lead(postgres, database, { holder: 'holder-b', term: 4 })
    await expect(adding(bot.db).execute()).rejects.toThrow(Deposed)
    expect(bot.pool.counts()).toMatchObject(atRest)
  },
)
