/** What is only half in order: a start would fail, or monbot would read nothing or hear nobody, though much of it answers. */
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../../src/bot/store/open/migrations.ts'
import { openWorkspace } from '../../../src/workspace/workspace.ts'
import { doctorTown, examined, ownDatabase, serving } from './doctor-town.ts'

const town = doctorTown()
const taken = createServer()
let takenPort = 0

beforeAll(async () => {
  taken.listen(0, '127.0.0.1')
  await once(taken, 'listening')
  takenPort = (taken.address() as AddressInfo).port
})
afterAll(() => void taken.close())

type Change = (answer: Record<string, unknown>, path: string) => Record<string, unknown>

/** A server whose answers are changed on the way; null: this path answers 500. */
async function between(to: string, change: (path: string) => Change | null): Promise<string> {
  const base = new URL(to)
  return serving((asked: IncomingMessage, answer: ServerResponse) => {
    const path = String(asked.url)
    const onward = request(
      { host: base.hostname, port: base.port, path, method: asked.method, headers: asked.headers },
      async (came) => {
        const parts: Buffer[] = []
        for await (const part of came) parts.push(part as Buffer)
        const body = Buffer.concat(parts)
        const changed = change(path)
        const isJson = String(came.headers['content-type']).includes('json')
        const text = isJson && changed ? JSON.stringify(changed(JSON.parse(String(body)), path)) : body
        const { 'content-length': _, 'transfer-encoding': __, ...headers } = came.headers
        answer.writeHead(changed === null ? 500 : (came.statusCode ?? 500), headers).end(text)
      },
    )
    asked.pipe(onward)
  })
}

const api = (change: (path: string) => Change | null) => async () => ({
  MONITOR_URL: await between(town().service.url, change),
})

const slack = (change: (method: string) => Change) => async () => {
  const { apiUrl } = town().workspace
  const methodOf = (path: string) => path.split('/').at(-1) ?? ''
  return { SLACK_API_URL: `${await between(new URL(apiUrl).origin, (path) => change(methodOf(path)))}/api/` }
}

const same: Change = (answer) => answer
const half: Change = (answer) => ({
  ...answer,
  results: (answer.results as object[]).map((one, at) => (at % 2 === 0 ? one : 'nothing')),
})

const database = (name: string, make: (path: string) => void | Promise<void>) => async () => {
  const path = join(town().folder, name)
  await make(path)
  return { DATABASE_URL: `sqlite:${path}` }
}

type Case = [
  what: string,
  over: () => Promise<Record<string, string>>,
  state: 'failed' | 'warning',
  check: string,
  said: RegExp,
]

