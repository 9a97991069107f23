/** The settings: what is read, what is refused in a sentence, and that no secret is ever told. */
import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { expect, test } from 'vitest'
import {
  crossCheck,
  type Environment,
  loadSettings,
  readConfig,
  readDatabase,
} from '../../../src/bot/config/load.ts'
import { defaultPolicy, readPolicy } from '../../../src/bot/config/policy.ts'
import type { Config } from '../../../src/bot/config/settings.ts'
import { secretNames, settingNames, settings } from '../../../src/bot/config/settings.ts'

const whole: Environment = {
  MONITOR_URL: 'http://monitor.example:9090/',
  MONITOR_API_KEY: 'key-hush-1234',
  SLACK_BOT_TOKEN: 'xoxb-hush-1234',
  SLACK_APP_TOKEN: 'xapp-hush-1234',
  SLACK_CHANNEL: 'C0ALERTS',
}
const missing = (path: string): never => {
  throw Object.assign(new Error('hush'), { code: 'ENOENT', path })
}

function configIn(env: Environment, files: Readonly<Record<string, string>> = {}): Config {
  const read = readConfig({ ...whole, ...env }, (path) => files[path] ?? missing(path))
  if (!read.ok) throw new Error(read.problems.join('\n'))
  return read.config
}
function problemsIn(env: Environment, files: Readonly<Record<string, string>> = {}): readonly string[] {
  const read = readConfig(env, (path) => files[path] ?? missing(path))
  return read.ok ? [] : read.problems
}

test('the least that is needed gives the defaults', () => {
  const { monitor, slack, replicaName, ...rest } = configIn({})
  expect(monitor.url).toBe('http://monitor.example:9090')
  expect([monitor.key.reveal(), slack.botToken.reveal()]).toEqual(['key-hush-1234', 'xoxb-hush-1234'])
  expect(slack).toMatchObject({ apiUrl: 'https://slack.com/api/', signingSecret: null, channel: 'C0ALERTS' })
  expect(replicaName).not.toBe('')
  expect(rest).toEqual({
    database: { kind: 'sqlite', path: 'data/monbot.db' },
    pollCron: '*/15 * * * * *',
    host: '127.0.0.1',
    port: 3000,
    basePath: '',
    policyPath: null,
    heartbeatUrl: null,
    wakeToken: null,
    proxy: { https: null, http: null, none: [] },
    caFile: null,
    pager: null,
    investigateSecret: null,
    onCallIcalUrl: null,
    pagerdutyApi: { token: null, url: 'https://api.pagerduty.com' },
    pagerdutyWebhookSecret: null,
    logLevel: 'info',
  })
})

test('the table of docs/settings.md has each setting, with its default, and says which are secret', () => {
  const [, table = ''] = readFileSync('docs/settings.md', 'utf8').split(/<!-- \/?settings -->/)
  const rows = [...table.matchAll(/^\| `(\w+)` \| (.*?) \| .*?( \(secret\))? \|$/gm)]
  expect(rows.map(([, name, , secret]) => [name, secret !== undefined])).toEqual(
    settingNames.map((name) => [name, secretNames.includes(name)]),
  )
  const defaults = Object.values(settings.shape).map(({ def }) =>
    def.type === 'prefault'
      ? `\`${def.defaultValue}\``
      : expect.stringMatching(/^(?:none|required|the host name)/),
  )
  expect(rows.map(([, , value]) => value)).toEqual(defaults)
})

test.each<[env: Environment, part: object]>([
  [
    { PORT: '0', BASE_PATH: '/monbot/', HOST: '0.0.0.0' },
    { port: 0, basePath: '/monbot', host: '0.0.0.0' },
  ],
  [
    { PORT: ' ', LOG_LEVEL: '' },
    { port: 3000, logLevel: 'info' },
  ],
  [{ https_proxy: 'http://p:1', NO_PROXY: 'a, .b' }, { proxy: { http: null, none: ['a', '.b'] } }],
  [
    { DATABASE_URL: 'postgres://a:b@db/c?sslmode=require', DATABASE_CONNECTIONS: '3' },
    { database: { kind: 'postgres', connections: 3 } },
  ],
  [{ PAGER_URL: 'https://p/x', PAGER_SECRET: `whsec_${'a'.repeat(32)}` }, { pager: { kind: 'webhook' } }],
  [
    { PAGERDUTY_ROUTING_KEY: 'R'.repeat(32) },
    { pager: { kind: 'pagerduty', url: 'https://events.pagerduty.com' } },
  ],
])('%o', (env, part) => {
  expect(configIn(env)).toMatchObject(part)
})

