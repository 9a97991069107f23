/** The settings: every problem at once, by name, and never a secret's value. */
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type Config, databaseOf, readConfig } from '../../../src/bot/config/config.ts'
import { ConfigError, type Problem } from '../../../src/bot/config/config-error.ts'
import { secretsOf } from '../../../src/bot/config/database.ts'
import { Secret } from '../../../src/bot/config/secret.ts'
import { settings } from '../../../src/bot/config/settings.ts'
import { secretsOfProxy } from '../../../src/bot/config/way-out.ts'

const good = {
  MONITOR_URL: 'https://monitor.example/',
  MONITOR_API_KEY: 'key-0123456789',
  SLACK_BOT_TOKEN: 'xoxb-0123456789',
  SLACK_APP_TOKEN: 'xapp-0123456789',
  SLACK_CHANNEL: 'C0ALERTS',
}

const noFile = (path: string): string => {
  throw new Error(`nobody asked for ${path}`)
}

function problemsOf(env: Record<string, string | undefined>, readFile = noFile): readonly Problem[] {
  const error = failureOf(() => readConfig(env, readFile))
  expect(error).toBeInstanceOf(ConfigError)
  return error instanceof ConfigError ? error.problems : []
}

function failureOf(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('expected a failure')
}

test('with only what is required, everything else takes the default of the table', () => {
  const config: Config = readConfig(good, noFile)
  expect(config).toMatchObject({
    monitorUrl: 'https://monitor.example',
    slackApiUrl: 'https://slack.com/api/',
    slackChannel: 'C0ALERTS',
    database: { kind: 'sqlite', path: 'data/monbot.db' },
    pollCron: '*/15 * * * * *',
    host: '127.0.0.1',
    port: 3000,
    logLevel: 'info',
    routes: [],
    lifecycle: 'auto',
    images: 'auto',
    timezone: 'UTC',
    limits: { muteDefaultMs: 3_600_000, muteMaxMs: 30 * 86_400_000, accountMuteMaxMs: 4 * 3_600_000 },
  })
  expect(config.monitorApiKey.reveal()).toBe('key-0123456789')
  expect(config.slackBotToken.reveal()).toBe('xoxb-0123456789')
  expect(config.slackAppToken?.reveal()).toBe('xapp-0123456789')
  expect(config.permissions).toMatchObject({ acknowledge: 'everyone', delete_server: 'nobody' })
})

test('with nothing set, every missing setting is named', () => {
  const names = problemsOf({}).map(({ setting }) => setting)
  expect(names).toEqual([
    'MONITOR_URL',
    'MONITOR_API_KEY',
    'SLACK_BOT_TOKEN',
    'SLACK_APP_TOKEN',
    'SLACK_CHANNEL',
  ])
})

test.each(['@hourly', '*/15 * * * *'])('%s polls seldom, and often enough', (cron) => {
  expect(readConfig({ ...good, POLL_CRON: cron }, noFile).pollCron).toBe(cron)
})

test('a blank setting counts as not given', () => {
  expect(problemsOf({ ...good, SLACK_CHANNEL: '  ' })).toMatchObject([
    { setting: 'SLACK_CHANNEL', came: 'nothing' },
  ])
  expect(readConfig({ ...good, LOG_LEVEL: '' }, noFile).logLevel).toBe('info')
})

test('problems of the environment and of the file come together, each on its own line of the message', () => {
  const error = failureOf(() =>
    readConfig({ ...good, PORT: 'x', POLL_CRON: 'y', MONBOT_CONFIG: 'policy.yaml' }, () => 'images: z'),
  )
  const lines = String(error).split('\n')
  expect(lines[0]).toContain('3 settings')
  expect(lines.slice(1).map((line) => line.trim().split(':')[0])).toEqual([
    'POLL_CRON',
    'PORT',
    'policy.yaml',
  ])
})

