/** Reads and checks the bot's settings, from the environment and the policy file. */
import { isIP } from 'node:net'
import { validate as isCron } from 'node-cron'
import { z } from 'zod'
import type { ProxySettings } from '../../shared/outward.ts'
import { fileSetting, readSecretFiles } from '../../shared/secret-files.ts'
import { isPerson } from '../domain/card/card.ts'
import { longestGapMs } from '../flow/poll/cron.ts'
import { ConfigError, describeValue, type Problem } from './config-error.ts'
import { type Database, database } from './database.ts'
import { calendarAddress, type OnCallSourceSettings, onCallProblems, onCallSourceOf } from './on-call.ts'
import {
  isPagerSecret,
  type PagerSettings,
  pagerOf,
  pagerProblems,
  pagerSettings,
  secretExpected,
} from './pager.ts'
import { type Policy, readPolicy } from './policy.ts'
import { Secret } from './secret.ts'
import { type SettingName, settings } from './settings.ts'
import { channelId, text } from './shapes.ts'
import { direct, proxyAddress, proxyOf, readAuthorities } from './way-out.ts'

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export type Config = Policy & {
  /** Without a slash at the end. */
  readonly monitorUrl: string
  readonly monitorApiKey: Secret
  readonly slackBotToken: Secret
  /** Socket Mode; null in HTTP mode. */
  readonly slackAppToken: Secret | null
  /** HTTP mode; null in Socket Mode. */
  readonly slackSigningSecret: Secret | null
  /** With a slash at the end. */
  readonly slackApiUrl: string
  /** Channel for alerts that no route matches; null only if the last route matches everything. */
  readonly slackChannel: string | null
  readonly database: Database
  /** Connections to Postgres at most, without the one of the lease. */
  readonly databaseConnections: number
  /** What this process is called beside others on the same Postgres; null: as its machine. */
  readonly replicaName: string | null
  readonly pollCron: string
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Such as `/monbot`; empty: none. */
  readonly basePath: string
  readonly logLevel: LogLevel
  /** Address of the heartbeat, a secret: anybody who knows it can send heartbeats for this bot. Null if there is none. */
  readonly heartbeatUrl: Secret | null
  /** Null: everything is reached directly. */
  readonly proxy: ProxySettings | null
  /** Certificates to trust beside Node's, in PEM; null: none. */
  readonly authorities: string | null
  /** Whom a reminder with `page: true` asks to call somebody; null: nobody. */
  readonly pager: PagerSettings | null
  /** Where it is read who is on call; null if nowhere. */
  readonly onCallSource: OnCallSourceSettings | null
}

/** Every channel that cards go to, without duplicates; the default one first. */
export function channelsOf({ slackChannel, routes }: Pick<Config, 'slackChannel' | 'routes'>): string[] {
  const routed = routes.map((route) => route.channel)
  return [...new Set([...(slackChannel === null ? [] : [slackChannel]), ...routed])]
}

/** Every channel that the bot posts to, including those of reminders and of the report; people, who get direct messages, are none. */
export function channelsPostedTo(
  config: Pick<Config, 'slackChannel' | 'routes' | 'reminders' | 'report'>,
): string[] {
  const reminded = config.reminders.steps.flatMap(({ channel }) =>
    channel === null || isPerson(channel) ? [] : [channel],
  )
  const reported = config.report === null ? [] : [config.report.channel]
  return [...new Set([...channelsOf(config), ...reminded, ...reported])]
}

type Given = Partial<Record<SettingName, string>>

const secretCharsMin = 8
const secretCharsMax = 1000
const cronCharsMax = 100
const gapMsMax = 60 * 60_000
/** A round of work needs one to write and one to read beside. */
const connections = { min: 2, max: 100 }
const printable = /^[\x21-\x7e]+$/
const hostShape = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/

function secret(expected: string, prefix: string) {
  return text(expected, (value) => {
    const isLong = value.length >= secretCharsMin && value.length <= secretCharsMax
    return isLong && printable.test(value) && value.startsWith(prefix)
  }).transform((value) => new Secret(value))
}

const webAddress = text('an http:// or https:// URL without user name, query and #', isPlainWebAddress)
const monitorAddress = text(
  'the http:// or https:// URL of the monitoring service, without /api/v2, user name, query and #',
  (value) => isPlainWebAddress(value) && !/\/api\/v2(?:\/|$)/.test(value),
)

