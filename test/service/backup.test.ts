/** A copy of the service's file, made while it is written: whole, one file, and a service can be started from it. */
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { openService } from '../../src/service/service.ts'
import { backUp } from '../../src/service/store/backup.ts'
import { compiled } from '../support/compiled.ts'
import { patienceMs } from '../support/patience.ts'
import { newFile, newFolder, openLedgerFile } from './ledger-file.ts'
import { startService } from './process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const env = { MONITOR_API_KEY: 'key-of-the-account', MONITOR_SAMPLE: 'off', MONITOR_FLEET: '2' }

function command(...words: readonly string[]) {
  const [file, ...rest] = words
  return spawnSync(process.execPath, ['src/service/main.ts', ...rest], {
    cwd: root,
    env: { PATH: process.env.PATH, ...compiled, ...(file === '' ? {} : { MONITOR_FILE: file }) },
    encoding: 'utf8',
    timeout: patienceMs,
  })
}

test('a running service is copied by a command, and another one starts from the copy with the same alerts', async () => {
  const [file, target] = [newFile(), join(newFolder(), 'copy.db')]
  const first = await startService({ ...env, MONITOR_FILE: file })
  const opened = await request(`${first.controlUrl}/control/alerts`, {
    method: 'POST',
    body: JSON.stringify({ server: 'web-1', plugin: 'Backup' }),
  })
  expect(opened.statusCode).toBe(200)
  const done = command(file, '--backup', target)
  expect([done.status, done.stderr]).toEqual([0, ''])
  expect(done.stdout).toMatch(/copy\.db: a whole copy of \S+: 1 alert, 0 silences, \d+ bytes\n$/)
  expect(readdirSync(dirname(target))).toEqual(['copy.db'])
  // The one that was copied goes on, and writes.
  const later = await request(`${first.controlUrl}/control/oneoffs`, {
    method: 'POST',
    body: JSON.stringify({ server: 'web-1', plugin: 'After', title: 'after' }),
  })
  expect([later.statusCode, first.complaints()]).toEqual([200, ''])
  const second = await startService({ ...env, MONITOR_FILE: target })
  const listed = async (url: string) => {
    const { body } = await request(`${url}/api/v2/key-of-the-account/alerts.json`)
    const { results } = (await body.json()) as { results: { plugin_name: string }[] }
    return results.map(({ plugin_name: plugin }) => plugin)
  }
  expect(await listed(second.url)).toContain('Backup')
  expect(await listed(second.url)).not.toContain('After')
  expect(await listed(first.url)).toContain('After')
  expect(await first.stop()).toBe(0)
})

test('a copy made in the middle of writing has each transaction whole or not at all', async () => {
  const file = newFile()
  const ledger = openLedgerFile(file)
  const target = join(newFolder(), 'copy.db')
  let pairs = 0
  const timer = setInterval(() => {
    pairs += 1
    ledger.together(() => {
      ledger.put('alert', `a${pairs}`, { n: pairs })
      ledger.put('silence', `s${pairs}`, { n: pairs })
    })
  })
  await expect.poll(() => pairs, { timeout: patienceMs }).toBeGreaterThan(5)
  const { alerts, silences } = await backUp(file, target)
  clearInterval(timer)
  expect(alerts).toBe(silences)
  expect(alerts).toBeGreaterThan(5)
  ledger.close()
})

