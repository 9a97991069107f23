/** Copies of a memory: made while a bot runs, brought back while none does, and what the next start makes of one. */

import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { afterAll, expect, test } from 'vitest'
import { newPost } from '../../../src/bot/decide/want.ts'
import { afterRestore, backup, copy, restore } from '../../../src/bot/ops/backup.ts'
import { fill } from '../../../src/bot/world/journal.ts'
import { openSqlite } from '../../../src/bot/world/sqlite.ts'
import { LockedStore, type Row, type Store, UnfitStore } from '../../../src/bot/world/store.ts'
import type { Mute } from '../../../src/bot/world/types.ts'
import { World } from '../../../src/bot/world/world.ts'

const nowMs = Date.UTC(2026, 10, 28, 4)
const folder = mkdtempSync(join(tmpdir(), 'monbot-backup-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const newFolder = () => mkdtempSync(join(folder, 'case-'))
const at = (path: string) => ({ kind: 'sqlite', path }) as const
const row = (id: string, fields: Partial<Row> = {}): Row => ({
  kind: 'alerts',
  id,
  live: true,
  atMs: 0,
  doc: JSON.stringify({ id }),
  ...fields,
})

async function opened(path: string, rows: readonly Row[] = []): Promise<Store> {
  const store = openSqlite(path)
  const lease = await store.lead('a', AbortSignal.timeout(60_000), () => {})
  await lease?.write(rows)
  return store
}
const idsIn = async (store: Store) => (await store.load()).map(({ id }) => id).toSorted()

test('a copy is made while a bot runs, whole, and never over a file', async () => {
  const path = join(newFolder(), 'monbot.db')
  const store = await opened(path, [row('a'), row('m', { kind: 'mutes' })])
  const into = newFolder()
  const file = join(into, 'copy.db')
  // Of one that was killed.
  writeFileSync(`${file}.partial`, 'half a copy')
  expect(backup(at(path), file)).toEqual({ alerts: 1, mutes: 1 })
  expect(readdirSync(into)).toEqual(['copy.db'])
  expect(() => backup(at(path), file)).toThrow('is there already, and no backup is overwritten')
  await store.close()
  const again = await opened(file)
  expect(await idsIn(again)).toEqual(['a', 'm'])
  await again.close()
})

test.each<[why: string, prepare: (path: string) => void, sentence: string]>([
  ['no database', () => {}, 'There is no database'],
  [
    'another program',
    (path) => void new SQLite(path).exec('create table a (b)').close(),
    'of another program',
  ],
  ['no SQLite', (path) => writeFileSync(path, 'x'.repeat(5000)), 'file is not a database'],
])('of %s no copy is made, and nothing is left behind', async (_why, prepare, sentence) => {
  const path = join(newFolder(), 'monbot.db')
  prepare(path)
  const into = newFolder()
  expect(() => backup(at(path), join(into, 'copy.db'))).toThrow(sentence)
  expect(readdirSync(into)).toEqual([])
})

test('a backup replaces the database, which is kept beside it, and the next start knows', async () => {
  const path = join(newFolder(), 'monbot.db')
  const file = join(newFolder(), 'copy.db')
  const store = await opened(path, [row('old')])
  backup(at(path), file)
  await store.close()
  await (await opened(path, [row('newer')])).close()
  const { alerts, aside } = restore(file, at(path), nowMs)
  expect([alerts, aside]).toEqual([1, `${path}-replaced-20261128T040000Z`])
  const restored = await opened(path)
  expect(await idsIn(restored)).toEqual(['old', 'restored'])
  await restored.close()
  const before = await opened(aside ?? '')
  expect(await idsIn(before)).toEqual(['newer', 'old'])
  await before.close()
})

test('nothing is brought back while a bot runs, and nothing but a backup', async () => {
  const path = join(newFolder(), 'monbot.db')
  const file = join(newFolder(), 'copy.db')
  const store = await opened(path, [row('a')])
  backup(at(path), file)
  expect(() => restore(file, at(path), nowMs)).toThrow(LockedStore)
  await store.close()
  writeFileSync(file, 'not a database, but long enough to look at'.repeat(200))
  expect(() => restore(file, at(path), nowMs)).toThrow('file is not a database')
  expect(() => restore(path, at(path), nowMs)).toThrow('is the database itself')
  const again = await opened(path)
  expect(await idsIn(again)).toEqual(['a'])
  await again.close()
})

test('a copy goes into an empty database, with what is past, and into no other', async () => {
  const past = row('b', { kind: 'acts', live: false, atMs: 5 })
  const from = await opened(join(newFolder(), 'monbot.db'), [row('a'), past])
  const to = openSqlite(join(newFolder(), 'monbot.db'))
  expect(await copy(from, to, 'the target')).toBe(2)
  expect(await idsIn(to)).toEqual(['a'])
  expect(await to.past('acts', 0, 9, 9)).toEqual([past])
  await expect(copy(from, to, 'the target')).rejects.toThrow(UnfitStore)
  await Promise.all([from.close(), to.close()])
})

test('a start on a backup ends every mute, tells all that it knows to notify, and says so once', () => {
  const world = new World()
  fill(world, [row('restored', { kind: 'facts', doc: '{"id":"restored","value":{"atMs":1}}' })])
  const mute = { id: 'm', subject: 'server:web-2', ended: null } as Mute
  world.put('mutes', mute)
  world.setFact('polled', { atMs: 1, unreadable: 0 })
  world.setFact('roles', { atMs: 1, servers: { db: ['db-1'] } })
  const told = { telling: null, tries: 3, dueMs: 0, repeatsMs: [1], missingMs: null } as const
  world.put('switches', { id: 'alertmanager:x', told: 'off', ...told })
  const wish = { id: 'new', kind: 'alert', channel: 'C1' } as const
  world.put('posts', newPost(wish, 1))
  world.put('posts', { ...newPost({ ...wish, id: 'shown' }, 1), state: 'live', ts: '1', shownHash: 'h' })
  world.put('posts', {
    ...newPost({ ...wish, id: 'closed' }, 1),
    state: 'live',
    shownHash: 'h',
    isShownClosed: true,
  })

  expect(afterRestore(world, nowMs, 'C1')).toBe(true)
  expect(world.mutes.get('m')?.ended).toEqual({ atMs: nowMs, by: 'restore' })
  expect([...world.switches.values()].map((one) => [one.id, one.told]).toSorted()).toEqual([
    ['account', 'unknown'],
    ['alertmanager:x', 'unknown'],
    ['server:db-1', 'unknown'],
    ['server:web-2', 'unknown'],
  ])
  expect(world.fact('polled')).toBeUndefined()
  expect(world.posts.get('new')?.state).toBe('unsure')
  expect(['shown', 'closed'].map((id) => world.posts.get(id)?.shownHash)).toEqual([null, 'h'])
  const said = [...world.posts.values()].filter(({ kind }) => kind === 'said')
  expect(said.map(({ channel, data }) => [channel, world.acts.get(data.act ?? '')?.kind])).toEqual([
    ['C1', 'restore'],
  ])
  expect(afterRestore(world, nowMs, 'C1')).toBe(false)
})

test('a Postgres is left to its own tools', async () => {
  const database = { kind: 'postgres', url: {} as never, connections: 1 } as const
  expect(() => backup(database, join(folder, 'x'))).toThrow('pg_dump')
  expect(existsSync(join(folder, 'x'))).toBe(false)
})
