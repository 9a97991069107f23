/** Which triggers there are: those of the file, or the usual ones of each kind of server. */
import type { FleetConfig } from '../config/read-config.ts'
import { heartbeatKey, outOfReach, type Trigger, type TriggerRule, triggerOf } from './triggers.ts'

/** This machine: a load made by hand opens an alert within ten seconds, and closes it within ten. */
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

/** How a server that sends nothing is told; without a duration, as the metric counts the time itself. */
function heartbeatTrigger(servers: TriggerRule['servers'], silentMs: number): TriggerRule {
  const { type, source, metric } = heartbeatKey
  return { type, source, metric, servers, maxValue: silentMs / 1_000, lowValue: null, durationMs: 0 }
}

const heartbeatUsualMs = 30_000
/**
 * Who was silent for so long pushes no more: it is an alert, what it said is no longer true, and when it comes back it has
 * begun anew. Agents and SDKs push once a minute, where nobody told them otherwise: three are missing then.
 */
export const pushedSilentMs = 180_000

const minuteMs = 60_000

/** What is watched of servers that are scraped or push, where the file has no triggers of its own. */
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

/** A file's own triggers take the place of the usual ones; silence is told whatever they say. */
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