const wrong: [name: string, value: string, expected: RegExp, came: string][] = [
  ['MONITOR_URL', 'monitor', /http/, 'a value of 7 characters that is not a URL'],
  ['MONITOR_URL', 'ftp://monitor.example', /http/, '"ftp://monitor.example"'],
  [
    'MONITOR_URL',
    'https://a:hunter2@m.example',
    /user name/,
    '"https://m.example" with a user name or password',
  ],
  ['MONITOR_URL', 'https://m.example/?key=hunter2', /query/, '"https://m.example" with a query'],
  ['MONITOR_URL', 'https://m.example/#hunter2', /#/, '"https://m.example" with a #'],
  ['MONITOR_URL', 'https://m.example/api/v2/hunter2', /without \/api\/v2/, '"https://m.example" with a path'],
  ['MONITOR_API_KEY', 'hunter2', /at least 8/, 'a value of 7 characters'],
  ['MONITOR_API_KEY', 'hunter2 hunter2', /without spaces/, /15 characters that holds spaces/.source],
  ['SLACK_BOT_TOKEN', 'hunter2-long', /xoxb-/, 'a value of 12 characters that does not start with xoxb-'],
  [
    'SLACK_BOT_TOKEN',
    'xoxb-',
    /xoxb-/,
    'a value of 5 characters that starts with xoxb- but cannot be a token',
  ],
  ['SLACK_APP_TOKEN', 'xoxb-hunter2', /xapp-/, 'a value of 12 characters that does not start with xapp-'],
  ['SLACK_API_URL', 'https://slack.com/api/?token=hunter2', /query/, 'with a path, a query'],
  ['SLACK_CHANNEL', '#alerts', /channel id/, '"#alerts"'],
  ['SLACK_CHANNEL', 'xoxb-hunter2', /channel id/, 'a value of 12 characters that holds a secret'],
  ['SLACK_CHANNEL', good.MONITOR_API_KEY, /channel id/, 'a value of 14 characters that holds a secret'],
  [
    'DATABASE_URL',
    'mysql://a:hunter2@db/monbot',
    /sqlite:PATH.* or postgres:/,
    'mysql: and something after it',
  ],
  ['DATABASE_URL', 'postgres:', /postgres:\/\/USER/, 'postgres:'],
  ['DATABASE_URL', 'postgres://', /postgres:\/\/USER/, 'postgres: and something after it'],
  ['DATABASE_URL', 'postgres:a:hunter2@db/monbot', /postgres:\/\/USER/, 'postgres: and something after it'],
  ['DATABASE_URL', 'postgres://db/monbot', /name of a user/, 'postgres: and something'],
  ['DATABASE_URL', 'postgres://a:hunter2@db', /name of a database/, 'postgres: and something'],
  ['DATABASE_URL', 'postgres://a:hunter2@db/', /name of a database/, 'postgres: and something'],
  ['DATABASE_URL', 'postgres://a:hunter2@db/monbot/x', /name of a database/, 'postgres: and something'],
  ['DATABASE_URL', 'postgres://a:hunter2@db,db2/monbot', /one host/, 'postgres: and something'],
  ['DATABASE_URL', 'postgres://a:hunter2@db:99999/monbot', /postgres:\/\/USER/, 'postgres: and something'],
  ['DATABASE_URL', 'postgres://a:hunter#2@db/monbot', /percent-encoded/, 'postgres: and something'],
  ['DATABASE_URL', 'postgres://a:hunter2/x@db/monbot', /percent-encoded/, 'postgres: and something'],
  ['DATABASE_URL', 'postgres://a:100%hunter2@db/monbot', /percent-encoded/, 'postgres: and something'],
  ['DATABASE_URL', 'postgres://a:h%FCnter2@db/monbot', /ü as %C3%BC/, 'postgres: and something'],
  ['DATABASE_URL', 'postgres://%FC:hunter2@db/monbot', /ü as %C3%BC/, 'postgres: and something'],
  ['DATABASE_URL', 'postgres://a:hunter2@db/m%FCnbot', /ü as %C3%BC/, 'postgres: and something'],
  ['DATABASE_URL', 'postgres://a:hunter2@db/m?options=-c', /no parameters but sslmode/, 'postgres: and'],
  ['DATABASE_URL', 'postgres://a@db/m?password=hunter2', /no parameters but sslmode/, 'postgres: and'],
  ['DATABASE_URL', 'postgres://a:hunter2@db/m?sslmode=prefer', /disable, require/, 'postgres: and'],
  ['DATABASE_URL', 'postgres://a:hunter2@db/m?sslmode=', /disable, require/, 'postgres: and'],
  [
    'DATABASE_URL',
    'postgres://a@db/m?sslmode=require&sslmode=disable',
    /each parameter once/,
    'postgres: and',
  ],
  ['DATABASE_URL', 'postgres://a@db/m?sslmode=verify-full&sslrootcert=', /path of a file/, 'postgres: and'],
  ['DATABASE_URL', 'postgres://a@db/m?sslrootcert=/ca.pem', /sslmode=verify-full/, 'postgres: and'],
  ['DATABASE_URL', 'postgres://a@db/m?sslmode=verify-ca', /sslrootcert beside/, 'postgres: and'],
  ['DATABASE_CONNECTIONS', '1', /2 to 100/, '"1"'],
  ['DATABASE_CONNECTIONS', '101', /2 to 100/, '"101"'],
  ['DATABASE_CONNECTIONS', '6.5', /2 to 100/, '"6.5"'],
  ['REPLICA_NAME', 'bot a', /letters, digits/, '"bot a"'],
  ['REPLICA_NAME', `b${'o'.repeat(64)}`, /at most 64/, '"boo'],
  ['SLACK_CHANNEL', 'postgres://a:hunter2@db/monbot', /channel id/, 'a value of 30 characters that holds'],
  ['REPLICA_NAME', 'postgres://a:hunter2@db/monbot', /letters/, 'a value of 30 characters that holds'],
  ['DATABASE_URL', 'sqlite:', /sqlite:PATH/, 'sqlite:'],
  ['DATABASE_URL', 'sqlite://data/monbot.db', /sqlite:PATH/, 'sqlite:'],
  ['DATABASE_URL', 'sqlite::memory:', /forgotten at a restart/, 'sqlite: and something after it'],
  ['DATABASE_URL', 'sqlite: :memory: ', /forgotten at a restart/, 'sqlite: and something after it'],
  [
    'DATABASE_URL',
    'sqlite::memory:?cache=shared',
    /forgotten at a restart/,
    'sqlite: and something after it',
  ],
  ['DATABASE_URL', 'sqlite:file::memory:?cache=shared', /forgotten at a restart/, 'sqlite: and something'],
  ['DATABASE_URL', 'sqlite:file:data/monbot.db?mode=memory', /sqlite:PATH/, 'sqlite: and something after it'],
  ['DATABASE_URL', 'data/monbot.db', /sqlite:PATH/, 'a value of 14 characters'],
  ['POLL_CRON', 'every minute', /node-cron/, '"every minute"'],
  ['POLL_CRON', '0 0 0 1 1 *', /at most an hour between two polls, seconds first/, '"0 0 0 1 1 *"'],
  ['POLL_CRON', '@daily', /at most an hour/, '"@daily"'],
  ['POLL_CRON', '*/15 * * * * MON', /at most an hour/, '"*/15 * * * * MON"'],
  ['POLL_CRON', '* * 9-17 * * *', /at most an hour/, '"* * 9-17 * * *"'],
  ['HOST', 'not a host', /IP address/, '"not a host"'],
  ['PORT', '65536', /0 to 65535/, '"65536"'],
  ['PORT', '-1', /0 to 65535/, '"-1"'],
  ['PORT', '3000.5', /0 to 65535/, '"3000.5"'],
  ['LOG_LEVEL', 'loud', /fatal, error/, '"loud"'],
]

test.each(wrong)(
  '%s=%s says what was expected and what came, and no secret',
  (name, value, expected, came) => {
    const problems = problemsOf({ ...good, [name]: value })
    expect(problems).toHaveLength(1)
    expect(problems[0]?.setting).toBe(name)
    expect(problems[0]?.expected).toMatch(expected)
    expect(problems[0]?.came).toContain(came)
    expect(new ConfigError(problems).message).not.toContain('hunter2')
    expect(new ConfigError(problems).message).not.toContain(good.MONITOR_API_KEY)
  },
)

describe('Slack reaches the bot on exactly one road', () => {
  const http = { ...good, SLACK_APP_TOKEN: undefined, SLACK_SIGNING_SECRET: 'hunter2hunter2' }

  test('Socket Mode with an app token', () => {
    expect(readConfig(good, noFile).slackSigningSecret).toBeNull()
  })

  test('HTTP mode with a signing secret', () => {
    const config = readConfig(http, noFile)
    expect(config.slackAppToken).toBeNull()
    expect(config.slackSigningSecret?.reveal()).toBe('hunter2hunter2')
    expect(JSON.stringify(config)).not.toContain('hunter2')
  })

  test('both are refused, without a value', () => {
    const problems = problemsOf({ ...good, SLACK_SIGNING_SECRET: 'hunter2hunter2' })
    expect(problems).toMatchObject([
      {
        setting: 'SLACK_SIGNING_SECRET',
        expected: expect.stringContaining('exactly one'),
        came: 'a value of 14 characters',
      },
    ])
  })

  test('neither is refused, and both are named', () => {
    const problems = problemsOf({ ...good, SLACK_APP_TOKEN: undefined })
    expect(problems).toMatchObject([
      { setting: 'SLACK_APP_TOKEN', expected: expect.stringContaining('SLACK_SIGNING_SECRET') },
    ])
  })

  test('a signing secret that cannot be one is refused', () => {
    const problems = problemsOf({ ...http, SLACK_SIGNING_SECRET: 'hunter2' })
    expect(problems).toMatchObject([
      { setting: 'SLACK_SIGNING_SECRET', expected: expect.stringContaining('signing secret') },
    ])
  })
})

test('the Web API root always ends with one slash, the address of the monitor with none', () => {
  const env = { ...good, SLACK_API_URL: 'http://127.0.0.1:9/api', MONITOR_URL: 'http://127.0.0.1:8/m//' }
  expect(readConfig(env, noFile)).toMatchObject({
    slackApiUrl: 'http://127.0.0.1:9/api/',
    monitorUrl: 'http://127.0.0.1:8/m',
  })
})

test('SLACK_CHANNEL can be left out exactly where the last route matches everything', () => {
  const env = { ...good, SLACK_CHANNEL: undefined, MONBOT_CONFIG: 'p.yaml' }
  const all = 'routes: [{ match: { role: db }, channel: C1 }, { match: {}, channel: C2 }]'
  expect(readConfig(env, () => all).slackChannel).toBeNull()
  const some = 'routes: [{ match: { role: db }, channel: C1 }]'
  expect(problemsOf(env, () => some)).toMatchObject([{ setting: 'SLACK_CHANNEL', came: 'nothing' }])
})

test('a policy file that cannot be read is a problem by name, and the other problems are still told', () => {
  const problems = problemsOf({ ...good, PORT: 'x', MONBOT_CONFIG: 'gone.yaml' }, () => {
    throw Object.assign(new Error('gone'), { code: 'ENOENT' })
  })
  expect(problems).toMatchObject([
    { setting: 'PORT' },
    { setting: 'MONBOT_CONFIG', came: '"gone.yaml", which cannot be read (ENOENT)' },
  ])
})

test('a bug while the file is read is not taken for a wrong setting', () => {
  const readFile = (): string => {
    throw new TypeError('a bug')
  }
  expect(() => readConfig({ ...good, MONBOT_CONFIG: 'p.yaml' }, readFile)).toThrow(TypeError)
})

test('the reading of the environment knows every setting of the table', () => {
  const env = Object.fromEntries(settings.map(({ name }) => [name, '\u0000']))
  const opened: string[] = []
  const problems = problemsOf(env, (path) => {
    opened.push(path)
    return ''
  })
  const names = settings.map(({ name }) => name).filter((name) => name !== 'MONBOT_CONFIG')
  expect(new Set(problems.map(({ setting }) => setting))).toEqual(new Set(names))
  expect(opened).toEqual(['\u0000', '\u0000'])
})

const paging = () => 'reminders: [{ after: 10m, page: true }]'
const key = 'c4n4ry0123456789c4n4ry0123456789'
const whsec = `whsec_${'A'.repeat(32)}`
const hook = { PAGER_URL: 'https://pager.example/hunter2', PAGER_SECRET: whsec }
const file = { ...good, MONBOT_CONFIG: 'p.yaml' }

test('the pager is PagerDuty, or an address with a secret; none of it is ever shown', () => {
  expect(readConfig(good, noFile).pager).toBeNull()
  const duty = readConfig({ ...file, PAGERDUTY_ROUTING_KEY: key }, paging)
  expect(duty.pager).toMatchObject({ kind: 'pagerduty', url: 'https://events.pagerduty.com' })
  const eu = { PAGERDUTY_ROUTING_KEY: key, PAGERDUTY_URL: 'https://events.eu.pagerduty.com/' }
  expect(readConfig({ ...file, ...eu }, paging).pager).toMatchObject({
    url: 'https://events.eu.pagerduty.com',
  })
  const other = readConfig({ ...file, ...hook }, paging)
  expect(other.pager).toMatchObject({ kind: 'webhook' })
  for (const config of [duty, other]) expect(inspect(config, { depth: 9 })).not.toMatch(/c4n4ry|hunter2|AAAA/)
})

test.each<[Record<string, string>, string, RegExp]>([
  [{}, 'PAGERDUTY_ROUTING_KEY', /a pager .* because a reminder .* page: true/],
  [{ PAGERDUTY_ROUTING_KEY: 'c4n4ry' }, 'PAGERDUTY_ROUTING_KEY', /32 letters and digits/],
  [{ PAGERDUTY_ROUTING_KEY: key, ...hook }, 'PAGER_URL', /there is one pager/],
  [{ PAGERDUTY_ROUTING_KEY: key, PAGER_SECRET: whsec }, 'PAGER_SECRET', /there is one pager/],
  [{ PAGER_URL: hook.PAGER_URL }, 'PAGER_SECRET', /beside PAGER_URL/],
  [{ PAGER_SECRET: whsec }, 'PAGER_URL', /beside PAGER_SECRET/],
  [{ ...hook, PAGER_URL: 'ftp://pager.example/hunter2' }, 'PAGER_URL', /http:/],
  [{ ...hook, PAGER_SECRET: whsec.slice('whsec_'.length) }, 'PAGER_SECRET', /whsec_/],
  [{ ...hook, PAGER_SECRET: `whsec_${'A'.repeat(28)}` }, 'PAGER_SECRET', /24 to 64 bytes/],
  [{ ...hook, PAGER_SECRET: `whsec_${'A'.repeat(88)}` }, 'PAGER_SECRET', /24 to 64 bytes/],
  [{ ...hook, PAGER_SECRET: `whsec_${'*'.repeat(32)}` }, 'PAGER_SECRET', /whsec_/],
])('a pager that is none: %j', (set, setting, expected) => {
  const problems = problemsOf({ ...file, ...set }, paging)
  expect(problems).toEqual([{ setting, expected: expect.stringMatching(expected), came: expect.anything() }])
  expect(JSON.stringify(problems)).not.toMatch(/c4n4ry|hunter2|AAAA/)
})

test.each([24, 64])('a secret of %i bytes signs', (bytes) => {
  const secret = `whsec_${Buffer.alloc(bytes).toString('base64')}`
  expect(readConfig({ ...good, ...hook, PAGER_SECRET: secret }, noFile).pager).toMatchObject({
    kind: 'webhook',
  })
})

const withOnCall = (policy: string) => ({
  env: { ...good, MONBOT_CONFIG: 'p.yaml' },
  readFile: () => policy,
})
const calendarUrl = 'https://calendar.example/private-hunter2/basic.ics'

test('who is on call comes from one place: the file, the environment, or PagerDuty', () => {
  const inFile = withOnCall(
    `oncall: { ical: "${calendarUrl}", people: { " Ana@Example.com ": U1 }, handoff: true }`,
  )
  const config = readConfig(inFile.env, inFile.readFile)
  expect(config.onCallSource).toMatchObject({ kind: 'ical' })
  expect(config.onCall).toMatchObject({ people: new Map([['ana@example.com', 'U1']]), handoff: true })
  expect(inspect(config, { depth: null })).not.toContain('hunter2')
  const alone = readConfig({ ...good, ONCALL_ICAL_URL: calendarUrl }, noFile)
  expect(alone.onCallSource?.kind === 'ical' && alone.onCallSource.url.reveal()).toBe(calendarUrl)
  const { env, readFile } = withOnCall('oncall: { pagerduty: PABC123 }')
  expect(
    readConfig({ ...env, PAGERDUTY_API_TOKEN: 'y_hunter2_hunter2' }, readFile).onCallSource,
  ).toMatchObject({
    kind: 'pagerduty',
    scheduleId: 'PABC123',
    apiUrl: 'https://api.pagerduty.com',
  })
  expect(readConfig(good, noFile).onCallSource).toBeNull()
})

test.each([
  ['oncall: {}', {}, 'one of ical, pagerduty and ONCALL_ICAL_URL', 'nothing'],
  [`oncall: { ical: "${calendarUrl}" }`, { ONCALL_ICAL_URL: calendarUrl }, 'one of ical', '2 of them'],
  ['oncall: { pagerduty: PABC123 }', {}, 'a key of PagerDuty', 'nothing'],
  ['routes: [{ match: {}, channel: C1, mention: oncall }]', {}, 'needs a calendar', 'nothing'],
  ['reminders: [{ after: 15m, mention: "<@U1> oncall" }]', {}, 'needs a calendar', 'nothing'],
  [
    'oncall: { ical: "http://calendar.example/hunter2.ics" }',
    {},
    'the https:// address of a calendar',
    'a value of 35 characters',
  ],
  [
    'oncall: { ical: "https://ana:hunter2@calendar.example/" }',
    {},
    'the https:// address of a calendar',
    'a value of',
  ],
  ['oncall: { pagerduty: hunter2 }', {}, 'the id of a schedule', 'a value of 7 characters'],
  ['oncall: { handoff: hunter2 }', {}, 'true or false', 'a value of 7 characters'],
  ['oncall: { people: { ana: hunter2 } }', {}, 'a user id (U…)', 'a value of 7 characters'],
  [
    '',
    { ONCALL_ICAL_URL: 'http://calendar.example/hunter2' },
    'the https:// address of a calendar',
    '"http://calendar.example" with a path',
  ],
  ['', { PAGERDUTY_API_TOKEN: 'hunter2' }, 'a key of at least 8 characters', 'a value of 7 characters'],
])('of who is on call, %j with %j is a problem', (policy, more, expected, came) => {
  const { env, readFile } = withOnCall(policy)
  const problems = problemsOf({ ...env, ...more }, readFile)
  expect(problems).toEqual([
    {
      setting: expect.any(String),
      expected: expect.stringContaining(expected),
      came: expect.stringContaining(came),
    },
  ])
  expect(JSON.stringify(problems)).not.toContain('hunter2')
})

test('the address of the heartbeat may have a query and is a secret', () => {
  const url = 'https://watch.example/api/push/hunter2?status=up'
  const config = readConfig({ ...good, HEARTBEAT_URL: url }, noFile)
  expect(config.heartbeatUrl?.reveal()).toBe(url)
  expect(inspect(config)).not.toContain('hunter2')
  expect(readConfig(good, noFile).heartbeatUrl).toBeNull()
  expect(problemsOf({ ...good, HEARTBEAT_URL: 'ftp://watch.example/hunter2' })).toEqual([
    {
      setting: 'HEARTBEAT_URL',
      expected: expect.stringContaining('http'),
      came: '"ftp://watch.example" with a path',
    },
  ])
})

test.each([
  'postgres://monbot:hunter2-hunter2@db/monbot',
  'postgresql://monbot:hunter2-hunter2@10.0.0.7:6432/mon-bot?sslmode=require',
  'postgres://monbot:hunter2-hunter2@[::1]:5432/monbot?sslmode=disable',
  'postgres://mon%40bot@db_1.example/monbot?sslmode=verify-full&sslrootcert=/etc/ca%20s.pem',
])('an address of a Postgres is a secret: %s', (url) => {
  const config = readConfig({ ...good, DATABASE_URL: url, REPLICA_NAME: 'bot-b' }, noFile)
  const { database } = config
  if (database.kind !== 'postgres') throw new Error('It is taken for a file')
  expect(database.url.reveal()).toBe(url)
  expect(config).toMatchObject({ databaseConnections: 6, replicaName: 'bot-b' })
  expect(`${inspect(config)} ${JSON.stringify(config)}`).not.toMatch(/hunter2|postgres:\/\//)
})

test('the log hides the password of the address also where it stands alone, as it is and percent-encoded', () => {
  const secrets = (url: string) =>
    secretsOf(databaseOf({ DATABASE_URL: url }, noFile)).map((secret) => secret.reveal())
  const url = 'postgres://monbot:hunter%232@db/monbot'
  expect(secrets(url)).toEqual([url, 'hunter%232', 'hunter#2'])
  expect(secrets('postgres://monbot:five5@db/monbot')).toHaveLength(1)
  expect(secrets('sqlite:data/monbot.db')).toEqual([])
})

test('a configuration that is printed shows no secret', () => {
  const config = readConfig(good, noFile)
  for (const text of [JSON.stringify(config), `${config.monitorApiKey}`, Object.values(config).join()]) {
    expect(text).toContain('[secret]')
    expect(text).not.toContain('0123456789')
  }
  expect(config.slackBotToken).toBeInstanceOf(Secret)
})

test('the proxies are read by their names in capital and in small letters, the capital ones first', () => {
  const small = { https_proxy: 'http://small:1', no_proxy: 'a.example', HTTP_PROXY: ' http://plain:2/ ' }
  const shown = (env: object) => {
    const { proxy } = readConfig({ ...good, ...env }, noFile)
    return proxy && [proxy.https?.reveal() ?? null, proxy.http?.reveal() ?? null, proxy.direct]
  }
  expect(shown(small)).toEqual(['http://small:1', 'http://plain:2/', 'a.example'])
  expect(shown({ ...small, HTTPS_PROXY: 'https://capital:3' })?.[0]).toBe('https://capital:3')
  expect(shown({ ...small, HTTPS_PROXY: ' ' })?.[0]).toBe('http://small:1')
  expect([shown({}), shown({ NO_PROXY: '*' })]).toEqual([null, null])
})

test.each([
  ['proxy.example:3128', '"proxy.example://" with a path'],
  ['socks5://a:hunter2@proxy.example', '"socks5://proxy.example" with a user name or password'],
  ['http://a:hunter2@proxy.example/path', '"http://proxy.example" with a path, a user name or password'],
  ['http://a:%2@proxy.example', '"http://proxy.example" with a user name or password'],
  ['http://a:h%FCnter2@proxy.example', '"http://proxy.example" with a user name or password'],
  ['http://%FC:hunter2@proxy.example', '"http://proxy.example" with a user name or password'],
  ['http://a:hunter2%C3@proxy.example', '"http://proxy.example" with a user name or password'],
])('HTTPS_PROXY=%s is refused, and its password not shown', (value, came) => {
  const [problem, ...others] = problemsOf({ ...good, HTTPS_PROXY: value })
  expect(others).toEqual([])
  expect(problem).toEqual({
    setting: 'HTTPS_PROXY',
    expected:
      'the address of a proxy, http://USER:PASSWORD@HOST:PORT, percent-encoded (# as %23, ü as %C3%BC)',
    came,
  })
  expect(problem?.came).not.toContain('hunter2')
})

test('the secrets of a proxy are its address and its password, as it stands and decoded', () => {
  const { proxy } = readConfig({ ...good, HTTPS_PROXY: 'http://a:hunter%32%20long@p.example:1' }, noFile)
  expect(secretsOfProxy(proxy).map((one) => one.reveal())).toEqual([
    'http://a:hunter%32%20long@p.example:1',
    'hunter%32%20long',
    'hunter2 long',
  ])
  const umlaut = readConfig({ ...good, HTTPS_PROXY: 'http://a:h%C3%BCnter2@p.example:1' }, noFile)
  expect(secretsOfProxy(umlaut.proxy).at(-1)?.reveal()).toBe('hünter2')
  expect(secretsOfProxy(readConfig({ ...good, HTTPS_PROXY: 'http://p.example:1' }, noFile).proxy)).toEqual([])
})

test.each([
  ['no certificate', 'hello', 'which holds none'],
  ['one that is cut', '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----', 'which cannot be read'],
])('a CA_FILE with %s is a problem', (_, content, came) => {
  const [problem] = problemsOf({ ...good, CA_FILE: '/ca.pem' }, () => content)
  expect(problem).toMatchObject({ setting: 'CA_FILE', expected: 'the path of a file of certificates in PEM' })
  expect(problem?.came).toContain(`"/ca.pem", ${came}`)
})
