/** Kills the bot while it takes over a database of the first release: the next start must find it whole, old or new. */
import { copyFileSync, existsSync, mkdtempSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import { migrations } from '../../src/store/open/migrations.ts'
import { startBot } from '../support/bot-process.ts'
import { settingsFor } from '../support/settings.ts'
import type { Chance } from './chance.ts'
import { damageOf, examine } from './memory.ts'
import type { Tally } from './tally.ts'
import { openWorld } from './world.ts'

const alertsInIt = 2_000
const startWithinMs = 60_000
/** A process that has opened the file is at the migration for about so long. */
const withinMs = 60

/** Throws where a database was left behind that the bot cannot take over, or that has lost something. */
export async function killMigrations(of: {
  readonly chance: Chance
  readonly kills: number
  readonly tally: Tally
  readonly seed: number
}): Promise<void> {
  const { chance, kills, tally, seed } = of
  const world = await openWorld({ seed, form: 'flip', images: 'off' })
  const folder = mkdtempSync(join(tmpdir(), 'monbot-migration-'))
  const first = join(folder, 'first.db')
  const path = join(folder, 'monbot.db')
  const settings = settingsFor({ ...world, folder })
  try {
    await makeFirst(first)
    for (let n = 0; n < kills; n += 1) {
      if (!existsSync(path) || isTakenOver(path)) fresh(first, path)
      const bot = startBot(settings)
      await opened(folder, bot.ended)
      await new Promise((resolve) => setTimeout(resolve, chance.below(withinMs)))
      const code = await bot.kill('SIGKILL')
      if (code !== null) throw new Error(`it ended by itself: ${bot.output().slice(-2_000)}`)
      const damage = damageOf(path)
      if (damage.length > 0) throw new Error(`the database is damaged: ${damage.join('; ')}`)
      tally.add(isTakenOver(path) ? 'migration: just done' : 'migration: begun')
    }
    const bot = startBot(settings)
    try {
      await started(bot)
    } finally {
      await bot.kill('SIGKILL')
    }
    const db = new SQLite(path, { readonly: true })
    const count = (table: string) => db.prepare(`select count(*) from ${table}`).pluck().get()
    const found = [count('alerts'), count("cards where kind = 'alert'"), count('card_pictures')]
    db.close()
    if (found.some((rows) => rows !== alertsInIt))
      throw new Error(`of ${alertsInIt} each, there are ${found.join(', ')}`)
  } finally {
    await world.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function fresh(first: string, path: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(path + end, { force: true })
  copyFileSync(first, path)
}

/** Resolves as the process begins to use the file, or once it is gone. */
function opened(folder: string, ended: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      watcher.close()
      resolve()
    }
    const watcher = watch(folder, (_, name) => {
      if (name?.startsWith('monbot.db') === true) done()
    })
    void ended.then(done)
  })
}

async function started(bot: ReturnType<typeof startBot>): Promise<void> {
  const untilMs = Date.now() + startWithinMs
  while (bot.logged('app:started').length === 0) {
    if (bot.child.exitCode !== null || Date.now() > untilMs)
      throw new Error(`it did not start: ${bot.output().slice(-2_000)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function isTakenOver(path: string): boolean {
  const count = examine(path, (db) => db.prepare('select count(*) from kysely_migration').pluck().get())
  return count === Object.keys(migrations).length
}

/** A database of the first release, with alerts that are over. */
export async function makeFirst(path: string): Promise<void> {
  const sqlite = new SQLite(path)
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) })
  const [[name, feed] = ['', undefined]] = Object.entries(migrations)
  if (feed === undefined) throw new Error('there is no first migration')
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ [name]: feed }) } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  sqlite.exec(rowsOfTheFirstRelease(Date.now()))
  await db.destroy()
}

/** Closed alerts, each with a card that is shown and a picture. */
function rowsOfTheFirstRelease(nowMs: number): string {
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${alertsInIt})`
  const url = "'https://m.example/' || i"
  return `
    insert into alerts ${numbers} select 'old-' || i, 'web-1', 'web-1', 'busy', 'CPU', 'busy', 0.5, ${url}, ${url}, null,
      'closed', ${nowMs - 90_000_000} + i, ${nowMs - 80_000_000} + i, 'record', 0, '[]', 2, ${nowMs - 90_000_000} from n;
    insert into cards ${numbers} select 'alert:old-' || i || ':C1', 'alert', 'C1', null, null, null, ${nowMs - 90_000_000},
      'shown', 2, 2, '1.' || i, 0, 1, null, 0, 0, null, 0, null from n;
    insert into card_alerts ${numbers} select 'alert:old-' || i || ':C1', 'old-' || i, 0 from n;
    insert into pictures ${numbers} select 'old-' || i, 'upload', 'ready', 'F' || i, 1, 5, null from n;
    insert into facts values ('form', 'flip'), ('polledMs', '${nowMs - 60_000}');
  `
}
