/** A start: what it loads, how large it is, and what it refuses in a sentence. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { commandLine, settingsDocument } from '../../src/shared/command-name.ts'
import { isNodeNewEnough, requireNode } from '../../src/shared/node-version.ts'
import { patienceMs } from '../support/patience.ts'

const root = new URL('../..', import.meta.url)

/** Prints the address of every module that the bot's parts load, and what Node loads of its own. */
const program = `
  import { registerHooks } from 'node:module'
  const seen = []
  registerHooks({ load: (url, context, next) => { seen.push(url); return next(url, context) } })
  await import('./src/bot/replica.ts')
  await import('./src/bot/config/config.ts')
  await import('./src/bot/log.ts')
  console.log(JSON.stringify({ seen, own: process.moduleLoadList }))`

test('neither Express nor Hono, Postgres, YAML, the metrics, the painter or Node’s own fetch is loaded before it is needed', () => {
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 10_000_000,
  })
  const { seen, own } = JSON.parse(run.stdout) as { seen: string[]; own: string[] }
  const packages = new Set(seen.map((url) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]))
  expect([...packages]).toEqual(expect.arrayContaining(['kysely', 'undici', '@slack/bolt', 'pino']))
  const late = [
    'express',
    'hono',
    '@hono/node-server',
    'pg',
    'yaml',
    'prom-client',
    'd3-scale',
    '@resvg/resvg-wasm',
  ]
  expect(late.filter((name) => packages.has(name))).toEqual([])
  expect(own.filter((name) => name.includes('deps/undici'))).toEqual([])
})

/** Prints how many MB the space for what is new takes after lists of 200,000 objects. */
function newSpaceMb(first: string): number {
  const program = `
    ${first}
    for (let n = 0; n < 5; n += 1) Array.from({ length: 200_000 }, (_, at) => ({ at, text: 'alert ' + at }))
    const { getHeapSpaceStatistics } = await import('node:v8')
    const found = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
    process.stdout.write(String(found.space_size / 1024 / 1024))`
  const words = ['--input-type=module', '--eval', program]
  return Number(execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8' }))
}

test('the space for what is new stays small where the heap is kept small, and grows where it is not', () => {
  expect(newSpaceMb("(await import('./src/bot/small-heap.ts')).keepHeapSmall()")).toBeLessThanOrEqual(4)
  expect(newSpaceMb('')).toBeGreaterThan(16)
})

test.each([
  ['18.20.4', false],
  ['20.20.2', false],
  ['22.18.0', false],
  ['22.19.0', true],
  ['24.0.0', true],
  ['26.10.0', true],
])('Node %s: %s', (version, isGood) => {
  expect(isNodeNewEnough(version)).toBe(isGood)
})

test('this Node passes', () => {
  expect(() => requireNode()).not.toThrow()
})

test('an entry file on an older Node prints one sentence and exits with 78', () => {
  const source = new URL('../../src/shared/node-version.ts', import.meta.url).href
  const entry = `import { requireNode } from '${source}'; requireNode('20.20.2'); console.log('went on')`
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', entry], { encoding: 'utf8' })
  expect(run.status).toBe(78)
  expect(run.stdout).toBe('')
  expect(run.stderr.trim().split('\n')).toHaveLength(1)
  expect(run.stderr).toContain('Node 22.19 or newer; this is 20.20.2')
})

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

const monbot = (...words: readonly string[]) => monbotIn('.', ...words)

function monbotIn(cwd: string, ...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...words], {
    cwd,
    encoding: 'utf8',
    timeout: patienceMs,
  })
  return { status, stdout, stderr }
}

test('help about a command says what it does, and starts nothing', () => {
  for (const word of ['--help', '-h', 'help']) {
    const came = monbot('workspace', word)
    expect(came).toEqual({
      status: 0,
      stdout: expect.stringContaining('monbot workspace: the local Slack'),
      stderr: '',
    })
    expect(monbot('service', word)).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^The monitoring service alone\. Usage:\n.* --backup FILE/s),
      stderr: '',
    })
  }
})

test('a word that nobody reads is an error that names it, and starts nothing', () => {
  const came = monbot('service', '--port', '80')
  expect(came).toMatchObject({ status: 2, stdout: '' })
  expect(came.stderr).toMatch(
    /^Expected nothing more, --names, --backup FILE, or --restore FILE; came "--port" "80"\nUsage:\n/,
  )
  for (const name of ['start', 'workspace']) {
    const came = monbot(name, '--port', '80')
    expect(came).toMatchObject({ status: 2, stdout: '' })
    expect(came.stderr).toContain(`monbot ${name}: expected nothing more; came "--port" "80"`)
  }
})

test('an unknown command is an error with all that there are', () => {
  const came = monbot('strat')
  expect(came).toMatchObject({ status: 2, stdout: '' })
  expect(came.stderr).toMatch(/^No command "strat": did you mean start\? These are there:\n {2}monbot start /)
})

test('a command is said as it is typed there: a script of npm in a clone, monbot where the package is', () => {
  expect(commandLine('backup', 'FILE', true)).toBe('npm run backup -- FILE')
  expect(commandLine('demo', '', true)).toBe('npm run demo')
  expect(commandLine('backup', 'FILE', false)).toBe('monbot backup FILE')
  expect(commandLine('demo', '', false)).toBe('monbot demo')
  expect(settingsDocument()).toBe('docs/settings.md')
})

test('the settings are where help says, from wherever it is asked', () => {
  const { stdout } = monbotIn(fileURLToPath(new URL('../../src/demo', import.meta.url)), 'start', '--help')
  expect(stdout).toContain('environment: ../../docs/settings.md\n')
})

test('monbot tells its version', () => {
  for (const word of ['--version', '-v']) {
    expect(monbot(word)).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    })
  }
})

test('a .env that is a folder is told in a sentence', () => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-env-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, '.env'))
  expect(monbotIn(folder, 'start')).toEqual({
    status: 78,
    stdout: '',
    stderr:
      '.env: expected a file of lines NAME=value that this user may read, or none; it cannot be read.\n',
  })
})

test('a Node without TypeScript is told in a sentence, before each script that starts the sources', () => {
  const path = fileURLToPath(new URL('../../scripts/require-typescript.js', import.meta.url))
  const run = (...flags: string[]) => spawnSync(process.execPath, [...flags, path], { encoding: 'utf8' })
  expect(run()).toMatchObject({ status: 0, stdout: '', stderr: '' })
  const without = run('--no-experimental-strip-types')
  expect(without.status).toBe(78)
  expect(without.stderr).toMatch(
    /^This clone is TypeScript, and Node \S+ was built or started without TypeScript: .*\.\n$/,
  )
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const starting = Object.keys(scripts).filter((name) => / src\/\S+\.ts$/.test(scripts[name]))
  expect(starting).toContain('start')
  for (const name of starting) expect(scripts[`pre${name}`]).toBe('node scripts/require-typescript.js')
})
