/** The file at MONITOR_CONFIG: what it may hold, and that every problem is told at once with its place. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { outOfReach } from '../../../src/service/alerts/triggers.ts'
import { parseDuration } from '../../../src/service/config/duration.ts'
import { type ConfigReading, readConfig } from '../../../src/service/config/read-config.ts'
import { globsMatcher } from '../../../src/shared/glob.ts'
import { newFolder } from '../ledger-file.ts'

function folder(files: Readonly<Record<string, string>>): string {
  const path = newFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(path, name, '..'), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  return path
}

/** Reads `fleet.yml` of these files; problems without the folder's own name. */
async function read(files: Readonly<Record<string, string>>): Promise<ConfigReading> {
  const path = folder(files)
  const reading = await readConfig(join(path, 'fleet.yml'))
  return { ...reading, problems: reading.problems.map((line) => line.replaceAll(`${path}/`, '')) }
}

const problemsOf = async (text: string): Promise<readonly string[]> =>
  (await read({ 'fleet.yml': text })).problems

test('the example of the documents is read as it says', async () => {
  const { config, problems } = await read({
    'fleet.yml': `
scrape:
  interval: 15s
  timeout: 5s
  targets:
    - url: http://web-1:9100/metrics
      server: web-1
      environment: prod
      roles: [web, eu]
    - url: https://someone:s%40cret@Db-1.example:9100/metrics
  no_data: 60s
  files: ["targets/*.yml"]
triggers:
  - { metric: cpu_busy, above: 90, for: 5m, roles: [web], servers: ["web-*"] }
  - { metric: disk_free, source: /, below: 5000, for: 10m }
  - { type: custom_metric, metric: shop_orders_waiting, above: 100 }
custom_metrics: ["shop_*"]
`,
    'targets/a.yml':
      '- targets: ["c-1:9100", "c-2:9100"]\n  labels: { role: "cache, eu", env: staging, job: node, rack: 3 }\n',
    'targets/b.yml':
      '[{"targets": ["10.0.0.7:9100"], "labels": {"server": "d-1", "__scheme__": "https", "__metrics_path__": "/m"}}]',
    'targets/.c.yml.swp': 'rubbish: [',
    'targets/empty.yml': '',
  })
  expect(problems).toEqual([])
  const usual = { environment: 'production', roles: [], authorization: null, tls: null }
  expect(config).toEqual({
    prometheus: null,
    forgetMs: 86_400_000,
    scrape: {
      intervalMs: 15_000,
      timeoutMs: 5_000,
      noDataMs: 60_000,
      files: ['targets/*.yml'],
      targets: [
        {
          ...usual,
          server: 'web-1',
          url: 'http://web-1:9100/metrics',
          environment: 'prod',
          roles: ['web', 'eu'],
        },
        {
          ...usual,
          server: 'db-1.example',
          url: 'https://db-1.example:9100/metrics',
          authorization: `Basic ${Buffer.from('someone:s@cret').toString('base64')}`,
        },
        {
          ...usual,
          server: 'c-1',
          url: 'http://c-1:9100/metrics',
          environment: 'staging',
          roles: ['cache', 'eu'],
        },
        {
          ...usual,
          server: 'c-2',
          url: 'http://c-2:9100/metrics',
          environment: 'staging',
          roles: ['cache', 'eu'],
        },
        { ...usual, server: 'd-1', url: 'https://10.0.0.7:9100/m' },
      ],
    },
    triggers: [
      {
        type: 'cpu',
        metric: 'cpu_busy',
        servers: 'all',
        names: ['web-*'],
        roles: ['web'],
        maxValue: 90,
        lowValue: null,
        durationMs: 300_000,
      },
      {
        type: 'disk',
        metric: 'disk_free',
        source: '/',
        servers: 'all',
        maxValue: outOfReach,
        lowValue: 5_000,
        durationMs: 600_000,
      },
      {
        type: 'custom_metric',
        metric: 'shop_orders_waiting',
        servers: 'all',
        maxValue: 100,
        lowValue: null,
        durationMs: 0,
      },
    ],
    customMetrics: ['shop_*'],
  })
})

test('defaults: fifteen seconds, five of them to answer, silence after a minute or three intervals', async () => {
  const targets = 'targets: [{ url: "http://a:1/m" }]'
  const times = async (text: string) =>
    (await read({ 'fleet.yml': `scrape: { ${text}${targets} }` })).config?.scrape
  expect(await times('')).toMatchObject({ intervalMs: 15_000, timeoutMs: 5_000, noDataMs: 60_000 })
  expect(await times('interval: 1s, ')).toMatchObject({ timeoutMs: 1_000, noDataMs: 60_000 })
  expect(await times('interval: 5m, ')).toMatchObject({ timeoutMs: 5_000, noDataMs: 900_000 })
  expect(await times('no_data: off, ')).toMatchObject({ noDataMs: null })
  expect(await times('no_data: false, ')).toMatchObject({ noDataMs: null })
})

