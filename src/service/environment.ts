/** The service's settings from the environment; all problems at once, never with a key in them. */
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { z } from 'zod'
import { readLimited } from '../shared/limited-file.ts'
import { fileSetting, readSecretFiles } from '../shared/secret-files.ts'
import { prometheusSettings } from './config/prometheus-shape.ts'
import type { FleetConfig } from './config/read-config.ts'
import { fleetSizeMax } from './metrics/fleet.ts'
import { isHttp, type ServiceOptions } from './options.ts'
import { quoted } from './refusal.ts'
import { isKey, keyRule } from './store/keys.ts'

const portUsual = 9090
/** Not 9090, which is Prometheus' own port, often on the same machine. */
const portBesidePrometheus = 9095
const fleetUsual = 12

const whole = (expected: string, max: number) =>
  z.string().transform((text, context) => {
    if (/^\d{1,9}$/.test(text) && Number(text) <= max) return Number(text)
    context.addIssue({ code: 'custom', message: `expected ${expected}; came ${quoted(text)}` })
    return z.NEVER
  })

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: ({ input }) => `expected ${values.join(' or ')}; came ${quoted(input)}` })

const addressExpected = 'expected an address with http:// or https://; came something else'

const httpAddress = z
  .string()
  .trim()
  .refine(isHttp, { error: addressExpected })
  .transform((text) => new URL(text))

const httpAddresses = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  )
  .refine((all) => all.length > 0 && all.length <= 10 && all.every(isHttp), {
    error: 'expected 1 to 10 addresses with http:// or https:// between commas; came something else',
  })
  .transform((all) => all.map((one) => new URL(one)))

const token = z
  .string()
  .regex(/^[\x21-\x7e]+$/, { error: 'expected a token: visible ASCII without spaces; came something else' })

const environment = z.object({
  PORT: whole('a port from 0 to 65535', 65_535).optional(),
  /** The address to listen on; other than loopback for agents that push and for a bot elsewhere. */
  HOST: z.string().optional(),
  /** Where the control API listens, on loopback; without it there is none. */
  MONITOR_CONTROL_PORT: whole('a port from 0 to 65535', 65_535).optional(),
  MONITOR_API_KEY: z
    .string()
    .refine(isKey, { error: `expected ${keyRule}; came something else` })
    .optional(),
  /** How a closing alert shows. */
  MONITOR_FORM: oneOf(['flip', 'pair']).default('flip'),
  MONITOR_ORDER: oneOf(['newest', 'oldest', 'shuffled']).default('newest'),
  /** A SQLite file; without it the state is lost when the process ends. */
  MONITOR_FILE: z.string().optional(),
  /** A YAML file: servers to scrape, triggers, custom metrics. */
  MONITOR_CONFIG: z.string().optional(),
  /** Simulated servers; 0 for none, which is the default beside real ones. */
  MONITOR_FLEET: whole(`0 to ${fleetSizeMax} servers`, fleetSizeMax).optional(),
  MONITOR_SEED: whole('a whole number', 999_999_999).prefault('1'),
  /** Whether this machine is measured; beside other servers only if requested. */
  MONITOR_SAMPLE: oneOf(['on', 'off']).optional(),
  /** A Prometheus-compatible engine behind the API instead of the service's own measurements; may contain user and password. */
  PROMETHEUS_URL: httpAddress.optional(),
  /** Where its rules are, if not there (a ruler, vmalert), separated by commas. */
  PROMETHEUS_RULES_URL: httpAddresses.optional(),
  /** Its Alertmanagers, separated by commas, all of one cluster. */
  ALERTMANAGER_URL: httpAddresses.optional(),
  /** A bearer token for the two first; a secret. */
  PROMETHEUS_TOKEN: token.optional(),
  /** A file that holds it, read again for each request. */
  PROMETHEUS_TOKEN_FILE: z.string().optional(),
  /** A bearer token for the Alertmanagers; a secret. */
  ALERTMANAGER_TOKEN: token.optional(),
  ALERTMANAGER_TOKEN_FILE: z.string().optional(),
  MONITOR_PUBLIC_URL: z.string().refine(isHttp, { error: addressExpected }).optional(),
})

export const environmentNames = Object.keys(environment.shape)

