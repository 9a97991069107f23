/** A database of the version before storms is taken over: what waited there goes into the first storm, and nothing is lost. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { afterEach, expect, test } from 'vitest'
import { stormCards } from '../../src/domain/card/storm-cards.ts'
import { emptyPlan } from '../../src/domain/plan.ts'
import { migrations } from '../../src/store/open/migrations.ts'
import { openStore } from '../../src/store/open/open-store.ts'

const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Five alerts whose cards wait for Slack, of which one was tried; and a summary that is shown, with two alerts and a page. */
const rows = `
  insert into alerts (alert_id, hostname, server_name, title, plugin, value, url, sparkline_url, state, started_ms, absences,
      roles, version, first_seen_ms)
    select 'a' || value, 'web-' || value, 'web-' || value, 'busy', 'CPU', 1, 'https://m.example/1', 'https://m.example/1.png',
      'open', 1000 + value, 0, '[]', 1, 1500
    from json_each('[1, 2, 3, 4, 5, 6, 7]');
  insert into cards (card_id, kind, channel, parent_id, page, mention, created_ms, state, wanted, shown, ts, not_before_ms,
      attempts, plain, tidies)
    select 'alert:a' || value || ':C1', 'alert', 'C1', null, null, '<!here>', 1500 + value,
      case value when 5 then 'unknown' else 'wanted' end, 1, 0, null, 0, 0, 0, 0
    from json_each('[1, 2, 3, 4, 5]')
    union all values
      ('summary:1:C1', 'summary', 'C1', null, null, null, 1500, 'shown', 1, 1, '1.3', 0, 0, 0, 0),
      ('summary:1:C1/1', 'page', 'C1', 'summary:1:C1', 1, null, 1500, 'shown', 1, 1, '1.4', 0, 0, 0, 0);
  insert into card_alerts
    select 'alert:a' || value || ':C1', 'a' || value, 0 from json_each('[1, 2, 3, 4, 5]')
    union all values ('summary:1:C1', 'a6', 0), ('summary:1:C1', 'a7', 1), ('summary:1:C1/1', 'a6', 0),
      ('summary:1:C1/1', 'a7', 1);
`

async function versionBefore(names = ['0001_feed', '0002_acting'], filled = rows): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-migration-'))
  folders.push(folder)
  const path = join(folder, 'monbot.db')
  const sqlite = new SQLite(path)
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) })
  const known: Record<string, Migration> = {}
  for (const name of names) {
    const migration = migrations[name]
    if (migration === undefined) throw new Error(`the migration ${name} is gone`)
    known[name] = migration
  }
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => known },
  }).migrateToLatest()
  if (error !== undefined) throw error
  sqlite.exec(filled)
  await db.destroy()
  return path
}

test('what waited for Slack may be withdrawn into a storm, and what may have been posted stays', async () => {
  const store = await openStore(await versionBefore())
  const queue = (await store.queues(['C1'])).get('C1')
  expect(queue).toMatchObject({ unsure: 1, storm: null })
  const waiting = queue?.waiting ?? []
  expect(waiting.map(({ cardId, mention }) => `${cardId} ${mention}`)).toEqual(
    [1, 2, 3, 4].map((n) => `alert:a${n}:C1 <!here>`),
  )
  const storm = stormCards(
    waiting.map(({ alert }) => alert),
    { channel: 'C1', mention: '<!here>' },
    nowMs,
  )
  const withdrawn = waiting.map(({ cardId }) => cardId)
  expect(await store.commit({ ...emptyPlan(nowMs), cards: storm, withdrawn })).toBe('saved')
  expect(await store.nextJob('C1', nowMs, ['post'])).toMatchObject({
    view: { kind: 'storm', mention: '<!here>' },
  })
  expect((await store.carded(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7'])).size).toBe(7)
  await store.close()
})

test('a summary of the version before is still what it was, now with the mutes over it', async () => {
  const path = await versionBefore()
  const first = await openStore(path)
  await first.commit({ ...emptyPlan(nowMs), dirty: ['a6'] })
  await first.close()
  const store = await openStore(path)
  expect(await store.nextJob('C1', nowMs, ['update'])).toMatchObject({
    cardId: 'summary:1:C1',
    view: { kind: 'summary', alerts: [{ alertId: 'a6' }, { alertId: 'a7' }], mutes: [] },
  })
  expect(await store.lastOutage()).toBeNull()
  expect(store.durability()).toEqual({ journalMode: 'wal', synchronous: 'FULL' })
  await store.close()
})

test('a blind time of the version before keeps its card, and what came after it gets one of its own', async () => {
  const names = ['0001_feed', '0002_acting', '0003_storms', '0004_long_run', '0005_moved', '0006_numbers']
  const path = await versionBefore(
    names,
    `insert into blinds (blind_id, since_ms, why, until_ms, times, version) values ('b1', 10, 'away', 20, 2, 3), ('b2', 30, 'away', null, 1, 1)`,
  )
  const store = await openStore(path)
  const since = { cardOf: 'b2', cardSinceMs: 30, sinceMs: 30, untilMs: null, sureMs: null }
  expect(await store.lastOutage()).toEqual({ outageId: 'b2', ...since, why: 'away', version: 1 })
  expect(await store.outagesSince(0)).toMatchObject([{ outageId: 'b1', cardOf: 'b1', sureMs: 20 }, {}])
  await store.close()
})