test('every problem is told at once, each with its place, and no password', async () => {
  const problems = await problemsOf(`scrape:
  interval: 15 parsecs
  intervall: 1s
  targets:
    - url: ftp://me:hidden@web-1/metrics
    - url: http://web-2:9100/metrics
    - url: http://me:hidden@10.0.0.2:9100/metrics
      server: web-2
      rolls: [web]
triggers:
  - metric: cpu_busy
  - { metric: cpu_busy, above: 1, below: 2 }
  - { metric: cpu_bsy, above: 1 }
  - { metric: disk_free, below: lots }
  - { metric: load, type: plugin, above: 1, for: 5 }
custom_metrics: shop_*
`)
  expect(problems).toEqual([
    'fleet.yml:2:3 scrape.interval: expected a duration from 1s to 5m, such as 15s or 5m; came "15 parsecs"',
    'fleet.yml:5:7 scrape.targets[0].url: expected an address with http:// or https://; came "ftp://…@web-1/metrics"',
    'fleet.yml:9:7 scrape.targets[2]: expected one of url, server, environment, roles, tls; came the unknown key "rolls"',
    'fleet.yml:3:3 scrape: expected one of interval, timeout, targets, no_data, files, tls; came the unknown key "intervall"',
    'fleet.yml:11:5 triggers[0]: expected a limit: above, below or both; came a structure',
    'fleet.yml:12:35 triggers[1].below: expected less than above; came 2',
    expect.stringMatching(
      /^fleet\.yml:13:7 triggers\[2\]\.metric: expected a type beside a metric that is none of the known ones: .*; came "cpu_bsy"$/,
    ),
    'fleet.yml:14:26 triggers[3].below: expected a number; came "lots"',
    expect.stringMatching(
      /^fleet\.yml:15:45 triggers\[4\]\.for: expected a duration from 0s to 7d.*; came 5$/,
    ),
    'fleet.yml:16:1 custom_metrics: expected a list of globs; came "shop_*"',
  ])
})

test.each([
  ['scrape: {}', 'fleet.yml:1:1 scrape.targets: expected targets or files; came nothing'],
  [
    'scrape: { targets: [], timeout: 20s }',
    'fleet.yml:1:24 scrape.timeout: expected at most the interval; came "20s"',
  ],
  [
    'scrape: { targets: [], no_data: 15s }',
    'fleet.yml:1:24 scrape.no_data: expected more than the interval; came "15s"',
  ],
  [
    'scrape: { files: ["*/a.yml"] }',
    'fleet.yml:1:19 scrape.files[0]: expected a path in a folder that can be read, with * in its last part perhaps; came "*/a.yml"',
  ],
  // A folder that was away for a moment closed the alerts of all its servers.
  [
    'scrape: { files: ["gone/*.yml"] }',
    'fleet.yml:1:19 scrape.files[0]: expected a path in a folder that can be read, with * in its last part perhaps; came "gone/*.yml"',
  ],
  ['scrape: { files: [a.yml] }', 'a.yml: expected a file of at most 4 MB that can be read; came none'],
  [
    'thanos: { url: "http://p" }',
    'fleet.yml:1:1: expected one of scrape, triggers, custom_metrics, prometheus, pushed; came the unknown key "thanos"',
  ],
  ['a: &a [1]\nb: *a', 'fleet.yml:2:4: expected a value; came a YAML alias'],
  ['', 'fleet.yml: expected scrape, triggers, custom_metrics or prometheus; came an empty file'],
  [
    'triggers: [{metric: cpu_busy, above: 1}, {metric: cpu_busy, above: 1}]',
    'fleet.yml:1:42 triggers[1]: expected another trigger than triggers[0]; came a structure',
  ],
])('%s', async (text, problem) => {
  expect(await problemsOf(text)).toEqual([problem])
})

test('a file that is not there is a problem', async () => {
  expect((await read({})).problems).toEqual([
    'fleet.yml: expected a file of at most 4 MB that can be read; came none',
  ])
})

test('a folder, a pipe and a file that is too large are no files to read', async () => {
  const path = folder({ 'a/b.yml': '', 'large.yml': ' '.repeat(4_000_001) })
  execFileSync('mkfifo', [join(path, 'pipe.yml')])
  for (const name of ['a', 'pipe.yml', 'large.yml']) {
    expect((await readConfig(join(path, name))).problems).toEqual([
      `${join(path, name)}: expected a file of at most 4 MB that can be read; came none`,
    ])
  }
})

test('a target file is checked as the file itself, its places too', async () => {
  const { problems } = await read({
    'fleet.yml': 'scrape: { targets: [{ url: "http://web-1:9100" }], files: ["t/*"] }',
    't/a.json':
      '[\n  {"targets": ["web-1:9100", "web 2"]},\n  {"targets": "web-3"},\n  {"targets": ["d:1", "e:1"], "labels": {"server": "x"}}\n]',
    't/b.yml': '- targets: [web-1:9200]\n',
  })
  expect(problems).toEqual([
    't/a.json:2:30 [0].targets[1]: expected an address such as web-1:9100; came "web 2"',
    't/a.json:3:4 [1].targets: expected a list of addresses; came "web-3"',
  ])
})

test.each([
  ['15s', 15_000],
  ['1h30m', 5_400_000],
  ['0s', 0],
  ['15', null],
  ['-5s', null],
  ['5 s', null],
  ['', null],
])('the duration %s', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each([
  ['shop_*', 'shop_orders', true],
  ['shop_*', 'my_shop_orders', false],
  ['*', '', true],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['*a*b*', 'xxaxxbxx', true],
  [`${'*a'.repeat(30)}b`, 'a'.repeat(300), false],
])('the glob %s on %s: %s', (glob, text, isMatch) => {
  expect(globsMatcher([glob])(text)).toBe(isMatch)
})
