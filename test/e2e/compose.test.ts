/** What compose.yaml and compose.demo.yaml start, as they start it: the built files in a folder like that of the image. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { version } from '../../src/shared/version.ts'
import { importsOf } from '../architecture/source-text.ts'
import { compiled } from '../support/compiled.ts'
import { endWithUs } from '../support/end-with-us.ts'
import { freePort } from '../support/free-port.ts'
import { patienceMs } from '../support/patience.ts'
import { settingsFor } from '../support/settings.ts'
import { soon } from '../support/shared-town.ts'
import { openTown } from '../support/town.ts'

const root = new URL('../../', import.meta.url).pathname
const read = (path: string) => readFileSync(resolve(root, path), 'utf8')
const { services } = parse(read('compose.yaml'), { merge: true })
const [, defaultCommand = '[]'] = /^CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? []
/** What stands for `/app`, with `data`, `config` and `secrets` in it. */
let app = ''

beforeAll(() => {
  app = mkdtempSync(join(tmpdir(), 'monbot-image-'))
  const built = spawnSync(process.execPath, [join(root, 'scripts/build.ts')], { cwd: app, encoding: 'utf8' })
  if (built.status !== 0) throw new Error(`the build failed: ${built.stderr}`)
  for (const file of ['package.json', 'manifest.yml']) copyFileSync(join(root, file), join(app, file))
  symlinkSync(join(root, 'node_modules'), join(app, 'node_modules'))
  for (const folder of ['data', 'config', 'secrets']) mkdirSync(join(app, folder))
}, 4 * patienceMs)
afterAll(() => rmSync(app, { recursive: true, force: true }))

/** As the container has it: its paths lie in the folder, and its port is a free one of this machine. */
function environmentOf(service: string, env: Record<string, string>, port: number): Record<string, string> {
  const set = Object.entries<string>(services[service].environment).map(([name, value]) => {
    const given = value.replace(/\$\{(\w+):-([^}]*)\}/g, (_, key: string, usual: string) => env[key] || usual)
    return [name, given.replace('/data/', `${join(app, 'data')}/`)]
  })
  return { ...Object.fromEntries(set), PORT: String(port) }
}

