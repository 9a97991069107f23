/** The disk under the memory: a full one hides no reason and harms nothing, and a file has one process, by whatever name. */
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { holdAlone } from '../../../src/bot/store/open/one-process.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { forKysely, openFile } from '../../../src/bot/store/open/sqlite-file.ts'
import { StoreError, storeErrorOf } from '../../../src/bot/store/open/store-error.ts'

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-disk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test.each(['/dev/null', tmpdir()])('a database at %s, which keeps nothing, is refused', async (path) => {
  await expect(openStore(path)).rejects.toThrow(
    `The database ${path} is a folder or a device, which keeps nothing: set DATABASE_URL to the path of a file.`,
  )
  expect(existsSync(`${path}-lock`)).toBe(false)
})

test('a disk that is full in the middle of a transaction is told as such, and nothing of it is written', async () => {
  const path = join(aFolder(), 'monbot.db')
  const sqlite = openFile(path)
  const db = new Kysely<{ rows: { text: string } }>({
    dialect: new SqliteDialect({ database: forKysely(sqlite, path) }),
  })
  onTestFinished(() => db.destroy())
  await db.schema.createTable('rows').addColumn('text', 'text').execute()
  await db.insertInto('rows').values({ text: 'before' }).execute()
  sqlite.pragma('max_page_count = 10')
  const write = (many: number) =>
    db.transaction().execute(async (tx) => {
      for (let n = 0; n < many; n += 1)
        await tx
          .insertInto('rows')
          .values({ text: 'x'.repeat(4_000) })
          .execute()
    })

  const failure = await write(20).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StoreError)
  expect(failure).toMatchObject({
    code: 'SQLITE_FULL',
    message: `The database ${path} cannot be written, because the disk is full: make room, and start monbot again (SQLITE_FULL).`,
  })
  expect(await db.selectFrom('rows').selectAll().execute()).toEqual([{ text: 'before' }])
  sqlite.pragma('max_page_count = 1000')
  await write(20)
  expect(await db.selectFrom('rows').selectAll().execute()).toHaveLength(21)
})

test('a mistake in a statement is no failure of the disk', async () => {
  const path = join(aFolder(), 'monbot.db')
  const sqlite = openFile(path)
  onTestFinished(() => {
    sqlite.close()
  })
  expect(() => forKysely(sqlite, path).prepare('select 1 from nowhere')).toThrow(/no such table/)
  expect(() => forKysely(sqlite, path).prepare('select 1 from nowhere')).not.toThrow(StoreError)
  expect(storeErrorOf(new Error('any'), path)).toBe(null)
})

test('a file that is open is refused, by its other names too, and free once it is closed', async () => {
  const folder = aFolder()
  const path = join(folder, 'monbot.db')
  symlinkSync(folder, join(folder, 'again'))
  symlinkSync(path, join(folder, 'other.db'))
  const first = await openStore(path)
  for (const name of [path, join(folder, 'again', 'monbot.db'), join(folder, 'other.db')]) {
    await expect(openStore(name)).rejects.toThrow(/ is in use by another monbot: stop that one first/)
  }
  await (await openStore(join(folder, 'second.db'))).close()
  await first.close()
  await (await openStore(path)).close()
})

test('what cannot be opened does not stay held', async () => {
  const path = join(aFolder(), 'monbot.db')
  const held = holdAlone(path)
  await expect(openStore(path)).rejects.toThrow(/in use/)
  held.release()
  await (await openStore(path)).close()
})

test('a folder that is not there is made', async () => {
  const path = join(aFolder(), 'new', 'folder', 'monbot.db')
  await (await openStore(path)).close()
  expect(existsSync(path)).toBe(true)
})

test('a damaged page that only a later read finds is told as such, once, and to whoever must know', async () => {
  const path = join(aFolder(), 'monbot.db')
  await (await openStore(path)).close()
  const sqlite = new SQLite(path)
  const row = sqlite.prepare(`insert into audit (audit_id, at_ms, user_id, via, act, outcome, detail)
    values (?, 1, 'U1', 'command', 'add_marker', 'done', ?)`)
  for (let n = 0; n < 20; n += 1) row.run(`a${n}`, JSON.stringify({ text: 'x'.repeat(1_000_000) }))
  sqlite.close()

  const lost: Error[] = []
  // A disk that decays writes nothing, and leaves the file as old as it was.
  const asOldAsBefore = () => utimesSync(path, 1_000_000_000, 1_000_000_000)
  asOldAsBefore()
  const store = await openStore(path, (failure) => lost.push(failure))
  const { size } = statSync(path)
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(size / 2, 0x5a), 0, size / 2, size / 2)
  closeSync(file)
  asOldAsBefore()
  const read = () => store.audit({ hostname: null, sinceMs: 0, offset: 0, limit: 100 })
  await expect(read()).rejects.toThrow(/monbot\.db is damaged: .*backup.* \(SQLITE_CORRUPT\w*\)\.$/)
  await expect(read()).rejects.toThrow(StoreError)
  expect(lost).toMatchObject([{ name: 'StoreError', code: expect.stringMatching(/^SQLITE_CORRUPT/) }])
  await store.close()
})

test.each(['monbot.db', 'monbot.db-lock'])(
  'a %s that was put in the place of the one that is open is noticed before the next write',
  async (name) => {
    const folder = aFolder()
    const path = join(folder, 'monbot.db')
    const store = await openStore(path)
    await store.claim(['k1'], 1)
    const other = join(folder, 'other')
    await (await openStore(other)).close()
    renameSync(name === 'monbot.db' ? other : `${other}-lock`, join(folder, name))
    await expect(store.claim(['k2'], 2)).rejects.toThrow(/ was (?:moved or )?removed while monbot runs/)
    await expect(store.mutes()).rejects.toThrow(StoreError)
    await store.close()
  },
)

test('a large sort needs no file beside the database: where everything else is read-only there is no place for one', () => {
  const sqlite = openFile(join(aFolder(), 'monbot.db'))
  const memory = 2
  expect(sqlite.pragma('temp_store', { simple: true })).toBe(memory)
  sqlite.close()
})

test('what writes and answers in one is known as its own write, and what is asked next is answered', async () => {
  const store = await openStore(join(aFolder(), 'monbot.db'))
  const change = { kind: 'mute_account', reason: 'deploying', forMs: 1_000 } as never
  await store.keepPending({ pendingId: 'p', userId: 'U1', change, atMs: 1 })
  expect(await store.takePending('p')).toMatchObject({ userId: 'U1' })
  expect(await store.takePending('p')).toBeNull()
  expect((await store.mutes()).mutes).toEqual([])
  await store.close()
})