const cases: Case[] = [
  [
    'an API of which only the open alerts answer',
    api((path) => (path.includes('alerts.json') && !path.includes('lifecycle=start') ? null : same)),
    'failed',
    'API history',
    /HTTP 500/,
  ],
  [
    'an API of which half the triggers cannot be read',
    api((path) => (path.includes('triggers.json') ? half : same)),
    'warning',
    'API lists',
    /^\d+ triggers, and \d+ that cannot be read, /,
  ],
  [
    'an API without a trigger',
    api((path) => (path.includes('triggers.json') ? (answer) => ({ ...answer, results: [] }) : same)),
    'warning',
    'API lists',
    /^no trigger$/,
  ],
  [
    'a monitoring service whose Prometheus does not answer in whole',
    api((path) =>
      path.includes('targets.json')
        ? () => ({ source: { kind: 'prometheus', problem: null, doubts: ['rules: a ruler is away'] } })
        : same,
    ),
    'warning',
    'API source',
    /^rules: a ruler is away$/,
  ],
  [
    'a monitoring service whose Prometheus cannot be asked',
    api((path) =>
      path.includes('targets.json')
        ? () => ({ source: { kind: 'prometheus', problem: 'Prometheus at http://p: away', doubts: 'odd' } })
        : same,
    ),
    'failed',
    'API source',
    /^Prometheus at http:\/\/p: away$/,
  ],
  [
    'alerts that say neither when nor where',
    api((path) =>
      path.includes('lifecycle=start')
        ? (answer) => ({ ...answer, results: [{ id: 5, foo: 1 }, { id: 6 }] })
        : same,
    ),
    'failed',
    'API alerts',
    /^2 of 2 open alerts have no time or no server$/,
  ],
  [
    'a Slack that says yes to everything and nothing else',
    slack(() => () => ({ ok: true })),
    'failed',
    'Slack token',
    /without saying its user, its workspace, that it is a bot/,
  ],
  [
    'a channel of which Slack does not say whether monbot is in it',
    slack((method) =>
      method === 'conversations.info'
        ? ({ channel, ...answer }) => ({
            ...answer,
            channel: { ...(channel as object), is_member: undefined },
          })
        : same,
    ),
    'failed',
    'Slack channel',
    /monbot is not in #alerts/,
  ],
  [
    'a channel in which few may post',
    slack((method) =>
      method === 'conversations.info'
        ? ({ channel, ...answer }) => ({ ...answer, channel: { ...(channel as object), is_read_only: true } })
        : same,
    ),
    'warning',
    'Slack channel',
    /posting is restricted/,
  ],
  [
    'a Slack that shows history by 15 messages',
    slack((method) =>
      method === 'conversations.history'
        ? (answer) => ({ ...answer, messages: Array.from({ length: 15 }, () => ({})), has_more: true })
        : same,
    ),
    'warning',
    'Slack history',
    /^Slack shows it 15 messages at a time, .*may come twice/,
  ],
  [
    'a Slack that lets nobody ask for more than 15 messages',
    slack((method) =>
      method === 'conversations.history' ? () => ({ ok: false, error: 'invalid_limit' }) : same,
    ),
    'warning',
    'Slack history',
    /^Slack shows it 15 messages at a time/,
  ],
  [
    'a way out that keeps sockets from Slack',
    slack((method) =>
      method === 'apps.connections.open'
        ? (answer) => ({ ...answer, url: `wss://127.0.0.1:${town().closedPort}/` })
        : same,
    ),
    'failed',
    'Slack requests',
    /cannot be reached \(ECONNREFUSED\)/,
  ],
  [
    'a watcher whose address is not encrypted',
    async () => ({ HEARTBEAT_URL: String(town().good.HEARTBEAT_URL).replace('http:', 'https:') }),
    'failed',
    'Heartbeat',
    /SSL|EPROTO|closed/,
  ],
  [
    'a port that is taken',
    async () => ({ PORT: String(takenPort), HOST: '127.0.0.1' }),
    'failed',
    'Port',
    /in use by another process/,
  ],
  ['an address of another machine', async () => ({ HOST: '203.0.113.1' }), 'failed', 'Port', /EADDRNOTAVAIL/],
  [
    'a setting whose name is misspelt',
    async () => ({ HEARTBEAT_URL: '', HEARTBEAT_ULR: 'http://127.0.0.1/x' }),
    'warning',
    'Settings',
    /^HEARTBEAT_ULR is no setting/,
  ],
  [
    'a schedule whose minutes were taken for seconds',
    async () => ({ POLL_CRON: '*/15 * * * *' }),
    'warning',
    'Settings',
    /a poll every 15 min$/,
  ],
  [
    'a database without one of its tables',
    database('less.db', (path) => ownDatabase(path, 'drop table cards')),
    'failed',
    'Database',
    /is not as monbot made it \(.*cards/,
  ],
  [
    'a database without the table that is counted',
    database('least.db', (path) => ownDatabase(path, 'drop table alerts')),
    'failed',
    'Database',
    /is not as monbot made it/,
  ],
  [
    'a database of another program',
    database('other.db', (path) => {
      new SQLite(path).exec('create table alerts (id)').close()
    }),
    'failed',
    'Database',
    /table "?alerts"? already exists/,
  ],
  [
    'a database that is a folder',
    database('folder.db', (path) => void mkdirSync(path)),
    'failed',
    'Database',
    /is a folder or a device/,
  ],
  [
    'a database that is a device',
    async () => ({ DATABASE_URL: 'sqlite:/dev/null' }),
    'failed',
    'Database',
    /device/,
  ],
  [
    'a name that no file can have',
    async () => ({ DATABASE_URL: `sqlite:${town().folder}/${'a'.repeat(300)}.db` }),
    'failed',
    'Database',
    /ENAMETOOLONG/,
  ],
]

test.each(cases)('%s is told, with what to do', async (_, over, state, check, said) => {
  const found = await examined(town(), await over())
  const told = found.filter((one) => one.state === state && one.check.startsWith(check))
  expect(told.map((one) => one.said).join('\n')).toMatch(said)
  for (const one of told) expect(one.todo).not.toBeNull()
})

test('an app that counts as distributed is told that its history is limited, and nothing about its channels fails', async () => {
  const limited = await openWorkspace({ isDistributed: true, limits: { tier1: 1 } })
  onTestFinished(() => limited.close())
  const channels = ['alerts', 'random'].map((name) => limited.channel(name).id)
  const policy = `routes: [${channels.map((id, n) => `{ match: { role: r${n} }, channel: ${id} }`).join(', ')}]`
  const over = {
    SLACK_API_URL: limited.apiUrl,
    SLACK_BOT_TOKEN: limited.botToken,
    SLACK_APP_TOKEN: limited.appToken,
    SLACK_CHANNEL: channels[0] ?? '',
    MONBOT_CONFIG: 'p.yaml',
  }
  const found = await examined(town(), over, { readFile: () => policy })
  const told = found.filter(({ check }) => /^Slack (?:channel|history)/.test(check))
  expect(told.map(({ state, check }) => `${state} ${check}`)).toEqual(
    expect.arrayContaining([`ok Slack channel ${channels[0]}`, 'warning Slack history']),
  )
  expect(told.at(-1)?.said).toMatch(/^Slack does not show it twice a minute/)
})

test('whom the policy names and nobody knows, and a role that no server has, are named', async () => {
  const policy = `
    routes:
      - { match: { role: no-such-role }, channel: ${town().workspace.channel('alerts').id}, mention: "<!subteam^S0NOSUCH9>" }
    permissions: { mute_account: [U0NOSUCH9] }
  `
  const found = await examined(town(), { MONBOT_CONFIG: 'p.yaml' }, { readFile: () => policy })
  const others = found.filter(({ check }) => check !== 'Slack cards')
  const told = others.filter(({ state }) => state !== 'ok').map(({ check, said }) => `${check}: ${said}`)
  expect(told).toEqual([
    'Policy routes: by roles that the API does not list: no-such-role',
    'Slack member S0NOSUCH9: not found (no_such_subteam)',
    'Slack member U0NOSUCH9: not found (user_not_found)',
  ])
})

test('a database of an earlier version is sound, and the doctor says how many migrations will come', async () => {
  const names = Object.keys(migrations)
  for (const have of [1, names.length - 1]) {
    const path = join(town().folder, `earlier-${have}.db`)
    const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new SQLite(path) }) })
    const some = Object.fromEntries(Object.entries(migrations).slice(0, have))
    const migrator = new Migrator({ db, provider: { getMigrations: async () => some } })
    expect((await migrator.migrateToLatest()).error).toBeUndefined()
    await db.destroy()
    const found = await examined(town(), { DATABASE_URL: `sqlite:${path}` })
    const waits = `, ${have} migrations?, ${names.length - have} to come at the next start$`
    expect(found.find(({ check }) => check === 'Database')).toMatchObject({
      state: 'ok',
      said: expect.stringMatching(waits),
    })
  }
})

