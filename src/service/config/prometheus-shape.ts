/** Combines the `prometheus` part of the file with the environment into the settings of that source. */
import { z } from 'zod'
import type { Endpoint, PrometheusSettings } from '../prometheus/settings.ts'
import {
  type CommonToken,
  type EndpointPart,
  endpoint,
  endpointOf,
  isMore,
  partOf,
  withPaths,
} from './endpoint-shape.ts'
import { namesOf, namesShape } from './names-shape.ts'
import { listOf, mapping, textOf } from './shapes.ts'

const addressesMax = 10
const labelsMax = 20
const expressionCharsMax = 2_000

const labelExpected = 'the name of a label: letters, digits and _'
const label = z
  .string({ error: labelExpected })
  .regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,199}$/, { error: labelExpected })

const override = textOf(expressionCharsMax, 'PromQL with $server in it').refine(
  (text) => text.includes('$server'),
  { error: 'PromQL with $server in it' },
)

/** The schema of that part. Everything has a default, so that it can just refine the environment. */
export const prometheusShape = mapping({
  url: endpoint.optional(),
  rules: listOf(endpoint, addressesMax, 'addresses').optional(),
  alertmanager: listOf(endpoint, addressesMax, 'addresses').optional(),
  ...namesShape,
  server_label: label.optional(),
  role_labels: listOf(label, labelsMax, 'names of labels').default(['role', 'job']),
  environment_label: label.default('env'),
  serviceless: label.optional(),
  metrics: z.record(textOf(200), override, { error: 'a mapping of metrics to PromQL' }).default({}),
}).transform((given) => ({
  url: given.url ?? null,
  rules: given.rules ?? null,
  alertmanager: given.alertmanager ?? null,
  names: namesOf(given, given.server_label !== undefined || given.serviceless !== undefined),
  cluster: given.cluster ?? null,
  serverLabel: given.server_label ?? 'instance',
  roleLabels: given.role_labels,
  environmentLabel: given.environment_label,
  serviceless: given.serviceless ?? 'job',
  metrics: given.metrics,
}))

export type PrometheusPart = z.output<typeof prometheusShape>

/** Every address of the part with its place below `prometheus`. */
export function endpointsOf(
  part: PrometheusPart,
): readonly (readonly [EndpointPart, readonly PropertyKey[]])[] {
  const listed = (key: 'rules' | 'alertmanager') =>
    (part[key] ?? []).map((one, at) => [one, [key, at]] as const)
  return [
    ...(part.url === null ? [] : [[part.url, ['url']] as const]),
    ...listed('rules'),
    ...listed('alertmanager'),
  ]
}

/** The part with paths that are relative to this file made absolute. */
export function withFilePaths(part: PrometheusPart, file: string): PrometheusPart {
  const absolute = (one: EndpointPart): EndpointPart => withPaths(one, file)
  return {
    ...part,
    url: part.url === null ? null : absolute(part.url),
    rules: part.rules?.map(absolute) ?? null,
    alertmanager: part.alertmanager?.map(absolute) ?? null,
  }
}

/** Addresses from the environment, which override those of the file; tokens are secrets. */
export type PrometheusEnvironment = {
  readonly url: URL | null
  readonly rules: readonly URL[] | null
  readonly alertmanagers: readonly URL[] | null
  /** For the engine and the rules. */
  readonly token: CommonToken
  /** For the Alertmanagers. */
  readonly managerToken: CommonToken
}

/** The settings; null if neither names a Prometheus, a problem if there are other settings for it but no address. */
export function prometheusSettings(
  env: PrometheusEnvironment,
  part: PrometheusPart | null,
): { readonly settings: PrometheusSettings | null; readonly problems: readonly string[] } {
  const problems = [
    ...bothOf('PROMETHEUS_TOKEN', env.token),
    ...bothOf('ALERTMANAGER_TOKEN', env.managerToken),
    // What the file says along with its address is meant for that one alone.
    ...moreBeside('PROMETHEUS_URL', env.url, 'url', [part?.url ?? null]),
    ...moreBeside('PROMETHEUS_RULES_URL', env.rules, 'rules', part?.rules ?? []),
    ...moreBeside('ALERTMANAGER_URL', env.alertmanagers, 'alertmanager', part?.alertmanager ?? []),
  ]
  const given = env.url === null ? (part?.url ?? null) : partOf(env.url)
  if (given === null) {
    const { token, managerToken } = env
    const others = [
      env.rules,
      env.alertmanagers,
      token.token,
      token.tokenFile,
      managerToken.token,
      managerToken.tokenFile,
    ]
    const isMeant = part !== null || others.some((one) => one !== null)
    return {
      settings: null,
      problems: isMeant
        ? [
            ...problems,
            'PROMETHEUS_URL: expected the address of the Prometheus, here or as prometheus.url; came nothing',
          ]
        : [],
    }
  }
  if (problems.length > 0) return { settings: null, problems }
  const { names, cluster, serverLabel, roleLabels, environmentLabel, serviceless, metrics } =
    part ?? prometheusShape.parse({})
  const engine = endpointOf(given, env.token)
  const rules = (env.rules?.map(partOf) ?? part?.rules ?? []).map((one) => endpointOf(one, env.token))
  const managers = env.alertmanagers?.map(partOf) ?? part?.alertmanager ?? []
  return {
    settings: {
      engine,
      ...(rules.length === 0 ? {} : { rules }),
      alertmanagers: managers.map((one) => hinted(endpointOf(one, env.managerToken), engine, env.token)),
      names,
      ...(cluster === null ? {} : { cluster }),
      serverLabel,
      roleLabels,
      environmentLabel,
      serviceless,
      metrics,
    },
    problems: [],
  }
}

function bothOf(name: string, { token, tokenFile }: CommonToken): string[] {
  return token !== null && tokenFile !== null ? [`${name}_FILE: expected none beside ${name}; came both`] : []
}

function moreBeside(
  name: string,
  given: unknown,
  key: string,
  parts: readonly (EndpointPart | null)[],
): string[] {
  const isLost = given !== null && parts.some((part) => part !== null && isMore(part))
  return isLost
    ? [
        `${name}: expected no prometheus.${key} with more than addresses in the file of MONITOR_CONFIG beside it; came one`,
      ]
    : []
}

/** The token of the Prometheus once went to the Alertmanagers too: whoever relied on that is told. */
function hinted(manager: Endpoint, engine: Endpoint, common: CommonToken): Endpoint {
  const isBearer =
    common.token !== null ||
    common.tokenFile !== null ||
    engine.tokenFile !== undefined ||
    engine.authorization?.startsWith('Bearer ') === true
  const { authorization, tokenFile, passwordFile, headers = {} } = manager
  const isBare = authorization === null && tokenFile === undefined && passwordFile === undefined
  if (!isBearer || !isBare || Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    return manager
  return {
    ...manager,
    refusedHint:
      'the token of the Prometheus is not sent to an Alertmanager: set ALERTMANAGER_TOKEN if this one is to have it',
  }
}
