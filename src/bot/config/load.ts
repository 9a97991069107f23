/** Reads settings and policy as one start needs them: all problems at once, one line each, and never the value of a secret. */
import { X509Certificate } from 'node:crypto'
import { misspelt } from '../../shared/nearest.ts'
import { fileSetting, readLimited, readSecretFiles } from '../../shared/setting-files.ts'
import { minute } from '../clock.ts'
import { defaultPolicy, type Policy, readPolicy } from './policy.ts'
import { type Config, configOf, databaseOf, secretNames, settingNames, settings } from './settings.ts'
import { expectedOf, longestGapMs, seldomMs, shown } from './shapes.ts'

export type Environment = Readonly<Record<string, string | undefined>>
/** Returns the text of a file, or throws as `node:fs` does. */
export type ReadFile = (path: string) => string
type Wrong = { readonly ok: false; readonly problems: readonly string[] }
type Read = { readonly ok: true; readonly config: Config; readonly warnings: readonly string[] }
type Expected = { readonly name: string; readonly expected: string }

type Given = Readonly<Record<string, string>>
/** Which settings are given, rightly or not. */
type Names = ReadonlySet<string>

const knownNames = [...settingNames, ...secretNames.map(fileSetting)]

export function loadSettings(env: Environment): (Read & { readonly policy: Policy }) | Wrong {
  const read = readConfig(env, readLimited)
  // A wrong setting must not keep a wrong policy from being told in the same breath.
  const path = read.ok ? read.config.policyPath : env.MONBOT_CONFIG || null
  const file = path === null ? { ok: true as const, policy: defaultPolicy() } : policyAt(path)
  const problems = [
    ...(read.ok ? [] : read.problems),
    ...(file.ok ? crossCheck(read.names, file.policy) : file.problems),
  ]
  if (read.ok && file.ok && problems.length === 0) return { ...read, policy: file.policy }
  // What is missing may be there under a wrong name.
  return { ok: false, problems: [...problems, ...misspelt(env, knownNames)] }
}

/** Pure but for `readFile`, by which secrets and certificates are read. A blank setting counts as not set. */
export function readConfig(env: Environment, readFile: ReadFile): (Read | Wrong) & { readonly names: Names } {
  const { given, unread, problems } = givenIn(env, secretNames, readFile)
  const checked = settings.safeParse(given, { error: expectedOf })
  const issues = checked.error?.issues ?? []
  const all = issues.map(({ path, message }) => ({ name: String(path[0]), expected: message }))
  for (const { name, expected } of [...all, ...conflictsIn(given)])
    if (!unread.has(name)) problems.push(problemOf(env, given, name, expected))
  const certificates = certificateProblem(given.CA_FILE, readFile)
  if (certificates !== null) problems.push(certificates)
  const names = new Set([...Object.keys(given), ...unread])
  if (!checked.success || problems.length > 0) return { ok: false, problems, names }
  const warnings = warningsOf(env, checked.data.POLL_CRON)
  return { ok: true, config: configOf(checked.data), warnings, names }
}

/** What holds between settings. */
function conflictsIn(given: Given): Expected[] {
  const { SLACK_APP_TOKEN: token, SLACK_SIGNING_SECRET: signing } = given
  const { PAGERDUTY_ROUTING_KEY: key, PAGER_URL: url, PAGER_SECRET: secret } = given
  const way = 'an app-level token for Socket Mode, xapp-… (or SLACK_SIGNING_SECRET for HTTP mode)'
  const rules: [isBroken: unknown, name: string, expected: string][] = [
    [!token && !signing, 'SLACK_APP_TOKEN', way],
    [token && signing, 'SLACK_SIGNING_SECRET', 'nothing beside SLACK_APP_TOKEN: one of the two is given'],
    [key && url, 'PAGER_URL', 'nothing beside PAGERDUTY_ROUTING_KEY: there is one pager'],
    [url && !secret, 'PAGER_SECRET', 'the secret of the pager at PAGER_URL, whsec_…'],
    [secret && !url, 'PAGER_URL', 'the address of the pager, beside PAGER_SECRET'],
  ]
  return rules.flatMap(([isBroken, name, expected]) => (isBroken ? { name, expected } : []))
}

/** The database alone, for tools that need nothing else. */
export function readDatabase(env: Environment, readFile: ReadFile) {
  const { given, problems } = givenIn(env, ['DATABASE_URL'], readFile)
  const checked = settings.shape.DATABASE_URL.safeParse(given.DATABASE_URL)
  if (checked.success && problems.length === 0)
    return { ok: true as const, database: databaseOf(checked.data, 1) }
  const [issue] = checked.error?.issues ?? []
  if (issue !== undefined && problems.length === 0)
    problems.push(problemOf(env, given, 'DATABASE_URL', issue.message))
  return { ok: false as const, problems }
}

