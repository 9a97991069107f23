/** Several exporters of one server, and what each asks of whoever asks it: certificates. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../src/service/config/read-config.ts'
import { newFolder } from '../ledger-file.ts'
import type { Town } from '../open-service.ts'
import { lacks } from '../prometheus/programs.ts'
import { rolesOf, stateOf } from '../records.ts'
import { configOf, exporterOf, openFleetTown, openOn, pass, targetOf, textType } from './exporters.ts'

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

describe.skipIf(lacks('openssl'))('an exporter with a certificate of its own', () => {
  /** A CA, a server's certificate for `name`, and a client's. */
  function certificates(name: string): string {
    const folder = newFolder()
    execFileSync('mkdir', ['-p', folder])
    const run = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    run(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-subj',
      '/CN=test CA',
      '-days',
      '9',
    )
    for (const [who, subject] of [
      ['server', name],
      ['client', 'monitor'],
    ]) {
      run('req', ...newKey, '-keyout', `${who}.key`, '-out', `${who}.csr`, '-subj', `/CN=${subject}`)
      writeFileSync(join(folder, 'names.cnf'), `subjectAltName=DNS:${subject}`)
      const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '9']
      run('x509', '-req', '-in', `${who}.csr`, ...signed, '-extfile', 'names.cnf', '-out', `${who}.pem`)
    }
    return folder
  }

  async function openExporter(folder: string, isMutual: boolean): Promise<string> {
    const file = (name: string) => readFileSync(join(folder, name))
    const server = createServer(
      {
        ...{ key: file('server.key'), cert: file('server.pem'), ca: file('ca.pem') },
        ...{ requestCert: isMutual, rejectUnauthorized: isMutual },
      },
      (_, answer) => answer.setHeader('content-type', textType).end('node_load1 1.5\n'),
    ).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    onTestFinished(() => void server.close().closeAllConnections())
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`
  }

  async function read(folder: string, text: string) {
    writeFileSync(join(folder, 'fleet.yml'), text)
    const { config, problems } = await readConfig(join(folder, 'fleet.yml'))
    return { config, problems: problems.map((line) => line.replaceAll(`${folder}/`, '')) }
  }

  async function failureWith(folder: string, tls: string, url: string): Promise<string | null> {
    const { config, problems } = await read(
      folder,
      `scrape: { targets: [{ url: "${url}", server: web-1${tls} }] }`,
    )
    expect(problems).toEqual([])
    if (config === null) return 'no config'
    const town = await openFleetTown(config)
    await pass(town, 15)
    const { results } = (await town.api('/targets.json')).body as {
      results: { exporters: { failure: string | null }[] }[]
    }
    expect(town.lines.join()).not.toContain('PRIVATE')
    return results[0]?.exporters[0]?.failure ?? null
  }

  test('is trusted by its own CA and name, or not looked at, and shown a certificate where it wants one', async () => {
    const folder = certificates('exporter.internal')
    const plain = await openExporter(folder, false)
    expect(await failureWith(folder, '', plain)).toMatch(/^its certificate is not trusted \(/)
    expect(await failureWith(folder, ', tls: { ca_file: ca.pem }', plain)).toMatch(
      /not trusted \(ERR_TLS_CERT_ALT/,
    )
    const named = 'ca_file: ca.pem, server_name: exporter.internal'
    expect(await failureWith(folder, `, tls: { ${named} }`, plain)).toBeNull()
    expect(await failureWith(folder, ', tls: { insecure_skip_verify: true }', plain)).toBeNull()
    const mutual = await openExporter(folder, true)
    expect(await failureWith(folder, `, tls: { ${named} }`, mutual)).not.toBeNull()
    const own = `${named}, cert_file: client.pem, key_file: client.key`
    expect(await failureWith(folder, `, tls: { ${own} }`, mutual)).toBeNull()
  })

  test('may be said once for all targets, those of target files too; a new certificate counts as a change', async () => {
    const folder = certificates('exporter.internal')
    const url = await openExporter(folder, false)
    writeFileSync(
      join(folder, 't.yml'),
      `- targets: ["${new URL(url).host}"]\n  labels: { __scheme__: https }\n`,
    )
    const text =
      'scrape: { tls: { ca_file: ca.pem, server_name: exporter.internal }, files: [t.yml], targets: [{ url: "http://a:1" }] }'
    const { config } = await read(folder, text)
    const [plain, secure] = config?.scrape?.targets ?? []
    expect(plain?.tls).toBeNull()
    expect(secure?.tls).toMatchObject({ serverName: 'exporter.internal', isUnchecked: false })
    const before = (await readConfig(join(folder, 'fleet.yml'))).texts
    copyFileSync(join(folder, 'server.pem'), join(folder, 'ca.pem'))
    expect((await readConfig(join(folder, 'fleet.yml'))).texts).not.toEqual(before)
  })

  test.each([
    [
      'tls: { ca_file: none.pem }',
      /^fleet\.yml:1:\d+ \S+\.ca_file: expected a file of at most 4 MB that can be read at none\.pem; came none$/,
    ],
    ['tls: { ca_file: ca.key }', /\.ca_file: expected certificates in PEM; came something else$/],
    ['tls: { cert_file: ca.pem }', /: expected both cert_file and key_file, or neither; came a structure$/],
    [
      'tls: { cert_file: client.pem, key_file: server.key }',
      /\.cert_file: expected a certificate in PEM with its key; came something else$/,
    ],
    [
      'tls: { ca: ca.pem }',
      /expected one of ca_file, cert_file, key_file, server_name, insecure_skip_verify; came the unknown key "ca"$/,
    ],
  ])('with %s is a problem of the file, which shows nothing of a key', async (tls, problem) => {
    const folder = certificates('a')
    const { problems } = await read(folder, `scrape: { targets: [{ url: "https://a:1", ${tls} }] }`)
    expect(problems).toEqual([expect.stringMatching(problem)])
  })

  test('beside http it is a problem, as nothing would be encrypted', async () => {
    const { problems } = await configIn({
      'fleet.yml': 'scrape: { targets: [{ url: "http://a:1", tls: { insecure_skip_verify: true } }] }',
    })
    expect(problems).toEqual([
      expect.stringMatching(/\.url: expected an address with https:\/\/ beside tls; came/),
    ])
  })
})
