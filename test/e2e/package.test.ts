/** The package as people install it: only what runs is in it, and the demo starts from it in an empty folder. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { compiled } from '../support/compiled.ts'
import { freePort } from '../support/free-port.ts'
import { patienceMs } from '../support/patience.ts'

const root = new URL('../../', import.meta.url).pathname
// What npm tells its own children would have them install into this clone.
const inherited = Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$/.test(name))
const env = {
  ...Object.fromEntries(inherited),
  PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
}

test('the packed package holds only what runs, and starts the demo where nothing else is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-package-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const npm = (cwd: string, ...words: string[]) =>
    execFileSync('npm', words, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

  const packed = npm(root, 'pack', '--json', '--pack-destination', folder)
  const [made] = JSON.parse(packed.slice(packed.indexOf('[\n')))
  const paths: string[] = made.files.map(({ path }: { path: string }) => path)
  const others = paths.filter((path) => !/^(?:deploy|dist|docs|schema)\//.test(path))
  expect(others.toSorted()).toEqual([
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'manifest.yml',
    'package.json',
  ])
  expect(paths.filter((path) => /\.ts$|test|bench/.test(path) && path.startsWith('dist/'))).toEqual([])
  expect(paths).toEqual(
    expect.arrayContaining([
      'dist/workspace/page/page.html',
      'dist/main.js',
      'dist/bot/main.js',
      'schema/policy.json',
    ]),
  )

  const home = join(folder, 'home')
  mkdirSync(home)
  npm(
    home,
    'install',
    '--prefix',
    home,
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    join(folder, made.filename),
  )
  const bin = join(home, 'node_modules/.bin/monbot')
  expect(execFileSync(bin, [], { cwd: home, env, encoding: 'utf8' })).toContain('monbot demo')
  // What it says fits whoever has no clone.
  const ran = (...words: string[]) => {
    const { stdout, stderr } = spawnSync(bin, words, { cwd: home, env, encoding: 'utf8' })
    return stdout + stderr
  }
  const version = `${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}\n`
  // Without the dashes npm takes the option for one of its own.
  const byNpx = ['--no', '--', 'monbot', '--version']
  expect(execFileSync('npx', byNpx, { cwd: home, env, encoding: 'utf8' })).toBe(version)
  expect(ran('--version')).toBe(version)
  expect(ran('backup', '--help')).toMatch(/^Usage: monbot backup FILE, or monbot backup --keep DAYS FOLDER\n/)
  expect(ran('demo', '--help')).toMatch(/^monbot demo \[OPTIONS\]\n/)
  expect(ran('start', '--help')).toContain('environment: node_modules/monbot/docs/settings.md\n')
  expect(ran('start')).toContain('To see monbot work without any setting: monbot demo\n')

  const demo = spawn(bin, ['demo'], {
    cwd: home,
    env: { PATH: env.PATH, ...compiled, PORT: String(await freePort()) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(demo, 'close')
  onTestFinished(async () => {
    demo.kill('SIGTERM')
    await ended
  })
  let said = ''
  for (const stream of [demo.stdout, demo.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  await expect
    .poll(() => said, { timeout: patienceMs, interval: 100 })
    .toMatch(/── posted in #alerts\n.*web-2/)
  const [page = ''] = /http:\/\/127\.0\.0\.1:\d+\//.exec(said) ?? []
  expect(await (await fetch(page)).text()).toContain('<!doctype html>')
  demo.kill('SIGTERM')
  expect((await ended)[0]).toBe(0)
})
