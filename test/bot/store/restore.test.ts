/** A backup takes the place of the database: only a good one, while no bot runs, and what was there is kept. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import SQLite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { backUp } from '../../../src/bot/store/open/backup.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { restore } from '../../../src/bot/store/open/restore.ts'
import { StoreError } from '../../../src/bot/store/open/store-error.ts'
import { compiled } from '../../support/compiled.ts'

const root = new URL('../../../', import.meta.url).pathname

/** A folder with a database that was backed up at 1,000, and has been written since, at 2,000. */
async function openHome() {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-restore-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [target, backup] = [join(folder, 'monbot.db'), join(folder, 'backup.db')]
  const store = await openStore(target)
  const note = (polledMs: number) => store.commit({ ...emptyPlan(polledMs), facts: { polledMs } })
  await note(1_000)
  await backUp(target, backup)
  await note(2_000)
  return { folder, target, backup, store }
}

async function polledIn(path: string): Promise<number | null> {
  const store = await openStore(path)
  const { facts } = await store.recall()
  await store.close()
  return facts.polledMs ?? null
}

function command(path: string, ...words: string[]) {
  const env = { PATH: process.env.PATH, ...compiled, DATABASE_URL: path }
  return spawnSync(process.execPath, ['src/bot/restore.ts', ...words], { cwd: root, env, encoding: 'utf8' })
}

test('the command brings a backup back, and keeps what was there as one file that can be brought back as well', async () => {
  const { folder, target, backup, store } = await openHome()
  await store.close()
  const { status, stdout, stderr } = command(`sqlite:${target}`, backup)
  expect([status, stderr]).toEqual([0, ''])
  const [, aside = ''] = /What was there is kept as (\S+)\.\n/.exec(stdout) ?? []
  expect(stdout).toContain(`${target}: restored from ${backup}, with 0 alerts.\n`)
  expect(aside).toMatch(/monbot\.db-replaced-\d{8}T\d{6}Z$/)
  expect(await polledIn(target)).toBe(1_000)
  const second = await restore(aside, target, 'again')
  expect(second).toMatchObject({ waiting: 0, aside: `${target}-replaced-again` })
  expect(await polledIn(target)).toBe(2_000)
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
  expect(existsSync(backup)).toBe(true)
})

test('it is refused while a bot runs, and the database stays as it is', async () => {
  const { folder, target, backup, store } = await openHome()
  const before = readdirSync(folder)
  const { status, stderr } = command(`sqlite:${target}`, backup)
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/is in use by another monbot: stop that one first/),
  ])
  expect(readdirSync(folder)).toEqual(before)
  expect((await store.recall()).facts.polledMs).toBe(2_000)
  await store.close()
})

test.each<[string, (backup: string) => unknown, RegExp]>([
  ['damaged', (path) => writeFileSync(path, readFileSync(path).fill(0x5a, 8_192)), /damaged/],
  ['cut', (path) => writeFileSync(path, readFileSync(path).subarray(0, 20_000)), /damaged/],
  ['no database', (path) => writeFileSync(path, 'x'.repeat(5_000)), /is no SQLite database, or is damaged/],
  ['empty', (path) => writeFileSync(path, ''), /is no backup of monbot, and nothing was changed/],
  [
    'of another program',
    (path) => {
      rmSync(path)
      new SQLite(path).exec('create table songs (title text)').close()
    },
    /nothing was changed/,
  ],
  [
    'of a newer version',
    (path) => {
      const sqlite = new SQLite(path)
      sqlite.exec("insert into kysely_migration values ('9999_future', '2026-01-01')").close()
    },
    /newer/,
  ],
  ['not there', (path) => rmSync(path), /There is no file/],
  [
    'a folder',
    (path) => {
      rmSync(path)
      mkdirSync(path)
    },
    /There is no file/,
  ],
])('a backup that is %s is refused before anything is touched', async (_, spoil, expected) => {
  const { folder, target, backup, store } = await openHome()
  await store.close()
  await spoil(backup)
  const before = readdirSync(folder)
  const failure = await restore(backup, target, 'x').catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StoreError)
  expect(String(failure)).toMatch(expected)
  expect(readdirSync(folder).filter((name) => !name.endsWith('-lock'))).toEqual(
    before.filter((name) => !name.endsWith('-lock')),
  )
  expect(await polledIn(target)).toBe(2_000)
})

