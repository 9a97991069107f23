/** The triggers: those of the file, or the defaults for each kind of server. */
import type { FleetConfig } from '../config/read-config.ts'
import { heartbeatKey, outOfReach, type Trigger, type TriggerRule, triggerOf } from './triggers.ts'

/** This machine: a manual load opens an alert within ten seconds, which closes within ten. */
const machineTriggers: readonly TriggerRule[] = [
  { type: 'cpu', metric: 'cpu_busy', servers: 'machine', maxValue: 85, lowValue: null, durationMs: 4_000 },
  {
    type: 'memory',
    metric: 'memory_used_percent',
    servers: 'machine',
    maxValue: 95,
    lowValue: null,
    durationMs: 10_000,
  },
  {
    type: 'disk',
    metric: 'disk_used_percent',
    servers: 'machine',
    maxValue: 95,
    lowValue: null,
    durationMs: 10_000,
  },
  {
    type: 'disk',
    metric: 'disk_free',
    servers: 'machine',
    maxValue: outOfReach,
    lowValue: 500,
    durationMs: 10_000,
  },
  {
    type: 'plugin',
    source: 'Load Average',
    metric: 'last_minute_per_core',
    servers: 'machine',
    maxValue: 4,
    lowValue: null,
    durationMs: 10_000,
  },
]

const fleetTriggers: readonly TriggerRule[] = [
  { type: 'cpu', metric: 'cpu_busy', servers: 'fleet', maxValue: 90, lowValue: null, durationMs: 6_000 },
  {
    type: 'plugin',
    source: 'Load Average',
    metric: 'last_minute',
    servers: 'fleet',
    maxValue: 3,
    lowValue: null,
    durationMs: 6_000,
  },
  {
    type: 'memory',
    metric: 'memory_used_percent',
    servers: 'fleet',
    maxValue: 92,
    lowValue: null,
    durationMs: 6_000,
  },
  {
    type: 'disk',
    metric: 'disk_used_percent',
    servers: 'fleet',
    maxValue: 90,
    lowValue: null,
    durationMs: 6_000,
  },
]

/** Reports a server that sends nothing; without a duration, as the metric itself counts the time. */
function heartbeatTrigger(servers: TriggerRule['servers'], silentMs: number): TriggerRule {
  const { type, source, metric } = heartbeatKey
  return { type, source, metric, servers, maxValue: silentMs / 1_000, lowValue: null, durationMs: 0 }
}

const heartbeatUsualMs = 30_000
/**
 * A server silent for this long has stopped pushing: it opens an alert, its last values no longer count, and when it returns it counts
 * as restarted. Agents and SDKs push once a minute by default: three pushes are missing then.
 */
export const pushedSilentMs = 180_000

const minuteMs = 60_000

/** Triggers for scraped and pushing servers if the file has none. */
const realTriggers: readonly TriggerRule[] = (
  [
    ['cpu', 'cpu_busy', 90, 5],
    ['plugin', 'last_minute_per_core', 4, 5],
    ['memory', 'memory_used_percent', 95, 5],
    ['disk', 'disk_used_percent', 90, 10],
  ] as const
).map(([type, metric, maxValue, minutes]) => ({
  type,
  metric,
  servers: 'real',
  maxValue,
  lowValue: null,
  durationMs: minutes * minuteMs,
}))

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