test('a database of this version, or empty, is no failure', async () => {
  const older = join(town().folder, 'older.db')
  await ownDatabase(older)
  const sqlite = new SQLite(older)
  const names = sqlite.prepare('select name from kysely_migration order by name').pluck().all()
  sqlite.close()
  const found = await examined(town(), { DATABASE_URL: `sqlite:${older}` })
  expect(found.find(({ check }) => check === 'Database')).toMatchObject({
    state: 'ok',
    said: expect.stringMatching(new RegExp(`sound, durable, 0 alerts, ${names.length} migrations$`)),
  })
  const empty = join(town().folder, 'empty.db')
  writeFileSync(empty, '')
  const onEmpty = await examined(town(), { DATABASE_URL: `sqlite:${empty}` })
  expect(onEmpty.find(({ check }) => check === 'Database')).toMatchObject({ state: 'ok' })
})

test('a Prometheus that answers in whole is in order, and an API without targets is none of that', async () => {
  const saying = (source: object | null) =>
    api((path) => (path.includes('targets.json') ? (source === null ? null : () => ({ source })) : same))
  const found = async (source: object | null) =>
    (await examined(town(), await saying(source)())).filter(({ check }) => check === 'API source')
  expect(await found({ kind: 'prometheus', problem: null, doubts: [] })).toMatchObject([{ state: 'ok' }])
  expect(await found({ kind: 'own' })).toEqual([])
  expect(await found(null)).toEqual([])
})
