/** From the environment and the file to what is sent to whom: each endpoint has its own headers, token, password and certificates. */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../src/service/config/read-config.ts'
import { readEnvironment } from '../../../src/service/environment.ts'
import { certificates } from '../certificates.ts'
import { startService } from '../process.ts'
import { openGateway, success } from './gateway.ts'
import { lacks, tempFolder } from './programs.ts'

const t = { onTestFinished }
const key = { MONITOR_API_KEY: 'key-of-the-account' }

/** The settings, or the problems. */
async function settingsWith(
  env: Readonly<Record<string, string>>,
  text: string | null = null,
  folder?: string,
) {
  const file = join(folder ?? tempFolder(t), 'monitor.yml')
  if (text !== null) writeFileSync(file, text)
  const reading = text === null ? null : await readConfig(file)
  const bare = (line: string) => line.replaceAll(file, 'monitor.yml')
  if (reading !== null && reading.problems.length > 0) return { problems: reading.problems.map(bare), file }
  const found = readEnvironment({ ...key, ...env }, reading?.config ?? null)
  return found.problems === null
    ? { problems: [], settings: found.options.prometheus, file }
    : { problems: found.problems, file }
}

describe('the environment', () => {
  const all = {
    PROMETHEUS_URL: 'http://querier:9090',
    PROMETHEUS_RULES_URL: 'http://ruler-1:9090/prom/, http://ana:geheim@ruler-2:9090',
    ALERTMANAGER_URL: 'http://a:9093, http://ana:geheim@b:9093',
  }
  const basic = `Basic ${Buffer.from('ana:geheim').toString('base64')}`

  test('sends each token where it belongs, and none to an address with user and password', async () => {
    const { settings } = await settingsWith({
      ...all,
      PROMETHEUS_TOKEN: 'of-prometheus',
      ALERTMANAGER_TOKEN: 'of-alertmanager',
    })
    expect(settings).toMatchObject({
      engine: { url: 'http://querier:9090', authorization: 'Bearer of-prometheus' },
      rules: [
        { url: 'http://ruler-1:9090/prom', authorization: 'Bearer of-prometheus' },
        { url: 'http://ruler-2:9090', authorization: basic },
      ],
      alertmanagers: [
        { url: 'http://a:9093', authorization: 'Bearer of-alertmanager' },
        { url: 'http://b:9093', authorization: basic },
      ],
    })
  })

  test('names files of tokens, from the folder of the process', async () => {
    const { settings } = await settingsWith({
      ...all,
      PROMETHEUS_TOKEN_FILE: 'token',
      ALERTMANAGER_TOKEN_FILE: '/run/am',
    })
    const [first, second] = settings?.rules ?? []
    expect([settings?.engine.tokenFile, first?.tokenFile, second?.tokenFile]).toEqual([
      resolve('token'),
      resolve('token'),
      undefined,
    ])
    expect(settings?.alertmanagers.map(({ tokenFile }) => tokenFile)).toEqual(['/run/am', undefined])
  })

  test.each([
    [
      { PROMETHEUS_URL: 'http://p', PROMETHEUS_TOKEN: 'a', PROMETHEUS_TOKEN_FILE: '/b' },
      'PROMETHEUS_TOKEN_FILE: expected none beside PROMETHEUS_TOKEN; came both',
    ],
    [
      { PROMETHEUS_URL: 'http://p', ALERTMANAGER_TOKEN: 'a', ALERTMANAGER_TOKEN_FILE: '/b' },
      'ALERTMANAGER_TOKEN_FILE: expected none beside ALERTMANAGER_TOKEN; came both',
    ],
    [
      { PROMETHEUS_RULES_URL: 'http://r' },
      'PROMETHEUS_URL: expected the address of the Prometheus, here or as prometheus.url; came nothing',
    ],
    [
      { ALERTMANAGER_TOKEN_FILE: '/b' },
      'PROMETHEUS_URL: expected the address of the Prometheus, here or as prometheus.url; came nothing',
    ],
    [
      { PROMETHEUS_URL: 'http://p', ALERTMANAGER_TOKEN: 'two words' },
      'ALERTMANAGER_TOKEN: expected a token: visible ASCII without spaces; came something else',
    ],
  ])('%j is refused with a sentence', async (env, problem) => {
    expect((await settingsWith(env)).problems).toEqual([problem])
  })
})

