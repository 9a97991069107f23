/** A backup takes the place of the service's file: only a good one, while no service runs, and what was there is kept. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { backUp } from '../../src/service/store/backup.ts'
import { restore } from '../../src/service/store/restore.ts'
import { compiled } from '../support/compiled.ts'
import { patienceMs } from '../support/patience.ts'
import { newFile, newFolder, openLedgerFile } from './ledger-file.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

function command(file: string, ...words: readonly string[]) {
  return spawnSync(process.execPath, ['src/service/main.ts', ...words], {
    cwd: root,
    env: { PATH: process.env.PATH, ...compiled, ...(file === '' ? {} : { MONITOR_FILE: file }) },
    encoding: 'utf8',
    timeout: patienceMs,
  })
}

function alertsIn(file: string): unknown {
  const db = new Database(file, { readonly: true })
  const keys = db.prepare("SELECT key FROM documents WHERE kind = 'alert' ORDER BY key").pluck().all()
  db.close()
  return keys
}

/** A file with one alert in its backup, and two by now. */
async function openHome() {
  const [file, backup] = [newFile(), join(newFolder(), 'backup.db')]
  const ledger = openLedgerFile(file)
  ledger.put('alert', 'a1', { n: 1 })
  await backUp(file, backup)
  ledger.put('alert', 'a2', { n: 2 })
  return { file, backup, ledger }
}

test('the command brings a backup back while no service runs, and keeps what was there', async () => {
  const { file, backup, ledger } = await openHome()
  const refused = command(file, '--restore', backup)
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/is in use by another process/)])
  ledger.close()
  const done = command(file, '--restore', backup)
  expect([done.status, done.stderr]).toEqual([0, ''])
  expect(done.stdout).toMatch(
    /restored from \S+backup\.db, with 1 alert and 0 silences\.\nWhat was there is kept as \S+-replaced-\d{8}T\d{6}Z\.\n$/,
  )
  expect(alertsIn(file)).toEqual(['a1'])
  const [, aside = ''] = /kept as (\S+)\.\n/.exec(done.stdout) ?? []
  expect(alertsIn(aside)).toEqual(['a1', 'a2'])
})

test.each<[string, (backup: string) => unknown, RegExp]>([
  [
    'damaged',
    (path) => writeFileSync(path, readFileSync(path).fill(0x5a, 4_096)),
    /damaged|no file of the service/,
  ],
  ['no database', (path) => writeFileSync(path, 'x'.repeat(5_000)), /no SQLite database/],
  ['newer', (path) => void new Database(path).pragma('user_version = 99'), /of a newer version/],
])('a backup that is %s is refused, and nothing is changed', async (_, spoil, expected) => {
  const { file, backup, ledger } = await openHome()
  ledger.close()
  spoil(backup)
  await expect(restore(backup, file, 'x')).rejects.toThrow(expected)
  expect(alertsIn(file)).toEqual(['a1', 'a2'])
})

test('without MONITOR_FILE, and with wrong words, it says what it expects', () => {
  const unset = command('', '--restore', 'backup.db')
  expect([unset.status, unset.stderr]).toEqual([78, expect.stringMatching(/^MONITOR_FILE: expected/)])
  const wrong = command('', '--restore')
  expect([wrong.status, wrong.stderr]).toEqual([
    2,
    expect.stringMatching(/^Expected .*--restore FILE; came "--restore"/),
  ])
})
