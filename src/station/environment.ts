/** The service's settings from the environment: pure, all problems at once, never with a secret in them (docs/settings.md). */
import { z } from 'zod'
import { fileSetting, readSecretFiles } from '../shared/secret-files.ts'
import { isKey, keyRule } from './keys.ts'
import { fleetMax } from './own/fleet.ts'
import type { Access } from './prometheus/ask.ts'
import type { PrometheusOptions } from './prometheus/source.ts'
import type { ServiceOptions } from './service.ts'
import { quoted } from './source.ts'

type Environment = Readonly<Record<string, string | undefined>>

const ports = { alone: 9090, besidePrometheus: 9095 }
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
const isHttp = (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? '')
const listOf = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
const addresses = z
  .string()
  .transform(listOf)
  .refine((all) => all.length > 0 && all.length <= urlsMax && all.every(isHttp), {
    error: `expected 1 to ${urlsMax} addresses with http:// or https:// between commas; came something else`,
  })
  .transform((all) => all.map((one) => new URL(one)))
const address = z
  .string()
  .trim()
  .refine(isHttp, { error: 'expected an address with http:// or https://; came something else' })
const visible = z
  .string()
  .regex(/^[!-~]+$/, { error: 'expected visible ASCII without spaces; came something else' })
const path = z.string()

const shape = z.object({
  PORT: port.optional(),
  HOST: z.string().default('127.0.0.1'),
  MONITOR_API_KEY: z
    .string()
    .refine(isKey, { error: `expected ${keyRule}; came something else` })
    .optional(),
  MONITOR_CONTROL_PORT: port.optional(),
  MONITOR_FORM: oneOf(['flip', 'pair']).default('flip'),
  MONITOR_ORDER: oneOf(['newest', 'oldest', 'shuffled']).default('newest'),
  MONITOR_FILE: path.optional(),
  MONITOR_FLEET: whole(`0 to ${fleetMax} servers`, fleetMax).optional(),
  MONITOR_SEED: whole('a whole number', 999_999_999).prefault('1'),
  MONITOR_SAMPLE: oneOf(['on', 'off']).optional(),
  MONITOR_PUBLIC_URL: address.transform((text) => text.replace(/\/+$/, '')).optional(),
  MONITOR_CONFIG: z
    .undefined({
      error: 'expected nothing: servers are watched by a Prometheus now (docs/fleet.md); came a file',
    })
    .optional(),
  PROMETHEUS_URL: address.transform((text) => new URL(text)).optional(),
  PROMETHEUS_RULES_URL: addresses.optional(),
  ALERTMANAGER_URL: addresses.optional(),
  PROMETHEUS_REPORTERS: z.string().transform(listOf).prefault(''),
  ...accessShape('PROMETHEUS'),
  ...accessShape('ALERTMANAGER'),
})

/** Of the Prometheus and its rulers, and of the Alertmanagers: what goes along with every request. */
function accessShape<const P extends string>(product: P) {
  const named = {
    [`${product}_TOKEN`]: visible.optional(),
    [`${product}_TOKEN_FILE`]: path.optional(),
    [`${product}_PASSWORD`]: z.string().optional(),
    [`${product}_PASSWORD_FILE`]: path.optional(),
    [`${product}_TENANT`]: visible.optional(),
    [`${product}_CA_FILE`]: path.optional(),
    [`${product}_CERT_FILE`]: path.optional(),
    [`${product}_KEY_FILE`]: path.optional(),
  }
  return named as Record<`${P}_${keyof typeof accessNames}`, z.ZodOptional<z.ZodString>>
}

const accessNames = {
  TOKEN: 'token',
  TOKEN_FILE: 'tokenFile',
  PASSWORD: 'password',
  PASSWORD_FILE: 'passwordFile',
  TENANT: 'tenant',
  CA_FILE: 'caFile',
  CERT_FILE: 'certFile',
  KEY_FILE: 'keyFile',
} as const

/** Each may come from a file, too; addresses may hold a password. Tokens and passwords are read from theirs for each request. */
export const secretNames = ['MONITOR_API_KEY', 'PROMETHEUS_URL', 'PROMETHEUS_RULES_URL', 'ALERTMANAGER_URL']
export const settingNames: readonly string[] = [...Object.keys(shape.shape), ...secretNames.map(fileSetting)]