test('nothing at all: every setting that is required, at once', () => {
  expect(problemsIn({}).map((problem) => problem.split(':')[0])).toEqual([
    'MONITOR_URL',
    'MONITOR_API_KEY',
    'SLACK_BOT_TOKEN',
    'SLACK_APP_TOKEN',
  ])
  expect(problemsIn({})[2]).toBe('SLACK_BOT_TOKEN: expected a bot token, xoxb-…; came nothing')
})

test.each<[env: Environment, problem: string]>([
  [
    { MONITOR_URL: 'http://m/api/v2' },
    'MONITOR_URL: expected the URL of the monitoring service without /api/v2',
  ],
  [{ MONITOR_URL: 'http://m/hush?key=hush' }, 'came "http://m/…"'],
  [{ MONITOR_URL: 'key-hush-1234' }, 'came a value of 13 characters that holds a secret'],
  [{ SLACK_BOT_TOKEN: 'xapp-hush-1234' }, 'SLACK_BOT_TOKEN: expected a bot token'],
  [{ SLACK_SIGNING_SECRET: 'hush-hush-hush' }, 'expected nothing beside SLACK_APP_TOKEN'],
  [{ SLACK_CHANNEL: '#alerts' }, 'SLACK_CHANNEL: expected a channel id such as C0123456789; came "#alerts"'],
  [{ DATABASE_URL: 'mysql://a:hush@b/c' }, 'DATABASE_URL: expected sqlite:PATH'],
  [{ DATABASE_URL: 'sqlite::memory:' }, 'DATABASE_URL: expected sqlite:PATH'],
  [{ DATABASE_URL: 'postgres://a:hush@b' }, 'or postgres://USER:PASSWORD@HOST/DATABASE'],
  [{ DATABASE_URL: 'postgres://b/c' }, 'or postgres://USER:PASSWORD@HOST/DATABASE'],
  [{ DATABASE_URL: 'postgres://a:hush#1@b/c' }, 'percent-encoded'],
  [{ DATABASE_URL: 'postgres://a:hush@b/c?ssl_mode=require' }, 'no parameters but sslmode'],
  [{ DATABASE_URL: 'postgres://a:hush@b/c?sslmode=prefer' }, 'sslmode (disable, require'],
  [{ DATABASE_CONNECTIONS: '1' }, 'a number of connections, 2 to 100'],
  [{ POLL_CRON: 'now' }, 'POLL_CRON: expected a node-cron expression'],
  [{ POLL_CRON: '0 0 */2 * * *' }, 'at most an hour between two polls'],
  [{ POLL_CRON: '*/15 * * * * 1-5' }, 'at most an hour between two polls'],
  [{ PORT: '99999' }, 'PORT: expected a port number'],
  [{ BASE_PATH: 'monbot' }, 'a path that begins with /'],
  [{ HTTPS_PROXY: 'socks5://p:1' }, 'HTTPS_PROXY: expected http://USER:PASSWORD@HOST:PORT'],
  [{ CA_FILE: '/none.pem' }, 'CA_FILE: expected the path of a file of certificates'],
  [{ PAGER_URL: 'https://p/hush' }, 'PAGER_SECRET: expected the secret of the pager'],
  [{ PAGER_SECRET: 'whsec_hush' }, 'PAGER_URL: expected the address of the pager'],
  [
    { PAGERDUTY_ROUTING_KEY: 'R'.repeat(32), PAGER_URL: 'https://p/hush' },
    'PAGER_URL: expected nothing beside PAGERDUTY_ROUTING_KEY',
  ],
  [{ ONCALL_ICAL_URL: 'http://c.example/hush' }, 'ONCALL_ICAL_URL: expected the https:// address'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: expected one of fatal'],
  [{ SLACK_BOT_TOKEN_FILE: '/none' }, 'SLACK_BOT_TOKEN_FILE: expected nothing beside SLACK_BOT_TOKEN'],
])('%o is refused, and nothing secret is told', (env, problem) => {
  const problems = problemsIn({ ...whole, ...env })
  expect(problems.join('\n')).toContain(problem)
  expect(problems.join('\n')).not.toContain('hush')
})

test('a secret comes from a file, without the line end; one that cannot be read is told once', () => {
  const { MONITOR_API_KEY: _, ...others } = whole
  const env = { ...others, MONITOR_API_KEY_FILE: '/run/key' }
  expect(
    configIn(
      { MONITOR_API_KEY: '', MONITOR_API_KEY_FILE: '/run/key' },
      { '/run/key': 'from-file-1\n' },
    ).monitor.key.reveal(),
  ).toBe('from-file-1')
  expect(problemsIn(env)).toEqual([
    'MONITOR_API_KEY_FILE: expected the path of a file that holds the secret; came "/run/key", which cannot be read (ENOENT)',
  ])
  expect(problemsIn(env, { '/run/key': 'short' })).toEqual([
    'MONITOR_API_KEY_FILE: expected a key of at least 8 characters without spaces; came a value of 5 characters',
  ])
})

test('a file of certificates is looked into', () => {
  const files = { '/ca.pem': rootCertificates[0] ?? '', '/empty.pem': 'none' }
  expect(configIn({ CA_FILE: '/ca.pem' }, files).caFile).toBe('/ca.pem')
  expect(problemsIn({ ...whole, CA_FILE: '/empty.pem' }, files)[0]).toContain('which holds none')
})

test.each<[env: Environment, warnings: string[]]>([
  [{ SLACK_CHANEL: 'C1', SLACK_CHANNEL: '' }, ['SLACK_CHANEL is no setting, and nothing reads it']],
  [{ MONBOT_CONFG: 'x' }, ['MONBOT_CONFG is no setting, and nothing reads it: did you mean MONBOT_CONFIG?']],
  [{ POLL_CRON: '*/15 * * * *' }, ['POLL_CRON asks for alerts every 15 minutes only']],
  [{ PATH: '/bin', SLACK_BOT_TOKEN_FILE: '', MONITOR_FILE: 'x' }, []],
])('%o is warned of', (env, warnings) => {
  const read = readConfig({ ...whole, ...env }, missing)
  expect(read.ok && read.warnings).toEqual(warnings.map((warning) => expect.stringContaining(warning)))
})

test('nothing but a misspelt token: all that is missing, and what was meant', () => {
  const loaded = loadSettings({ SLACK_BOT_TOKN: 'xoxb-hush-1234' })
  const firsts = (loaded.ok ? [] : loaded.problems).map((problem) => problem.split(/:? /)[0])
  expect(firsts).toEqual([...Object.keys(whole), 'SLACK_BOT_TOKN'])
})

test('tools that need the database alone read nothing else', () => {
  expect(readDatabase({}, missing)).toEqual({
    ok: true,
    database: { kind: 'sqlite', path: 'data/monbot.db' },
  })
  const wrong = readDatabase({ DATABASE_URL: 'postgres://a:hush@b' }, missing)
  expect(wrong.ok ? '' : wrong.problems[0]).toMatch(/^DATABASE_URL: expected (?!.*hush)/)
})

const signing = `whsec_${'A'.repeat(32)}`
const asks = (policy: string, env: Environment = {}) => {
  const read = readPolicy(policy, 'p.yml')
  return crossCheck(readConfig({ ...whole, ...env }, missing).names, read.ok ? read.policy : defaultPolicy())
}
test.each<[why: string, policy: string, env: Environment, problem: string | null]>([
  ['a default channel', '', {}, null],
  ['no channel', '', { SLACK_CHANNEL: '' }, 'SLACK_CHANNEL: expected a channel id'],
  ['all is routed', 'routes: [{ match: {}, channel: C1 }]', { SLACK_CHANNEL: '' }, null],
  [
    'not all is routed',
    'routes: [{ match: { role: a }, channel: C1 }]',
    { SLACK_CHANNEL: '' },
    'SLACK_CHANNEL',
  ],
  [
    'a page without a pager',
    'reminders: [{ after: 0, page: true }]',
    {},
    'PAGERDUTY_ROUTING_KEY: expected a pager',
  ],
  ['a page', 'reminders: [{ after: 0, page: true }]', { PAGERDUTY_ROUTING_KEY: 'R'.repeat(32) }, null],
  [
    'nobody knows who',
    'reminders: [{ after: 1m, mention: oncall }]',
    {},
    '`mention: oncall` needs a calendar',
  ],
  ['a calendar', 'reminders: [{ after: 1m, mention: oncall }]', { ONCALL_ICAL_URL: 'https://c/x' }, null],
  ['two calendars', 'oncall: { ical: "https://a/x" }', { ONCALL_ICAL_URL: 'https://c/x' }, 'came 2 of them'],
  ['no calendar', 'oncall: { handoff: true }', {}, 'expected one of ical, pagerduty and ONCALL_ICAL_URL'],
  ['an investigator', 'investigate: { url: "https://i/x" }', { INVESTIGATE_SECRET: signing }, null],
  ['one with its secret', `investigate: { url: "https://i/x", secret: ${signing} }`, {}, null],
  ['one without', 'investigate: { url: "https://i/x" }', {}, 'INVESTIGATE_SECRET: expected the secret'],
  ['a schedule without a key', 'oncall: { pagerduty: PABC123 }', {}, 'PAGERDUTY_API_TOKEN: expected a key'],
])('the policy and the settings: %s', (_why, policy, env, problem) => {
  const expected = problem === null ? [] : [expect.stringContaining(problem)]
  expect(asks(policy, env)).toEqual(expected)
})
