/** Reads the settings from the environment: all problems at once, one line each, and never the value of a secret. */
import { X509Certificate } from 'node:crypto'
import { hostname } from 'node:os'
import type { z } from 'zod'
import { unknownNames, unknownSentence } from '../../shared/known-names.ts'
import { fileSetting, readSecretFiles } from '../../shared/secret-files.ts'
import type { Config } from './config-types.ts'
import { longestGapMs, seldomMs } from './cron.ts'
import { settingRows, settings } from './settings.ts'
import { shown } from './shapes.ts'

export type Environment = Readonly<Record<string, string | undefined>>
/** Returns the text of a file, or throws as `node:fs` does. */
export type ReadFile = (path: string) => string
export type ConfigReading =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] }

type Given = Readonly<Record<string, string>>
type Settings = z.output<typeof settings>

const secretNames = settingRows.flatMap(({ name, isSecret }) => (isSecret ? [name] : []))
/** Most systems know these in small letters too. */
const proxyNames = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']
const knownNames = [...settingRows.map(({ name }) => name), ...secretNames.map(fileSetting)]

/** Pure but for `readFile`, by which secrets and certificates are read. A blank setting counts as not set. */
export function readConfig(env: Environment, readFile: ReadFile): ConfigReading {
  const files = readSecretFiles(env, secretNames, readFile)
  const given = givenIn(files.env)
  const secrets = secretNames.flatMap((name) => given[name] ?? [])
  const problem = (name: string, expected: string, came: string) =>
    `${name}: expected ${expected}; came ${came}`
  const problems = files.problems.map(({ setting, expected, came }) => problem(setting, expected, came))
  const checked = settings.safeParse(given)
  for (const { path, message } of checked.error?.issues ?? []) {
    const name = String(path[0])
    if (files.unread.has(name)) continue
    const named = files.env[name] === env[name] ? name : fileSetting(name)
    problems.push(problem(named, message, cameOf(name, given[name], secrets)))
  }
  const conflicts = [...transportProblems(given), ...pagerProblems(given)]
  for (const { name, expected } of conflicts)
    if (!files.unread.has(name)) problems.push(problem(name, expected, cameOf(name, given[name], secrets)))
  const certificates = certificateProblem(given.CA_FILE, readFile)
  if (certificates !== null)
    problems.push(problem('CA_FILE', 'the path of a file of certificates in PEM', certificates))
  if (!checked.success || problems.length > 0) return { ok: false, problems }
  return { ok: true, config: configOf(checked.data), warnings: warningsOf(env, checked.data) }
}

/** The database alone, for tools that need nothing else. */
export function readDatabase(
  env: Environment,
  readFile: ReadFile,
):
  | { readonly ok: true; readonly database: Config['database'] }
  | { readonly ok: false; readonly problem: string } {
  const files = readSecretFiles(env, ['DATABASE_URL'], readFile)
  const [unread] = files.problems
  const given = givenIn(files.env)
  const checked = settings.shape.DATABASE_URL.safeParse(given.DATABASE_URL)
  if (unread === undefined && checked.success) return { ok: true, database: databaseOf(checked.data, 1) }
  const expected = unread?.expected ?? checked.error?.issues[0]?.message
  const came = unread?.came ?? cameOf('DATABASE_URL', given.DATABASE_URL, [])
  return { ok: false, problem: `${unread?.setting ?? 'DATABASE_URL'}: expected ${expected}; came ${came}` }
}

/** The values that are set, or usual. */
function givenIn(env: Environment): Given {
  return Object.fromEntries(
    settingRows.flatMap(({ name, default: usual }) => {
      const names = proxyNames.includes(name) ? [name, name.toLowerCase()] : [name]
      const value = names.map((one) => env[one]?.trim()).find((one) => one) ?? usual
      return value === null ? [] : [[name, value]]
    }),
  )
}

function cameOf(name: string, value: string | undefined, secrets: readonly string[]): string {
  if (value === undefined) return 'nothing'
  if (secretNames.includes(name)) {
    const isPlain = /^[\x21-\x7e]+$/.test(value)
    return `a value of ${value.length} characters${isPlain ? '' : ' that holds spaces or other characters than ASCII'}`
  }
  // The path and the query of an address may be secret.
  const url = /^https?:/i.test(value) ? URL.parse(value) : null
  if (url === null) return shown(value, secrets)
  const isMore = url.href !== `${url.origin}/`
  return `${shown(url.origin, secrets)}${isMore ? ' with something more' : ''}`
}

