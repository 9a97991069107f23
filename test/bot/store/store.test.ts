/** The memory: a plan is written whole or not at all, what is written is on the disk, and what is kept is brought back as far as it matters. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { afterEach, expect, test } from 'vitest'
import type { End } from '../../../src/bot/domain/alert/end.ts'
import { outageCard } from '../../../src/bot/domain/outage/detect.ts'
import { emptyPlan, type Plan } from '../../../src/bot/domain/plan.ts'
import { firstMigration, migrations } from '../../../src/bot/store/open/migrations.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { anAlert, closing, opening } from '../../support/delivery-world.ts'
import { memoryStore } from '../../support/memory-store.ts'
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

test('a plan made on an older version is stale, and nothing of it is written', async () => {
  const store = await memoryStore()
  const alert = anAlert('1')
  await store.commit(opening([alert], 'C1', nowMs))
  await store.commit(closing(alert, nowMs))
  const late: Plan = {
    ...opening([anAlert('2')], 'C1', nowMs),
    alerts: [
      { alert: anAlert('2'), was: null },
      { alert, was: 1 },
    ],
  }
  expect(await store.commit(late)).toBe('stale')
  expect(await store.recallByIds(['2'])).toEqual([])
  expect(await store.recallByIds(['1'])).toMatchObject([{ state: 'closed', version: 2 }])
})

test('an alert that is there already makes a plan for it as a new one stale', async () => {
  const store = await memoryStore()
  await store.commit(opening([anAlert('1')], 'C1', nowMs))
  expect(await store.commit(opening([anAlert('1')], 'C1', nowMs))).toBe('stale')
})

test('a thousand alerts are one plan', async () => {
  const store = await memoryStore()
  const alerts = Array.from({ length: 1_000 }, (_, n) => anAlert(String(n)))
  expect(await store.commit(opening(alerts, 'C1', nowMs))).toBe('saved')
  expect((await store.recall()).alerts.size).toBe(1_000)
  expect((await store.carded(alerts.map(({ alertId }) => alertId))).size).toBe(1_000)
})

test('alerts of the same kind within seven days are counted, this one included', async () => {
  const store = await memoryStore()
  const dayMs = 24 * 60 * 60 * 1000
  const same = { hostname: 'web-1', plugin: 'CPU', metric: 'busy' }
  const startedAgo = (days: number) => ({ ...same, startedMs: nowMs - days * dayMs })
  await store.commit(
    opening(
      [
        anAlert('1', startedAgo(8)),
        anAlert('2', startedAgo(6)),
        anAlert('3', startedAgo(1)),
        anAlert('4', { ...startedAgo(1), metric: 'idle' }),
        anAlert('5', { ...startedAgo(1), hostname: 'web-2' }),
      ],
      'C2',
      nowMs,
    ),
  )
  await store.commit(opening([anAlert('6', startedAgo(0))], 'C1', nowMs))
  expect(await store.nextJob('C1', nowMs, ['post'])).toMatchObject({ view: { timesThisWeek: 3 } })
})

test('openings go before closings, and closings before other updates', async () => {
  const store = await memoryStore()
  const alerts = ['1', '2', '3'].map((alertId) => anAlert(alertId))
  await store.commit(opening(alerts, 'C1', nowMs))
  for (const alertId of ['1', '2']) {
    await store.settle(`alert:${alertId}:C1`, { state: 'shown', ts: `1.${alertId}`, shown: 1 })
  }
  const [, second] = alerts
  if (!second) throw new Error('three alerts were made')
  await store.commit({ ...closing(second, nowMs), dirty: ['1', '2'] })
  const order = await cards({ store, clock: { nowMs: () => nowMs } })
  expect(order.map(({ task, cardId }) => `${task} ${cardId}`)).toEqual([
    'post alert:3:C1',
    'update alert:2:C1',
    'update alert:1:C1',
  ])
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

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs

function anEnd(id: string, over: { hostname?: string; agoMs?: number; decided?: boolean } = {}): End {
  const { hostname = 'web-9', agoMs = 0, decided = true } = over
  const { url, title, plugin, metric, value, triggerId, saidSeverity } = anAlert(id)
  const record = {
    alertId: id,
    timeMs: nowMs - agoMs,
    hostname,
    serverName: hostname,
    lifecycle: 'end' as const,
    ...{ url, title, plugin, metric, value, triggerId, saidSeverity },
  }
  return { record, decided, isHistory: false }
}

test('beside an alert that stays open for weeks not every end since then is brought back', async () => {
  const store = await memoryStore()
  const startedMs = nowMs - 20 * dayMs
  await store.commit({
    ...emptyPlan(nowMs),
    alerts: [{ alert: anAlert('1', { hostname: 'web-1', startedMs }), was: null }],
    keptEnds: [
      ...Array.from({ length: 500 }, (_, n) => anEnd(`other-${n}`, { agoMs: 2 * hourMs + n * hourMs })),
      anEnd('of-its-server', { hostname: 'web-1', agoMs: 5 * dayMs }),
      anEnd('of-before-it', { hostname: 'web-1', agoMs: 21 * dayMs }),
      anEnd('not-decided', { agoMs: 25 * dayMs, decided: false }),
      anEnd('just-now'),
    ],
  })
  const { ends } = await store.recall()
  expect(ends.map(({ record }) => record.alertId).sort()).toEqual([
    'just-now',
    'not-decided',
    'of-its-server',
  ])
})
