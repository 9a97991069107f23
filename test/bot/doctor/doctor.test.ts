/** The doctor: a good set-up is good, each broken one is named with what to do, and nothing that it does is seen by anybody; also as a program. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { SetUp } from '../../../src/bot/doctor/examine.ts'
import type { Finding } from '../../../src/bot/doctor/finding.ts'
import { scopesNeeded } from '../../../src/bot/slack/vocabulary.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { realClock } from '../../../src/shared/clock.ts'
import { openWorkspace, type Workspace } from '../../../src/workspace/workspace.ts'
import { doctorTown, examined as examinedIn, ownDatabase } from './doctor-town.ts'

let small: Workspace
/** Its app lacks what is optional. */
let plain: Workspace
const town = doctorTown()
const examined = (over?: Record<string, string>, also?: Partial<SetUp>) => examinedIn(town(), over, also)

beforeAll(async () => {
  small = await openWorkspace({
    limits: 'off',
    scopes: scopesNeeded.filter((scope) => scope !== 'files:write' && scope !== 'users:read'),
  })
  plain = await openWorkspace({ limits: 'off', scopes: scopesNeeded })
})

beforeEach(() => town().asked.splice(0))

afterAll(async () => {
  await small.close()
  await plain.close()
})

const states = (found: readonly Finding[]) => new Set(found.map(({ state }) => state))

test('a good set-up is good, and nobody saw that it was checked', async () => {
  const { workspace, folder, asked } = town()
  const channel = workspace.channel('alerts')
  const found = await examined()
  expect(found.map(({ check, state }) => `${state} ${check}`)).toEqual([
    'ok Node',
    'ok Settings',
    'ok API',
    'ok API clock',
    'ok API lists',
    'ok Slack token',
    'ok Slack scopes',
    `ok Slack channel ${channel.id}`,
    'ok Slack pictures',
    'skipped Slack cards',
    'ok Slack requests',
    'ok Database',
    'ok Port',
    'ok Heartbeat',
  ])
  expect(workspace.messages(channel.id)).toEqual([])
  // A request would have told the watcher that monbot is alive.
  expect(asked).toEqual([])
  expect(readdirSync(folder)).toEqual([])
})

test('without the optional scopes it says what goes without them, and that nothing else does', async () => {
  const found = await examined({
    SLACK_API_URL: plain.apiUrl,
    SLACK_BOT_TOKEN: plain.botToken,
    SLACK_APP_TOKEN: plain.appToken,
    SLACK_CHANNEL: plain.channel('alerts').id,
  })
  const scopes = found.find(({ check }) => check === 'Slack scopes')
  expect(scopes).toMatchObject({
    state: 'warning',
    said: expect.stringMatching(/pins:write boards are not pinned/),
  })
  expect(found.filter(({ state }) => state === 'failed')).toEqual([])
})

test('a database in use is looked at and left alone', async () => {
  const { folder } = town()
  const path = join(folder, 'monbot.db')
  const store = await openStore(path)
  const before = store.changes()
  const found = await examined()
  expect(found.find(({ check }) => check === 'Database')).toMatchObject({
    state: 'ok',
    said: expect.stringMatching(/in use by a running monbot$/),
  })
  expect(store.changes()).toBe(before)
  await store.close()
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
})

function databaseOf(name: string, make: (path: string) => void): Record<string, string> {
  const path = join(town().folder, name)
  make(path)
  return { DATABASE_URL: `sqlite:${path}` }
}

type Broken = [what: string, over: () => Record<string, string>, check: string, said: RegExp, todo: RegExp]

