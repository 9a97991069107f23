/** The disk under the real process: whatever is wrong with it is one clear sentence and exit code 1, and never silence. */
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { beforeAll, expect, type TestContext, test, vi } from 'vitest'
import { type BotLimits, type BotProcess, startBot } from '../support/bot-process.ts'
import { settingsFor } from '../support/settings.ts'
import { soon } from '../support/shared-town.ts'
import { openTown, type Town } from '../support/town.ts'

const load = { server: 'web-1', title: 'Last minute met or exceeded 3.00', plugin: 'Load Average' }

/** A user that owns nothing here: root is stopped by no permission. */
const isRoot = process.getuid?.() === 0
const somebody: BotLimits = isRoot ? { uid: 65_534 } : {}

/** Where a bot keeps its database, and between whom it works. */
type Home = Pick<Town, 'service' | 'workspace' | 'folder'>

const fileOf = ({ folder }: Pick<Home, 'folder'>) => join(folder, 'monbot.db')

let town: Town
let lived: string

// A bot ran here and has stopped; each test that breaks its files copies them first.
beforeAll(async () => {
  const closers: (() => Promise<void>)[] = []
  town = await openTown({ closeLater: (close) => closers.push(close) })
  await live(town)
  lived = mkdtempSync(join(tmpdir(), 'monbot-lived-'))
  cpSync(town.folder, lived, { recursive: true })
  return async () => {
    for (const close of closers) await close()
    rmSync(lived, { recursive: true, force: true })
  }
})

/** A bot is here, and stops. */
async function live({ service, bot, cards }: Town): Promise<void> {
  service.openAlert(load)
  const living = await bot()
  await vi.waitUntil(() => cards().length === 1, soon)
  expect(await living.kill('SIGTERM'), living.output()).toBe(0)
}

function begin({ onTestFinished }: TestContext, home: Home, limits: BotLimits = {}): BotProcess {
  const bot = startBot(settingsFor(home), limits)
  onTestFinished(async () => {
    await bot.kill('SIGKILL')
  })
  return bot
}

async function failedStart(context: TestContext, home: Home, limits: BotLimits = {}) {
  const bot = begin(context, home, limits)
  const code = await bot.ended
  context.expect(bot.output()).not.toMatch(/\n\s+at /)
  return { code, output: bot.output() }
}

/** A folder of the test's own, with the same service and workspace, which a bot that cannot start never calls. */
function homeFrom({ onTestFinished }: TestContext, left?: string): Home {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-disk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  if (left !== undefined) cpSync(left, folder, { recursive: true })
  return { service: town.service, workspace: town.workspace, folder }
}

test.concurrent('a second process on the same database is refused, and the first goes on', async (context) => {
  const { expect } = context
  const town = await openTown({ closeLater: context.onTestFinished })
  const first = await town.bot()
  const { code, output } = await failedStart(context, town)
  expect(output).toMatch(
    /^The database .*monbot\.db is in use by another monbot: stop that one first, or set DATABASE_URL .*\.$/m,
  )
  expect(code).toBe(1)
  town.service.openAlert(load)
  await expect.poll(() => town.cards().length, soon).toBe(1)
  expect(first.child.exitCode).toBe(null)
})

test.concurrent('a process that was killed leaves nothing that somebody must clean up', async (context) => {
  const { expect } = context
  const town = await openTown({ closeLater: context.onTestFinished })
  for (let kills = 0; kills < 2; kills += 1) expect(await (await town.bot()).kill('SIGKILL')).toBe(null)
  await town.bot()
  // A post may have been under way when it was killed: that is looked up, and says so.
  town.expectQuiet({ except: [/"(?:cards|markers):interrupted"/] })
})

