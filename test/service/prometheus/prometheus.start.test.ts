/** The service in front of a Prometheus as a process: an engine that is away, one that lets nobody in, and settings that are wrong. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../src/service/config/read-config.ts'
import { readEnvironment } from '../../../src/service/environment.ts'
import { startService } from '../process.ts'
import { tempFolder } from './programs.ts'

test('an engine that is away is waited for, the API says why, and the process answers when it has come', async (t) => {
  const service = await startService({
    MONITOR_API_KEY: 'key-of-the-account',
    PROMETHEUS_URL: 'http://ana:geheim@127.0.0.1:9/prom',
    ALERTMANAGER_URL: 'http://127.0.0.1:9',
  })
  const response = await fetch(`${service.url}/api/v2/key-of-the-account/alerts.json`)
  expect([response.status, await response.json()]).toEqual([
    503,
    {
      message: expect.stringMatching(
        /^\w+ at http:\/\/127\.0\.0\.1:9.* cannot be asked: it refused the connection$/,
      ),
    },
  ])
  expect(service.complaints()).toMatch(/refused the connection\nwaiting for it/)
  expect(service.complaints()).not.toContain('geheim')
  t.onTestFinished(() => service.kill())
})

test('a wrong token is one sentence and exit code 78, and never shown', async ({ onTestFinished }) => {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers.authorization)
    response.writeHead(401).end('Unauthorized')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const failed = startService({
    MONITOR_API_KEY: 'key-of-the-account',
    PROMETHEUS_URL: url,
    PROMETHEUS_TOKEN: 'very-secret-token',
  })
  await expect(failed).rejects.toThrow(
    /^it ended with 78: the monitoring service cannot start: Prometheus at http:\/\/127\.0\.0\.1:\d+ did not let the service in \(it answered 401\); check the token, or user and password\n$/,
  )
  expect(asked).toContain('Bearer very-secret-token')
})

const key = { MONITOR_API_KEY: 'key-of-the-account' }

test.each([
  [
    { PROMETHEUS_URL: 'prometheus:9090' },
    'PROMETHEUS_URL: expected an address with http:// or https://; came something else',
  ],
  [
    { PROMETHEUS_URL: 'http://p', ALERTMANAGER_URL: 'http://a, nonsense' },
    'ALERTMANAGER_URL: expected 1 to 10 addresses with http:// or https:// between commas; came something else',
  ],
  [
    { ALERTMANAGER_URL: 'http://a' },
    'PROMETHEUS_URL: expected the address of the Prometheus, here or as prometheus.url; came nothing',
  ],
  [
    { PROMETHEUS_URL: 'http://p', PROMETHEUS_TOKEN: 'two words' },
    'PROMETHEUS_TOKEN: expected a token: visible ASCII without spaces; came something else',
  ],
])('%j is refused with a sentence', (env, problem) => {
  const found = readEnvironment({ ...key, ...env }, null)
  expect(found.problems).toEqual([problem])
})

test('user and password of an address are sent and are in no address that is shown; its token goes to no Alertmanager', () => {
  const found = readEnvironment(
    {
      ...key,
      PROMETHEUS_URL: 'http://ana:ge%25heim@p:9090/prom/',
      ALERTMANAGER_URL: 'http://a:9093, http://b:9093',
      PROMETHEUS_TOKEN: 'a-token',
    },
    null,
  )
  const options = found.problems === null ? found.options : null
  expect(options?.prometheus).toEqual({
    engine: {
      url: 'http://p:9090/prom',
      authorization: `Basic ${Buffer.from('ana:ge%heim').toString('base64')}`,
    },
    alertmanagers: [
      {
        url: 'http://a:9093',
        authorization: null,
        refusedHint: expect.stringContaining('ALERTMANAGER_TOKEN'),
      },
      {
        url: 'http://b:9093',
        authorization: null,
        refusedHint: expect.stringContaining('ALERTMANAGER_TOKEN'),
      },
    ],
    names: { server: null, reporters: null, isByLabel: false },
    serverLabel: 'instance',
    roleLabels: ['role', 'job'],
    environmentLabel: 'env',
    serviceless: 'job',
    metrics: {},
  })
  expect(options).toMatchObject({ port: 9095, fleet: 0, sample: false })
})

test.each([
  [
    'scrape: { targets: [] }\nprometheus: {}',
    'monitor.yml:1:1 scrape: expected either scrape or prometheus; came a structure',
  ],
  [
    'triggers: []\nprometheus: {}',
    'monitor.yml:1:1 triggers: expected no triggers beside prometheus, whose rules say what is an alert; came a list of 0',
  ],
  [
    'prometheus: { server_label: "in-stance" }',
    'monitor.yml:1:15 prometheus.server_label: expected the name of a label: letters, digits and _; came "in-stance"',
  ],
  [
    'prometheus: { metrics: { cpu_busy: "up" } }',
    'monitor.yml:1:26 prometheus.metrics.cpu_busy: expected PromQL with $server in it; came "up"',
  ],
  [
    'prometheus: { url: "ana:geheim@p" }',
    'monitor.yml:1:15 prometheus.url: expected an address with http:// or https://; came "…@p"',
  ],
  [
    'prometheus: { urls: "http://p" }',
    'monitor.yml:1:15 prometheus: expected one of url, rules, alertmanager, server, reporters, cluster, server_label, role_labels, environment_label, serviceless, metrics; came the unknown key "urls"',
  ],
])('%s', async (text, problem) => {
  const folder = tempFolder({ onTestFinished })
  const file = join(folder, 'monitor.yml')
  writeFileSync(file, text)
  const { problems } = await readConfig(file)
  expect(problems.map((line) => line.replaceAll(`${folder}/`, ''))).toEqual([problem])
})

test.each([
  ['a token', { PROMETHEUS_TOKEN: 'very-secret-token' }, ''],
  ['user and password', {}, 'ana:very-secret-token@'],
])('%s that the other side repeats is in no answer and no log', async (_, env, user) => {
  const server = createServer((request, response) => {
    const { authorization = '' } = request.headers
    const [, sent = ''] = authorization.split(' ')
    const error = `no way for ${authorization} (${Buffer.from(sent, 'base64').toString()})`
    response
      .writeHead(500, { 'content-type': 'application/json' })
      .end(JSON.stringify({ status: 'error', error }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  const address = server.address()
  const service = await startService({
    ...key,
    ...env,
    PROMETHEUS_URL: `http://${user}127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
  })
  const response = await fetch(`${service.url}/api/v2/key-of-the-account/alerts.json`)
  const said = (await response.text()) + service.complaints() + service.printed
  expect(said).toContain('answered 500: no way for ')
  expect(said).not.toContain('very-secret-token')
  expect(said).not.toContain(Buffer.from('ana:very-secret-token').toString('base64'))
})
