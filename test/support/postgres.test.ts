/** The Postgres of the tests, the gate before it and the pooler do what tests ask of them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { isPgBouncerMissing, openPgBouncer } from './pgbouncer.ts'
import { openPostgres, type Postgres } from './postgres.ts'
import { openTcpGate } from './tcp-gate.ts'

let one: Promise<Postgres> | null = null
const server = () => {
  one ??= openPostgres()
  return one
}
afterAll(async () => (await one)?.close())

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

test('a database is made of a template, and survives a kill of the server', async () => {
  const postgres = await server()
  const template = await postgres.create()
  await postgres.query('create table kept (n int); insert into kept values (1)', template)
  const database = await postgres.create(template)
  await postgres.query('insert into kept values (2)', database)
  await postgres.stop('SIGKILL')
  await postgres.start()
  expect(await postgres.query('select n from kept order by n', database)).toEqual([{ n: 1 }, { n: 2 }])
})

test('a server goes on from the copy of a folder', async () => {
  const postgres = await server()
  const database = await postgres.create()
  await postgres.query('create table kept as select 1 as n', database)
  await postgres.stop()
  const copy = await openPostgres({ from: postgres.folder })
  await postgres.start()
  expect(await copy.query('select n from kept', database)).toEqual([{ n: 1 }])
  await copy.close()
})

test('an answer is lost through the gate, and what was asked is done; cut and swallowed, nothing is', async () => {
  const postgres = await server()
  const database = await postgres.create()
  await postgres.query('create table kept (n int)', database)
  const gate = await openTcpGate(postgres.port)
  const url = postgres.url(database, gate.port)
  const client = await connected(url)
  const lost = gate.loseAnswerTo('insert')
  await expect(client.query('insert into kept values (1)')).rejects.toThrow()
  await lost
  expect(await postgres.query('select n from kept', database)).toEqual([{ n: 1 }])
  gate.cut()
  await expect(connected(url)).rejects.toThrow()
  gate.open()
  const again = await connected(url)
  gate.swallow()
  const asked = again.query('select n from kept')
  expect(await Promise.race([asked, postgres.query('select 2 as n', database)])).toEqual([{ n: 2 }])
  gate.open()
  expect((await asked).rows).toEqual([{ n: 1 }])
  await again.end()
  await gate.close()
})

test.skipIf(isPgBouncerMissing)('the pooler shares two connections among four clients', async () => {
  const postgres = await server()
  const database = await postgres.create()
  const pooler = await openPgBouncer(postgres)
  const clients = await Promise.all(Array.from({ length: 4 }, () => connected(pooler.url(database))))
  const asked = clients.map((client) => client.query('select pg_backend_pid() as pid, pg_sleep(0.05)'))
  const pids = (await Promise.all(asked)).map(({ rows }) => rows[0].pid)
  expect(new Set(pids).size).toBeLessThanOrEqual(2)
  for (const client of clients) await client.end()
  await pooler.close()
})

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'a server ends with whoever opened it, after %s too',
  async (signal) => {
    const program = `import { openPostgres } from '${new URL('postgres.ts', import.meta.url)}'
    const { folder, url } = await openPostgres()
    console.log(JSON.stringify([folder, url('postgres')]))`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [folder, url] = JSON.parse(String((await once(child.stdout, 'data'))[0]))
    await (await connected(url)).end()
    child.kill(signal)
    await expect.poll(() => existsSync(folder)).toBe(false)
    await expect(connected(url)).rejects.toThrow()
  },
)