/** Each may come from a file, too; addresses may hold a password. The tokens have such a setting of their own, read for each request. */
export const secretNames = ['MONITOR_API_KEY', 'PROMETHEUS_URL', 'PROMETHEUS_RULES_URL', 'ALERTMANAGER_URL']

/** All names by which settings may stand in the environment. */
export const settingNames: readonly string[] = [...environmentNames, ...secretNames.map(fileSetting)]

export type FromEnvironment =
  | { readonly problems: readonly string[] }
  | { readonly problems: null; readonly options: ServiceOptions; readonly madeKey: string | null }

/**
 * An empty variable counts as not set. `madeKey` is the key that was generated because none was given; `config` is
 * the content of the file at MONITOR_CONFIG, if there is one.
 */
export function readEnvironment(
  environmentOfProcess: Readonly<Record<string, string | undefined>>,
  config: FleetConfig | null,
): FromEnvironment {
  const {
    env,
    unread,
    problems: unreadable,
  } = readSecretFiles(environmentOfProcess, secretNames, readLimited)
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = environment.safeParse(given)
  if (!parsed.success || unread.size > 0) {
    const wrong = unreadable.map(
      ({ setting, expected, came }) => `${setting}: expected ${expected}; came ${came}`,
    )
    for (const { path, message } of parsed.error?.issues ?? []) {
      const name = path.map(String).join('.')
      wrong.push(`${env[name] === environmentOfProcess[name] ? name : fileSetting(name)}: ${message}`)
    }
    return { problems: wrong }
  }
  const found = parsed.data
  const { settings: prometheus, problems } = prometheusSettings(
    {
      url: found.PROMETHEUS_URL ?? null,
      rules: found.PROMETHEUS_RULES_URL ?? null,
      alertmanagers: found.ALERTMANAGER_URL ?? null,
      token: tokenOf(found.PROMETHEUS_TOKEN, found.PROMETHEUS_TOKEN_FILE),
      managerToken: tokenOf(found.ALERTMANAGER_TOKEN, found.ALERTMANAGER_TOKEN_FILE),
    },
    config?.prometheus ?? null,
  )
  if (problems.length > 0) return { problems }
  if (prometheus !== null && config?.scrape != null)
    return {
      problems: ['PROMETHEUS_URL: expected no scrape in the file of MONITOR_CONFIG beside it; came one'],
    }
  if (prometheus !== null && config?.triggers != null) {
    return {
      problems: [
        'PROMETHEUS_URL: expected no triggers in the file of MONITOR_CONFIG beside it, as its rules say what is an alert; came some',
      ],
    }
  }
  const port = found.PORT ?? (prometheus === null ? portUsual : portBesidePrometheus)
  if (port !== 0 && port === found.MONITOR_CONTROL_PORT)
    return { problems: [`MONITOR_CONTROL_PORT: expected another port than the API's; came ${port}`] }
  const hasServers = config?.scrape != null || prometheus !== null
  const madeKey = found.MONITOR_API_KEY === undefined ? randomBytes(20).toString('hex') : null
  return {
    problems: null,
    madeKey,
    options: {
      port,
      ...(found.HOST === undefined ? {} : { host: found.HOST }),
      controlPort: found.MONITOR_CONTROL_PORT ?? null,
      key: found.MONITOR_API_KEY ?? madeKey ?? '',
      form: found.MONITOR_FORM,
      order: found.MONITOR_ORDER,
      fleet: found.MONITOR_FLEET ?? (hasServers ? 0 : fleetUsual),
      seed: found.MONITOR_SEED,
      sample: (found.MONITOR_SAMPLE ?? (hasServers ? 'off' : 'on')) === 'on',
      ...(config === null ? {} : { config }),
      ...(prometheus === null ? {} : { prometheus }),
      ...(found.MONITOR_FILE === undefined ? {} : { file: found.MONITOR_FILE }),
      ...(found.MONITOR_PUBLIC_URL === undefined ? {} : { publicUrl: found.MONITOR_PUBLIC_URL }),
    },
  }
}

function tokenOf(token: string | undefined, file: string | undefined) {
  return { token: token ?? null, tokenFile: file === undefined ? null : resolve(file) }
}
