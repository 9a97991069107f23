/**
 * One way for every shape: the same commands from a clone, as the image lays them out, and under a unit, whose settings are in a file that
 * is named. Each backs up and restores a real database, and says the same of wrong words. The package has a test of its own.
 */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyPlan } from '../../src/bot/domain/plan.ts'
import { openStore } from '../../src/bot/store/open/open-store.ts'
import { compiled } from '../support/compiled.ts'

const root = new URL('../../', import.meta.url).pathname
const home = realpathSync(mkdtempSync(join(tmpdir(), 'monbot-shapes-')))
const app = join(home, 'app')
const bin = join(home, 'bin')
const env = { PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter), ...compiled }

beforeAll(() => {
  // As the Dockerfile does it: the build, the packages, and a link in a folder of PATH.
  mkdirSync(app)
  mkdirSync(bin)
  for (const name of ['src', 'node_modules', 'scripts']) symlinkSync(join(root, name), join(app, name))
  for (const name of ['package.json', 'manifest.yml']) copyFileSync(join(root, name), join(app, name))
  const built = spawnSync(process.execPath, [join(root, 'scripts/build.ts')], {
    cwd: app,
    env,
    encoding: 'utf8',
  })
  expect([built.status, built.stderr]).toEqual([0, ''])
  symlinkSync(join(app, 'dist/cli.js'), join(bin, 'monbot'))
  expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toContain(
    'ln -s /app/dist/cli.js /usr/local/bin/monbot',
  )
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

type Run = (given: Record<string, string>, ...words: string[]) => { code: number | null; said: string }

/** Settings reach the command in the way of each shape. */
const shapes: readonly (readonly [name: string, run: Run])[] = [
  ['a clone', (given, ...words) => ran(process.execPath, [join(root, 'src/cli.ts'), ...words], given)],
  ['the image', (given, ...words) => ran(join(bin, 'monbot'), words, given)],
  [
    'a unit, by hand',
    (given, ...words) => {
      const file = join(home, 'monbot.env')
      writeFileSync(
        file,
        Object.entries(given)
          .map(([name, value]) => `${name}=${value}\n`)
          .join(''),
      )
      return ran(join(bin, 'monbot'), ['--env', file, ...words], {})
    },
  ],
]

function ran(command: string, words: readonly string[], given: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync(command, words, {
    cwd: home,
    env: { ...env, ...given },
    encoding: 'utf8',
  })
  return { code: status, said: stdout + stderr }
}

test.each(shapes)('%s: backup and restore work on the database that the settings name', async (_, run) => {
  const folder = mkdtempSync(join(home, 'data-'))
  const path = join(folder, 'monbot.db')
  const settings = { DATABASE_URL: `sqlite:${path}` }
  const at = async (polledMs?: number) => {
    const store = await openStore(path)
    if (polledMs !== undefined) await store.commit({ ...emptyPlan(polledMs), facts: { polledMs } })
    const { facts } = await store.recall()
    await store.close()
    return facts.polledMs
  }
  await at(1_000)
  const copy = join(folder, 'copy.db')
  expect(run(settings, 'backup', copy)).toMatchObject({
    code: 0,
    said: expect.stringContaining('a whole copy of'),
  })
  await at(2_000)
  expect(run(settings, 'restore', copy)).toMatchObject({
    code: 0,
    said: expect.stringContaining('restored from'),
  })
  expect(await at()).toBe(1_000)
})

test.each(shapes)('%s: every command is there, and says the same of a wrong one', (_, run) => {
  const help = run({}, '--help')
  expect(help.code).toBe(0)
  for (const name of ['start', 'demo', 'doctor', 'backup', 'restore', 'move', 'service', 'workspace'])
    expect(help.said).toContain(`  monbot ${name.padEnd(10)} `)
  expect(run({}, 'docter')).toMatchObject({
    code: 2,
    said: expect.stringMatching(/^No command "docter": did you mean doctor\?/),
  })
  for (const name of ['start', 'doctor', 'backup', 'restore', 'move', 'service', 'workspace', 'demo'])
    expect([name, run({}, name, '--help').code]).toEqual([name, 0])
})

test.each(shapes)('%s: start and doctor read the settings, and say what is wrong with them', (_, run) => {
  const settings = { SLACK_CHANNEL: 'alerts', PORT: '0', SLACK_BOTTOKEN: 'canary-of-a-slip' }
  const start = run(settings, 'start')
  expect(start.code).toBe(78)
  expect(start.said).toContain('SLACK_CHANNEL: expected a channel id such as C0123456789; came "alerts"')
  const doctor = run(settings, 'doctor')
  expect(doctor.code).toBe(1)
  expect(doctor.said).toContain(
    'SLACK_BOTTOKEN is no setting of monbot\n    → If SLACK_BOT_TOKEN is meant, name it so.',
  )
  expect(doctor.said + start.said).not.toContain('canary-of-a-slip')
})

test('a file of settings that is not there ends with 78 and its name', () => {
  const { code, said } = ran(join(bin, 'monbot'), ['--env=/nowhere/monbot.env', 'doctor'], {})
  expect([code, said]).toEqual([
    78,
    expect.stringMatching(/^\/nowhere\/monbot\.env: expected a file of lines NAME=value/),
  ])
})
