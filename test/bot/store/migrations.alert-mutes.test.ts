/** A database of before mutes of one alert: its alerts get the name of their trouble, its mutes go on. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import { expect, onTestFinished, test } from 'vitest'
import { isHidden } from '../../../src/bot/domain/mute/mute.ts'
import { troubleSubject } from '../../../src/bot/domain/mute/subject.ts'
import { migrations } from '../../../src/bot/store/open/migrations.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { anAlert, someDetails } from '../../support/delivery-world.ts'

test('alerts of before are found by their trouble, and the mutes of before hide what they hid', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-older-'))
  const path = join(folder, 'monbot.db')
  const sqlite = new SQLite(path)
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) })
  const older = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0014'))
  const migrator = new Migrator({ db, provider: { getMigrations: async () => older } })
  expect((await migrator.migrateToLatest()).error).toBeUndefined()
  const details = JSON.stringify(someDetails({ trouble: 't1' }))
  const insert = sqlite.prepare(
    `insert into alerts (alert_id, number, hostname, server_name, title, plugin, metric, value, url, trigger_id, severity,
      state, started_ms, absences, roles, version, first_seen_ms, details)
    values (?, ?, 'web-1', 'web-1', 'Last minute met or exceeded 3.00', 'Load Average', 'last_minute', 3.5, '', null,
      'warning', ?, 1000, 0, '[]', 1, 1000, ?)`,
  )
  insert.run('1', '1', 'open', null)
  insert.run('2', '2', 'closed', details)
  sqlite
    .prepare(
      `insert into mutes (mute_id, subject, mode, until_ms, user_id, reason, state, started_ms, terms_ms, channel, version)
      values ('m1', 'web-1', 'open', null, 'U0ANA', '', 'active', 1000, 1000, 'C1', 1)`,
    )
    .run()
  await db.destroy()
  const store = await openStore(path)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const [open] = await store.openAlerts([troubleSubject(anAlert('1', { hostname: 'web-1' }))])
  expect(open?.alertId).toBe('1')
  const { mutes } = await store.mutes()
  expect(mutes).toMatchObject([{ muteId: 'm1', subject: 'web-1', alert: null }])
  expect(open !== undefined && isHidden(open, mutes)).toBe(true)
  const named = troubleSubject(anAlert('2', { details: someDetails({ trouble: 't1' }) }))
  expect(await store.countAlerts({ subjects: [named], sinceMs: 0 })).toBe(1)
})