/** The values that are set, in the environment or a file. `unread`: those whose file cannot be used. */
function givenIn(env: Environment, secrets: readonly string[], readFile: ReadFile) {
  const files = readSecretFiles(env, secrets, readFile)
  const given: Record<string, string> = {}
  for (const name of settingNames) {
    // Most systems know these in small letters too.
    const value =
      files.env[name]?.trim() || (name.endsWith('_PROXY') && files.env[name.toLowerCase()]?.trim())
    if (value) given[name] = value
  }
  const problems = files.problems.map(({ setting, expected, came }) => sentence(setting, expected, came))
  return { given, unread: files.unread, problems }
}

function problemOf(env: Environment, given: Given, name: string, expected: string): string {
  const isOfFile = secretNames.includes(name) && env[fileSetting(name)]?.trim() && given[name] !== undefined
  return sentence(isOfFile ? fileSetting(name) : name, expected, cameOf(name, given))
}

function sentence(name: string, expected: string, came: string): string {
  return `${name}: expected ${expected}; came ${came}`
}

function cameOf(name: string, given: Given): string {
  const value = given[name]
  if (value === undefined) return 'nothing'
  if (secretNames.includes(name)) return `a value of ${value.length} characters`
  // The path and the query of an address may be secret.
  const origin = /^https?:/i.test(value) ? URL.parse(value)?.origin : undefined
  return shown(
    origin === undefined ? value : `${origin}/…`,
    secretNames.flatMap((one) => given[one] ?? []),
  )
}

function certificateProblem(path: string | undefined, readFile: ReadFile): string | null {
  if (path === undefined) return null
  try {
    const found = readFile(path).match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
    for (const one of found) new X509Certificate(one)
    if (found.length > 0) return null
  } catch {
    // It cannot be read, or holds something else.
  }
  const came = `${shown(path, [])}, which holds none that can be read`
  return sentence('CA_FILE', 'the path of a file of certificates in PEM', came)
}

function warningsOf(env: Environment, pollCron: string): string[] {
  const gapMs = longestGapMs(pollCron)
  const minutes = Math.round(gapMs / minute)
  const seldom = `POLL_CRON asks for alerts every ${minutes} minutes only: its seconds come first, as in */15 * * * * *`
  return [...misspelt(env, knownNames), ...(gapMs > seldomMs ? [seldom] : [])]
}

export function policyAt(path: string) {
  try {
    return readPolicy(readLimited(path), path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reason known'
    const problem = `${path}: expected a policy that can be read; came ${code}`
    return { ok: false as const, problems: [problem] }
  }
}

/** What the policy needs of the settings: found at the start, not at three in the morning. */
export function crossCheck(names: Names, { routes, reminders, onCall, investigate }: Policy): string[] {
  const last = routes.at(-1)
  const isAllRouted = last !== undefined && Object.keys(last.match).length === 0
  const hasPager = names.has('PAGERDUTY_ROUTING_KEY') || names.has('PAGER_URL')
  const sources = [onCall?.ical, onCall?.pagerduty, names.has('ONCALL_ICAL_URL')].filter(Boolean)
  const isAsked = [...routes, ...reminders].some(({ mention }) => mention?.split(' ').includes('oncall'))
  const channel =
    "a channel id such as C0123456789 (not needed where the policy file's last route matches everything)"
  const pager =
    'a pager (or PAGER_URL with PAGER_SECRET), because a reminder of the policy file has page: true'
  const calendar = `one of ical, pagerduty and ONCALL_ICAL_URL${isAsked ? ', because `mention: oncall` needs a calendar' : ''}`
  const isWithout = sources.length === 0 && (isAsked || onCall !== null)
  const isUnsigned = investigate?.secret === null && !names.has('INVESTIGATE_SECRET')
  const secret = 'the secret of the investigator that the policy file names, whsec_…'
  const key = 'a key of PagerDuty’s REST API, because oncall names a schedule'
  const rules: [isBroken: boolean, name: string, expected: string, came?: string][] = [
    [!names.has('SLACK_CHANNEL') && !isAllRouted, 'SLACK_CHANNEL', channel],
    [!hasPager && reminders.some(({ page }) => page), 'PAGERDUTY_ROUTING_KEY', pager],
    [sources.length > 1, 'oncall', calendar, `${sources.length} of them`],
    [isWithout, 'oncall', calendar],
    [isUnsigned, 'INVESTIGATE_SECRET', secret],
    [onCall?.pagerduty != null && !names.has('PAGERDUTY_API_TOKEN'), 'PAGERDUTY_API_TOKEN', key],
  ]
  return rules.flatMap(([isBroken, name, expected, came = 'nothing']) =>
    isBroken ? sentence(name, expected, came) : [],
  )
}
