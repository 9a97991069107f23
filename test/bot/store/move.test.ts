/** A move takes everything along or nothing, whenever it is killed; no bot uses what is moving, moved, or not whole yet. */
import { spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import SQLite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { type MoveParts, move } from '../../../src/bot/store/move/move.ts'
import { openSqliteEnd } from '../../../src/bot/store/move/sqlite-end.ts'
import { inspectDatabase } from '../../../src/bot/store/open/inspect.ts'
import { holdAlone } from '../../../src/bot/store/open/one-process.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { StoreError } from '../../../src/bot/store/open/store-error.ts'
import { fullDatabase, rowsIn } from '../../support/full-database.ts'

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-move-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const parts: MoveParts = {
  newId: 'move-1',
  nowMs: Date.UTC(2026, 10, 24, 3, 0),
  signal: new AbortController().signal,
  onStep: () => undefined,
}

async function moved(from: string, to: string, some: Partial<MoveParts> = {}): Promise<void> {
  const source = await openSqliteEnd(from, 'source')
  try {
    const target = await openSqliteEnd(to, 'target')
    try {
      await move(source, target, { ...parts, ...some })
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

test.each(['monbot.db', 'data/monbot.db'])(
  'what is moved to %s is for its owner alone, and for root of whom its folder is',
  async (name) => {
    const from = join(aFolder(), 'from.db')
    await fullDatabase(from, 1)
    const folder = aFolder()
    const isRoot = process.getuid?.() === 0
    if (isRoot) chownSync(folder, 61_337, 61_338)
    const to = join(folder, name)
    await moved(from, to)
    expect(statSync(to).mode & 0o777).toBe(0o600)
    const { uid, gid } = statSync(folder)
    for (const path of [to, `${to}-lock`, dirname(to)]) expect(statSync(path)).toMatchObject({ uid, gid })
  },
)

/** The sentence with which a bot that is started on it ends, and the doctor; null: it starts. */
async function refusalOf(path: string): Promise<string | null> {
  const said = async (done: Promise<unknown>) =>
    await done.then(
      () => null,
      (error: unknown) => {
        if (!(error instanceof StoreError) || !error.isSetting) throw error
        return error.message
      },
    )
  const ofDoctor = await said(inspectDatabase(path))
  const ofBot = await said(openStore(path).then((store) => store.close()))
  expect(ofDoctor).toBe(ofBot)
  return ofBot
}

test('everything is there afterwards, in the order in which it was written, and a bot uses only the new one', async () => {
  const folder = aFolder()
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')]
  await fullDatabase(from, 2_001)
  const before = rowsIn(from)
  expect(before.cards).toHaveLength(2_001)
  const steps: string[] = []
  await moved(from, to, { onStep: ({ kind }) => steps.push(kind) })
  expect(rowsIn(to)).toEqual(before)
  expect(steps.filter((kind) => kind !== 'copied')).toEqual([
    'source marked',
    'target marked',
    'kept',
    'moved',
  ])
  expect(await refusalOf(from)).toBe(
    `The database ${from} was moved to ${to} on 2026-11-24T03:00Z, and holds nothing of since: set DATABASE_URL to that one.`,
  )
  expect(await refusalOf(to)).toBeNull()
  await expect(moved(from, join(folder, 'third.db'))).rejects.toThrow(
    `The database ${from} was moved to ${to}`,
  )
})

test('what was moved is moved again, and back to a file of another name', async () => {
  const folder = aFolder()
  const [first, second, third] = ['1.db', '2.db', '3.db'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await fullDatabase(first, 50)
  await moved(first, second)
  await expect(moved(second, first, { newId: 'move-2' })).rejects.toThrow(
    `The database ${first} holds alerts already, and nothing is moved into one that was in use: name an empty one.`,
  )
  expect(await refusalOf(second)).toBeNull()
  await moved(second, third, { newId: 'move-2' })
  expect(rowsIn(third)).toEqual(rowsIn(first))
  expect(await refusalOf(second)).toContain('was moved to')
})

test.each<[string, (path: string) => unknown, RegExp]>([
  [
    'holds one row',
    async (path) => {
      await (await openStore(path)).close()
      new SQLite(path).exec("insert into homes values ('U1', 1)").close()
    },
    /^The database .*to\.db holds homes already/,
  ],
  ['is in use', (path) => holdAlone(path), /^The database .*to\.db is in use by another monbot/],
  [
    'is no database',
    (path) => writeFileSync(path, 'x'.repeat(5_000)),
    /^The database .*to\.db is no SQLite database/,
  ],
  [
    'is of another program',
    (path) => new SQLite(path).exec('create table songs (title text)').close(),
    /^The file .*to\.db is no database of monbot\.$/,
  ],
  [
    'cannot be made',
    (path) => writeFileSync(`${path}-lock`, 'x'.repeat(5_000)),
    /to\.db-lock is no SQLite database/,
  ],
])('a target that %s is refused, and nothing is marked', async (_, make, why) => {
  const folder = aFolder()
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')]
  await fullDatabase(from, 5)
  await make(to)
  await expect(moved(from, to)).rejects.toThrow(why)
  expect(await refusalOf(from)).toBeNull()
})

test('a source that a bot uses, or that is not there, is refused', async () => {
  const folder = aFolder()
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')]
  await expect(moved(from, to)).rejects.toThrow(`There is no database ${from}.`)
  const store = await openStore(from)
  await expect(moved(from, to)).rejects.toThrow(`The database ${from} is in use by another monbot`)
  await store.close()
})

const steps = ['source marked', 'target marked', 'copied alerts', 'copied facts', 'kept', 'moved']

/** A process of its own, killed right after a step. */
function killedAt(step: string, from: string, to: string): void {
  const script = `
    import { move } from './src/bot/store/move/move.ts'
    import { openSqliteEnd } from './src/bot/store/move/sqlite-end.ts'
    const [from, to, step] = process.argv.slice(1)
    const source = await openSqliteEnd(from, 'source')
    const target = await openSqliteEnd(to, 'target')
    await move(source, target, {
      newId: 'killed', nowMs: 1, signal: new AbortController().signal,
      onStep: ({ kind, table }) => {
        if ([kind, table].filter(Boolean).join(' ') === step) process.kill(process.pid, 'SIGKILL')
      },
    })`
  const words = ['--input-type=module', '-e', script, '--', from, to, step]
  const { signal, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect([signal, stderr]).toEqual(['SIGKILL', ''])
}

test.each(steps)(
  'killed at the step "%s", it is run again, and no bot may use either in between',
  async (step) => {
    const folder = aFolder()
    const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')]
    await fullDatabase(from, 100)
    const before = rowsIn(from)
    killedAt(step, from, to)
    const refusals = [await refusalOf(from), await refusalOf(to)]
    const isThere = step === 'kept' || step === 'moved'
    const left = `The database ${from} ${step === 'moved' ? 'was' : 'is being'} moved to ${to}`
    expect(refusals[0]).toContain(left)
    if (isThere) expect(refusals[1]).toBeNull()
    else if (step !== 'source marked')
      expect(refusals[1]).toContain(`The database ${to} is being filled from ${from}`)
    // Only where it was going.
    await expect(moved(from, join(folder, 'other.db'))).rejects.toThrow(left)
    if (step === 'moved') return
    await moved(from, to)
    expect(rowsIn(to)).toEqual(before)
    expect([await refusalOf(from), await refusalOf(to)]).toEqual([
      expect.stringContaining('was moved to'),
      null,
    ])
  },
)

test('a bot that used the new one since the kill keeps what it wrote, and the old one stays closed', async () => {
  const folder = aFolder()
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')]
  await fullDatabase(from, 10)
  killedAt('kept', from, to)
  new SQLite(to).exec("insert into homes values ('U9', 1)").close()
  const since = rowsIn(to)
  await moved(from, to)
  expect(rowsIn(to)).toEqual(since)
  expect(await refusalOf(from)).toContain('was moved to')
})

test('a move that is broken off leaves both as they were', async () => {
  const folder = aFolder()
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')]
  await fullDatabase(from, 10)
  const asked = new AbortController()
  await expect(
    moved(from, to, {
      signal: asked.signal,
      onStep: (step) => step.kind === 'copied' && step.table === 'mutes' && asked.abort(),
    }),
  ).rejects.toThrow('The move was broken off: nothing was moved.')
  expect([await refusalOf(from), await refusalOf(to)]).toEqual([null, null])
  await moved(from, to)
  expect(rowsIn(to)).toEqual(rowsIn(from))
})

test('a row that arrives as another one ends the move, and nothing is moved', async () => {
  const folder = aFolder()
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')]
  await fullDatabase(from, 10)
  await (await openStore(to)).close()
  new SQLite(to)
    .exec(
      "create trigger t after insert on notes begin update notes set text = text || '!' where note_id = new.note_id; end",
    )
    .close()
  await expect(moved(from, to)).rejects.toThrow(
    `The notes in ${to} are not those of ${from} (10 rows of 10): nothing was moved.`,
  )
  expect(await refusalOf(from)).toBeNull()
  expect(rowsIn(to).alerts).toEqual([])
})
