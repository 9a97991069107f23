/** Combines the `prometheus` part of the file with the environment into the settings of that source. */
import { z } from 'zod'
import type { Endpoint, PrometheusSettings } from '../prometheus/settings.ts'
import { address, listOf, mapping, textOf, withoutCredentials } from './shapes.ts'

const alertmanagersMax = 10
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
  url: address.optional(),
  alertmanager: listOf(address, alertmanagersMax, 'addresses').optional(),
  server_label: label.default('instance'),
  role_labels: listOf(label, labelsMax, 'names of labels').default(['role', 'job']),
  environment_label: label.default('env'),
  serviceless: label.default('job'),
  metrics: z.record(textOf(200), override, { error: 'a mapping of metrics to PromQL' }).default({}),
}).transform((given) => ({
  url: given.url ?? null,
  alertmanager: given.alertmanager ?? null,
  serverLabel: given.server_label,
  roleLabels: given.role_labels,
  environmentLabel: given.environment_label,
  serviceless: given.serviceless,
  metrics: given.metrics,
}))

export type PrometheusPart = z.output<typeof prometheusShape>

/** Addresses from the environment, which override those of the file; the token is a secret. */
export type PrometheusEnvironment = {
  readonly url: URL | null
  readonly alertmanagers: readonly URL[] | null
  readonly token: string | null
}

/** The settings; null if neither names a Prometheus, a problem if there are other settings for it but no address. */
export function prometheusSettings(
  env: PrometheusEnvironment,
  part: PrometheusPart | null,
): { readonly settings: PrometheusSettings | null; readonly problems: readonly string[] } {
  const url = env.url ?? part?.url ?? null
  if (url === null) {
    const isMeant = part !== null || env.alertmanagers !== null || env.token !== null
    return {
      settings: null,
      problems: isMeant
        ? ['PROMETHEUS_URL: expected the address of the Prometheus, here or as prometheus.url; came nothing']
        : [],
    }
  }
  const { serverLabel, roleLabels, environmentLabel, serviceless, metrics } =
    part ?? prometheusShape.parse({})
  return {
    settings: {
      engine: endpointOf(url, env.token),
      alertmanagers: (env.alertmanagers ?? part?.alertmanager ?? []).map((one) => endpointOf(one, env.token)),
      serverLabel,
      roleLabels,
      environmentLabel,
      serviceless,
      metrics,
    },
    problems: [],
  }
}

/** User and password of an address replace the token. */
function endpointOf(given: URL, token: string | null): Endpoint {
  const { url, authorization } = withoutCredentials(given)
  url.search = ''
  url.hash = ''
  return {
    url: url.href.replace(/\/+$/, ''),
    authorization: authorization ?? (token === null ? null : `Bearer ${token}`),
  }
}
