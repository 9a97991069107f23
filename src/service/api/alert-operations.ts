/** `alerts.json` and `triggers.json` (docs/api.md#alerts, docs/api.md#triggers). */
import { z } from 'zod'
import type { AlertRecord } from '../alerts/alert-records.ts'
import { detailsOf } from '../alerts/details.ts'
import { rounded } from '../metrics/metric-key.ts'
import type { World } from '../world.ts'
import { noInput, type Operation, operation } from './operation.ts'
import { count, oneOf } from './parameter.ts'

const mute = z.object({
  kind: z.enum(['silence', 'inhibition']),
  id: z.string().optional(),
  by: z.string().optional(),
  until: z.iso.datetime().optional(),
  why: z.string().optional(),
  ours: z.boolean(),
})

/** More than the plain API (docs/api.md#more-than-the-plain-api). */
const details = z.object({
  labels: z.record(z.string(), z.string()).optional(),
  description: z.string().max(300).optional(),
  links: z.array(z.object({ text: z.string(), url: z.url() })).optional(),
  trouble: z
    .string()
    .regex(/^\w{1,64}$/)
    .optional(),
  muted_by: z.array(mute).optional(),
  can_mute: z.literal(true).optional(),
  units: z.string().optional(),
  limit: z.number().optional(),
  limit_side: z.enum(['high', 'low']).optional(),
})

const alert = z.object({
  id: z.int(),
  time: z.iso.datetime(),
  server_name: z.string(),
  server_hostname: z.string(),
  lifecycle: z.enum(['start', 'end', 'oneoff']),
  title: z.string(),
  plugin_name: z.string(),
  metric_name: z.string().nullable(),
  metric_value: z.number().nullable(),
  url: z.url(),
  sparkline_url: z.url(),
  /** Not in the specification, but sent by the historical service (docs/api.md#real-answers): only where a rule says it. */
  severity: z.string().optional(),
  /** The same: whose limit it met, where several rules have one name. */
  trigger_id: z.int().optional(),
  ...details.shape,
})

const trigger = z.object({
  id: z.int(),
  condition: z.string(),
  metric: z.string(),
  max_value: z.number(),
  low_value: z.number().nullable(),
  duration_in_seconds: z.int(),
})

const severityCharsMax = 50

function told(record: AlertRecord, { links, source }: World): z.input<typeof alert> {
  const severity = record.upstream?.labels.severity
  const triggerId = record.upstream?.triggerId
  return {
    id: record.id,
    time: new Date(record.timeMs).toISOString(),
    server_name: record.serverName,
    server_hostname: record.hostname,
    lifecycle: record.lifecycle,
    title: record.title,
    plugin_name: record.plugin,
    metric_name: record.metric,
    metric_value: record.value === null ? null : rounded(record.value),
    url: links.page(record.id),
    sparkline_url: links.sparkline(record.id),
    ...(triggerId === undefined ? {} : { trigger_id: triggerId }),
    ...(severity === undefined ? {} : { severity: severity.slice(0, severityCharsMax) }),
    ...detailsOf(record),
    ...(source.mutes === null || record.upstream === undefined ? {} : { can_mute: true as const }),
  }
}

export const alertOperations: readonly Operation[] = [
  operation({
    id: 'fetchAlerts',
    method: 'GET',
    path: '/alerts.json',
    summary: 'Alerts of the last 30 days, 50 at a time',
    input: z.object({
      lifecycle: oneOf(
        ['start', 'end', 'all'],
        'Only alerts that are open now, only ends, or everything',
      ).prefault('all'),
      offset: count('How many alerts to leave out; 50 gives the second page').prefault('0'),
    }),
    answer: z.object({
      message: z.string(),
      /** An extension: why what is listed may not be all, in a sentence; absent if nothing says so. */
      doubt: z.string().optional(),
      results: z.array(alert),
    }),
    async run({ world, input }) {
      await world.source.refresh()
      const records = world.log.list(input.lifecycle, input.offset)
      const doubt = world.source.doubt()
      return {
        message: `${records.length} alerts from offset ${input.offset}`,
        ...(doubt === null ? {} : { doubt }),
        results: records.map((record) => told(record, world)),
      }
    },
  }),
  operation({
    id: 'fetchTriggers',
    method: 'GET',
    path: '/triggers.json',
    summary: 'All triggers',
    input: noInput,
    answer: z.object({ message: z.string(), results: z.array(trigger) }),
    async run({ world: { source } }) {
      await source.refresh()
      const triggers = source.triggers()
      return {
        message: `${triggers.length} triggers`,
        results: triggers.map(({ id, condition, metric, maxValue, lowValue, durationMs }) => ({
          id,
          condition,
          metric,
          max_value: maxValue,
          low_value: lowValue,
          duration_in_seconds: Math.round(durationMs / 1_000),
        })),
      }
    },
  }),
]
