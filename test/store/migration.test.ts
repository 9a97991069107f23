/** A database of the first release is taken over: nothing that it held is lost, and it can be acted on. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import { afterEach, expect, test } from 'vitest'
import { boardCard } from '../../src/domain/card/thread-cards.ts'
import { emptyPlan } from '../../src/domain/plan.ts'
import { migrations } from '../../src/store/open/migrations.ts'
import { openStore } from '../../src/store/open/open-store.ts'
import { aMute } from '../support/acting-rows.ts'
import { anAlert } from '../support/delivery-world.ts'

const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** One alert that is open and one that is over, each with its card and picture, and a summary of both. */
const rowsOfTheFirstRelease = `
  insert into alerts values
    ('1', 'web-1', 'web-1', 'busy', 'CPU', 'busy', 0.5, 'https://m.example/1', 'https://m.example/1.png', null,
      'open', 1000, null, null, 0, '["web"]', 3, 1500),
    ('2', 'web-2', 'web-2', 'busy', 'CPU', 'busy', 0.5, 'https://m.example/2', 'https://m.example/2.png', null,
      'closed', 1000, 2000, 'record', 0, '[]', 2, 1500);
  insert into cards values
    ('alert:1:C1', 'alert', 'C1', null, null, '<!here>', 1500, 'shown', 2, 1, '1.1', 0, 1, null, 0, 0, null, 0, null),
    ('alert:2:C1', 'alert', 'C1', null, null, null, 1500, 'shown', 2, 2, '1.2', 0, 1, null, 0, 0, null, 0, null),
    ('summary:1:C1', 'summary', 'C1', null, null, null, 1500, 'shown', 2, 2, '1.3', 0, 1, null, 0, 0, null, 0, null),
    ('summary:1:C1/1', 'page', 'C1', 'summary:1:C1', 1, null, 1500, 'shown', 2, 2, '1.4', 0, 1, null, 0, 0, null, 0, null);
  insert into card_alerts values
    ('alert:1:C1', '1', 0), ('alert:2:C1', '2', 0), ('summary:1:C1', '1', 0), ('summary:1:C1', '2', 1),
    ('summary:1:C1/1', '1', 0);
  insert into pictures values ('1', 'upload', 'ready', 'F1', 1, 5, null), ('2', 'upload', 'wanted', null, 0, 0, null);
  insert into facts values ('form', 'flip'), ('polledMs', '1500');
`

async function firstRelease(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-migration-'))
  folders.push(folder)
  const path = join(folder, 'monbot.db')
  const sqlite = new SQLite(path)
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) })
  const feed = migrations['0001_feed']
  if (feed === undefined) throw new Error('the first migration is gone')
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ '0001_feed': feed }) } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  sqlite.exec(rowsOfTheFirstRelease)
  await db.destroy()
  return path
}

test('alerts, cards, pictures and facts of the first release are all still there', async () => {
  const store = await openStore(await firstRelease())
  const recalled = await store.recall()
  expect(recalled).toMatchObject({ facts: { form: 'flip', polledMs: 1500 }, mutes: [], muteEpoch: 0 })
  expect(recalled.alerts.get('1')).toMatchObject({ roles: ['web'], version: 3, ackedBy: null, ackedMs: null })
  expect(await store.recallByIds(['2'])).toMatchObject([{ state: 'closed', closedMs: 2000 }])
  expect(await store.nextJob('C1', nowMs, ['update'])).toMatchObject({
    cardId: 'alert:1:C1',
    ts: '1.1',
    view: {
      kind: 'alert',
      stamp: { cardId: 'alert:1:C1', version: 2 },
      mention: '<!here>',
      picture: { fileId: 'F1', attempts: 1 },
      mute: null,
      flaps: null,
      timeline: [],
      notes: 0,
    },
  })
  expect(await store.cardById('summary:1:C1')).toMatchObject({ alertIds: ['1', '2'], subjectId: null })
  await store.close()
})

test('a picture that was still wanted for an alert that is over is not brought any more', async () => {
  const path = await firstRelease()
  const store = await openStore(path)
  await store.close()
  const sqlite = new SQLite(path)
  expect(sqlite.prepare('select card_id, way, state from card_pictures').all()).toEqual([
    { card_id: 'alert:1:C1', way: 'upload', state: 'ready' },
  ])
  expect(sqlite.prepare("select name from sqlite_master where name = 'pictures'").all()).toEqual([])
  sqlite.close()
})

test('a database that was taken over can be acted on, is durable, and is not taken over twice', async () => {
  const path = await firstRelease()
  const first = await openStore(path)
  const plan = {
    ...emptyPlan(nowMs),
    alerts: [{ alert: anAlert('3'), was: null }],
    mutes: [{ mute: aMute('m1'), was: null }],
    dirtyServers: ['web-1'],
    cards: [boardCard('C1')],
  }
  expect(await first.commit(plan)).toBe('saved')
  expect(first.durability()).toEqual({ journalMode: 'wal', synchronous: 'FULL' })
  await first.close()
  const second = await openStore(path)
  expect(await second.cardById('alert:1:C1')).toMatchObject({ version: 3 })
  expect((await second.mutes()).mutes).toEqual([aMute('m1')])
  await second.close()
})

test('a migration that was broken off in the middle leaves nothing behind that keeps the next start from doing it', async () => {
  const path = await firstRelease()
  const columns = () =>
    execute(path, (sqlite) => sqlite.prepare("select name from pragma_table_info('alerts')").pluck().all())
  // It comes to the mutes after it has changed the alerts and the cards.
  execute(path, (sqlite) => sqlite.exec('create table mutes (in_the_way text)'))
  const before = columns()
  await expect(openStore(path)).rejects.toThrow(/cannot be migrated: table "mutes" already exists/)
  expect(columns()).toEqual(before)
  execute(path, (sqlite) => sqlite.exec('drop table mutes'))
  const store = await openStore(path)
  expect(await store.cardById('alert:1:C1')).toMatchObject({ alertIds: ['1'] })
  await store.close()
})

function execute<Found>(path: string, act: (sqlite: SQLite.Database) => Found): Found {
  const sqlite = new SQLite(path)
  try {
    return act(sqlite)
  } finally {
    sqlite.close()
  }
}
