/** The service's settings from the environment: pure, all problems at once, never with a secret in them (docs/settings.md). */
import { z } from 'zod'
import { fileSetting, readSecretFiles } from '../shared/setting-files.ts'
import { isKey, keyRule } from './keys.ts'
import { fleetMax } from './own/fleet.ts'
import type { Access } from './prometheus/ask.ts'
import type { ServiceOptions } from './service.ts'
import { quoted } from './source.ts'

type Environment = Readonly<Record<string, string | undefined>>

const urlsMax = 10

const whole = (expected: string, max: number) =>
  z.string().transform((text, context) => {
    if (/^\d{1,9}$/.test(text) && Number(text) <= max) return Number(text)
    context.addIssue({ code: 'custom', message: `expected ${expected}; came ${quoted(text)}` })
    return z.NEVER
  })
const port = whole('a port from 0 to 65535', 65_535)
const oneOf = <const V extends readonly [string, ...string[]]>(values: V) =>
  z.enum(values, { error: ({ input }) => `expected ${values.join(' or ')}; came ${quoted(input)}` })
const text = (isRight: (text: string) => boolean, expected: string) =>
  z.string().refine(isRight, { error: `expected ${expected}; came something else` })
const isHttp = (said: string) => /^https?:$/.test(URL.parse(said)?.protocol ?? '')
const address = text(isHttp, 'an address with http:// or https://')
const listOf = (said: string) => said.split(/[\s,]+/).filter((one) => one !== '')
const addresses = text(
  (said) => listOf(said).length > 0 && listOf(said).length <= urlsMax && listOf(said).every(isHttp),
  `1 to ${urlsMax} addresses with http:// or https:// between commas`,
).transform((said) => listOf(said).map((one) => new URL(one)))

const shape = z.object({
  PORT: port.optional(),
  HOST: z.string().default('127.0.0.1'),
  MONITOR_API_KEY: text(isKey, keyRule).optional(),
  MONITOR_CONTROL_PORT: port.optional(),
  MONITOR_FILE: z.string().optional(),
  MONITOR_FLEET: whole(`0 to ${fleetMax} servers`, fleetMax).optional(),
  MONITOR_SEED: whole('a whole number', 999_999_999).prefault('1'),
  MONITOR_SAMPLE: oneOf(['on', 'off']).optional(),
  MONITOR_PUBLIC_URL: address.transform((said) => said.replace(/\/+$/, '')).optional(),
  PROMETHEUS_URL: address.transform((said) => new URL(said)).optional(),
  PROMETHEUS_RULES_URL: addresses.default([]),
  ALERTMANAGER_URL: addresses.default([]),
  PROMETHEUS_REPORTERS: z.string().transform(listOf).default([]),
})

/** Of `PROMETHEUS_`, which counts for rulers too, and of `ALERTMANAGER_`: what goes along with every request. */
const accessNames = [
  'TOKEN',
  'TOKEN_FILE',
  'PASSWORD',
  'PASSWORD_FILE',
  'TENANT',
  'CA_FILE',
  'CERT_FILE',
  'KEY_FILE',
]
const products = ['PROMETHEUS', 'ALERTMANAGER'] as const

/** Each may come from a file, too; addresses may hold a password. Tokens and passwords are read from theirs for each request. */
const secretNames = ['MONITOR_API_KEY', 'PROMETHEUS_URL', 'PROMETHEUS_RULES_URL', 'ALERTMANAGER_URL']
export const settingNames: readonly string[] = [
  ...Object.keys(shape.shape),
  ...products.flatMap((product) => accessNames.map((name) => `${product}_${name}`)),
  ...secretNames.map(fileSetting),
]

/** `readFile` throws an error with a `code`, as `node:fs` does. An empty variable counts as not set. */
export function readEnvironment(
  given: Environment,
  readFile: (path: string) => string,
): { readonly problems: readonly string[]; readonly options: ServiceOptions } {
  const { env, problems: unread } = readSecretFiles(given, secretNames, readFile)
  const trimmed = Object.entries(env).map(([name, value]) => [name, value?.trim()] as const)
  const set: Environment = Object.fromEntries(trimmed.filter(([, value]) => value))
  const problems = unread.map(
    ({ setting, expected, came }) => `${setting}: expected ${expected}; came ${came}`,
  )
  problems.push(...products.flatMap((product) => accessProblems(product, set, readFile)))
  const parsed = shape.safeParse(set)
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = path.map(String).join('.')
    problems.push(`${env[name] === given[name] ? name : fileSetting(name)}: ${message}`)
  }
  if (!parsed.success) return { problems, options: {} }
  const found = parsed.data
  const { PROMETHEUS_URL: url = null, PROMETHEUS_RULES_URL: rulers, ALERTMANAGER_URL: alertmanagers } = found
  const isAlone = url === null && rulers.length + alertmanagers.length === 0
  const { PORT = isAlone ? 9090 : 9095, MONITOR_CONTROL_PORT: controlPort = null } = found
  if (PORT !== 0 && PORT === controlPort)
    problems.push(`MONITOR_CONTROL_PORT: expected another port than the API's; came ${PORT}`)
  const accesses = { access: accessOf('PROMETHEUS', set), managerAccess: accessOf('ALERTMANAGER', set) }
  const prometheus = { url, rulers, alertmanagers, ...accesses, reporters: found.PROMETHEUS_REPORTERS }
  const options: ServiceOptions = {
    port: PORT,
    controlPort,
    host: found.HOST,
    fleet: found.MONITOR_FLEET ?? (isAlone ? 12 : 0),
    seed: found.MONITOR_SEED,
    sample: (found.MONITOR_SAMPLE ?? (isAlone ? 'on' : 'off')) === 'on',
    key: found.MONITOR_API_KEY,
    file: found.MONITOR_FILE,
    publicUrl: found.MONITOR_PUBLIC_URL,
    prometheus: isAlone ? undefined : prometheus,
  }
  return { problems, options }
}

/** `TOKEN_FILE` is `tokenFile` there. */
function accessOf(product: string, env: Environment): Access {
  const nameOf = (name: string) =>
    name.toLowerCase().replace(/_(.)/, (_, first: string) => first.toUpperCase())
  return Object.fromEntries(accessNames.map((name) => [nameOf(name), env[`${product}_${name}`]]))
}

/** What no header can hold, files that cannot be read, and halves of what belongs together. */
function accessProblems(product: string, env: Environment, readFile: (path: string) => string): string[] {
  const problems: string[] = []
  const problem = (name: string, expected: string, came: string) =>
    problems.push(`${product}_${name}: expected ${expected}; came ${came}`)
  const of = (name: string) => env[`${product}_${name}`]
  for (const name of ['TOKEN', 'TENANT'])
    if (/[^!-~]/.test(of(name) ?? '')) problem(name, 'visible ASCII without spaces', 'something else')
  for (const name of ['TOKEN', 'PASSWORD'])
    if (of(name) && of(`${name}_FILE`)) problem(`${name}_FILE`, `nothing beside ${product}_${name}`, 'both')
  for (const name of accessNames.filter((one) => one.endsWith('_FILE') && of(one))) {
    try {
      if (readFile(of(name) ?? '').trim() !== '') continue
    } catch {}
    problem(name, 'a file that can be read and is not empty', 'another')
  }
  if ((of('CERT_FILE') === undefined) !== (of('KEY_FILE') === undefined))
    problem('CERT_FILE', `a certificate and ${product}_KEY_FILE`, 'one of them')
  return problems
}