test.concurrent('a disk that becomes full ends the process with a sentence, and with room it goes on where it was', async (context) => {
  const { expect } = context
  const town = await openTown({ closeLater: context.onTestFinished })
  await live(town)
  const kib = Math.ceil(statSync(fileOf(town)).size / 1024)
  const bot = begin(context, town, { fileKibMax: kib + 100 })
  await expect.poll(() => bot.logged('app:started').length, soon).toBe(1)
  for (let n = 0; n < 400; n += 1) town.service.openAlert({ ...load, server: `full-${n}` })
  expect(await bot.ended).toBe(1)
  expect(bot.logged('app:crashed')).toMatchObject([
    {
      level: 'fatal',
      error: {
        name: 'StoreError',
        message: expect.stringMatching(
          /^The database .*monbot\.db cannot be .* full.*, and start monbot again \(SQLITE_\w+\)\.$/,
        ),
      },
    },
  ])
  await town.bot()
  const seen = new SQLite(fileOf(town), { readonly: true })
  context.onTestFinished(() => {
    seen.close()
  })
  expect(seen.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(seen.prepare("select count(*) from alerts where state = 'open'").pluck().get()).toBe(401)
})

test.concurrent('a disk that is full at the start is a sentence', async (context) => {
  const { expect } = context
  const { code, output } = await failedStart(context, homeFrom(context), { fileKibMax: 8 })
  expect(output).toMatch(/^The database .*monbot\.db cannot be .*full.* \(SQLITE_\w+\)\.$/m)
  expect(code).toBe(1)
})

test.concurrent('a database that cannot be written is a sentence', async (context) => {
  const { expect } = context
  const home = homeFrom(context, lived)
  chmodSync(fileOf(home), 0o444)
  chmodSync(home.folder, 0o555)
  context.onTestFinished(() => chmodSync(home.folder, 0o755))
  const { code, output } = await failedStart(context, home, somebody)
  expect(output).toMatch(
    /^The database .*monbot\.db-lock cannot be written: .*user that monbot runs as.*\.$/m,
  )
  expect(code).toBe(1)
})

/** Everything is somebody's but what is named, which is another user's and may be read only. */
function giveAway(home: Home, kept: string): void {
  for (const end of ['', '-lock']) chownSync(fileOf(home) + end, 65_534, 65_534)
  chownSync(home.folder, 65_534, 65_534)
  writeFileSync(fileOf(home) + kept, '', { flag: 'a' })
  chownSync(fileOf(home) + kept, 0, 0)
  chmodSync(fileOf(home) + kept, 0o444)
}

test.runIf(isRoot).concurrent.for([
  [
    '',
    /^The database .*monbot\.db cannot be written: .*user that monbot runs as.*\(SQLITE_READONLY\w*\)\.$/m,
  ],
  ['-wal', /^The database .*monbot\.db cannot be (?:opened|written): .*user that monbot runs as.*\.$/m],
] as const)('a database whose file %j is another user’s is a sentence', async ([kept, sentence], context) => {
  const { expect } = context
  const home = homeFrom(context, lived)
  giveAway(home, kept)
  const { code, output } = await failedStart(context, home, somebody)
  expect(output).toMatch(sentence)
  expect(code).toBe(1)
})

test
  .runIf(isRoot)
  .concurrent('a lock file that may only be read does not let two processes in', async (context) => {
    const { expect } = context
    const home = homeFrom(context, lived)
    giveAway(home, '-lock')
    const { code, output } = await failedStart(context, home, somebody)
    expect(output).toMatch(
      /^The database .*monbot\.db-lock cannot be written: .*user that monbot runs as.*\.$/m,
    )
    expect(code).toBe(1)
  })

test.concurrent('a database that is a folder is a sentence', async (context) => {
  const { expect } = context
  const home = homeFrom(context)
  mkdirSync(fileOf(home))
  const { code, output } = await failedStart(context, home)
  expect(output).toMatch(/^The database .*monbot\.db is a folder or a device, which keeps nothing: .*\.$/m)
  expect(code).toBe(1)
})

test.concurrent('a disk that becomes full while the tables are made leaves nothing that the next start could not go on with', async (context) => {
  const { expect } = context
  const town = await openTown({ closeLater: context.onTestFinished })
  const { code, output } = await failedStart(context, town, { fileKibMax: 100 })
  expect(output).toMatch(/^The database .*monbot\.db cannot be .*full.* \(SQLITE_\w+\)\.$/m)
  expect(code).toBe(1)
  const tables = () => {
    const seen = new SQLite(fileOf(town))
    const names = seen.prepare('select name from sqlite_master').pluck().all()
    seen.close()
    return names
  }
  expect(tables()).toEqual([])
  await town.bot()
  expect(tables()).toContain('alerts')
})

test.concurrent('a database that another program locks is a sentence', async (context) => {
  const { expect } = context
  const home = homeFrom(context, lived)
  const other = new SQLite(fileOf(home))
  other.exec('begin exclusive')
  const { code, output } = await failedStart(context, home)
  other.close()
  expect(output).toMatch(/^The database .*monbot\.db is locked by another process: .* \(SQLITE_BUSY\)\.$/m)
  expect(code).toBe(1)
})

test.concurrent('a database of a newer version is a sentence', async (context) => {
  const { expect } = context
  const home = homeFrom(context, lived)
  const sqlite = new SQLite(fileOf(home))
  sqlite.exec("insert into kysely_migration (name, timestamp) values ('9999_later', '2030')")
  sqlite.close()
  const { code, output } = await failedStart(context, home)
  expect(output).toMatch(/^The database .*monbot\.db is of a newer version of monbot \(9999_later\): .*\.$/m)
  // Started again it would be the same.
  expect(code).toBe(78)
})

test.concurrent('a damaged database is a sentence', async (context) => {
  const { expect } = context
  const home = homeFrom(context, lived)
  const { size } = statSync(fileOf(home))
  const file = openSync(fileOf(home), 'r+')
  // All but the first page, which says that this is a database.
  writeSync(file, Buffer.alloc(size - 4096, 0x5a), 0, size - 4096, 4096)
  closeSync(file)
  const { code, output } = await failedStart(context, home)
  expect(output).toMatch(/^The database .*monbot\.db is damaged: .*backup.*\.$/m)
  expect(code).toBe(1)
})
