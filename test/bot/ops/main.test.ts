/** The commands that copy, bring back and move a database, as timers and people run them. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openSqlite } from '../../../src/bot/world/sqlite.ts'

const cli = new URL('../../../src/cli.ts', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'monbot-commands-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const database = join(folder, 'monbot.db')

const run = (...words: string[]) =>
  new Promise<{ code: number; said: string }>((resolve) => {
    const env = { PATH: process.env.PATH ?? '', DATABASE_URL: `sqlite:${database}` }
    execFile(process.execPath, [cli, ...words], { env, cwd: folder }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: out + err }),
    )
  })

test('a copy is made while a bot runs, and brought back while none does', async () => {
  const store = openSqlite(database)
  await store.lead('a', AbortSignal.timeout(60_000), () => {})
  const copy = join(folder, 'copy.db')
  expect(await run('backup', copy)).toMatchObject({ code: 0, said: expect.stringContaining('0 alerts') })
  expect(await run('restore', copy)).toMatchObject({ code: 1 })
  await store.close()
  expect(await run('restore', copy)).toMatchObject({ code: 0, said: expect.stringContaining('is kept as') })
})

test.each([
  ['backup', 'FILE'],
  ['backup --kep copies', 'FILE'],
  ['restore', 'FILE'],
  ['move --from sqlite:a.db', '--from DATABASE_URL --to DATABASE_URL'],
])('monbot %s says what was expected', async (words, expected) => {
  const [command] = words.split(' ')
  expect(await run(...words.split(' '))).toEqual({
    code: 2,
    said: expect.stringMatching(`^Usage: .*${command} (?:-- )?${expected}\n$`),
  })
})

test('a copy that cannot be written is told of the copy, and not of the database', async () => {
  const { said } = await run('backup', join(folder, 'nowhere/copy.db'))
  expect(said).toMatch(/^The copy can't be written: ENOENT.*nowhere/)
})

test('a database that is not there is not moved', async () => {
  const { code, said } = await run('move', '--from', 'sqlite:typo.db', '--to', 'sqlite:b.db')
  expect([code, said]).toEqual([78, 'There is no database typo.db: --from names what is copied.\n'])
})

test('a wrong address is not shown, as it may hold a password', async () => {
  const { code, said } = await run('move', '--from', 'postgres://u:hunter2@', '--to', 'sqlite:b.db')
  expect([code, said.includes('hunter2')]).toEqual([78, false])
})
