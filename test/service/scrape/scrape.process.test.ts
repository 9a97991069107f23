/** The service as a process with a file: how it refuses one, takes it up again no more often than it must, and asks a real node_exporter. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { type FleetConfig, readConfig } from '../../../src/service/config/read-config.ts'
import { watchConfig } from '../../../src/service/config/watch-config.ts'
import { compiled } from '../../support/compiled.ts'
import { patienceMs } from '../../support/patience.ts'
import { newFolder } from '../ledger-file.ts'
import { startService } from '../process.ts'
import { rolesOf } from '../records.ts'
import { configOf, exporterOf, nothingHere, openFleetTown, targetOf } from './exporters.ts'
import { isNodeExporterMissing, startNodeExporter } from './node-exporter.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const key = 'a-key'

function fileIn(name: string, text: string): string {
  const folder = newFolder()
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

const serverList = z.object({
  results: z.array(z.object({ server: z.string(), last_report: z.string().nullable() })),
})

async function ask(url: string, path: string): Promise<unknown> {
  const { body } = await request(url + path)
  return body.json()
}

async function serversOf(url: string): Promise<string[]> {
  return serverList.parse(await ask(url, `/api/v2/${key}/targets.json`)).results.map(({ server }) => server)
}

function eventually(look: () => Promise<void>): Promise<void> {
  return vi.waitFor(look, { timeout: patienceMs, interval: 200 })
}

test('a wrong file and wrong settings are one block of sentences and exit code 78', () => {
  const file = fileIn(
    'fleet.yml',
    'scrape:\n  targets: [{ url: "http://me:hidden@web-1" }, { url: web-2 }]\n',
  )
  const { status, stdout, stderr } = spawnSync(process.execPath, ['src/service/main.ts'], {
    cwd: root,
    env: { PATH: process.env.PATH, ...compiled, PORT: 'ninety', MONITOR_API_KEY: key, MONITOR_CONFIG: file },
    encoding: 'utf8',
    timeout: patienceMs,
  })
  expect([status, stdout]).toEqual([78, ''])
  expect(stderr.split('\n')).toEqual([
    'the monitoring service cannot start:',
    '  PORT: expected a port from 0 to 65535; came "ninety"',
    `  ${file}:2:50 scrape.targets[1].url: expected an address with http:// or https://; came "web-2"`,
    '',
  ])
})

test('with servers of a file there are no others, and the file is followed', async () => {
  const exporter = await exporterOf(() => 'node_load1 1\n')
  const fileOf = (name: string): string =>
    `scrape: { interval: 1s, targets: [{ url: "${exporter}", server: ${name} }], files: ["t-*.yml"] }\n`
  const file = fileIn('fleet.yml', fileOf('web-1'))
  const service = await startService({ MONITOR_API_KEY: key, MONITOR_CONFIG: file })
  expect(await serversOf(service.url)).toEqual(['web-1'])
  await eventually(async () => {
    const { results } = serverList.parse(await ask(service.url, `/api/v2/${key}/targets.json`))
    expect(results[0]?.last_report).not.toBeNull()
  })
  writeFileSync(file, fileOf('web-2'))
  await eventually(async () => expect(await serversOf(service.url)).toEqual(['web-2']))
  writeFileSync(
    join(file, '..', 't-1.yml'),
    `- targets: ["${new URL(exporter).host}"]\n  labels: { server: web-3 }\n`,
  )
  await eventually(async () => expect(await serversOf(service.url)).toEqual(['web-2', 'web-3']))
  writeFileSync(file, 'scrape: { interval: never }\n')
  service.signal('SIGHUP')
  await eventually(async () => expect(service.complaints()).toContain(`${file} was refused`))
  expect(await serversOf(service.url)).toEqual(['web-2', 'web-3'])
  writeFileSync(file, fileOf('web-4'))
  service.signal('SIGHUP')
  await eventually(async () => expect(await serversOf(service.url)).toEqual(['web-3', 'web-4']))
  expect(await service.stop()).toBe(0)
})

const answer = z.object({ metrics: z.array(z.object({ points: z.array(z.array(z.number())) })) })

/** The newest mean of a metric. */
async function meanOf(url: string, type: string, source: string, metric: string): Promise<number> {
  const query = new URLSearchParams({ metric_type: type, metric_source_name: source, metric_name: metric })
  const { metrics } = answer.parse(await ask(url, `/api/v2/${key}/metrics.json?${query}`))
  return metrics[0]?.points.at(-1)?.[1] ?? Number.NaN
}

test('the real node_exporter is there wherever everything must be tested', () => {
  expect(isNodeExporterMissing && process.env.CI === 'true').toBe(false)
})