/** Most systems know them in small letters. */
const proxyNames: readonly string[] = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']

/** All names by which settings may stand in the environment. */
export const settingNames: readonly string[] = settings.flatMap(({ name, secret }) => [
  ...(proxyNames.includes(name) ? [name, name.toLowerCase()] : [name]),
  ...(secret ? [fileSetting(name)] : []),
])

/** The names by which a setting may stand in the environment. */
function namesOf(setting: string): readonly string[] {
  return proxyNames.includes(setting) ? [setting, setting.toLowerCase()] : [setting]
}

const environment = z.object({
  MONITOR_URL: monitorAddress.transform((value) => value.replace(/\/+$/, '')),
  MONITOR_API_KEY: secret(`a key of at least ${secretCharsMin} characters without spaces`, ''),
  SLACK_BOT_TOKEN: secret('a bot token, xoxb-…', 'xoxb-'),
  SLACK_APP_TOKEN: secret('an app-level token for Socket Mode, xapp-…', 'xapp-').optional(),
  SLACK_SIGNING_SECRET: secret(
    `the signing secret of the Slack app, at least ${secretCharsMin} characters without spaces`,
    '',
  ).optional(),
  SLACK_API_URL: webAddress.transform((value) => value.replace(/\/*$/, '/')),
  SLACK_CHANNEL: text(channelId.expected, (value) => channelId.shape.test(value)).optional(),
  DATABASE_URL: database,
  DATABASE_CONNECTIONS: text(
    `a number from ${connections.min} to ${connections.max}`,
    (value) =>
      /^\d{1,3}$/.test(value) && Number(value) >= connections.min && Number(value) <= connections.max,
  ).transform(Number),
  REPLICA_NAME: text('a name of at most 64 letters, digits, dots, - and _', (value) =>
    /^[A-Za-z0-9._-]{1,64}$/.test(value),
  ).optional(),
  POLL_CRON: text(
    'a node-cron expression with at most an hour between two polls, seconds first, such as */15 * * * * *',
    (value) => value.length <= cronCharsMax && isCron(value) && longestGapMs(value) <= gapMsMax,
  ),
  HOST: text('an IP address or a host name', (value) => isIP(value) !== 0 || hostShape.test(value)),
  PORT: text(
    'a port number, 0 to 65535',
    (value) => /^\d{1,5}$/.test(value) && Number(value) <= 65_535,
  ).transform(Number),
  BASE_PATH: text('a path that begins with /, such as /monbot', (value) =>
    /^(?:\/[A-Za-z0-9._~-]{1,60}){1,6}\/?$/.test(value),
  ).optional(),
  HEARTBEAT_URL: text('an http:// or https:// URL without user name and #', (value) =>
    isWebAddress(value, /[#\s]/),
  )
    .transform((value) => new Secret(value))
    .optional(),
  HTTPS_PROXY: proxyAddress,
  HTTP_PROXY: proxyAddress,
  NO_PROXY: direct,
  PAGERDUTY_ROUTING_KEY: text(
    'the integration key of an Events API v2 integration, 32 letters and digits',
    (value) => /^[A-Za-z0-9]{32}$/.test(value),
  )
    .transform((value) => new Secret(value))
    .optional(),
  PAGERDUTY_URL: webAddress.transform((value) => value.replace(/\/+$/, '')),
  PAGER_URL: text('an http:// or https:// URL without user name and #', (value) =>
    isWebAddress(value, /[#\s]/),
  )
    .transform((value) => new Secret(value))
    .optional(),
  PAGER_SECRET: text(secretExpected, isPagerSecret)
    .transform((value) => new Secret(value))
    .optional(),
  ONCALL_ICAL_URL: calendarAddress.transform((value) => new Secret(value)).optional(),
  PAGERDUTY_API_TOKEN: secret(`a key of at least ${secretCharsMin} characters without spaces`, '').optional(),
  PAGERDUTY_API_URL: webAddress.transform((value) => value.replace(/\/+$/, '')),
  LOG_LEVEL: z.enum(logLevels, { error: `one of ${logLevels.join(', ')}` }),
})

/** Each may come from a file as well. */
export const secretSettings = settings.flatMap(({ name, secret }) => (secret ? [name] : []))

/** The database alone, for tools that need nothing else. Throws a `ConfigError`. */
export function databaseOf(
  given: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): Database {
  const { env, problems } = readSecretFiles(given, ['DATABASE_URL'], readFile)
  if (problems.length > 0) throw new ConfigError(problems)
  const setting = settings.find(({ name }) => name === 'DATABASE_URL')
  const value = env.DATABASE_URL?.trim() || setting?.default
  const checked = environment.shape.DATABASE_URL.safeParse(value)
  if (checked.success) return checked.data
  const expected = checked.error.issues.map(({ message }) => message).join('; ')
  throw new ConfigError([
    { setting: 'DATABASE_URL', expected, came: describe('DATABASE_URL', value ?? undefined, []) },
  ])
}

/**
 * Reads every setting; `readFile` returns the text of a file that a setting names, or throws an error with a `code` as
 * `node:fs` does. Throws one `ConfigError` with all problems. A blank setting counts as not set.
 */
export function readConfig(
  environmentOfProcess: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): Config {
  const {
    env,
    unread,
    problems: unreadable,
  } = readSecretFiles(environmentOfProcess, secretSettings, readFile)
  const given: Given = {}
  for (const { name, default: fallback } of settings) {
    const [value = fallback] = namesOf(name).flatMap((one) => env[one]?.trim() || [])
    if (value !== null) given[name] = value
  }
  const secrets = settings.flatMap(({ name, secret }) => (secret && given[name] ? [given[name]] : []))

  const checked = environment.safeParse(given)
  const problems: Problem[] = [...unreadable]
  for (const { path, message } of checked.error?.issues ?? []) {
    const name = settings.find((one) => one.name === path[0])?.name
    if (name === undefined) throw new Error(`the check of the environment named no setting: ${message}`)
    if (unread.has(name)) continue
    const setting = env[name] === environmentOfProcess[name] ? name : fileSetting(name)
    problems.push({ setting, expected: message, came: describe(name, given[name], secrets) })
  }
  if (!unread.has('SLACK_APP_TOKEN') && !unread.has('SLACK_SIGNING_SECRET'))
    problems.push(...transportProblems(given))

  const trusted = readAuthorities(given.CA_FILE, readFile, secrets)
  problems.push(...trusted.problems)
  const file = readPolicyFile(given.MONBOT_CONFIG, readFile, secrets)
  problems.push(...file.problems)
  if (!pagerSettings.some((name) => unread.has(name)))
    problems.push(...pagerProblems(given, file.policy?.reminders.steps ?? []))
  const last = file.policy?.routes.at(-1)
  const isAllRouted = last !== undefined && Object.keys(last.match).length === 0
  // If the file could not be read, it may route everything, so this is no problem yet.
  if (given.SLACK_CHANNEL === undefined && file.policy !== null && !isAllRouted) {
    const expected = `${channelId.expected} (not needed where the policy file's last route matches everything)`
    problems.push({ setting: 'SLACK_CHANNEL', expected, came: 'nothing' })
  }

  if (file.policy !== null) problems.push(...onCallProblems(given, file.policy))

  if (problems.length > 0 || !checked.success || file.policy === null) throw new ConfigError(problems)
  const set = checked.data
  return {
    monitorUrl: set.MONITOR_URL,
    monitorApiKey: set.MONITOR_API_KEY,
    slackBotToken: set.SLACK_BOT_TOKEN,
    slackAppToken: set.SLACK_APP_TOKEN ?? null,
    slackSigningSecret: set.SLACK_SIGNING_SECRET ?? null,
    slackApiUrl: set.SLACK_API_URL,
    slackChannel: set.SLACK_CHANNEL ?? null,
    database: set.DATABASE_URL,
    databaseConnections: set.DATABASE_CONNECTIONS,
    replicaName: set.REPLICA_NAME ?? null,
    pollCron: set.POLL_CRON,
    host: set.HOST,
    port: set.PORT,
    basePath: set.BASE_PATH?.replace(/\/$/, '') ?? '',
    logLevel: set.LOG_LEVEL,
    heartbeatUrl: set.HEARTBEAT_URL ?? null,
    proxy: proxyOf(set),
    authorities: trusted.pem,
    pager: pagerOf(set),
    onCallSource: onCallSourceOf(file.policy.onCall, set),
    ...file.policy,
  }
}

function readPolicyFile(
  path: string | undefined,
  readFile: (path: string) => string,
  secrets: readonly string[],
): { policy: Policy | null; problems: readonly Problem[] } {
  if (path === undefined) return readPolicy('', 'the defaults', secrets)
  let source: string
  try {
    source = readFile(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    // An unreadable file is one more wrong setting; the other problems must still be reported.
    const came = `${describeValue(path, secrets)}, which cannot be read (${String(error.code)})`
    return {
      policy: null,
      problems: [{ setting: 'MONBOT_CONFIG', expected: 'the path of a YAML file', came }],
    }
  }
  return readPolicy(source, path, secrets)
}

/** Exactly one transport must be set. */
function transportProblems({ SLACK_APP_TOKEN: token, SLACK_SIGNING_SECRET: secret }: Given): Problem[] {
  if (token === undefined && secret === undefined) {
    const expected = 'an app-level token for Socket Mode, xapp-… (or SLACK_SIGNING_SECRET for HTTP mode)'
    return [{ setting: 'SLACK_APP_TOKEN', expected, came: 'nothing' }]
  }
  if (token === undefined || secret === undefined) return []
  const expected = 'nothing beside SLACK_APP_TOKEN (exactly one of the two may be given)'
  return [{ setting: 'SLACK_SIGNING_SECRET', expected, came: `a value of ${secret.length} characters` }]
}

function describe(setting: SettingName, value: string | undefined, secrets: readonly string[]): string {
  if (value === undefined) return 'nothing'
  const count = `a value of ${value.length} characters`
  switch (setting) {
    case 'MONITOR_API_KEY':
    case 'SLACK_SIGNING_SECRET':
    case 'PAGERDUTY_ROUTING_KEY':
    case 'PAGER_SECRET':
    case 'PAGERDUTY_API_TOKEN':
      return printable.test(value) ? count : `${count} that holds spaces or other characters than ASCII`
    case 'SLACK_BOT_TOKEN':
      return describeToken(value, 'xoxb-')
    case 'SLACK_APP_TOKEN':
      return describeToken(value, 'xapp-')
    case 'MONITOR_URL':
    case 'SLACK_API_URL':
    case 'HEARTBEAT_URL':
    case 'HTTPS_PROXY':
    case 'HTTP_PROXY':
    case 'PAGERDUTY_URL':
    case 'PAGER_URL':
    case 'ONCALL_ICAL_URL':
    case 'PAGERDUTY_API_URL':
      return describeAddress(value, secrets)
    case 'DATABASE_URL':
      // Never the value: a database address contains its password.
      return /^[a-z]{1,20}:/.exec(value)?.[0].concat(' and something after it') ?? count
    default:
      return describeValue(value, secrets)
  }
}

function describeToken(value: string, prefix: string): string {
  const count = `a value of ${value.length} characters`
  if (!value.startsWith(prefix)) return `${count} that does not start with ${prefix}`
  return `${count} that starts with ${prefix} but cannot be a token`
}

function isPlainWebAddress(value: string): boolean {
  return isWebAddress(value, /[?#\s]/)
}

function isWebAddress(value: string, forbidden: RegExp): boolean {
  const url = URL.parse(value)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false
  return url.username === '' && url.password === '' && !forbidden.test(value)
}

/** Describes an address by its origin and its other parts, which are not quoted: path, user name or query may be secret. */
function describeAddress(value: string, secrets: readonly string[]): string {
  const url = URL.parse(value)
  if (url === null) return `a value of ${value.length} characters that is not a URL`
  const parts = [
    url.pathname.length > 1 ? 'a path' : '',
    url.username !== '' || url.password !== '' ? 'a user name or password' : '',
    url.search !== '' ? 'a query' : '',
    url.hash !== '' ? 'a #' : '',
  ].filter((part) => part !== '')
  const origin = describeValue(`${url.protocol}//${url.host}`, secrets)
  return parts.length > 0 ? `${origin} with ${parts.join(', ')}` : origin
}