const broken: Broken[] = [
  ['no token', () => ({ SLACK_BOT_TOKEN: '' }), 'Setting SLACK_BOT_TOKEN', /came nothing/, /settings\.md/],
  [
    'a policy that routes to a channel that is not there',
    () => ({ MONBOT_CONFIG: 'policy.yaml' }),
    'Slack channel C0NOSUCH1',
    /channel_not_found/,
    /invite/,
  ],
  [
    'an API that is not there',
    () => ({ MONITOR_URL: `http://127.0.0.1:${town().closedPort}` }),
    'API',
    /could not be reached \(ECONNREFUSED\)/,
    /MONITOR_URL/,
  ],
  [
    'an address that is something else',
    () => ({ MONITOR_URL: new URL(String(town().good.HEARTBEAT_URL)).origin }),
    'API',
    /HTTP 404/,
    /MONITOR_URL/,
  ],
  [
    'a key that is refused',
    () => ({ MONITOR_API_KEY: 'wrong-key-123' }),
    'API',
    /refused/,
    /MONITOR_API_KEY/,
  ],
  [
    'a token that is refused',
    () => ({ SLACK_BOT_TOKEN: 'xoxb-wrong-token-1' }),
    'Slack token',
    /invalid_auth/,
    /OAuth/,
  ],
  [
    'a Slack that is not there',
    () => ({ SLACK_API_URL: `http://127.0.0.1:${town().closedPort}/api/` }),
    'Slack token',
    /cannot be reached \(ECONNREFUSED\)/,
    /SLACK_API_URL/,
  ],
  [
    'scopes that are missing',
    () => ({
      SLACK_API_URL: small.apiUrl,
      SLACK_BOT_TOKEN: small.botToken,
      SLACK_APP_TOKEN: small.appToken,
      SLACK_CHANNEL: small.channel('alerts').id,
    }),
    'Slack scopes',
    /^missing: files:write, users:read$/,
    /manifest\.yml/,
  ],
  [
    'a channel without the bot',
    () => ({ SLACK_CHANNEL: town().workspace.channel('random').id }),
    'Slack channel',
    /not in #random/,
    /invite @monbot/,
  ],
  [
    'a token for sockets that is refused',
    () => ({ SLACK_APP_TOKEN: 'xapp-wrong-token-1' }),
    'Slack requests',
    /invalid_auth/,
    /connections:write/,
  ],
  [
    'a database in a place where none can be',
    () => ({ DATABASE_URL: 'sqlite:/dev/null/monbot.db' }),
    'Database',
    /cannot be opened/,
    /message/,
  ],
  [
    'a database that is none',
    () => databaseOf('garbage.db', (path) => writeFileSync(path, 'x'.repeat(5_000))),
    'Database',
    /no SQLite database/,
    /message/,
  ],
  [
    'a database of a newer version',
    () =>
      databaseOf('newer.db', (path) => {
        const sqlite = new SQLite(path)
        sqlite.exec('create table kysely_migration (name text, timestamp text)')
        sqlite.exec("insert into kysely_migration values ('0001_tables', ''), ('9999_future', '')")
        sqlite.close()
      }),
    'Database',
    /newer version of monbot \(9999_future\)/,
    /message/,
  ],
  [
    'a watcher that is not there',
    () => ({ HEARTBEAT_URL: `http://127.0.0.1:${town().closedPort}/ping/hunter2` }),
    'Heartbeat',
    /ECONNREFUSED/,
    /HEARTBEAT_URL/,
  ],
]

test.each(broken)('%s is named, with what to do', async (_, over, check, said, todo) => {
  const found = (await examined(over())).filter(({ state }) => state === 'failed')
  const one = found.find((finding) => finding.check.startsWith(check))
  expect(one?.said).toMatch(said)
  expect(one?.todo).toMatch(todo)
})

test('clocks ten minutes apart, an old Node and no watcher are named', async () => {
  const clock = { ...realClock, nowMs: () => realClock.nowMs() + 10 * 60_000 }
  const found = await examined({ HEARTBEAT_URL: '' }, { clock, nodeVersion: '20.11.0' })
  const by = (check: string) => found.find((finding) => finding.check === check)
  expect(by('API clock')).toMatchObject({
    state: 'failed',
    said: expect.stringMatching(/^(599|60\d) s behind/),
  })
  expect(by('Node')).toMatchObject({ state: 'failed', said: '20.11.0 is too old' })
  expect(by('Heartbeat')).toMatchObject({ state: 'warning' })
})

