/** Triggers: when a metric's value opens an alert and when it closes it again. Pure; time is an argument. */
import { hashOf } from '../metrics/generator.ts'
import { amountOf, type MetricKey, type MetricType, wordsOf } from '../metrics/metric-key.ts'

/** What a trigger watches, as options and defaults give it. */
export type TriggerRule = {
  readonly type: MetricType
  readonly metric: string
  /** Only this source; without it every source of the type (all disks). */
  readonly source?: string
  readonly servers: 'machine' | 'fleet' | 'all'
  /** Opens at this value or above. The protocol wants a number: one out of reach where only the low side matters. */
  readonly maxValue: number
  /** Opens at this value or below; null: no low side. */
  readonly lowValue: number | null
  /** How long it must hold before the alert opens, and how long it must be over before the alert closes. */
  readonly durationMs: number
}

export type Trigger = TriggerRule & {
  /** Above 2^40 and below 2^53, the same in every run. */
  readonly id: number
  readonly condition: string
}

/** No metric of a server comes near it. */
export const outOfReach = 1_000_000_000

/** How a server that sends nothing is seen (api-spec.md 2, `no_data_notification_group`). */
export const heartbeatKey: MetricKey = { type: 'plugin', source: 'Heartbeat', metric: 'seconds_since_report' }

const idBase = 2 ** 50

export function triggerOf(rule: TriggerRule): Trigger {
  const { type, metric, source, servers, maxValue, lowValue, durationMs } = rule
  const text = JSON.stringify([type, metric, source ?? null, servers, maxValue, lowValue, durationMs])
  const id = idBase + hashOf(text) * 2 ** 16 + (hashOf(text, 1) % 2 ** 16)
  return { ...rule, id, condition: conditionOf(rule) }
}

function conditionOf(rule: TriggerRule): string {
  const { human, units } = wordsOf({ type: rule.type, source: rule.source ?? '', metric: rule.metric })
  const sides = [
    ...(rule.maxValue < outOfReach ? [`meets or exceeds ${amountOf(rule.maxValue, units)}`] : []),
    ...(rule.lowValue === null ? [] : [`meets or falls below ${amountOf(rule.lowValue, units)}`]),
  ]
  const lasting = rule.durationMs > 0 ? ` for ${rule.durationMs / 1_000} seconds` : ''
  return `${human} ${sides.join(' or ')}${lasting}`
}

/** Which limit a value has met; null when it is within both. */
export function limitMet(rule: TriggerRule, value: number): 'max' | 'low' | null {
  if (value >= rule.maxValue) return 'max'
  return rule.lowValue !== null && value <= rule.lowValue ? 'low' : null
}

/** The title of an alert: "Last minute met or exceeded 3.00, increasing to 3.50". */
export function titleOf(key: MetricKey, side: 'max' | 'low', limit: number, value: number): string {
  const { human, units } = wordsOf(key)
  const what =
    side === 'max'
      ? (['met or exceeded', 'increasing to'] as const)
      : (['met or fell below', 'decreasing to'] as const)
  return `${human} ${what[0]} ${amountOf(limit, units)}, ${what[1]} ${amountOf(value, units)}`
}

/** Where one trigger stands with one metric of one server; `sinceMs` is when the change began that is not over yet. */
export type Standing =
  | { readonly phase: 'calm' }
  | { readonly phase: 'rising'; readonly sinceMs: number }
  | { readonly phase: 'open' }
  | { readonly phase: 'falling'; readonly sinceMs: number }

export const calm: Standing = { phase: 'calm' }

export type Step = { readonly next: Standing; readonly happens: 'opens' | 'closes' | null }

/**
 * One evaluation. A change must hold for the whole duration, in both directions, so that a value around the limit does
 * not flap. Without a value nothing changes and nothing that was on its way goes on: silence proves neither.
 */
export function step(rule: TriggerRule, now: Standing, value: number | null, nowMs: number): Step {
  const isOpen = now.phase === 'open' || now.phase === 'falling'
  const stays: Step = { next: isOpen ? { phase: 'open' } : calm, happens: null }
  if (value === null) return stays
  const isMet = limitMet(rule, value) !== null
  if (isMet === isOpen) return stays
  const sinceMs = now.phase === 'rising' || now.phase === 'falling' ? now.sinceMs : nowMs
  if (nowMs - sinceMs < rule.durationMs) {
    return { next: { phase: isOpen ? 'falling' : 'rising', sinceMs }, happens: null }
  }
  return isOpen ? { next: calm, happens: 'closes' } : { next: { phase: 'open' }, happens: 'opens' }
}

/** This machine: a load made by hand opens an alert within ten seconds, and closes it within ten. */
export const machineTriggers: readonly TriggerRule[] = [
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

export const fleetTriggers: readonly TriggerRule[] = [
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

export const heartbeatTriggers: readonly TriggerRule[] = [
  {
    type: heartbeatKey.type,
    source: heartbeatKey.source,
    metric: heartbeatKey.metric,
    servers: 'all',
    maxValue: 30,
    lowValue: null,
    durationMs: 0,
  },
]
