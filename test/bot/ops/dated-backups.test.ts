/** Backups of a timer: those of so many days are kept, by their names, and nothing else in the folder is touched. */
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { datedFile, readBackupTarget, removeOld } from '../../../src/bot/ops/dated-backups.ts'
import { patienceMs } from '../../support/patience.ts'

const nowMs = Date.parse('2026-11-25T03:00:07.500Z')
const dayMs = 24 * 60 * 60 * 1_000

test('a file by its name, or a folder that keeps some days', () => {
  expect(readBackupTarget(['copy.db'])).toEqual({ path: 'copy.db', keepDays: null })
  const folder = { path: '/backup', keepDays: 14 }
  expect(readBackupTarget(['--keep', '14', '/backup'])).toEqual(folder)
  expect(datedFile({ path: 'copy.db', keepDays: null }, 'monbot', nowMs)).toBe('copy.db')
  expect(datedFile(folder, 'monbot', nowMs)).toBe('/backup/monbot-2026-11-25T03-00-07Z.db')
})

test.each<[string[], string]>([
  [[], 'Expected the name of one file, or --keep DAYS and a folder; came nothing'],
  [['a', 'b'], 'came "a" "b"'],
  [['--keep', '14'], 'came "--keep" "14"'],
  [['--kep', '14', '/backup'], 'came "--kep" "14" "/backup"'],
  [[''], 'came ""'],
  [['--keep', '0', '/backup'], '--keep: expected 1 to 3650 days; came "0"'],
  [['--keep', '3651', '/backup'], 'came "3651"'],
  [['--keep', '1.5', '/backup'], 'came "1.5"'],
  [['--keep', '', '/backup'], 'came ""'],
  [['/backup', '--keep', '14'], 'came "/backup" "--keep" "14"'],
  [['--bogus'], 'came "--bogus"'],
])('%j is refused', (words, said) => {
  expect(readBackupTarget(words)).toMatchObject({ path: null, wrong: expect.stringContaining(said) })
})

test('what is older than the days goes, and nothing that a timer has not made', () => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-dated-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const target = { path: folder, keepDays: 14 }
  const made = (agoMs: number, stem = 'monbot') => {
    const name = datedFile({ path: '', keepDays: 14 }, stem, nowMs - agoMs)
    writeFileSync(join(folder, name), '')
    return name
  }
  const kept = [
    made(0),
    made(14 * dayMs),
    made(-30 * dayMs),
    made(20 * dayMs, 'monitor'),
    made(20 * dayMs, 'my-monbot'),
  ]
  // 14 days and a second; a name has no smaller part.
  made(14 * dayMs + 1_000)
  made(400 * dayMs)
  const others = [
    'monbot.db',
    'monbot-before-upgrade.db',
    'monbot-2020-01-01T00-00-00Z.db.gz',
    'monbot-2020-99-99T00-00-00Z.db',
  ]
  for (const name of others) writeFileSync(join(folder, name), '')
  mkdirSync(join(folder, 'older'))
  writeFileSync(join(folder, 'older', 'monbot-2020-01-01T00-00-00Z.db'), '')
  const of = { stem: 'monbot', source: join(folder, 'monbot.db'), nowMs }
  expect(removeOld({ path: folder, keepDays: null }, of)).toEqual({ said: '', failed: null })
  expect(removeOld(target, of)).toEqual({ said: '; 2 older than 14 days removed', failed: null })
  expect(readdirSync(folder).toSorted()).toEqual([...kept, ...others, 'older'].toSorted())
  expect(readdirSync(join(folder, 'older'))).toHaveLength(1)
  expect(removeOld(target, of)).toEqual({ said: '', failed: null })
})

test('a copy that was taken into use is never removed, by whatever name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-dated-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [used, old] = ['monbot-2020-01-01T00-00-00Z.db', 'monbot-2020-01-02T00-00-00Z.db']
  for (const name of [used, old]) writeFileSync(join(folder, name), '')
  const link = join(folder, 'monbot.db')
  symlinkSync(used, link)
  // A folder of such a name is nobody's copy.
  mkdirSync(join(folder, 'monbot-2020-01-03T00-00-00Z.db'))
  const other = join(folder, 'other')
  linkSync(join(folder, used), other)
  // As of a folder that is mounted twice, nothing but the file itself tells that it is the same.
  for (const source of [join(folder, used), link, other])
    removeOld({ path: folder, keepDays: 14 }, { stem: 'monbot', source, nowMs })
  expect(readdirSync(folder).toSorted()).toEqual([
    used,
    'monbot-2020-01-03T00-00-00Z.db',
    'monbot.db',
    'other',
  ])
})

test.each(['-lock', '-wal', '-shm'])('a copy that another bot uses, with %s beside it, stays', (end) => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-dated-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [used, old] = ['monbot-2020-01-01T00-00-00Z.db', 'monbot-2020-01-02T00-00-00Z.db']
  const source = join(folder, 'monbot.db')
  for (const path of [source, ...[used, `${used}${end}`, old].map((name) => join(folder, name))])
    writeFileSync(path, '')
  expect(removeOld({ path: folder, keepDays: 14 }, { stem: 'monbot', source, nowMs })).toEqual({
    said: '; 1 older than 14 days removed',
    failed: null,
  })
  expect(readdirSync(folder).toSorted()).toEqual([used, `${used}${end}`, 'monbot.db'])
})

test('what another backup removes at the same time is gone, and ends nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-dated-'))
  const target = { path: folder, keepDays: 14 }
  const source = join(folder, 'monbot.db')
  writeFileSync(source, '')
  const paths = Array.from({ length: 300 }, (_, n) => datedFile(target, 'monbot', n * 1_000))
  // 1: the old ones are there; 0: they are being removed.
  const turn = new Int32Array(new SharedArrayBuffer(4))
  const other = new Worker(
    `const { rmSync, writeFileSync } = require('node:fs')
    const { paths, turn } = require('node:worker_threads').workerData
    for (;;) {
      for (const path of paths) writeFileSync(path, '')
      Atomics.store(turn, 0, 1)
      Atomics.notify(turn, 0)
      Atomics.wait(turn, 0, 1)
      for (const path of paths.toReversed()) rmSync(path, { force: true })
    }`,
    { eval: true, workerData: { paths, turn } },
  )
  onTestFinished(async () => {
    await other.terminate()
    rmSync(folder, { recursive: true, force: true })
  })
  for (let round = 0; round < 50; round += 1) {
    expect(Atomics.wait(turn, 0, 0, patienceMs)).not.toBe('timed-out')
    Atomics.store(turn, 0, 0)
    Atomics.notify(turn, 0)
    const { said, failed } = removeOld(target, { stem: 'monbot', source, nowMs })
    expect(failed).toBe(null)
    expect(said).toMatch(/^(?:; \d+ older than 14 days removed)?$/)
  }
})

test.skipIf(process.getuid?.() === 0)('what may not be removed is said, and ends nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-dated-'))
  onTestFinished(() => {
    chmodSync(folder, 0o700)
    rmSync(folder, { recursive: true, force: true })
  })
  const name = 'monbot-2020-01-01T00-00-00Z.db'
  writeFileSync(join(folder, name), '')
  const source = join(folder, 'monbot.db')
  writeFileSync(source, '')
  chmodSync(folder, 0o500)
  expect(removeOld({ path: folder, keepDays: 1 }, { stem: 'monbot', source, nowMs })).toEqual({
    said: '',
    failed: `Old copies could not be removed from ${folder}: ${name} (EACCES)`,
  })
})
