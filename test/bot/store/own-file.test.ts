/** The database is what this process wrote, or it is nothing to go by: each way to take it away is noticed before the next word. */
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { type OpenStore, openStore } from '../../../src/bot/store/open/open-store.ts'
import { StoreError } from '../../../src/bot/store/open/store-error.ts'
import { anAlert, opening } from '../../support/delivery-world.ts'

async function world() {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-own-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'monbot.db')
  const first = await openStore(path)
  await first.commit(opening([anAlert('1')], 'C1', 1))
  await first.close()
  copyFileSync(path, `${path}.backup`)
  const store = await openStore(path)
  await store.commit(opening([anAlert('2')], 'C1', 2))
  return { path, backup: `${path}.backup`, store }
}

const over = /^The database .*monbot\.db was written over by another program while monbot runs, .*\.$/
const gone = /^The database .*monbot\.db was moved or removed while monbot runs, .*\.$/
const logGone = /^The file .*monbot\.db-(?:wal|shm) was removed while monbot runs, .*\.$/

type World = Awaited<ReturnType<typeof world>>

async function open(path: string): Promise<OpenStore> {
  const store = await openStore(path)
  onTestFinished(() => store.close())
  return store
}

test.each<[what: string, harm: (world: World) => unknown, sentence: RegExp]>([
  ['its log is removed', ({ path }) => rmSync(`${path}-wal`), logGone],
  ['the index of its log is removed', ({ path }) => rmSync(`${path}-shm`), logGone],
  [
    'its log is removed and made anew',
    ({ path, backup }) => {
      rmSync(`${path}-wal`)
      copyFileSync(backup, `${path}-wal`)
    },
    logGone,
  ],
  ['its log is cut short', ({ path }) => truncateSync(`${path}-wal`), over],
  ['it is cut short', ({ path }) => truncateSync(path, 4_096), over],
  ['it is emptied', ({ path }) => truncateSync(path), over],
  ['a backup is copied over it', ({ path, backup }) => copyFileSync(backup, path), over],
  ['a backup takes its place', ({ path, backup }) => renameSync(backup, path), gone],
  ['it is removed', ({ path }) => rmSync(path), gone],
  [
    'a backup is restored by way of SQLite',
    async ({ path, backup }) => {
      const source = new SQLite(backup)
      await source.backup(path)
      source.close()
    },
    over,
  ],
])('when %s while it is open, nothing is read or written any more', async (_, harm, sentence) => {
  const town = await world()
  await harm(town)
  const failure = await town.store.openAlerts(null).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StoreError)
  expect(String(failure).replace(/^StoreError: /, '')).toMatch(sentence)
  await expect(town.store.commit(emptyPlan(3))).rejects.toThrow(StoreError)
  await town.store.close()
})

test('what is copied over it while monbot writes is noticed too', async () => {
  const { path, backup, store } = await world()
  // More than are written in one go: others have their turn meanwhile.
  const many = Array.from({ length: 3_000 }, (_, n) => anAlert(String(10 + n)))
  const commit = store.commit(opening(many, 'C1', 3)).catch((error: unknown) => error)
  await new Promise((resolve) => setImmediate(resolve))
  copyFileSync(backup, path)
  await commit
  await expect(store.openAlerts(null)).rejects.toThrow(over)
})

test.each([
  ['copied over it', (world: World) => copyFileSync(world.backup, world.path)],
  ['put in its place', (world: World) => renameSync(world.backup, world.path)],
])('a backup that was %s is what the next start finds, and nothing of the log of before', async (_, harm) => {
  const town = await world()
  harm(town)
  await expect(town.store.openAlerts(null)).rejects.toThrow(StoreError)
  expect(existsSync(`${town.path}-wal-set-aside`)).toBe(true)
  // As in another process: the one that ends closes nothing.
  const copy = `${town.path}-next`
  copyFileSync(town.path, copy)
  const next = await open(copy)
  expect((await next.openAlerts(null)).map(({ alertId }) => alertId)).toEqual(['1'])
})

test('what others may do with it while it is open: read, back up, move the log into the file, change a row', async () => {
  const { path, store } = await world()
  const other = new SQLite(path)
  expect(other.prepare('select count(*) from alerts').pluck().get()).toBe(2)
  await other.backup(`${path}.other`)
  other.pragma('wal_checkpoint(PASSIVE)')
  await store.commit(opening([anAlert('3')], 'C1', 3))
  other.pragma('wal_checkpoint(FULL)')
  expect(await store.openAlerts(null)).toHaveLength(3)
  other.pragma('wal_checkpoint(TRUNCATE)')
  expect(await store.openAlerts(null)).toHaveLength(3)
  await store.commit(opening([anAlert('4')], 'C1', 4))
  other.exec(`update alerts set title = 'Disk full' where alert_id = '1'`)
  expect(await store.openAlerts(null)).toHaveLength(4)
  other.exec('analyze')
  other.close()
  await store.commit(opening([anAlert('5')], 'C1', 5))
  expect(await store.openAlerts(null)).toHaveLength(5)
  await store.close()
})

test('its own log may be moved into it as often as it likes', async () => {
  const { store } = await world()
  for (let at = 10; at < 60; at += 1) {
    const alerts = Array.from({ length: 40 }, (_, n) => anAlert(`${at}${n}`))
    await store.commit(opening(alerts, 'C1', at))
  }
  expect(await store.openAlerts(null)).toHaveLength(2_002)
  await store.close()
})