/** `readFile` throws an error with a `code`, as `node:fs` does. An empty variable counts as not set. */
export function readEnvironment(
  given: Environment,
  readFile: (path: string) => string,
): { readonly problems: readonly string[]; readonly options: ServiceOptions } {
  const { env, problems: unread } = readSecretFiles(given, secretNames, readFile)
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))
  const problems = unread.map(
    ({ setting, expected, came }) => `${setting}: expected ${expected}; came ${came}`,
  )
  const parsed = shape.safeParse(set)
  for (const { path: at, message } of parsed.error?.issues ?? []) {
    const name = at.map(String).join('.')
    problems.push(`${env[name] === given[name] ? name : fileSetting(name)}: ${message}`)
  }
  if (!parsed.success) return { problems, options: {} }
  const found = parsed.data
  problems.push(...accessProblems(found, readFile))
  const prometheus = prometheusOf(found)
  const usualPort = prometheus === null ? ports.alone : ports.besidePrometheus
  const { PORT = usualPort, MONITOR_CONTROL_PORT: controlPort = null } = found
  if (PORT !== 0 && PORT === controlPort)
    problems.push(`MONITOR_CONTROL_PORT: expected another port than the API's; came ${PORT}`)
  return {
    problems,
    options: {
      port: PORT,
      controlPort,
      host: found.HOST,
      form: found.MONITOR_FORM,
      order: found.MONITOR_ORDER,
      fleet: found.MONITOR_FLEET ?? (prometheus === null ? 12 : 0),
      seed: found.MONITOR_SEED,
      sample: (found.MONITOR_SAMPLE ?? (prometheus === null ? 'on' : 'off')) === 'on',
      ...(found.MONITOR_API_KEY === undefined ? {} : { key: found.MONITOR_API_KEY }),
      ...(found.MONITOR_FILE === undefined ? {} : { file: found.MONITOR_FILE }),
      ...(found.MONITOR_PUBLIC_URL === undefined ? {} : { publicUrl: found.MONITOR_PUBLIC_URL }),
      ...(prometheus === null ? {} : { prometheus }),
    },
  }
}

type Found = z.output<typeof shape>

/** Null: the service watches by itself. */
function prometheusOf(found: Found): PrometheusOptions | null {
  const {
    PROMETHEUS_URL: url = null,
    PROMETHEUS_RULES_URL: rulers = [],
    ALERTMANAGER_URL: managers = [],
  } = found
  if (url === null && rulers.length === 0 && managers.length === 0) return null
  return {
    url,
    rulers,
    alertmanagers: managers,
    access: accessOf('PROMETHEUS', found),
    managerAccess: accessOf('ALERTMANAGER', found),
    reporters: found.PROMETHEUS_REPORTERS,
  }
}

function accessOf(product: 'PROMETHEUS' | 'ALERTMANAGER', found: Found): Access {
  const entries = Object.entries(accessNames).map(([name, field]) => [
    field,
    found[`${product}_${name as keyof typeof accessNames}`] ?? null,
  ])
  return Object.fromEntries(entries) as Access
}

/** Files that cannot be read, and halves of what belongs together. */
function accessProblems(found: Found, readFile: (path: string) => string): string[] {
  return (['PROMETHEUS', 'ALERTMANAGER'] as const).flatMap((product) => {
    const of = (name: keyof typeof accessNames) => found[`${product}_${name}`]
    const both = (['TOKEN', 'PASSWORD'] as const).filter((name) => of(name) && of(`${name}_FILE`))
    const files = (['TOKEN_FILE', 'PASSWORD_FILE', 'CA_FILE', 'CERT_FILE', 'KEY_FILE'] as const).filter(
      (name) => of(name) !== undefined && !isReadable(of(name) ?? '', readFile),
    )
    const isHalf = (of('CERT_FILE') === undefined) !== (of('KEY_FILE') === undefined)
    return [
      ...both.map((name) => `${product}_${name}_FILE: expected nothing beside ${product}_${name}; came both`),
      ...files.map(
        (name) => `${product}_${name}: expected a file that can be read and is not empty; came another`,
      ),
      ...(isHalf
        ? [`${product}_CERT_FILE: expected a certificate and ${product}_KEY_FILE; came one of them`]
        : []),
    ]
  })
}

function isReadable(file: string, readFile: (path: string) => string): boolean {
  try {
    return readFile(file).trim() !== ''
  } catch {
    return false
  }
}
