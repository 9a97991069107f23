/** A backup of a database in use is whole, is one file, and can be started from. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { backUp } from '../../../src/bot/store/open/backup.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { StoreError } from '../../../src/bot/store/open/store-error.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-backup-'))
  folders.push(folder)
  return folder
}

const note = (store: Awaited<ReturnType<typeof openStore>>, polledMs: number) =>
  store.commit({ ...emptyPlan(polledMs), facts: { polledMs } })

test('a copy made while it is written is what was committed, in one file, and opens as a database of its own', async () => {
  const folder = newFolder()
  const store = await openStore(join(folder, 'monbot.db'))
  await note(store, 1_000)
  const writing = Array.from({ length: 50 }, (_, n) => note(store, 2_000 + n))
  const made = await backUp(join(folder, 'monbot.db'), join(folder, 'copy.db'))
  await Promise.all(writing)
  expect(made).toMatchObject({ alerts: 0, mutes: 0 })
  // It goes on as if nothing had been.
  await note(store, 3_000)
  await store.close()
  expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.db'])
  const restored = await openStore(join(folder, 'copy.db'))
  const { facts } = await restored.recall()
  expect(facts.polledMs).toBeGreaterThanOrEqual(1_000)
  expect(facts.polledMs).toBeLessThan(3_000)
  await restored.close()
})

test('no file is overwritten, and a failed backup leaves none', async () => {
  const folder = newFolder()
  const there = join(folder, 'there.db')
  writeFileSync(there, 'precious')
  const store = await openStore(join(folder, 'monbot.db'))
  await expect(backUp(join(folder, 'monbot.db'), there)).rejects.toThrow(/there already/)
  await store.close()
  await expect(backUp(join(folder, 'none.db'), join(folder, 'x.db'))).rejects.toThrow(/There is no database/)
  await expect(backUp(there, join(folder, 'x.db'))).rejects.toThrow(StoreError)
  await expect(backUp(join(folder, 'monbot.db'), join(folder, 'no', 'x.db'))).rejects.toThrow(StoreError)
  expect(existsSync(join(folder, 'x.db'))).toBe(false)
  expect(readdirSync(folder).filter((name) => name.includes('monbot-backup'))).toEqual([])
})

test('a backup touches no file that it was not asked about, be it called FILE.part, and be it the database', async () => {
  const folder = newFolder()
  const database = join(folder, 'a.part')
  await (await openStore(database)).close()
  writeFileSync(join(folder, 'b.part'), 'precious')
  await backUp(database, join(folder, 'a'))
  await backUp(database, join(folder, 'b'))
  expect(readFileSync(join(folder, 'b.part'), 'utf8')).toBe('precious')
  await (await openStore(database)).close()
  expect(readdirSync(folder).filter((name) => !name.endsWith('-lock'))).toEqual([
    'a',
    'a.part',
    'b',
    'b.part',
  ])
})

test('a link that leads nowhere is not overwritten', async () => {
  const folder = newFolder()
  await (await openStore(join(folder, 'monbot.db'))).close()
  symlinkSync(join(folder, 'nowhere'), join(folder, 'link'))
  await expect(backUp(join(folder, 'monbot.db'), join(folder, 'link'))).rejects.toThrow(/there already/)
})

/** The head is left, so that it is taken for a database. */
async function damaged(path: string): Promise<void> {
  await (await openStore(path)).close()
  writeFileSync(path, readFileSync(path).fill(0x5a, 8_192))
}

const made = (path: string, sql: string) => new SQLite(path).exec(sql).close()

test.each<[string, (path: string) => unknown, RegExp]>([
  ['damaged', damaged, /^The database .*source\.db is damaged/],
  [
    'no database',
    (path) => writeFileSync(path, 'x'.repeat(5_000)),
    /^The database .*source\.db is no SQLite database, or is damaged: .* \(SQLITE_NOTADB\)\.$/,
  ],
  [
    'empty',
    (path) => writeFileSync(path, ''),
    /^The file .*source\.db is no database of monbot \(no such table: alerts\): set DATABASE_URL/,
  ],
  [
    'of another program',
    (path) => made(path, 'create table songs (title text)'),
    /^The file .*source\.db is no database of monbot \(no such table: alerts\): set DATABASE_URL/,
  ],
  [
    'of a program with alerts of its own',
    (path) => made(path, 'create table alerts (a); create table mutes (b)'),
    /^The file .*source\.db is no database of monbot \(no such column: state\): set DATABASE_URL/,
  ],
])('a source that is %s is told by its own name, and there is no backup', async (_, make, expected) => {
  const folder = newFolder()
  const source = join(folder, 'source.db')
  await make(source)
  const failure = await backUp(source, join(folder, 'x.db')).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StoreError)
  expect(failure).toMatchObject({ message: expect.stringMatching(expected) })
  expect(readdirSync(folder).filter((name) => !name.startsWith('source.db'))).toEqual([])
})

test('a name that is too long is told as such, by the backup and by the bot', async () => {
  const folder = newFolder()
  const source = join(folder, 'monbot.db')
  await (await openStore(source)).close()
  const long = join(folder, 'x'.repeat(300))
  const why = 'cannot be opened, because a name in its path is too long: choose a shorter one (ENAMETOOLONG).'
  await expect(backUp(source, long)).rejects.toThrow(`The backup ${long} ${why}`)
  await expect(openStore(long)).rejects.toThrow(`The database ${long} ${why}`)
})

