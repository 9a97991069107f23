/** The doctor on a Postgres: each that a start would refuse is named with what to do, who leads is seen, and nothing is changed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../../src/bot/config/secret.ts'
import type { Finding } from '../../../src/bot/doctor/finding.ts'
import { portFinding } from '../../../src/bot/doctor/machine.ts'
import { examinePostgres } from '../../../src/bot/doctor/postgres.ts'
import { startHealth } from '../../../src/bot/ops/health.ts'
import { openSharedMemory } from '../../../src/bot/store/postgres/shared-memory.ts'
import { realClock } from '../../../src/shared/clock.ts'
import { keptJournal } from '../../support/journal.ts'
import { isPgBouncerMissing, openPgBouncer } from '../../support/pgbouncer.ts'
import { openPostgres, type Postgres } from '../../support/postgres.ts'
import { doctorTown, examined } from './doctor-town.ts'

const town = doctorTown()
const password = 'very-secret-1'
let postgres: Postgres
beforeAll(async () => {
  // Without it no transaction id is taken but by whoever writes.
  postgres = await openPostgres({ settings: { autovacuum: 'off' } })
  await postgres.query(`create role strict login password '${password}'`)
  await postgres.query('create role weak login')
  await postgres.query('create role reader login; alter role reader set default_transaction_read_only = on')
  const file = join(postgres.folder, 'pg_hba.conf')
  writeFileSync(file, `host all strict 127.0.0.1/32 scram-sha-256\n${readFileSync(file, 'utf8')}`)
  await postgres.stop()
  await postgres.start()
})
afterAll(() => postgres.close())

const urlOf = (database: string, user = 'postgres', at: string | number = postgres.port) =>
  `postgres://${user}:${password}@${typeof at === 'number' ? `127.0.0.1:${at}` : at}/${database}`

async function found(url: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const finding of examinePostgres(new Secret(url), realClock)) findings.push(finding)
  expect(JSON.stringify(findings)).not.toContain(password)
  return findings
}

/** Grows with every transaction that writes. */
async function written(): Promise<unknown> {
  return postgres.query('select pg_snapshot_xmax(pg_current_snapshot())::text as next')
}

async function tablesOf(database: string): Promise<number> {
  return (await postgres.query("select from pg_class where relnamespace = 'public'::regnamespace", database))
    .length
}

function bot(database: string, name: string, reachesSlack = true) {
  const memory = openSharedMemory({
    url: { reveal: () => urlOf(database) },
    connections: 2,
    holder: `${name}-1`,
    name,
    ownUrl: `http://${name}`,
    reachesSlack: () => reachesSlack,
    clock: realClock,
    logger: keptJournal(),
    onDeposed: () => undefined,
  })
  onTestFinished(memory.close)
  return memory
}

const lead = (memory: ReturnType<typeof bot>) => memory.lead(new AbortController().signal)

test('an empty database is told to be empty, and stays so', async () => {
  const database = await postgres.create()
  const before = await written()
  expect(await found(urlOf(database))).toEqual([
    {
      check: 'Database',
      state: 'ok',
      said: expect.stringMatching(
        /^Postgres \d+(\.\d+)? at 127\.0\.0\.1:\d+\/\S+: durable, UTF8, empty; its user may make the tables, which the start does$/,
      ),
      todo: null,
    },
    {
      check: 'Database way',
      state: 'ok',
      said: expect.stringMatching(
        /^without a pooler, without TLS; \d+\.\d ms a round trip; its clock agrees with that of this machine$/,
      ),
      todo: null,
    },
    { check: 'Database lead', state: 'skipped', said: 'nobody can lead before the first start', todo: null },
  ])
  expect(await tablesOf(database)).toBe(0)
  expect(await written()).toEqual(before)
})