test('a damaged database, which is why a backup is brought back, is kept as it is, with its log', async () => {
  const { target, backup, store } = await openHome()
  await store.close()
  writeFileSync(target, 'x'.repeat(5_000))
  writeFileSync(`${target}-wal`, 'what was written last')
  const { aside } = await restore(backup, target, 'x')
  expect(readFileSync(aside ?? '', 'utf8')).toBe('x'.repeat(5_000))
  expect(readFileSync(`${aside}-wal`, 'utf8')).toBe('what was written last')
  expect(await polledIn(target)).toBe(1_000)
})

test('where there was no database, there is one that only its owner reads', async () => {
  const { folder, backup, store } = await openHome()
  await store.close()
  const fresh = join(folder, 'new', 'monbot.db')
  expect(await restore(backup, fresh, 'x')).toMatchObject({ aside: null })
  expect(statSync(fresh).mode & 0o777).toBe(0o600)
  expect(await polledIn(fresh)).toBe(1_000)
})

test('the database itself is no backup of itself, and a Postgres has its own tool', async () => {
  const { target, store } = await openHome()
  await store.close()
  await expect(restore(target, target, 'x')).rejects.toThrow(/is the database itself/)
  const { status, stderr } = command('postgres://a:hunter2@db.example/monbot', target)
  expect([status, stderr]).toEqual([78, expect.stringMatching(/pg_restore/)])
  expect(stderr).not.toContain('hunter2')
})

test('backup and restore keep permissions, and for root the owner', async () => {
  const { folder, target, store } = await openHome()
  await store.close()
  const isRoot = process.getuid?.() === 0
  chmodSync(target, 0o640)
  if (isRoot) chownSync(target, 61_337, 61_338)
  const copy = join(folder, 'copy.db')
  await backUp(target, copy)
  const seen = (path: string) => {
    const { mode, uid, gid } = statSync(path)
    return [mode & 0o777, uid, gid]
  }
  expect(seen(copy)).toEqual(seen(target))
  chmodSync(copy, 0o444)
  const before = seen(target)
  await restore(copy, target, 'x')
  expect(seen(target)).toEqual(before)
  expect(seen(`${target}-replaced-x`)).toEqual(before)
})

test.runIf(process.getuid?.() === 0)(
  'what root restores into the folder of another user is theirs, its lock and folders that it makes too',
  async () => {
    const { folder, backup, store } = await openHome()
    await store.close()
    const home = join(folder, 'home')
    const ownerOf = (path: string) => [path, statSync(path).uid, statSync(path).gid]
    for (const data of [home, join(home, 'data'), join(home, 'a', 'b')]) {
      rmSync(home, { recursive: true, force: true })
      mkdirSync(home)
      chownSync(home, 61_337, 61_338)
      const target = join(data, 'monbot.db')
      await restore(backup, target, 'x')
      for (const path of [target, `${target}-lock`, data, dirname(data)].filter((one) => one !== folder))
        expect(ownerOf(path)).toEqual([path, 61_337, 61_338])
    }
    expect(ownerOf(folder)).toEqual([folder, 0, 0])
  },
)

test.runIf(process.getuid?.() === 0)('root gives nobody a folder that was there', async () => {
  const { folder, backup, store } = await openHome()
  await store.close()
  const [home, there] = [join(folder, 'home'), join(folder, 'home', 'there')]
  mkdirSync(there, { recursive: true })
  chownSync(home, 61_337, 61_338)
  await restore(backup, join(there, 'data', 'monbot.db'), 'x')
  expect([home, there, join(there, 'data')].map((path) => statSync(path).uid)).toEqual([61_337, 0, 0])
})

test('killed before the copy is checked, the old database is still the one', async () => {
  const { folder, target, backup, store } = await openHome()
  await store.close()
  const script = `
    import { replaceDatabase } from './src/shared/replace-database.ts'
    const [backup, target] = process.argv.slice(1)
    await replaceDatabase(backup, target, { stamp: 'x', check: async () => process.kill(process.pid, 'SIGKILL') })`
  const words = ['--input-type=module-typescript', '-e', script, backup, target]
  const { signal } = spawnSync(process.execPath, words, { cwd: root, env: { PATH: process.env.PATH } })
  expect(signal).toBe('SIGKILL')
  expect(await polledIn(target)).toBe(2_000)
  await restore(backup, target, 'y')
  expect(await polledIn(target)).toBe(1_000)
  expect(readdirSync(folder)).not.toContain('monbot.db-replaced-x')
})

test('the command tells how it is used, and what was wrong with its words', () => {
  expect(command('', '--help').stdout).toMatch(/^Usage: npm run restore -- FILE, while no bot runs/)
  const { status, stderr } = command('', 'a', 'b')
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/^Expected the name of one file; came "a" "b"\n/),
  ])
})
