/**
 * One way for every shape: the same commands from a clone, as the image lays them out, and under a unit, whose settings are in a file that
 * is named. Each does its real work, and says the same of wrong words. The package and the demo have tests of their own.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
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
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { emptyPlan } from '../../src/bot/domain/plan.ts'
import { openStore } from '../../src/bot/store/open/open-store.ts'
import { compiled } from '../support/compiled.ts'
import { endWithUs } from '../support/end-with-us.ts'
import { sharedPostgres } from '../support/postgres.ts'
import { soon } from '../support/shared-town.ts'

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

/** How a command is called with these settings: in the way of each shape. */
type Shape = (given: Record<string, string>) => {
  readonly words: readonly [command: string, ...words: string[]]
  readonly env: Record<string, string>
}

const shapes: readonly (readonly [name: string, shape: Shape])[] = [
  ['a clone', (given) => ({ words: [process.execPath, join(root, 'src/cli.ts')], env: given })],
  ['the image', (given) => ({ words: [join(bin, 'monbot')], env: given })],
  [
    'a unit, by hand',
    (given) => {
      const file = join(mkdtempSync(join(home, 'etc-')), 'monbot.env')
      const lines = Object.entries(given).map(([name, value]) => `${name}=${value}\n`)
      writeFileSync(file, lines.join(''))
      return { words: [join(bin, 'monbot'), '--env', file], env: {} }
    },
  ],
]

function run(shape: Shape, given: Record<string, string>, ...more: string[]) {
  const { words, env: own } = shape(given)
  const [command, ...before] = words
  return ran(command, [...before, ...more], own)
}

function ran(command: string, words: readonly string[], given: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync(command, words, {
    cwd: home,
    env: { ...env, ...given },
    encoding: 'utf8',
  })
  return { code: status, said: stdout + stderr }
}

/** One that stays, until it is asked to end. */
function started(shape: Shape, given: Record<string, string>, name: string) {
  const { words, env: own } = shape(given)
  const [command, ...before] = words
  const child = spawn(command, [...before, name], { cwd: home, env: { ...env, ...own } })
  endWithUs(child)
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      said += text
    })
  }
  const gone = once(child, 'close')
  return {
    says: async (expected: RegExp) => {
      await expect.poll(() => said, soon).toMatch(expected)
      return expected.exec(said)?.[1] ?? ''
    },
    ended: async () => {
      child.kill('SIGTERM')
      const [code] = await gone
      return code
    },
  }
}

test.each(shapes)('%s: backup and restore work on the database that the settings name', async (_, shape) => {
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
  expect(run(shape, settings, 'backup', copy)).toMatchObject({
    code: 0,
    said: expect.stringContaining('a whole copy of'),
  })
  await at(2_000)
  expect(run(shape, settings, 'restore', copy)).toMatchObject({
    code: 0,
    said: expect.stringContaining('restored from'),
  })
  expect(await at()).toBe(1_000)
})

test.each(shapes)('%s: every command is there, and says the same of a wrong one', (_, shape) => {
  const help = run(shape, {}, '--help')
  expect(help.code).toBe(0)
  const names = ['start', 'demo', 'doctor', 'backup', 'restore', 'move', 'validate', 'service', 'workspace']
  for (const name of names) expect(help.said).toContain(`  monbot ${name.padEnd(10)} `)
  expect(run(shape, {}, 'docter')).toMatchObject({
    code: 2,
    said: expect.stringMatching(/^No command "docter": did you mean doctor\?/),
  })
  for (const name of names) expect([name, run(shape, {}, name, '--help').code]).toEqual([name, 0])
})

test.each(shapes)('%s: start and doctor read the settings, and say what is wrong with them', (_, shape) => {
  const settings = { SLACK_CHANNEL: 'alerts', PORT: '0', SLACK_BOTTOKEN: 'canary-of-a-slip' }
  const start = run(shape, settings, 'start')
  expect(start.code).toBe(78)
  expect(start.said).toContain('SLACK_CHANNEL: expected a channel id such as C0123456789; came "alerts"')
  const doctor = run(shape, settings, 'doctor')
  expect(doctor.code).toBe(1)
  expect(doctor.said).toContain(
    'SLACK_BOTTOKEN is no setting of monbot\n    → If SLACK_BOT_TOKEN is meant, name it so.',
  )
  expect(doctor.said + start.said).not.toContain('canary-of-a-slip')
})

test.each(shapes)(
  '%s: workspace, service and bot work together, and its database is moved',
  async (_, shape) => {
    const folder = mkdtempSync(join(home, 'town-'))
    const workspace = started(shape, { PORT: '0' }, 'workspace')
    const given: Record<string, string> = {}
    for (const name of ['SLACK_API_URL', 'SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_CHANNEL'])
      given[name] = await workspace.says(new RegExp(`${name}=(\\S+)`))
    const key = 'key-for-every-shape'
    const setting = { MONITOR_API_KEY: key, MONITOR_FILE: join(folder, 'service.db'), MONITOR_SAMPLE: 'off' }
    const service = started(shape, { PORT: '0', MONITOR_FLEET: '3', ...setting }, 'service')
    const MONITOR_URL = await service.says(/monitoring service \S+ on (http:\S+)/)
    const policy = join(folder, 'policy.yml')
    writeFileSync(policy, 'images: off\n')
    const path = join(folder, 'monbot.db')
    const own = { MONBOT_CONFIG: policy, DATABASE_URL: `sqlite:${path}`, PORT: '0' }
    const settings = { ...given, MONITOR_URL, MONITOR_API_KEY: key, ...own }
    expect(run(shape, settings, 'validate')).toEqual({ code: 0, said: expect.stringContaining(policy) })
    expect(run(shape, settings, 'doctor')).toMatchObject({ code: 0 })
    const bot = started(shape, settings, 'start')
    await bot.says(/"msg":"(app:started)"/)
    expect([await bot.ended(), await service.ended(), await workspace.ended()]).toEqual([0, 0, 0])

    const postgres = await sharedPostgres()
    const to = postgres.url(await postgres.create())
    expect(run(shape, {}, 'move', '--from', `sqlite:${path}`, '--to', to)).toMatchObject({ code: 0 })
    expect(run(shape, settings, 'start')).toMatchObject({
      code: 78,
      said: expect.stringContaining('set DATABASE_URL to that one'),
    })
    writeFileSync(policy, 'imagse: off\n')
    expect(run(shape, settings, 'validate')).toEqual({
      code: 1,
      said: expect.stringContaining('the unknown key "imagse"'),
    })
  },
)

test('a file of settings that is not there ends with 78 and its name', () => {
  const { code, said } = ran(join(bin, 'monbot'), ['--env=/nowhere/monbot.env', 'doctor'], {})
  expect([code, said]).toEqual([
    78,
    expect.stringMatching(/^\/nowhere\/monbot\.env: expected a file of lines NAME=value/),
  ])
})
