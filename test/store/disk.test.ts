/** The disk under the memory: a full one hides no reason and harms nothing, and a file has one process, by whatever name. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, SqliteDialect } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { holdAlone } from '../../src/store/one-process.ts'
import { openStore } from '../../src/store/open-store.ts'
import { forKysely, openFile } from '../../src/store/sqlite-file.ts'
import { StoreError, storeErrorOf } from '../../src/store/store-error.ts'

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-disk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

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