test('who leads and who stands by is seen by their beats, and who ended by itself too', async () => {
  const database = await postgres.create()
  const a = bot(database, 'bot-a')
  await lead(a)
  expect((await found(urlOf(database))).map(({ state, said }) => [state, said])).toEqual([
    ['ok', expect.stringMatching(/its user may do what monbot must; 0 alerts, \d+ migrations$/)],
    ['ok', expect.any(String)],
    [
      'warning',
      expect.stringMatching(/^bot-a leads in term 1, its last beat at most \d s ago; nobody stands by$/),
    ],
  ])
  const b = bot(database, 'bot-b')
  const c = bot(database, 'bot-c', false)
  const [leads] = [lead(b), lead(c)]
  await expect.poll(() => postgres.query('select from presence', database)).toHaveLength(2)
  expect((await found(urlOf(database))).at(-1)).toMatchObject({
    state: 'ok',
    said: expect.stringMatching(/; bot-b stands by, bot-c stands by and cannot reach Slack$/),
  })
  await c.close()
  await a.close()
  await leads
  await b.close()
  const before = await written()
  expect((await found(urlOf(database))).at(-1)).toMatchObject({
    state: 'ok',
    said: 'nobody leads: bot-b did last, in term 2, and ended cleanly; nobody stands by',
  })
  expect(await written()).toEqual(before)
  // As if it had been killed, with another that stood by.
  const ghost = "('ghost-1', 'ghost', '', 7, true)"
  await postgres.query(`update leader set free = false; insert into presence values ${ghost}`, database)
  expect((await found(urlOf(database))).at(-1)).toMatchObject({
    state: 'warning',
    said: expect.stringMatching(
      /^bot-b led last, in term 2, and its beat has stood still for 7 s and more; nobody stands by$/,
    ),
    todo: expect.stringMatching(/takes over once that is 30 s/),
  })
})

test.skipIf(isPgBouncerMissing)('a pooler in between is seen', async () => {
  const database = await postgres.create()
  const pooler = await openPgBouncer(postgres)
  onTestFinished(pooler.close)
  const findings = await found(pooler.url(database))
  expect(findings.map(({ state }) => state)).toEqual(['ok', 'ok', 'skipped'])
  expect(findings[1]?.said).toMatch(/^through a pooler, such as PgBouncer, without TLS; /)
})

test('a user that may not, that may only read, or that owns nothing is named, with what to do', async () => {
  const database = await postgres.create()
  const first = async (user: string) => (await found(urlOf(database, user)))[0]
  expect(await first('weak')).toMatchObject({
    state: 'failed',
    said: expect.stringMatching(/does not let the user of DATABASE_URL make tables: make it the owner/),
  })
  const memory = bot(database, 'bot-a')
  await lead(memory)
  await memory.close()
  expect(await first('weak')).toMatchObject({
    state: 'failed',
    said: expect.stringMatching(/does not let the user of DATABASE_URL read and write the table alerts/),
  })
  await postgres.query(
    'grant select, insert, update, delete on all tables in schema public to weak, reader',
    database,
  )
  expect(await first('weak')).toMatchObject({ state: 'ok' })
  expect(await first('reader')).toMatchObject({
    state: 'failed',
    said: expect.stringMatching(/may only read$/),
    todo: expect.stringMatching(/default_transaction_read_only = off/),
  })
  // A migration that is still to come changes tables.
  await postgres.query("delete from kysely_migration where name <> '0016_schema'", database)
  expect(await first('postgres')).toMatchObject({
    state: 'ok',
    said: expect.stringMatching(/\d to come at the next start$/),
  })
  expect(await first('weak')).toMatchObject({
    state: 'failed',
    said: expect.stringMatching(/make tables: make it the owner/),
  })
  await postgres.query('grant create on schema public to weak', database)
  expect(await first('weak')).toMatchObject({
    state: 'failed',
    said: expect.stringMatching(/change the table alerts: make that user the owner/),
  })
})

