/** Several exporters of one server: what they show together, and whose silence is told. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/service/config/read-config.ts'
import { newFolder } from '../ledger-file.ts'
import type { Town } from '../open-service.ts'
import { rolesOf, stateOf } from '../records.ts'
import { configOf, exporterOf, openFleetTown, openOn, pass, targetOf } from './exporters.ts'

const load = 'type=plugin&source=Load+Average&metric=last_minute'
const orders = 'type=custom_metric&source=shop_orders&metric=shop_orders'

async function valueNow(town: Town, metric: string): Promise<number | null> {
  const { status, body } = await town.ask(`/control/series?server=web-1&${metric}`)
  expect(status).toBe(200)
  return (body as { value: number | null }).value
}

async function configIn(files: Readonly<Record<string, string>>) {
  const folder = newFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const { config, problems } = await readConfig(join(folder, 'fleet.yml'))
  return { config, problems: problems.map((line) => line.replaceAll(`${folder}/`, '')) }
}

test('two exporters of one host could not start: they are one server, with the roles of both', async () => {
  const node = await exporterOf(() => 'node_load1 1.5\n')
  const app = await exporterOf(() => 'shop_orders 3\n')
  const { config, problems } = await configIn({
    'fleet.yml': `scrape:
  targets: [{ url: "${node}", server: web-1, roles: [web] }, { url: "${app}", server: web-1, environment: staging, roles: [shop, web] }]
custom_metrics: ["shop_*"]
`,
  })
  expect(problems).toEqual([])
  if (config === null) return
  const town = await openFleetTown(config)
  await pass(town, 30)
  expect((await stateOf(town)).servers).toMatchObject([
    { hostname: 'web-1', environment: 'staging', roles: ['shop', 'web'] },
  ])
  expect(await rolesOf(town)).toEqual({ web: ['web-1'], shop: ['web-1'] })
  expect(await valueNow(town, load)).toBe(1.5)
  expect(await valueNow(town, orders)).toBe(3)
})

test.each([
  [
    'the same address twice',
    'targets: [{ url: "http://a:1/m", server: x }, { url: "http://me:hidden@a:1/m", server: x }]',
    'fleet.yml:1:57 scrape.targets[1]: expected another address than that of fleet.yml:1:21 scrape.targets[0]; came the same one of "x"',
  ],
  [
    'two environments',
    'targets: [{ url: "http://a:1", server: x, environment: prod }, { url: "http://a:2", server: x, environment: test }]',
    'fleet.yml:1:74 scrape.targets[1]: expected the environment "prod" that "x" has at fleet.yml:1:21 scrape.targets[0]; came "test"',
  ],
])('%s is a true contradiction', async (_, text, problem) => {
  expect((await configIn({ 'fleet.yml': `scrape: { ${text} }` })).problems).toEqual([problem])
})

test('two addresses of a target file that name one server, and one of the file itself, are together', async () => {
  const { config, problems } = await configIn({
    'fleet.yml': 'scrape: { targets: [{ url: "http://a:1", server: x }], files: ["t.yml"] }',
    't.yml': '- targets: ["a:2", "a:3"]\n  labels: { server: x, role: db, env: staging }\n',
  })
  expect(problems).toEqual([])
  expect(config?.scrape?.targets).toMatchObject([
    { server: 'x', url: 'http://a:1/', environment: 'staging', roles: ['db'] },
    { server: 'x', url: 'http://a:2/metrics', environment: 'staging', roles: ['db'] },
    { server: 'x', url: 'http://a:3/metrics', environment: 'staging', roles: ['db'] },
  ])
})

describe('of what several exporters of a server show', () => {
  async function openPair(first: () => string, second: () => string) {
    const urls = [await exporterOf(first), await exporterOf(second)] as const
    const config = configOf(
      urls.map((url) => targetOf('web-1', url)),
      {
        customMetrics: ['shop_*'],
        triggers: [
          {
            ...{ type: 'custom_metric', metric: 'shop_orders', servers: 'all' },
            ...{ maxValue: 10, lowValue: null, durationMs: 0 },
          },
        ],
      },
    )
    return { town: await openFleetTown(config), urls, config }
  }

  test('custom metrics are added up, and unknown while one of them cannot be read: no alert closes', async () => {
    let second = 'shop_orders 8\n'
    const { town, urls } = await openPair(
      () => 'shop_orders 4\n',
      () => second,
    )
    await pass(town, 30)
    expect(await valueNow(town, orders)).toBe(12)
    expect(await openOn(town)).toEqual(['web-1 shop_orders'])
    second = 'broken {\n# EOF'.repeat(3)
    await pass(town, 3 * 3_600)
    const silent = 'web-1 seconds_since_report'
    expect(await openOn(town)).toEqual([silent, 'web-1 shop_orders'])
    const { results } = (await town.api('/alerts.json?lifecycle=start')).body as {
      results: { plugin_name: string }[]
    }
    // Whose silence it is stands in its name: the other exporter of the server answers.
    expect(results.map((one) => one.plugin_name)).toContain(`Heartbeat ${new URL(urls[1]).host}`)
    second = 'shop_orders 1\n'
    await pass(town, 30)
    expect(await openOn(town)).toEqual([])
    expect(await valueNow(town, orders)).toBe(5)
  })

  test('of a host metric the first one counts, while it cannot be read nobody knows it, and without it the next', async () => {
    let first = 'node_load1 1\n'
    const { town } = await openPair(
      () => first,
      () => 'node_load1 9\n',
    )
    await pass(town, 60)
    expect(await valueNow(town, load)).toBe(1)
    first = 'node_load1{ 1'
    await pass(town, 15)
    expect(await valueNow(town, load)).toBeNull()
    first = 'shop_other 1\n'
    await pass(town, 120)
    expect(await valueNow(town, load)).toBe(9)
  })

  test('each silence is told, of those that differ in their query alone as well', async () => {
    const well = await exporterOf(() => 'node_load1 1\n')
    const probe = await exporterOf(() => 'not metrics {')
    const town = await openFleetTown(
      configOf(
        [well, `${probe}?target=a&token=hidden`, `${probe}?target=b`].map((url) => targetOf('web-1', url)),
      ),
    )
    await pass(town, 120)
    const { results } = (await town.api('/alerts.json?lifecycle=start')).body as {
      results: { plugin_name: string }[]
    }
    const { host } = new URL(probe)
    expect(results.map((one) => one.plugin_name).sort()).toEqual([
      `Heartbeat ${host} (2)`,
      `Heartbeat ${host} (3)`,
    ])
    expect(JSON.stringify((await town.api('/targets.json')).body) + town.lines.join()).not.toContain('hidden')
  })

  test('an exporter that the file does not name any more takes what only it showed with it', async () => {
    const { town, config } = await openPair(
      () => 'node_load1 1\n',
      () => 'shop_orders 20\n',
    )
    await pass(town, 30)
    expect(await openOn(town)).toEqual(['web-1 shop_orders'])
    town.service.useConfig({
      ...config,
      scrape: config.scrape && { ...config.scrape, targets: config.scrape.targets.slice(0, 1) },
    })
    await pass(town, 3_600 + 60)
    expect(await openOn(town)).toEqual([])
    expect((await stateOf(town)).servers).toMatchObject([{ hostname: 'web-1' }])
  })
})