test('a disk on which the backup does not fit is told of the backup, and nothing stays on it', async () => {
  const folder = newFolder()
  const source = join(folder, 'monbot.db')
  await (await openStore(source)).close()
  // To a process with a limit, each file is on a disk that is full.
  const { status, stderr } = spawnSync(
    'bash',
    [
      '--norc',
      '-c',
      'ulimit -f 64; exec "$@"',
      'limited',
      process.execPath,
      'src/bot/backup.ts',
      join(folder, 'b.db'),
    ],
    { env: { PATH: process.env.PATH, DATABASE_URL: `sqlite:${source}` }, encoding: 'utf8' },
  )
  expect(stderr).toMatch(
    /^The backup .*\/b\.db cannot be .*full.*, and run the backup again \(SQLITE_\w+\)\.\n$/,
  )
  expect(status).toBe(1)
  expect(readdirSync(folder).filter((name) => !name.startsWith('monbot.db'))).toEqual([])
})

test('a folder that may not be written is told of the backup', async () => {
  const folder = newFolder()
  const source = join(folder, 'monbot.db')
  await (await openStore(source)).close()
  const closed = newFolder()
  chmodSync(closed, 0o555)
  // Root may write anywhere.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  for (const open of [folder, source]) chmodSync(open, 0o777)
  const { status, stderr } = spawnSync(process.execPath, ['src/bot/backup.ts', join(closed, 'b.db')], {
    env: { DATABASE_URL: `sqlite:${source}` },
    encoding: 'utf8',
    ...nobody,
  })
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^The backup .*b\.db cannot be opened/),
  })
})

/** A database beside a folder with two old copies. */
async function withOldCopies() {
  const folder = newFolder()
  const [source, copies] = [join(folder, 'monbot.db'), join(folder, 'copies')]
  mkdirSync(copies)
  await (await openStore(source)).close()
  const old = ['monbot-2020-01-01T03-00-00Z.db', 'monbot-2020-01-02T03-00-00Z.db']
  for (const name of old) writeFileSync(join(copies, name), '')
  return { folder, source, copies, old }
}

test('a timer keeps copies of so many days in a folder, and loses none while no new one can be made', async () => {
  const { folder, source, copies, old } = await withOldCopies()
  const run = (database: string) =>
    spawnSync(process.execPath, ['src/bot/backup.ts', '--keep', '14', copies], {
      env: { DATABASE_URL: `sqlite:${database}` },
      encoding: 'utf8',
    })
  expect(run(join(folder, 'none.db')).status).toBe(1)
  expect(readdirSync(copies)).toEqual(old)
  const { status, stdout } = run(source)
  expect([status, stdout]).toEqual([0, expect.stringMatching(/ bytes; 2 older than 14 days removed\n$/)])
  const [made = '', ...others] = readdirSync(copies)
  expect(others).toEqual([])
  expect(made).toMatch(/^monbot-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/)
  await (await openStore(join(copies, made))).close()
})

// In such a folder, as /tmp is one, only their owner removes files; nobody but root makes those of another.
test.runIf(process.getuid?.() === 0)(
  'old copies that cannot be removed are an error after the new one',
  async () => {
    const { folder, source, copies, old } = await withOldCopies()
    for (const open of [folder, source]) chmodSync(open, 0o777)
    chmodSync(copies, 0o1777)
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['src/bot/backup.ts', '--keep', '14', copies],
      { env: { DATABASE_URL: `sqlite:${source}` }, encoding: 'utf8', uid: 65_534, gid: 65_534 },
    )
    expect([status, stdout]).toEqual([1, expect.stringMatching(/: a whole copy of .* bytes\n$/)])
    expect(stderr).toBe(
      `Old copies could not be removed from ${copies}: ${old.map((name) => `${name} (EPERM)`).join(', ')}\n`,
    )
    expect(readdirSync(copies)).toHaveLength(3)
  },
)

test.each([
  ['sqlite:', /DATABASE_URL: expected/],
  ['postgres://db/monbot', /DATABASE_URL: expected/],
])('a wrong setting ended a backup as a full disk does: %s', (url, words) => {
  const { status, stderr } = spawnSync(process.execPath, ['src/bot/backup.ts', join(newFolder(), 'b.db')], {
    env: { DATABASE_URL: url },
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([78, expect.stringMatching(words)])
})

test('the command tells how it is used, on standard output where that was asked for', () => {
  const run = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['src/bot/backup.ts', ...words], {
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  const usage =
    'Usage: npm run backup -- FILE, or npm run backup -- --keep DAYS FOLDER\n' +
    'FILE must not exist yet; in FOLDER, copies of more than so many days ago are removed. DATABASE_URL says what is copied.\n'
  expect(run('--help')).toEqual({ status: 0, stdout: usage, stderr: '' })
  expect(run()).toEqual({
    status: 2,
    stdout: '',
    stderr: `Expected the name of one file, or --keep DAYS and a folder; came nothing\n${usage}`,
  })
  expect(run('a', 'b').stderr).toContain(
    'Expected the name of one file, or --keep DAYS and a folder; came "a" "b"',
  )
  expect(run('--bogus')).toMatchObject({ status: 2, stderr: expect.stringContaining('came "--bogus"') })
})