test('everything that is wrong is told at once, not the first alone', async () => {
  const found = await examined({
    MONITOR_API_KEY: 'wrong-key-123',
    SLACK_CHANNEL: town().workspace.channel('random').id,
    HEARTBEAT_URL: `http://127.0.0.1:${town().closedPort}/`,
  })
  expect(found.filter(({ state }) => state === 'failed')).toHaveLength(3)
  expect(states(found)).toContain('ok')
})

const root = new URL('../../../', import.meta.url).pathname

/** Only root can start it as somebody else. */
test.runIf(process.getuid?.() === 0)(
  'a file that another user brought back is no database that can be used',
  async () => {
    const path = join(town().folder, 'nobody', 'monbot.db')
    const nobody = 65_534
    mkdirSync(join(town().folder, 'nobody'))
    await ownDatabase(join(town().folder, 'whole.db'))
    copyFileSync(join(town().folder, 'whole.db'), path)
    chmodSync(town().folder, 0o755)
    chownSync(join(town().folder, 'nobody'), nobody, nobody)
    const { findings } = await asProgram(['--json'], { DATABASE_URL: `sqlite:${path}` }, nobody)
    expect(findings.find(({ check }: { check: string }) => check === 'Database')).toMatchObject({
      state: 'failed',
      said: expect.stringMatching(/cannot be written/),
    })
  },
)

test('what it prints as JSON is JSON, whatever is wrong, and who reads one line only gets one', async () => {
  const bad = await asProgram(['--json'], { SLACK_BOT_TOKEN: '', DATABASE_URL: 'sqlite:/dev/null' })
  expect(bad).toMatchObject({ code: 1, ok: false })
  const child = spawn('bash', ['-c', `"$0" src/bot/doctor/main.ts | head -1`, process.execPath], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...town().good },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = await told(child)
  expect(said).toMatchObject({ stderr: '', stdout: expect.stringMatching(/^✓ Node: .*\n$/) })
})

test('with --show somebody sees a card, which is gone afterwards; interrupted, it is gone as well', async () => {
  const { workspace } = town()
  const ana = workspace.person('ana').id
  const seen: string[] = []
  workspace.events.listen(({ event }) => {
    if (event.type === 'api_call') seen.push(event.method)
  })
  const whole = await asProgram(['--json', '--show', ana], {})
  expect(whole.findings).toContainEqual(
    expect.objectContaining({ check: 'Slack card', state: 'ok', said: expect.stringMatching(/^shown to U/) }),
  )
  seen.splice(0)
  const child = spawn(process.execPath, ['src/bot/doctor/main.ts', '--show', ana], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...town().good },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stopListening = workspace.events.listen(({ event }) => {
    if (event.type === 'api_call' && event.method === 'chat.postMessage') child.kill('SIGINT')
  })
  const { code, stdout, stderr } = await told(child)
  stopListening()
  expect({ code, stderr }).toEqual({ code: 130, stderr: 'Interrupted: the rest was not checked.\n' })
  expect(stdout).toMatch(/- Slack card: interrupted, and taken back\n$/)
  expect(seen).toContain('files.delete')
  expect(seen).not.toContain('chat.update')
})

test("an id that is nobody's is refused in a sentence", async () => {
  for (const words of [['--show'], ['--show', 'ana'], ['--show', 'U1', 'more']]) {
    const child = spawn(process.execPath, ['src/bot/doctor/main.ts', ...words], { cwd: root })
    const { code, stdout, stderr } = await told(child)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(words.length === 3 ? /came "more"/ : /--show: expected the id of a person, U…/)
  }
})

async function asProgram(words: string[], over: Record<string, string>, uid?: number) {
  const child = spawn(process.execPath, ['src/bot/doctor/main.ts', ...words], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...town().good, ...over },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  const { stdout, code } = await told(child)
  return { code, ...JSON.parse(stdout) }
}

async function told(child: ReturnType<typeof spawn>) {
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (text) => {
    stdout += text
  })
  child.stderr?.on('data', (text) => {
    stderr += text
  })
  const [code] = await once(child, 'close')
  return { stdout, stderr, code }
}