test('what a version, another program or a move left there is told', async () => {
  const database = await postgres.create()
  const memory = bot(database, 'bot-a')
  await lead(memory)
  await memory.close()
  const first = async () => (await found(urlOf(database)))[0]
  await postgres.query("insert into kysely_migration values ('9999_later', '')", database)
  expect(await first()).toMatchObject({
    state: 'ok',
    said: expect.stringMatching(/1 of them of a newer version, which this one can work beside$/),
  })
  await postgres.query('update gate set code_min = 1000', database)
  expect(await first()).toMatchObject({
    state: 'failed',
    said: expect.stringMatching(/newer version of monbot now: start that/),
  })
  await postgres.query('update gate set code_min = 1', database)
  const mark = { state: 'moved', moveId: 'm1', other: 'data/monbot.db', atMs: 0 }
  await postgres.query(`insert into facts values ('move', '${JSON.stringify(mark)}')`, database)
  expect(await first()).toMatchObject({
    state: 'failed',
    said: expect.stringMatching(/was moved to data\/monbot\.db/),
  })
  const foreign = await postgres.create()
  await postgres.query('create table alerts (id int)', foreign)
  expect((await found(urlOf(foreign)))[0]).toMatchObject({
    state: 'failed',
    said: expect.stringMatching(
      /holds a table alerts of another program: create a database for monbot alone/,
    ),
  })
})

test.each<[what: string, url: () => string, said: RegExp]>([
  [
    'a wrong password',
    () => urlOf('postgres', 'strict').replace(password, `${password}x`),
    /refuses the user or the password/,
  ],
  ['a database that is not there', () => urlOf('nowhere'), /has no database of that name/],
  [
    'a host that is not there',
    () => urlOf('postgres', 'postgres', 'nowhere.invalid:5432'),
    /cannot be reached \(E[A-Z_]+\)/,
  ],
  [
    'a port where nobody listens',
    () => urlOf('postgres', 'postgres', town().closedPort),
    /cannot be reached \(ECONNREFUSED\)/,
  ],
  ['a server without TLS', () => `${urlOf('postgres')}?sslmode=require`, /speaks no TLS/],
  [
    'a certificate that is not there',
    () => `${urlOf('postgres')}?sslmode=verify-ca&sslrootcert=/nowhere.pem`,
    /certificate \/nowhere\.pem .*cannot be read/,
  ],
])('%s is told in one sentence', async (_, url, said) => {
  expect(await found(url())).toEqual([
    { check: 'Database', state: 'failed', said: expect.stringMatching(said), todo: expect.any(String) },
  ])
})

test('one that takes the connection and says nothing is given up', async () => {
  const sockets: Socket[] = []
  const mute = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    mute.close()
  })
  await new Promise((resolve) => mute.once('listening', resolve))
  const { port } = mute.address() as { port: number }
  expect(await found(urlOf('postgres', 'postgres', port))).toMatchObject([
    { state: 'failed', said: expect.stringMatching(/does not answer/) },
  ])
})

test('a server that would lose what is written is refused', async () => {
  const careless = await openPostgres({ settings: { fsync: 'off' } })
  onTestFinished(careless.close)
  expect(await found(urlOf('postgres', 'postgres', careless.port))).toMatchObject([
    { state: 'failed', said: expect.stringMatching(/in a power cut: set fsync = on/) },
  ])
})

test('it is part of the whole, and a port on which a monbot answers is not one to fix', async () => {
  const database = await postgres.create()
  const isReady = () => ({ slack: { ready: true, sinceMs: 0 }, poll: { ready: true, sinceMs: 0 } })
  const health = await startHealth({ host: '127.0.0.1', port: 0, isReady })
  onTestFinished(health.stop)
  // Nothing takes long by it: a busy machine makes the API slow, which the doctor would say.
  const startedMs = Date.now()
  const clock = { ...realClock, nowMs: () => startedMs }
  const settings = { DATABASE_URL: urlOf(database), PORT: String(health.port) }
  const findings = await examined(town(), settings, { clock })
  expect(
    findings.filter(({ state }) => state !== 'ok').map(({ check, state }) => `${state} ${check}`),
  ).toEqual(['skipped Slack cards', 'skipped Database lead', 'skipped Port'])
  const other = createServer((socket) => void socket.end('nonsense\r\n')).listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as { port: number }
  const of = { host: '127.0.0.1', port, database: { kind: 'postgres', url: new Secret('') } } as const
  expect(await portFinding(of)).toMatchObject({ state: 'failed' })
})
