/** A database of before: what people decided about a mute, and what the API was to be told of it, were one row. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../../src/bot/store/open/migrations.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'

const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)
const minuteMs = 60_000

/** As the version before wrote it. */
async function olderDatabase(write: (sqlite: SQLite.Database) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-older-'))
  const path = join(folder, 'monbot.db')
  const sqlite = new SQLite(path)
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) })
  const older = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0009_switches'))
  const migrator = new Migrator({ db, provider: { getMigrations: async () => older } })
  expect((await migrator.migrateToLatest()).error).toBeUndefined()
  write(sqlite)
  await db.destroy()
  const store = await openStore(path)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return store
}

type Old = {
  id: string
  subject: string
  state: string
  endedBy?: string
  attempts?: number
  goneMs?: number
}

function writeMute(
  sqlite: SQLite.Database,
  { id, subject, state, endedBy, attempts = 0, goneMs }: Old,
): void {
  sqlite
    .prepare(
      `insert into mutes (mute_id, subject, mode, until_ms, user_id, reason, state, started_ms, terms_ms, channel,
        ended_ms, ended_by, attempts, not_before_ms, gone_ms, version)
      values (?, ?, 'timed', ?, 'U0ANA', 'deploying', ?, ?, ?, 'C1', ?, ?, ?, ?, ?, 3)`,
    )
    .run(
      id,
      subject,
      nowMs + 60 * minuteMs,
      state,
      nowMs - minuteMs,
      nowMs - minuteMs,
      state === 'ended' ? nowMs : null,
      endedBy ?? null,
      attempts,
      state === 'ending' ? nowMs : 0,
      goneMs ?? null,
    )
}

function writeStray(sqlite: SQLite.Database, subject: string, isOn: 0 | 1, sinceMs: number): void {
  sqlite
    .prepare('insert into strays values (?, ?, ?, ?, 0, null)')
    .run(subject, isOn, sinceMs, sinceMs + minuteMs)
}

test('mutes that were asked for, active, being ended and over go on, and so does what may come late', async () => {
  const store = await olderDatabase((sqlite) => {
    writeMute(sqlite, { id: 'asked', subject: 'web-1', state: 'asked' })
    writeMute(sqlite, { id: 'active', subject: 'web-2', state: 'active' })
    const gone = { endedBy: 'person', attempts: 4, goneMs: nowMs - 2 * minuteMs }
    writeMute(sqlite, { id: 'ending', subject: 'web-3', state: 'ending', ...gone })
    writeMute(sqlite, { id: 'first', subject: '', state: 'ending', endedBy: 'deadline', attempts: 1 })
    writeMute(sqlite, { id: 'over', subject: 'web-2', state: 'ended', endedBy: 'undo' })
    writeStray(sqlite, 'web-2', 1, nowMs - 3 * minuteMs)
    writeStray(sqlite, 'web-2', 0, nowMs - 2 * minuteMs)
    writeStray(sqlite, 'web-9', 0, nowMs - 4 * minuteMs)
    sqlite.exec(`insert into audit (audit_id, at_ms, via, act, outcome, detail)
      values ('a', ${nowMs}, 'monbot', 'hand_back', 'done', '{}')`)
  })
  const { mutes } = await store.mutes()
  const byId = new Map(mutes.map((mute) => [mute.muteId, mute]))
  expect([...byId.keys()].toSorted()).toEqual(['active', 'asked', 'ending', 'first'])
  const interrupted = { state: 'ended', confirmation: 'waiting', endedBy: 'interrupted' }
  expect(byId.get('asked')).toMatchObject(interrupted)
  expect(byId.get('active')).toMatchObject({ state: 'active', confirmation: 'confirmed', version: 3 })
  expect(byId.get('ending')).toMatchObject({ state: 'ended', confirmation: 'stuck', endedBy: 'person' })
  expect(byId.get('first')).toMatchObject({ state: 'ended', confirmation: 'waiting', subject: null })
  expect(await store.muteById('over')).toMatchObject({ state: 'ended', confirmation: 'confirmed' })

  const rows = new Map(
    (await store.switchesOf(['web-1', 'web-2', 'web-3', 'web-9', null])).map((row) => [row.subject, row]),
  )
  const unsaid = { wanted: 'on', revision: 1, saidRevision: 0 }
  expect(rows.get('web-1')).toMatchObject({ ...unsaid, muteId: 'asked', doubtMs: nowMs - minuteMs })
  expect(rows.get('web-2')).toMatchObject({
    wanted: 'off',
    revision: 1,
    saidRevision: 1,
    muteId: 'active',
    doubtMs: nowMs - 2 * minuteMs,
  })
  const tried = { attempts: 4, goneMs: nowMs - 2 * minuteMs, doubtMs: null }
  expect(rows.get('web-3')).toMatchObject({ ...unsaid, ...tried, muteId: 'ending' })
  expect(rows.get(null)).toMatchObject({ ...unsaid, attempts: 1, muteId: 'first' })
  expect(rows.get('web-9')).toMatchObject({ wanted: 'on', saidRevision: 1, doubtMs: nowMs - 4 * minuteMs })
  expect(await store.auditById('a')).toMatchObject({ act: 'mute_expiring' })
})