describe('the file', () => {
  const whole = `
prometheus:
  url: { url: "https://querier:9090/prometheus/", headers: { X-Scope-OrgID: team-a, X-Key: { file: keys/one } }, token_file: keys/token }
  rules:
    - http://ruler-1:9090
    - { url: "http://ana@ruler-2:9090", password_file: /keys/password }
  alertmanager:
    - { url: "https://am:9093/alertmanager", token: of-this-one, tls: { server_name: am, insecure_skip_verify: true } }
    - { url: "http://am-2:9093", headers: { Authorization: "Custom abc" } }
`
  test('gives each endpoint what is its own; paths are beside the file', async () => {
    const { settings, problems, file } = await settingsWith(
      { PROMETHEUS_TOKEN: 'common', ALERTMANAGER_TOKEN: 'am-common' },
      whole,
    )
    const beside = (path: string) => resolve(file, '..', path)
    expect(problems).toEqual([])
    expect(settings).toMatchObject({
      engine: {
        url: 'https://querier:9090/prometheus',
        authorization: null,
        tokenFile: beside('keys/token'),
        headers: { 'X-Scope-OrgID': 'team-a', 'X-Key': { file: beside('keys/one') } },
      },
      rules: [
        { url: 'http://ruler-1:9090', authorization: 'Bearer common' },
        {
          url: 'http://ruler-2:9090',
          authorization: null,
          passwordFile: { user: 'ana', path: '/keys/password' },
        },
      ],
      alertmanagers: [
        {
          url: 'https://am:9093/alertmanager',
          authorization: 'Bearer of-this-one',
          tls: { server_name: 'am' },
        },
        { url: 'http://am-2:9093', authorization: null, headers: { Authorization: 'Custom abc' } },
      ],
    })
    expect(settings?.alertmanagers.some(({ refusedHint }) => refusedHint !== undefined)).toBe(false)
  })

  test.each([
    ['url: { url: "http://p", token: "a b" }', /url\.token: expected a token: .*; came something else$/],
    [
      'url: { url: "http://p", headers: { "X-Key": "se\\u0000cret" } }',
      /url\.headers\.X-Key: expected 1 to 4000 visible .*; came something else$/,
    ],
    [
      'url: { url: "http://p", headers: { "X-Key": 5 } }',
      /headers\.X-Key: expected .*; came something else$/,
    ],
    ['url: { url: "http://p", headers: { "X Y": "s3cret" } }', /expected the name of a header/],
    ['url: { url: "http://p", headers: { Content-Length: "5" } }', /expected the name of a header/],
    [
      'url: { url: "http://p", headers: { X-A: a, x-a: b } }',
      /expected each header once, whatever its capitals/,
    ],
    [
      'url: { url: "http://p", token: a, token_file: b }',
      /url\.token_file: expected no second credential beside token/,
    ],
    ['url: { url: "http://p", token: a, headers: { authorization: b } }', /url\.headers: expected no second/],
    [
      'url: { url: "http://p", password_file: b }',
      /password_file: expected an address with a user and no password/,
    ],
    [
      'url: { url: "http://a:b@p", password_file: b }',
      /password_file: expected an address with a user and no/,
    ],
    [
      'url: { url: "http://a:s3cret@p", token: b }',
      /token: expected no user and password in the address beside it/,
    ],
    [
      'url: { url: "http://p", tls: { ca_file: a } }',
      /url\.url: expected an address with https:\/\/ beside tls/,
    ],
    ['url: { url: "https://p", tls: { ca: a } }', /url\.tls: expected one of ca_file.*the unknown key "ca"/],
    ['url: { token: a }', /prometheus\.url\.url: expected an address with http/],
    ['url: { url: "http://p", proxy: a }', /expected one of url, headers, token, .*the unknown key "proxy"/],
    ['url: 5', /prometheus\.url: expected an address with http.*; came 5$/],
    [
      'url: "http://p"\n  rules: http://r',
      /prometheus\.rules: expected a list of addresses; came "http:\/\/r"$/,
    ],
    ['url: "http://p"\n  rules: [ftp://r]', /prometheus\.rules\[0\]: expected an address with http/],
    [
      'url: "http://p"\n  alertmanager: [{ url: "http://a", token: [s3cret] }]',
      /alertmanager\[0\]\.token: expected a token: .*; came something else$/,
    ],
  ])('%s is a problem that shows no secret', async (text, problem) => {
    const { problems } = await settingsWith({}, `prometheus:\n  ${text}\n`)
    expect(problems).toEqual([expect.stringMatching(problem)])
    expect(problems[0]).toMatch(/^monitor\.yml:\d+:\d+ /)
    expect(problems[0]).not.toMatch(/s3cret|"a b"/)
  })

  test.skipIf(lacks('openssl'))(
    'certificates that cannot be read or do not fit are problems at the start',
    async () => {
      const folder = certificates('p')
      const one = async (tls: string) =>
        (await settingsWith({}, `prometheus: { url: { url: "https://p", tls: ${tls} } }`, folder)).problems
      expect(await one('{ ca_file: none.pem }')).toEqual([
        expect.stringMatching(/prometheus\.url\.tls\.ca_file: expected a file of at most 4 MB/),
      ])
      expect(await one('{ cert_file: client.pem, key_file: server.key }')).toEqual([
        expect.stringMatching(/url\.tls\.cert_file: expected a certificate in PEM with its key/),
      ])
      expect(await one('{ ca_file: ca.pem, cert_file: client.pem, key_file: client.key }')).toEqual([])
    },
  )

  test.each([
    ['PROMETHEUS_URL', 'url: { url: "http://p", headers: { X-A: a } }', 'url'],
    ['PROMETHEUS_RULES_URL', 'url: "http://p"\n  rules: [{ url: "http://r", token: a }]', 'rules'],
    ['ALERTMANAGER_URL', 'url: "http://p"\n  alertmanager: [{ url: "http://r", token: a }]', 'alertmanager'],
  ])(
    '%s beside an address with more is refused, as its headers would be lost or go elsewhere',
    async (name, text, part) => {
      expect((await settingsWith({ [name]: 'http://other' }, `prometheus:\n  ${text}\n`)).problems).toEqual([
        `${name}: expected no prometheus.${part} with more than addresses in the file of MONITOR_CONFIG beside it; came one`,
      ])
      const plain = text.replace(/\{ url: ("[^"]+"), .*\}/, '$1')
      expect((await settingsWith({ [name]: 'http://other' }, `prometheus:\n  ${plain}\n`)).problems).toEqual(
        [],
      )
    },
  )
})

test('an Alertmanager that wanted the token of the Prometheus refuses, and the start says what to set', async () => {
  const prometheus = await openGateway(t, null)
  prometheus.answers = () => success({ groups: [] })
  const manager = await openGateway(t, null)
  manager.demands = { authorization: 'Bearer very-secret-token' }
  const env = {
    ...key,
    PROMETHEUS_URL: prometheus.url,
    ALERTMANAGER_URL: manager.url,
    PROMETHEUS_TOKEN: 'very-secret-token',
  }
  await expect(startService(env)).rejects.toThrow(
    /^it ended with 78: [\s\S]*the monitoring service cannot start: Alertmanager at \S+ did not let the service in \(it answered 401\); check the token, or user and password; the token of the Prometheus is not sent to an Alertmanager: set ALERTMANAGER_TOKEN if this one is to have it\n$/,
  )
  expect(manager.asked.length).toBeGreaterThan(0)
  expect(manager.asked.every(({ headers }) => headers.authorization === undefined)).toBe(true)
  expect(prometheus.asked.every(({ headers }) => headers.authorization === 'Bearer very-secret-token')).toBe(
    true,
  )
})
