/** The memory: a plan is written whole or not at all, what is written is on the disk, and what is kept is brought back as far as it matters. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { afterEach, expect, test } from 'vitest'
import { outageCard } from '../../../src/bot/domain/outage/detect.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { firstMigration, migrations } from '../../../src/bot/store/open/migrations.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { anAlert, opening } from '../../support/delivery-world.ts'
import { cards } from '../../support/poll-world.ts'

const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-store-'))
  folders.push(folder)
  return folder
}

test('what is committed is there after a restart, word for word', async () => {
  const path = join(aFolder(), 'deep', 'monbot.db')
  const alert = anAlert('1', {
    value: 0.1,
    roles: ['web', '__proto__'],
    title: 'quoted \' " 🔥',
    metric: null,
  })
  const first = await openStore(path)
  expect(await first.commit(opening([alert], 'C1', nowMs, true))).toBe('saved')
  await first.close()
  const second = await openStore(path)
  expect(await second.recallByIds(['1', '2'])).toEqual([alert])
  expect((await second.recall()).alerts.get('1')).toEqual(alert)
  expect(await second.nextJob('C1', nowMs + 1_500, ['post'])).toMatchObject({
    cardId: 'alert:1:C1',
    view: { alert, timesThisWeek: 1, picture: null },
  })
  await second.close()
})

test('every commit is synced to the disk: synchronous is FULL after a write', async () => {
  const path = join(aFolder(), 'monbot.db')
  const store = await openStore(path)
  await store.commit(opening([anAlert('1')], 'C1', nowMs))
  expect(store.durability()).toEqual({ journalMode: 'wal', synchronous: 'FULL' })
  await store.close()
})

test('a file that is no database, and a folder that cannot be written, are one clear sentence', async () => {
  const folder = aFolder()
  const notes = join(folder, 'notes.txt')
  writeFileSync(notes, 'this is not a database, and long enough to be seen as none'.repeat(40))
  await expect(openStore(notes)).rejects.toThrow(
    /^The database .*notes\.txt is no SQLite database, or is damaged: .* \(SQLITE_NOTADB\)\.$/,
  )
  const blocked = join(folder, 'file')
  writeFileSync(blocked, '')
  chmodSync(blocked, 0o400)
  await expect(openStore(join(blocked, 'monbot.db'))).rejects.toThrow(/cannot be opened/)
})

test('the version of the tables is kept, and a database of a newer version is refused', async () => {
  const path = join(aFolder(), 'monbot.db')
  await (await openStore(path)).close()
  const sqlite = new SQLite(path)
  sqlite.prepare("insert into kysely_migration (name, timestamp) values ('9999_later', '2030')").run()
  sqlite.close()
  await expect(openStore(path)).rejects.toThrow(
    /^The database .*monbot\.db is of a newer version of monbot \(9999_later\): /,
  )
})

test('a database of an earlier version is refused with what to do, and is left as it was', async () => {
  const path = join(aFolder(), 'monbot.db')
  const sqlite = new SQLite(path)
  sqlite.exec(`create table kysely_migration (name text, timestamp text); create table alerts (alert_id text);
    insert into kysely_migration values ('0001_feed', '2026'), ('0010_missing', '2026')`)
  const tables = sqlite.prepare('select sql from sqlite_master')
  const before = tables.all()
  await expect(openStore(path)).rejects.toThrow(
    /^The database .*monbot\.db was made by an earlier version of monbot \(0010_missing\) .*: move it away, /,
  )
  expect(tables.all()).toEqual(before)
  sqlite.close()
})

test('a database of the first version is migrated, and what it remembers is a warning', async () => {
  const path = join(aFolder(), 'monbot.db')
  const sqlite = new SQLite(path)
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) })
  const first = { [firstMigration]: migrations[firstMigration] as Migration }
  const migrator = new Migrator({ db, provider: { getMigrations: async () => first } })
  expect((await migrator.migrateToLatest()).error).toBeUndefined()
  sqlite.exec(`insert into alerts (alert_id, number, hostname, server_name, title, plugin, url, state, started_ms, absences, roles,
    version, first_seen_ms) values ('1', '1', 'web-1', 'web-1', 'full', 'Disk /', '', 'open', 1, 0, '[]', 1, 1)`)
  await db.destroy()
  const store = await openStore(path)
  expect(await store.openAlerts(null)).toMatchObject([
    { alertId: '1', severity: 'warning', saidSeverity: null, ackedBy: null },
  ])
  await store.close()
})

test('an outage that lasts while the bot is brought up to date goes on, on the card that it has', async () => {
  const path = join(aFolder(), 'monbot.db')
  const sqlite = new SQLite(path)
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) })
  const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0009'))
  const migrator = new Migrator({ db, provider: { getMigrations: async () => before } })
  expect((await migrator.migrateToLatest()).error).toBeUndefined()
  sqlite.exec(`insert into blinds (blind_id, card_of, card_since_ms, since_ms, why, version) values ('b1', 'b1', 1, 1, 'away', 1);
    insert into cards (card_id, kind, channel, subject_id, created_ms, state, wanted, shown, moved, ts, not_before_ms, attempts, plain, tidies)
    values ('blind:b1:C1', 'blind', 'C1', 'b1', 1, 'shown', 1, 1, 0, '1.1', 0, 0, 0, 0)`)
  await db.destroy()
  const store = await openStore(path)
  const last = await store.lastOutage()
  expect(last).toMatchObject({ outageId: 'b1', untilMs: null, why: 'away' })
  if (last === null) throw new Error('It lasts')
  const over = { ...last, untilMs: nowMs, version: 2 }
  const plan = { ...emptyPlan(nowMs), outages: [{ outage: over, was: 1 }], cards: [outageCard(last, 'C1')] }
  expect(await store.commit(plan)).toBe('saved')
  const told = await cards({ store, clock: { nowMs: () => nowMs } })
  expect(told).toMatchObject([{ task: 'update', cardId: 'blind:b1:C1', view: { kind: 'outage' } }])
  await store.close()
})

test('a migration that is broken off in the middle leaves nothing behind that keeps the next start from doing it', async () => {
  const path = join(aFolder(), 'monbot.db')
  const sqlite = new SQLite(path)
  const tables = sqlite.prepare('select name from sqlite_master').pluck()
  // It comes to the mutes after it has made the alerts and the cards.
  sqlite.exec('create table mutes (in_the_way text)')
  await expect(openStore(path)).rejects.toThrow(/cannot be migrated: table mutes already exists/)
  expect(tables.all()).toEqual(['mutes'])
  sqlite.exec('drop table mutes')
  const store = await openStore(path)
  expect((await store.mutes()).mutes).toEqual([])
  await store.close()
  sqlite.close()
})