function start(command: readonly string[], env: Record<string, string>) {
  const [, ...words] = command
  const child = spawn(process.execPath, words, {
    cwd: app,
    env: { PATH: process.env.PATH ?? '', ...compiled, TMPDIR: app, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithUs(child)
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  return { said: () => said }
}

const asked = async (url: string) => {
  const response = await fetch(url).catch(() => null)
  return response === null ? null : { status: response.status, text: await response.text() }
}

test('the service of compose.yaml has no server of its own, and says its version', async () => {
  const port = await freePort()
  const env = {
    ...parseEnv(read(services.service.env_file[0])),
    ...environmentOf('service', { MONITOR_API_KEY: 'key-0123456789' }, port),
  }
  const { said } = start(services.service.command, env as Record<string, string>)
  await expect.poll(() => asked(`http://127.0.0.1:${port}/healthz`), soon).not.toBe(null)
  const alive = await asked(`http://127.0.0.1:${port}/healthz`)
  expect(JSON.parse(alive?.text ?? '')).toEqual({ status: 'alive', version })
  const targets = await asked(`http://127.0.0.1:${port}/api/v2/key-0123456789/targets.json`)
  expect(targets?.status).toBe(200)
  expect(JSON.parse(targets?.text ?? '')).toMatchObject({
    message: '0 servers, 0 exporters that cannot be read',
    results: [],
  })
  expect(said()).toMatch(/^monitoring service \S+ on /m)
})

test('the bot of compose.yaml takes its policy and its secrets from the mounted folders, and is ready', async () => {
  const town = await openTown({ service: { fleet: 0 } })
  const { SLACK_BOT_TOKEN: token = '', DATABASE_URL: _, PORT: __, HOST: ___, ...settings } = settingsFor(town)
  writeFileSync(join(app, 'secrets/slack-bot-token'), `${token}\n`)
  writeFileSync(join(app, 'config/policy.yml'), 'images: auto\n')
  const port = await freePort()
  const dotEnv = {
    ...settings,
    SLACK_BOT_TOKEN_FILE: join(app, 'secrets/slack-bot-token'),
    MONBOT_CONFIG: join(app, 'config/policy.yml'),
  }
  const { said } = start(JSON.parse(defaultCommand), {
    ...dotEnv,
    ...environmentOf('bot', dotEnv, port),
    NODE_ENV: 'production',
  })
  await expect
    .poll(async () => (await asked(`http://127.0.0.1:${port}/readyz`))?.status ?? said(), soon)
    .toBe(200)
  const page = await asked(`http://127.0.0.1:${port}/metrics`)
  expect(page?.text).toContain(`monbot_build_info{version="${version}"`)
})

test('every package that the bundle holds is named with its licence beside it', () => {
  const licences = readFileSync(join(app, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8')
  const specifiers = globSync('src/{bot,shared}/**/*.ts', { cwd: root }).flatMap((file) =>
    importsOf(read(file)),
  )
  const imported = specifiers.flatMap((one) => /^(?:@[^/]+\/)?[^/.][^/]*/.exec(one ?? '')?.[0] ?? [])
  // What stays beside the bundle has its licence with it.
  const [, external = ''] = /external: \[(.*)\]/.exec(read('scripts/bundle-bot.ts')) ?? []
  const beside = new Set([...external.matchAll(/'([^']+)'/g)].map(([, name = '']) => name))
  // Loaded only where there is a policy.
  beside.add('yaml')
  const bundled = new Set(imported.filter((name) => !isBuiltin(name) && !beside.has(name)))
  // And what those need.
  for (const name of ['jsonwebtoken', 'pg-protocol', 'pg-types', 'semver', 'sonic-boom']) bundled.add(name)
  expect([...bundled]).toEqual(expect.arrayContaining(['@slack/bolt', 'kysely', 'pino', 'undici', 'zod']))
  const missing = [...bundled].filter((name) => !licences.includes(`\n## ${name} `))
  expect(missing).toEqual([])
  expect(licences).toMatch(/^## zod \S+ \(MIT\)\n\nMIT License/m)
  expect(licences).not.toContain('better-sqlite3')
})

test('the jobs of Kubernetes back up what both wrote, from the built files', () => {
  const jobs = parseAllDocuments(read('deploy/kubernetes-backup.yaml'))
    .map((one) => one.toJS())
    .filter(({ kind }) => kind === 'CronJob')
  mkdirSync(join(app, 'backup'))
  const place = (path: string) =>
    path.replace('/data/', `${join(app, 'data')}/`).replace(/^\/backup$/, join(app, 'backup'))
  // As they are named where compose.yaml ran them before.
  renameSync(join(app, 'data/service.db'), join(app, 'data/monitor.db'))
  for (const { spec } of jobs) {
    const [{ command, env }] = spec.jobTemplate.spec.template.spec.containers
    const [, ...words] = command.map(place)
    const set = env.map(({ name, value }: { name: string; value: string }) => [name, place(value)])
    const done = spawnSync(process.execPath, words, {
      cwd: app,
      env: { PATH: process.env.PATH, ...compiled, ...Object.fromEntries(set) },
      encoding: 'utf8',
    })
    expect([done.status, done.stderr]).toEqual([0, ''])
  }
  const made = readdirSync(join(app, 'backup')).map((name) => name.split('-')[0])
  expect(made.toSorted()).toEqual(['monbot', 'monitor'])
})

test('the demo of compose.demo.yaml shows its page to whoever reaches the container', async () => {
  const { command } = parse(read('compose.demo.yaml')).services.demo
  const port = await freePort()
  const { said } = start(command, { PORT: String(port) })
  // Only where it listens on more than 127.0.0.1; a port that Docker publishes comes from outside, too.
  await expect
    .poll(async () => (await asked(`http://127.0.0.2:${port}/`))?.text ?? said(), soon)
    .toContain('<!doctype html>')
})