type Conflict = { readonly name: string; readonly expected: string }

function transportProblems({ SLACK_APP_TOKEN: token, SLACK_SIGNING_SECRET: signing }: Given): Conflict[] {
  if (token === undefined && signing === undefined) {
    const expected = 'an app-level token for Socket Mode, xapp-… (or SLACK_SIGNING_SECRET for HTTP mode)'
    return [{ name: 'SLACK_APP_TOKEN', expected }]
  }
  if (token === undefined || signing === undefined) return []
  return [
    { name: 'SLACK_SIGNING_SECRET', expected: 'nothing beside SLACK_APP_TOKEN: one of the two is given' },
  ]
}

function pagerProblems({
  PAGERDUTY_ROUTING_KEY: key,
  PAGER_URL: url,
  PAGER_SECRET: secret,
}: Given): Conflict[] {
  if (key !== undefined) {
    const beside = [url === undefined ? [] : 'PAGER_URL', secret === undefined ? [] : 'PAGER_SECRET'].flat()
    return beside.map((name) => ({
      name,
      expected: 'nothing beside PAGERDUTY_ROUTING_KEY: there is one pager',
    }))
  }
  if (url !== undefined && secret === undefined)
    return [{ name: 'PAGER_SECRET', expected: 'the secret of the pager at PAGER_URL, whsec_…' }]
  if (url === undefined && secret !== undefined)
    return [{ name: 'PAGER_URL', expected: 'the address of the pager, beside PAGER_SECRET' }]
  return []
}

function certificateProblem(path: string | undefined, readFile: ReadFile): string | null {
  if (path === undefined) return null
  try {
    const found = readFile(path).match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
    for (const one of found) new X509Certificate(one)
    return found.length > 0 ? null : `${shown(path, [])}, which holds none`
  } catch {
    return `${shown(path, [])}, which cannot be read`
  }
}

function warningsOf(env: Environment, set: Settings): string[] {
  const warnings = unknownNames(env, knownNames).map(unknownSentence)
  const gapMs = longestGapMs(set.POLL_CRON)
  if (gapMs > seldomMs)
    warnings.push(
      `POLL_CRON asks for alerts every ${Math.round(gapMs / 60_000)} minutes only: its seconds come first, as in */15 * * * * *`,
    )
  return warnings
}

function databaseOf(url: Settings['DATABASE_URL'], connections: number): Config['database'] {
  return url.kind === 'sqlite' ? url : { ...url, connections }
}

function pagerOf(set: Settings): Config['pager'] {
  const { PAGERDUTY_ROUTING_KEY: routingKey, PAGER_URL: url, PAGER_SECRET: secret } = set
  if (routingKey !== undefined) return { kind: 'pagerduty', routingKey, url: set.PAGERDUTY_URL }
  return url === undefined || secret === undefined ? null : { kind: 'webhook', url, secret }
}

function configOf(set: Settings): Config {
  return {
    monitor: { url: set.MONITOR_URL, key: set.MONITOR_API_KEY },
    slack: {
      botToken: set.SLACK_BOT_TOKEN,
      appToken: set.SLACK_APP_TOKEN ?? null,
      signingSecret: set.SLACK_SIGNING_SECRET ?? null,
      apiUrl: set.SLACK_API_URL,
      channel: set.SLACK_CHANNEL ?? null,
    },
    database: databaseOf(set.DATABASE_URL, set.DATABASE_CONNECTIONS),
    replicaName: set.REPLICA_NAME ?? hostname(),
    pollCron: set.POLL_CRON,
    host: set.HOST,
    port: set.PORT,
    basePath: set.BASE_PATH ?? '',
    policyPath: set.MONBOT_CONFIG ?? null,
    heartbeatUrl: set.HEARTBEAT_URL ?? null,
    proxy: { https: set.HTTPS_PROXY ?? null, http: set.HTTP_PROXY ?? null, none: set.NO_PROXY ?? [] },
    caFile: set.CA_FILE ?? null,
    pager: pagerOf(set),
    onCallIcalUrl: set.ONCALL_ICAL_URL ?? null,
    pagerdutyApi: { token: set.PAGERDUTY_API_TOKEN ?? null, url: set.PAGERDUTY_API_URL },
    logLevel: set.LOG_LEVEL,
  }
}
