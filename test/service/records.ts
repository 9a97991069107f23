/** The answers of the service, checked by schemas of the tests' own, written from the specification. */
import { z } from 'zod'
import type { Town } from './open-service.ts'

export const alertRecord = z.strictObject({
  id: z.int(),
  time: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  server_name: z.string(),
  server_hostname: z.string(),
  lifecycle: z.enum(['start', 'end', 'oneoff']),
  title: z.string(),
  plugin_name: z.string(),
  metric_name: z.string().nullable(),
  metric_value: z.number().nullable(),
  url: z.url(),
  sparkline_url: z.url(),
  // What the service says beyond the specification, of its own triggers.
  units: z.string().min(1).optional(),
  limit: z.number().optional(),
  limit_side: z.enum(['high', 'low']).optional(),
})
export type AlertRecord = z.output<typeof alertRecord>

const alertsAnswer = z.strictObject({ message: z.string(), results: z.array(alertRecord) })
// z.record leaves `__proto__` out, and a role may be called that.
const rolesAnswer = z.strictObject({ message: z.string(), result: z.instanceof(Object) })
const triggersAnswer = z.strictObject({
  message: z.string(),
  results: z.array(
    z.strictObject({
      id: z.int(),
      condition: z.string().min(1),
      metric: z.string().min(1),
      max_value: z.number(),
      low_value: z.number().nullable(),
      duration_in_seconds: z.int(),
    }),
  ),
})
const pointRecord = z.tuple([z.number(), z.number(), z.number()])
const metricsAnswer = z.strictObject({
  timestamps: z.array(z.int()),
  metrics: z.array(
    z.strictObject({
      label: z.string(),
      units: z.string(),
      precision: z.int(),
      points: z.array(z.union([pointRecord, z.tuple([z.null(), z.null(), z.null()])])),
    }),
  ),
})

export async function alertsOf(town: Town, query = ''): Promise<AlertRecord[]> {
  const { status, body } = await town.api(`/alerts.json${query}`)
  if (status !== 200) throw new Error(`alerts.json answered ${status}`)
  return alertsAnswer.parse(body).results
}

export async function rolesOf(town: Town): Promise<Record<string, string[]>> {
  const { result } = rolesAnswer.parse((await town.api('/roles.json')).body)
  const entries = Object.entries(result).map(([role, hostnames]) => [
    role,
    z.array(z.string()).parse(hostnames),
  ])
  return Object.fromEntries(entries)
}

export async function triggersOf(town: Town) {
  return triggersAnswer.parse((await town.api('/triggers.json')).body).results
}

export async function metricsOf(town: Town, query: Readonly<Record<string, string>>) {
  const { status, body } = await town.api(`/metrics.json?${new URLSearchParams(query)}`)
  if (status !== 200) throw new Error(`metrics.json answered ${status}: ${JSON.stringify(body)}`)
  return metricsAnswer.parse(body)
}

const state = z.object({
  account: z.object({ notifications: z.boolean() }),
  keys: z.int(),
  servers: z.array(
    z.object({
      hostname: z.string(),
      kind: z.enum(['machine', 'scraped', 'pushed', 'fleet', 'extra']),
      environment: z.string(),
      roles: z.array(z.string()),
      notifications: z.boolean(),
      no_data_notification_group: z.string().nullable(),
      last_sample: z.string().nullable(),
    }),
  ),
  markers: z.array(z.object({ notes: z.string(), time: z.string() })),
  open_alerts: z.array(z.object({ id: z.int(), server: z.string(), plugin: z.string(), muted: z.boolean() })),
})

export async function stateOf(town: Town) {
  return state.parse((await town.ask('/control/state')).body)
}

export async function serverOf(town: Town, hostname: string) {
  const server = (await stateOf(town)).servers.find((one) => one.hostname === hostname)
  if (server === undefined) throw new Error(`the state has no server ${hostname}`)
  return server
}
