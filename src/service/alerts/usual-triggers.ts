/** The triggers: those of the file, or the defaults for each kind of server. */
import type { FleetConfig } from '../config/read-config.ts'
import type { MetricType } from '../metrics/metric-key.ts'
import { heartbeatKey, outOfReach, type Trigger, type TriggerRule, triggerOf } from './triggers.ts'

type Limit = readonly [type: MetricType, metric: string, maxValue: number, seconds: number]

const loadAverage = { source: 'Load Average' } as const

const limitsOn = (
  servers: TriggerRule['servers'],
  limits: readonly Limit[],
  source: Pick<TriggerRule, 'source'> = {},
): readonly TriggerRule[] =>
  limits.map(([type, metric, maxValue, seconds]) => ({
    type,
    ...source,
    metric,
    servers,
    maxValue,
    lowValue: null,
    durationMs: seconds * 1_000,
  }))

/** This machine: a manual load opens an alert within ten seconds, which closes within ten. */
const machineTriggers: readonly TriggerRule[] = [
  ...limitsOn('machine', [
    ['cpu', 'cpu_busy', 85, 4],
    ['memory', 'memory_used_percent', 95, 10],
    ['disk', 'disk_used_percent', 95, 10],
  ]),
  {
    type: 'disk',
    metric: 'disk_free',
    servers: 'machine',
    maxValue: outOfReach,
    lowValue: 500,
    durationMs: 10_000,
  },
  ...limitsOn('machine', [['plugin', 'last_minute_per_core', 4, 10]], loadAverage),
]

const fleetTriggers: readonly TriggerRule[] = [
  ...limitsOn('fleet', [['cpu', 'cpu_busy', 90, 6]]),
  ...limitsOn('fleet', [['plugin', 'last_minute', 3, 6]], loadAverage),
  ...limitsOn('fleet', [
    ['memory', 'memory_used_percent', 92, 6],
    ['disk', 'disk_used_percent', 90, 6],
  ]),
]

/**
 * Reports a server that sends nothing; without a duration, as the metric itself counts the time. A scraped one may have several
 * exporters, each with a heartbeat of its own.
 */
function heartbeatTrigger(servers: TriggerRule['servers'], silentMs: number): TriggerRule {
  const { type, source, metric } = heartbeatKey
  const own = servers === 'scraped' ? {} : { source }
  return { type, ...own, metric, servers, maxValue: silentMs / 1_000, lowValue: null, durationMs: 0 }
}

const heartbeatUsualMs = 30_000
/**
 * A server silent for this long has stopped pushing: it opens an alert, its last values no longer count, and when it returns it counts
 * as restarted. Agents and SDKs push once a minute by default: three pushes are missing then.
 */
export const pushedSilentMs = 180_000

/** Triggers for scraped and pushing servers if the file has none. */
const realTriggers = limitsOn('real', [
  ['cpu', 'cpu_busy', 90, 300],
  ['plugin', 'last_minute_per_core', 4, 300],
  ['memory', 'memory_used_percent', 95, 300],
  ['disk', 'disk_used_percent', 90, 600],
])

/** A file's triggers replace the defaults; silence is always reported. */
export function chooseTriggers(
  settings: {
    readonly triggers: readonly TriggerRule[] | null
    readonly sample: boolean
    readonly fleetSize: number
  },
  { scrape, triggers }: FleetConfig,
): readonly Trigger[] {
  if (settings.triggers !== null) return settings.triggers.map(triggerOf)
  if (scrape === null) {
    const usual = triggers ?? [...machineTriggers, ...fleetTriggers, ...realTriggers]
    return [
      ...usual,
      heartbeatTrigger('steady', heartbeatUsualMs),
      heartbeatTrigger('pushed', pushedSilentMs),
    ].map(triggerOf)
  }
  const machine = settings.sample ? machineTriggers : []
  const simulated = settings.fleetSize > 0 ? fleetTriggers : []
  const kinds = [
    ...(settings.sample ? (['machine'] as const) : []),
    ...(settings.fleetSize > 0 ? (['fleet'] as const) : []),
  ]
  return [
    ...(triggers ?? [...realTriggers, ...machine, ...simulated]),
    ...(scrape.noDataMs === null
      ? []
      : [
          heartbeatTrigger('scraped', scrape.noDataMs),
          heartbeatTrigger('pushed', Math.max(scrape.noDataMs, pushedSilentMs)),
        ]),
    ...kinds.map((kind) => heartbeatTrigger(kind, heartbeatUsualMs)),
  ].map(triggerOf)
}
