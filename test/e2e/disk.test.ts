/** The disk under the real process: whatever is wrong with it is one clear sentence and exit code 1, and never silence. */
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { makeFirst } from '../kills/migration.ts'
import { type BotLimits, type BotProcess, startBot } from '../support/bot-process.ts'
import { settingsFor } from '../support/settings.ts'
import { openTown, type Town } from '../support/town.ts'

const load = { server: 'web-1', title: 'Last minute met or exceeded 3.00', plugin: 'Load Average' }

/** A user that owns nothing here: root is stopped by no permission. */
const isRoot = process.getuid?.() === 0
const somebody: BotLimits = isRoot ? { uid: 65_534 } : {}

const fileOf = (town: Town) => join(town.folder, 'monbot.db')

function begin(town: Town, limits: BotLimits = {}): BotProcess {
  const bot = startBot(settingsFor(town), limits)
  onTestFinished(async () => {
    await bot.kill('SIGKILL')
  })
  return bot
}

async function failedStart(town: Town, limits: BotLimits = {}) {
  const bot = begin(town, limits)
  const code = await bot.ended
  expect(bot.output()).not.toMatch(/\n\s+at /)
  return { code, output: bot.output() }
}

/** A town whose bot was here, and has stopped. */
async function lived(): Promise<Town> {
  const town = await openTown()
  town.service.openAlert(load)
  const bot = await town.bot()
  await expect.poll(() => town.cards().length, { timeout: 10_000 }).toBe(1)
  expect(await bot.kill('SIGTERM')).toBe(0)
  return town
}

test('a second process on the same database is refused, and the first goes on', async () => {
  const town = await openTown()
  const first = await town.bot()
  const { code, output } = await failedStart(town)
  expect(output).toMatch(
    /^The database .*monbot\.db is in use by another monbot: stop that one first, or set DATABASE_URL .*\.$/m,
  )
  expect(code).toBe(1)
  town.service.openAlert(load)
  await expect.poll(() => town.cards().length, { timeout: 10_000 }).toBe(1)
  expect(first.child.exitCode).toBe(null)
})

test('a process that was killed leaves nothing that somebody must clean up', async () => {
  const town = await openTown()
  for (let kills = 0; kills < 2; kills += 1) expect(await (await town.bot()).kill('SIGKILL')).toBe(null)
  await town.bot()
  // A post may have been under way when it was killed: that is looked up, and says so.
  town.expectQuiet({ except: [/"(?:cards|markers):interrupted"/] })
})

