/** The settings of the process: one shape that checks them, and makes `Config`. */
import { hostname } from 'node:os'
import { inspect } from 'node:util'
import { z } from 'zod'
import { isWeb } from '../call.ts'
import { calendarAddress, channelId, isPollCron, read, text } from './shapes.ts'

const mask = '[secret]'

/** A secret value: every usual way to print it gives `[secret]`. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The value itself; call it only where it leaves the process. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return mask
  }

  toJSON(): string {
    return mask
  }

  [inspect.custom](): string {
    return mask
  }
}

/** Its value is never told, and it may come from a file. */
const secret = (shape: z.ZodType<string, string>) =>
  shape.transform((value) => new Secret(value)).meta({ isSecret: true })
const key = (expected: string, prefix = '') =>
  secret(text(expected, new RegExp(`^(?=.{8,1000}$)${prefix}[\\x21-\\x7e]+$`)))
const plainKey = 'a key of at least 8 characters without spaces'
const count = (expected: string, min: number, max: number) =>
  read(expected, (value) => {
    return /^\d{1,5}$/.test(value) && Number(value) >= min && Number(value) <= max ? Number(value) : null
  })

const webExpected = 'an http:// or https:// URL without user name, query and #'
const address = (expected: string, forbidden = /[?#\s]/) =>
  text(expected, (value) => isWeb(value) && !forbidden.test(value)).transform((value) =>
    value.replace(/\/+$/, ''),
  )
const secretAddress = secret(
  text('an http:// or https:// URL without user name and #', (value) => isWeb(value) && !/[#\s]/.test(value)),
)
const proxyAddress = secret(
  text('http://USER:PASSWORD@HOST:PORT, percent-encoded (# as %23, ü as %C3%BC)', (value) => {
    const url = URL.parse(value)
    const isRoot =
      url !== null && /^https?:$/.test(url.protocol) && url.pathname + url.search + url.hash === '/'
    return isRoot && !/%(?![0-9a-f]{2})/i.test(value)
  }),
)
export const webhookSecret = secret(
  text(
    'a secret of Standard Webhooks: whsec_ and 24 to 64 bytes in Base64',
    /^whsec_(?=[^=]{32,86}=*$)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  ),
)

const sslModes = ['disable', 'require', 'verify-ca', 'verify-full']
const database = read(
  'sqlite:PATH, such as sqlite:data/monbot.db, or postgres://USER:PASSWORD@HOST/DATABASE, percent-encoded ' +
    `(# as %23, / as %2F, ü as %C3%BC), with no parameters but sslmode (${sslModes.join(', ')}) and sslrootcert`,
  (value) => {
    const path = /^sqlite:(?!\/\/|\s|file:|:memory:)([^?#\0]+)$/i.exec(value)?.[1]
    if (path !== undefined) return { kind: 'sqlite' as const, path }
    const url = URL.parse(value)
    if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol) || /\s/.test(value) || url.hash !== '')
      return null
    const { hostname: host, username, pathname, searchParams } = url
    if (host === '' || username === '' || !/^\/[^/]+$/.test(pathname)) return null
    // A misspelt parameter would silently turn TLS off.
    const isKnown = [...searchParams].every(([name, given]) =>
      name === 'sslmode' ? sslModes.includes(given) : name === 'sslrootcert' && given !== '',
    )
    return isKnown ? { kind: 'postgres' as const, url: new Secret(value) } : null
  },
).meta({ isSecret: true })

/** What each means stands in docs/settings.md. */
export const settings = z.object({
  MONITOR_URL: address(
    'the URL of the monitoring service without /api/v2, user name, query and #',
    /[?#\s]|\/api\/v2(?:\/|$)/,
  ),
  MONITOR_API_KEY: key(plainKey),
  SLACK_BOT_TOKEN: key('a bot token, xoxb-…', 'xoxb-'),
  SLACK_APP_TOKEN: key('an app-level token for Socket Mode, xapp-…', 'xapp-').optional(),
  SLACK_SIGNING_SECRET: key(
    'the signing secret of the Slack app, at least 8 characters without spaces',
  ).optional(),
  SLACK_API_URL: address(webExpected)
    .transform((value) => `${value}/`)
    .prefault('https://slack.com/api/'),
  SLACK_CHANNEL: channelId.optional(),
  DATABASE_URL: database.prefault('sqlite:data/monbot.db'),
  DATABASE_CONNECTIONS: count('a number of connections, 2 to 100', 2, 100).prefault('6'),
  REPLICA_NAME: text(
    'a name of at most 64 letters, digits, dots, - and _',
    /^[A-Za-z0-9._-]{1,64}$/,
  ).optional(),
  POLL_CRON: text(
    'a node-cron expression with at most an hour between two polls, seconds first, such as */15 * * * * *',
    isPollCron,
  ).prefault('*/15 * * * * *'),
  HOST: text('an IP address or a host name', /^[A-Za-z0-9:][A-Za-z0-9.:-]*$/).prefault('127.0.0.1'),
  PORT: count('a port number, 0 to 65535', 0, 65_535).prefault('3000'),
  BASE_PATH: text('a path that begins with /, such as /monbot', /^(?:\/[A-Za-z0-9._~-]+)+\/?$/)
    .transform((value) => value.replace(/\/$/, ''))
    .optional(),
  MONBOT_CONFIG: z.string().optional(),
  HEARTBEAT_URL: secretAddress.optional(),
  WAKE_TOKEN: key('a token of at least 8 characters without spaces').optional(),
  HTTPS_PROXY: proxyAddress.optional(),
  HTTP_PROXY: proxyAddress.optional(),
  NO_PROXY: z
    .string()
    .transform((value) => value.split(/[\s,]+/).filter((one) => one !== ''))
    .optional(),
  CA_FILE: z.string().optional(),
  PAGERDUTY_ROUTING_KEY: secret(
    text('the integration key of an Events API v2 integration, 32 letters and digits', /^[A-Za-z0-9]{32}$/),
  ).optional(),
  PAGERDUTY_URL: address(webExpected).prefault('https://events.pagerduty.com'),
  PAGER_URL: secretAddress.optional(),
  PAGER_SECRET: webhookSecret.optional(),
  INVESTIGATE_SECRET: webhookSecret.optional(),
  ONCALL_ICAL_URL: secret(calendarAddress).optional(),
  PAGERDUTY_API_TOKEN: key(plainKey).optional(),
  PAGERDUTY_WEBHOOK_SECRET: key(plainKey).optional(),
  PAGERDUTY_API_URL: address(webExpected).prefault('https://api.pagerduty.com'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).prefault('info'),
})

export const settingNames = Object.keys(settings.shape)
export const secretNames = Object.entries(settings.shape).flatMap(([name, shape]) => {
  const { isSecret } = ('unwrap' in shape ? shape.unwrap() : shape).meta() ?? {}
  return isSecret === true ? [name] : []
})

export type Settings = z.output<typeof settings>
export type Config = ReturnType<typeof configOf>

export function configOf(set: Settings) {
  return {
    monitor: { url: set.MONITOR_URL, key: set.MONITOR_API_KEY },
    slack: {
      botToken: set.SLACK_BOT_TOKEN,
      /** Exactly one of the two: Socket Mode, or HTTP mode. */
      appToken: set.SLACK_APP_TOKEN ?? null,
      signingSecret: set.SLACK_SIGNING_SECRET ?? null,
      apiUrl: set.SLACK_API_URL,
      /** For alerts that no route matches; null where the policy routes everything. */
      channel: set.SLACK_CHANNEL ?? null,
    },
    database: databaseOf(set.DATABASE_URL, set.DATABASE_CONNECTIONS),
    replicaName: set.REPLICA_NAME ?? hostname(),
    pollCron: set.POLL_CRON,
    host: set.HOST,
    port: set.PORT,
    /** `''` or `/monbot`: below it everything answers too. */
    basePath: set.BASE_PATH ?? '',
    policyPath: set.MONBOT_CONFIG ?? null,
    heartbeatUrl: set.HEARTBEAT_URL ?? null,
    /** Whoever has it may have the monitoring read at once. */
    wakeToken: set.WAKE_TOKEN ?? null,
    proxy: { https: set.HTTPS_PROXY ?? null, http: set.HTTP_PROXY ?? null, none: set.NO_PROXY ?? [] },
    caFile: set.CA_FILE ?? null,
    pager: pagerOf(set),
    investigateSecret: set.INVESTIGATE_SECRET ?? null,
    onCallIcalUrl: set.ONCALL_ICAL_URL ?? null,
    pagerdutyApi: { token: set.PAGERDUTY_API_TOKEN ?? null, url: set.PAGERDUTY_API_URL },
    pagerdutyWebhookSecret: set.PAGERDUTY_WEBHOOK_SECRET ?? null,
    logLevel: set.LOG_LEVEL,
  }
}

export function databaseOf(url: Settings['DATABASE_URL'], connections: number) {
  return url.kind === 'sqlite' ? url : { ...url, connections }
}

function pagerOf(set: Settings) {
  const { PAGERDUTY_ROUTING_KEY: routingKey, PAGER_URL: url, PAGER_SECRET: secret } = set
  if (routingKey !== undefined) return { kind: 'pagerduty' as const, routingKey, url: set.PAGERDUTY_URL }
  return url === undefined || secret === undefined ? null : { kind: 'webhook' as const, url, secret }
}