test.skipIf(isNodeExporterMissing)('a real node_exporter says what df, free and the system say', async () => {
  const exporter = await startNodeExporter()
  const file = fileIn(
    'fleet.yml',
    `scrape: { interval: 1s, targets: [{ url: "${exporter}", server: web-1 }] }\n`,
  )
  const { url } = await startService({ MONITOR_API_KEY: key, MONITOR_CONFIG: file })
  const near = (value: number, expected: number, by = 2): void => {
    expect(value).toBeGreaterThanOrEqual(expected - by)
    expect(value).toBeLessThanOrEqual(expected + by)
  }
  await eventually(async () => {
    const df =
      execFileSync('df', ['-B1', '--output=pcent,avail', '/'], { encoding: 'utf8' }).match(/\d+/g) ?? []
    near(await meanOf(url, 'disk', '/', 'disk_used_percent'), Number(df[0]))
    const freeMb = Number(df[1]) / 1_048_576
    near(await meanOf(url, 'disk', '/', 'disk_free'), freeMb, freeMb * 0.02)
    const [total = 0, , , , , available = 0] = (
      /^Mem:(.*)$/m.exec(execFileSync('free', ['-b'], { encoding: 'utf8' }))?.[1]?.match(/\d+/g) ?? []
    ).map(Number)
    near(await meanOf(url, 'memory', '', 'memory_used_percent'), (1 - available / total) * 100)
    near(
      await meanOf(url, 'memory', '', 'memory_used'),
      (total - available) / 1_048_576,
      (total / 1_048_576) * 0.02,
    )
    const [one = 0, five = 0, fifteen = 0] = readFileSync('/proc/loadavg', 'utf8').split(' ').map(Number)
    near(await meanOf(url, 'plugin', 'Load Average', 'last_minute'), one)
    near(await meanOf(url, 'plugin', 'Load Average', 'last_five_minutes'), five)
    near(await meanOf(url, 'plugin', 'Load Average', 'last_fifteen_minutes'), fifteen)
    near(await meanOf(url, 'plugin', 'Load Average', 'last_minute_per_core'), one / cpus().length)
    for (const metric of ['cpu_busy', 'cpu_user', 'cpu_system', 'cpu_iowait']) {
      near(await meanOf(url, 'cpu', '', metric), 50, 50)
    }
    near(await meanOf(url, 'process', 'all', 'process_count'), 500, 500)
  })
})

const fileOf = (name: string): string =>
  `scrape: { targets: [{ url: "http://127.0.0.1:1/metrics", server: ${name} }] }\n`

async function openWatched() {
  const folder = newFolder()
  const file = join(folder, 'fleet.yml')
  writeFileSync(file, fileOf('web-1'))
  const used: FleetConfig[] = []
  const watch = watchConfig({
    file,
    first: await readConfig(file),
    use: (config) => used.push(config),
    report: () => {},
  })
  onTestFinished(() => watch.stop())
  const servers = () => used.map(({ scrape }) => scrape?.targets.map(({ server }) => server).join())
  return { file, watch, servers }
}

test('a thousand hangups at once were a thousand readings, one after the other', async () => {
  const { file, watch, servers } = await openWatched()
  const asked = Array.from({ length: 500 }, () => watch.reload())
  writeFileSync(file, fileOf('web-2'))
  asked.push(...Array.from({ length: 500 }, () => watch.reload()))
  await Promise.all(asked)
  expect(servers().length).toBeLessThanOrEqual(2)
  expect(servers().at(-1)).toBe('web-2')
})

test('one that is asked for while another one is read sees what there is then', async () => {
  const { file, watch, servers } = await openWatched()
  const first = watch.reload()
  await Promise.resolve()
  await Promise.resolve()
  writeFileSync(file, fileOf('web-3'))
  await Promise.all([first, watch.reload()])
  expect(servers().at(-1)).toBe('web-3')
})

test('a file that is being read when the service stops was taken up after its end', async () => {
  const { watch, servers } = await openWatched()
  const asked = watch.reload()
  watch.stop()
  await asked
  expect(servers()).toEqual([])
})

/** A thousand roles, as many as an account may have. */
const targetsOf = (deployment: string) =>
  Array.from({ length: 20 }, (_, n) =>
    targetOf(`web-${n}`, nothingHere, {
      roles: Array.from({ length: 50 }, (_, at) => `${deployment}-${n}-${at}`),
    }),
  )

test('roles that nobody is in any more kept new ones of the file out', async () => {
  const town = await openFleetTown(configOf(targetsOf('blue')))
  town.service.useConfig(configOf(targetsOf('green')))
  const roles = await rolesOf(town)
  expect(Object.keys(roles)).toHaveLength(1_000)
  expect(roles['green-19-49']).toEqual(['web-19'])
  expect(town.lines).toEqual([])
  // What somebody is in stays: then it is said that there is no room.
  const more = targetOf('db-1', nothingHere, { roles: ['data'] })
  town.service.useConfig(configOf([...targetsOf('green'), more]))
  expect(town.lines).toEqual([
    '"db-1" of the file cannot be taken up as it is: expected at most 1000 roles; there are that many',
  ])
})