test('nothing is overwritten, and what is no file of the service is said', async () => {
  const folder = newFolder()
  const at = (name: string) => join(folder, name)
  const file = newFile()
  openLedgerFile(file).close()
  writeFileSync(at('there'), 'mine')
  symlinkSync(at('nowhere'), at('link'))
  writeFileSync(at('text'), 'no database '.repeat(1_000))
  new Database(at('other.db')).exec('CREATE TABLE t (a)').close()
  const said = (from: string, to: string) => backUp(from, to).then(String, (error: Error) => error.message)
  for (const name of ['there', 'link'])
    expect(await said(file, at(name))).toMatch(/is there already, and no backup/)
  expect(await said(at('none'), at('copy'))).toMatch(/^There is no file .*none/)
  expect(await said(file, at('none/copy'))).toMatch(/^There is no folder .*none for the backup/)
  expect(await said(at('text'), at('copy'))).toMatch(/text is no SQLite database/)
  expect(await said(at('other.db'), at('copy'))).toMatch(/other\.db is no file of the service/)
  expect(readdirSync(folder).sort()).toEqual(['link', 'other.db', 'text', 'there'])
  expect(existsSync(at('copy'))).toBe(false)
})

test('a timer keeps copies of so many days in a folder', async () => {
  const [file, copies] = [newFile(), newFolder()]
  openLedgerFile(file).close()
  writeFileSync(join(copies, 'monitor-2020-01-01T03-00-00Z.db'), '')
  const { status, stdout } = command(file, '--backup', '--keep', '14', copies)
  expect([status, stdout]).toEqual([0, expect.stringMatching(/ bytes; 1 older than 14 days removed\n$/)])
  expect(readdirSync(copies)).toEqual([expect.stringMatching(/^monitor-.*Z\.db$/)])
})

// In such a folder only their owner removes files; nobody but root makes those of another.
test.runIf(process.getuid?.() === 0)(
  'an old copy that cannot be removed is an error after the new one',
  () => {
    const [file, copies] = [newFile(), newFolder()]
    openLedgerFile(file).close()
    const old = 'monitor-2020-01-01T03-00-00Z.db'
    writeFileSync(join(copies, old), '')
    for (const open of [dirname(dirname(file)), dirname(file), file]) chmodSync(open, 0o777)
    chmodSync(copies, 0o1777)
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['src/service/main.ts', '--backup', '--keep', '14', copies],
      { cwd: root, env: { MONITOR_FILE: file }, encoding: 'utf8', uid: 65_534, gid: 65_534 },
    )
    expect([status, stdout]).toEqual([1, expect.stringMatching(/: a whole copy of .* bytes\n$/)])
    expect(stderr).toBe(`Old copies could not be removed from ${copies}: ${old} (EPERM)\n`)
    expect(readdirSync(copies)).toHaveLength(2)
  },
)

test('a wrong call is a sentence and its exit code', () => {
  expect(command('', '--backup', '/tmp/never')).toMatchObject({
    status: 78,
    stderr: expect.stringMatching(/^MONITOR_FILE: expected the file of the service/),
  })
  expect(command('/none', '--backup', '/tmp/never')).toMatchObject({ status: 1 })
  for (const words of [['--backup'], ['--backup', '-x'], ['--backup', 'a', 'b'], ['--restore']])
    expect(command('/none', ...words)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Usage:\n'),
    })
})

test('a file that an earlier version wrote alone goes on, and its lock keeps others out', async () => {
  const file = newFile()
  const ledger = openLedgerFile(file)
  ledger.put('alert', 'a', {})
  ledger.close()
  // As earlier versions left it after a kill: in their locking mode, with its log.
  const old = new Database(file)
  old.pragma('locking_mode = EXCLUSIVE')
  old.exec("INSERT INTO documents (kind, key, body) VALUES ('alert', 'b', '{}')")
  expect(() => openLedgerFile(file)).toThrow('is in use by another process')
  const killed = `${file}.killed`
  copyFileSync(file, killed)
  copyFileSync(`${file}-wal`, `${killed}-wal`)
  old.close()
  const again = openLedgerFile(killed)
  expect((await backUp(killed, `${file}.copy`)).alerts).toBe(2)
  expect(() => openLedgerFile(killed)).toThrow('is in use by another process')
  again.close()
  openLedgerFile(killed).close()
  const service = await openService({
    key: 'key-of-the-account',
    sample: false,
    sampleMs: null,
    file: `${file}.new`,
  })
  await service.close()
})