test('a disk that becomes full ends the process with a sentence, and with room it goes on where it was', async () => {
  const town = await lived()
  const kib = Math.ceil(statSync(fileOf(town)).size / 1024)
  const bot = begin(town, { fileKibMax: kib + 100 })
  await expect.poll(() => bot.logged('app:started').length, { timeout: 20_000 }).toBe(1)
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
  onTestFinished(() => {
    seen.close()
  })
  expect(seen.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(seen.prepare("select count(*) from alerts where state = 'open'").pluck().get()).toBe(401)
})

test('a disk that is full at the start is a sentence', async () => {
  const { code, output } = await failedStart(await openTown(), { fileKibMax: 8 })
  expect(output).toMatch(/^The database .*monbot\.db cannot be .*full.* \(SQLITE_\w+\)\.$/m)
  expect(code).toBe(1)
})

test('a database that cannot be written is a sentence', async () => {
  const town = await lived()
  chmodSync(fileOf(town), 0o444)
  chmodSync(town.folder, 0o555)
  onTestFinished(() => chmodSync(town.folder, 0o755))
  const { code, output } = await failedStart(town, somebody)
  expect(output).toMatch(
    /^The database .*monbot\.db-lock cannot be written: .*user that monbot runs as.*\.$/m,
  )
  expect(code).toBe(1)
})

/** Everything is somebody's but what is named, which is another user's and may be read only. */
function giveAway(town: Town, kept: string): void {
  for (const end of ['', '-lock']) chownSync(fileOf(town) + end, 65_534, 65_534)
  chownSync(town.folder, 65_534, 65_534)
  writeFileSync(fileOf(town) + kept, '', { flag: 'a' })
  chownSync(fileOf(town) + kept, 0, 0)
  chmodSync(fileOf(town) + kept, 0o444)
}

test.runIf(isRoot).each([
  [
    '',
    /^The database .*monbot\.db cannot be written: .*user that monbot runs as.*\(SQLITE_READONLY\w*\)\.$/m,
  ],
  ['-wal', /^The database .*monbot\.db cannot be (?:opened|written): .*user that monbot runs as.*\.$/m],
])('a database whose file %j is another user’s is a sentence', async (kept, sentence) => {
  const town = await lived()
  giveAway(town, kept)
  const { code, output } = await failedStart(town, somebody)
  expect(output).toMatch(sentence)
  expect(code).toBe(1)
})

test.runIf(isRoot)('a lock file that may only be read does not let two processes in', async () => {
  const town = await lived()
  giveAway(town, '-lock')
  const { code, output } = await failedStart(town, somebody)
  expect(output).toMatch(
    /^The database .*monbot\.db-lock cannot be written: .*user that monbot runs as.*\.$/m,
  )
  expect(code).toBe(1)
})

test('a database that is a folder is a sentence', async () => {
  const town = await openTown()
  mkdirSync(fileOf(town))
  const { code, output } = await failedStart(town)
  expect(output).toMatch(/^The database .*monbot\.db cannot be opened: .* \(SQLITE_CANTOPEN\w*\)\.$/m)
  expect(code).toBe(1)
})

test('a disk that becomes full in the middle of a migration leaves a database that can still be taken over', async () => {
  const town = await openTown()
  await makeFirst(fileOf(town))
  const kib = Math.ceil(statSync(fileOf(town)).size / 1024)
  const { code, output } = await failedStart(town, { fileKibMax: Math.min(kib, 200) })
  expect(output).toMatch(/^The database .*monbot\.db cannot be .*full.* \(SQLITE_\w+\)\.$/m)
  expect(code).toBe(1)
  const count = (table: string) => {
    const seen = new SQLite(fileOf(town))
    const rows = seen.prepare(`select count(*) from ${table}`).pluck().get()
    seen.close()
    return rows
  }
  expect(count('kysely_migration')).toBe(1)
  await town.bot()
  expect(count('kysely_migration')).toBeGreaterThan(1)
  expect(count('alerts')).toBe(2_000)
})

test('a database that another program locks is a sentence', async () => {
  const town = await lived()
  const other = new SQLite(fileOf(town))
  other.exec('begin exclusive')
  const { code, output } = await failedStart(town)
  other.close()
  expect(output).toMatch(/^The database .*monbot\.db is locked by another process: .* \(SQLITE_BUSY\)\.$/m)
  expect(code).toBe(1)
})

test('a database of a newer version is a sentence', async () => {
  const town = await lived()
  const sqlite = new SQLite(fileOf(town))
  sqlite.exec("insert into kysely_migration (name, timestamp) values ('9999_later', '2030')")
  sqlite.close()
  const { code, output } = await failedStart(town)
  expect(output).toMatch(/^The database .*monbot\.db is of a newer version of monbot \(9999_later\): .*\.$/m)
  expect(code).toBe(1)
})

test('a damaged database is a sentence', async () => {
  const town = await lived()
  const { size } = statSync(fileOf(town))
  const file = openSync(fileOf(town), 'r+')
  // All but the first page, which says that this is a database.
  writeSync(file, Buffer.alloc(size - 4096, 0x5a), 0, size - 4096, 4096)
  closeSync(file)
  const { code, output } = await failedStart(town)
  expect(output).toMatch(/^The database .*monbot\.db is damaged: .*backup.*\.$/m)
  expect(code).toBe(1)
})
