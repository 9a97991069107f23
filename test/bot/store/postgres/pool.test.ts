/** How a Postgres is reached: with TLS as libpq knows it, by few connections, and without a word about its password. */
import { chownSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { openPostgresPool, type PostgresPool } from '../../../../src/bot/store/postgres/pool.ts'
import { realClock } from '../../../../src/shared/clock.ts'
import { certificates } from '../../../service/certificates.ts'
import { lacks } from '../../../service/prometheus/programs.ts'
import { openPostgres, type Postgres, sharedPostgres } from '../../../support/postgres.ts'
import { openTcpGate } from '../../../support/tcp-gate.ts'

const pools: PostgresPool[] = []
const servers: Postgres[] = []
afterAll(async () => {
  for (const pool of pools) await pool.close()
  for (const server of servers) await server.close()
})

function poolOn(url: string, connections = 2): PostgresPool {
  const pool = openPostgresPool(url, { clock: realClock, connections })
  pools.push(pool)
  return pool
}

async function ask(pool: PostgresPool, text = 'select 1 as one', values: unknown[] = []): Promise<unknown> {
  const link = await pool.take()
  try {
    return (await link.run(text, values))[0]?.rows
  } finally {
    link.release()
  }
}

const password = 'canary-4f1c%2F9'
const spelled = ['canary-4f1c', 'canary-4f1c/9']

test('no error holds the password, however deep one looks', async () => {
  const { port } = await sharedPostgres()
  const at = (rest: string, user = 'postgres') => `postgres://${user}:${password}@${rest}`
  const gate = await openTcpGate(port)
  gate.cut()
  const urls = [
    at(`127.0.0.1:${port}/nowhere`),
    at(`127.0.0.1:${port}/postgres`, 'nobody'),
    at(`127.0.0.1:${gate.port}/postgres`),
    at('127.0.0.1:1/postgres'),
    at('no-such-host.invalid/postgres'),
    at(`127.0.0.1:${port}/postgres?sslmode=require`),
    at(`127.0.0.1:${port}/postgres?sslmode=verify-ca`),
    at('127.0.0.1/postgres?sslmode=verify-full&sslrootcert=/nowhere/ca.pem'),
    at('127.0.0.1:port/postgres'),
    at('[/postgres'),
    `mysql://user:${password}@127.0.0.1/db`,
    `postgres//user:${password}@127.0.0.1/db`,
  ]
  for (const url of urls) {
    const failure = await Promise.resolve()
      .then(() => ask(poolOn(url)))
      .catch((error: unknown) => error)
    expect(failure, url).toBeInstanceOf(Error)
    const shown = `${inspect(failure, { depth: 20, showHidden: true })} ${JSON.stringify(failure)} ${String(failure)}`
    for (const secret of spelled) expect(shown).not.toContain(secret)
  }
  const good = poolOn(at(`127.0.0.1:${port}/postgres`))
  const bug = await ask(good, 'nonsense').catch((error: unknown) => error)
  const shown = inspect([bug, good, await good.take()], { depth: 20, showHidden: true })
  for (const secret of spelled) expect(shown).not.toContain(secret)
  expect(good.address).toBe(`127.0.0.1:${port}/postgres`)
  await gate.close()
})

test.skipIf(lacks('openssl'))('sslmode means what libpq means by it', async () => {
  const folder = certificates('localhost')
  // Postgres takes a key from nobody but its own user.
  if (process.getuid?.() === 0) {
    for (const file of ['', ...readdirSync(folder)]) chownSync(join(folder, file), 65_534, 65_534)
  }
  const ssl = {
    ssl: 'on',
    ssl_cert_file: join(folder, 'server.pem'),
    ssl_key_file: join(folder, 'server.key'),
  }
  const postgres = await openPostgres({ settings: ssl })
  servers.push(postgres)
  const url = (host: string, how: string) => `postgres://postgres:x@${host}:${postgres.port}/postgres${how}`
  const isEncrypted = (host: string, how: string) =>
    ask(poolOn(url(host, how)), 'select ssl from pg_stat_ssl where pid = pg_backend_pid()')
  const root = `&sslrootcert=${join(folder, 'ca.pem')}`
  expect(await isEncrypted('127.0.0.1', '')).toEqual([{ ssl: false }])
  expect(await isEncrypted('127.0.0.1', '?sslmode=disable')).toEqual([{ ssl: false }])
  expect(await isEncrypted('127.0.0.1', '?sslmode=require')).toEqual([{ ssl: true }])
  expect(await isEncrypted('127.0.0.1', `?sslmode=verify-ca${root}`)).toEqual([{ ssl: true }])
  expect(await isEncrypted('localhost', `?sslmode=verify-full${root}`)).toEqual([{ ssl: true }])
  const wrongName = isEncrypted('127.0.0.1', `?sslmode=verify-full${root}`)
  await expect(wrongName).rejects.toMatchObject({ name: 'StoreError', isSetting: true })
  const noRoot = isEncrypted('localhost', '?sslmode=verify-full')
  await expect(noRoot).rejects.toThrow('name its authority as sslrootcert')
  const { port } = await sharedPostgres()
  const noTls = ask(poolOn(`postgres://postgres:x@127.0.0.1:${port}/postgres?sslmode=require`))
  await expect(noTls).rejects.toThrow('speaks no TLS')
})

test('who comes when all connections are taken waits for one', async () => {
  const pool = poolOn((await sharedPostgres()).url('postgres'))
  const links = await Promise.all([pool.take(), pool.take()])
  const waiting = ask(pool, 'select $1::int8 as n, 1.5::numeric as half', [7])
  await expect.poll(pool.counts).toEqual({ open: 2, taken: 2, waiting: 1 })
  for (const link of links) link.release()
  expect(await waiting).toEqual([{ n: 7, half: 1.5 }])
  expect(pool.counts()).toEqual({ open: 2, taken: 0, waiting: 0 })
})

test('a connection that was lost while somebody waits makes room for a new one', async () => {
  const postgres = await sharedPostgres()
  const pool = poolOn(postgres.url('postgres'), 1)
  const link = await pool.take()
  const waiting = ask(pool)
  await expect(link.run('select pg_terminate_backend(pg_backend_pid())')).rejects.toThrow()
  link.release()
  // Twice does not give it to two.
  link.release()
  expect(await waiting).toEqual([{ one: 1 }])
  expect(pool.counts()).toEqual({ open: 1, taken: 0, waiting: 0 })
})

test('all who wait fail at once when nobody can be reached, and the next finds Postgres again', async () => {
  const { port, url } = await sharedPostgres()
  const gate = await openTcpGate(port)
  const pool = poolOn(url('postgres', gate.port), 1)
  const link = await pool.take()
  const waiting = [ask(pool), ask(pool), ask(pool)]
  const ended = Promise.allSettled(waiting)
  gate.cut()
  link.release(true)
  expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  gate.open()
  expect(await ask(pool)).toEqual([{ one: 1 }])
  await gate.close()
})

test('closed, it has no connection left, whatever was under way', async () => {
  const postgres = await sharedPostgres()
  const database = await postgres.create()
  const pool = poolOn(postgres.url(database))
  await ask(pool)
  const link = await pool.take()
  const hanging = link.run('select pg_sleep(600)')
  await Promise.all([pool.close(), expect(hanging).rejects.toThrow()])
  link.release()
  expect(pool.counts()).toEqual({ open: 0, taken: 0, waiting: 0 })
  await expect(pool.take()).rejects.toThrow('closed')
})
