/** Triggers: when a metric's value opens an alert and when it closes it again. Pure; time is an argument. */
import { globsMatcher } from '../../shared/glob.ts'
import { hashOf } from '../metrics/generator.ts'
import { amountOf, type MetricKey, type MetricType, wordsOf } from '../metrics/metric-key.ts'

/** What a trigger watches, from options and defaults. */
export type TriggerRule = {
  readonly type: MetricType
  readonly metric: string
  /** Only this source; by default every source of the type (all disks). */
  readonly source?: string
  /** `real`: scraped or pushed; `steady`: all that are read every few seconds, that is all but those that push. */
  readonly servers: 'machine' | 'scraped' | 'pushed' | 'real' | 'fleet' | 'steady' | 'all'
  /** Only those whose hostname matches a glob, ignoring case. */
  readonly names?: readonly string[]
  /** Only those in one of the roles. */
  readonly roles?: readonly string[]
  /** Opens at this value or above. The protocol requires a number: one out of reach if only the low side matters. */
  readonly maxValue: number
  /** Opens at this value or below; null: no low side. */
  readonly lowValue: number | null
  /** How long the condition must hold before the alert opens, and be over before the alert closes. */
  readonly durationMs: number
}

export type Trigger = TriggerRule & {
  /** Above 2^40 and below 2^53, the same in every run. */
  readonly id: number
  readonly condition: string
  readonly isNamed: (hostname: string) => boolean
}

/** Means no upper limit, as the protocol requires a number; no value reaches it. */
export const outOfReach = 1e15

/** Detects a server that sends nothing (docs/api.md#operations). */
export const heartbeatKey: MetricKey = { type: 'plugin', source: 'Heartbeat', metric: 'seconds_since_report' }

const idBase = 2 ** 50

export function triggerOf(rule: TriggerRule): Trigger {
  const { type, metric, source, servers, names, roles, maxValue, lowValue, durationMs } = rule
  const chosen = names === undefined && roles === undefined ? [] : [names ?? null, roles ?? null]
  const text = JSON.stringify([
    type,
    metric,
    source ?? null,
    servers,
    maxValue,
    lowValue,
    durationMs,
    ...chosen,
  ])
  const id = idBase + hashOf(text) * 2 ** 16 + (hashOf(text, 1) % 2 ** 16)
  const matches = globsMatcher((names ?? ['*']).map((glob) => glob.toLowerCase()))
  return { ...rule, id, condition: conditionOf(rule), isNamed: (hostname) => matches(hostname.toLowerCase()) }
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

/** Which limit a value has reached; null if it is within both. */
export function limitMet(rule: TriggerRule, value: number): 'max' | 'low' | null {
  if (rule.maxValue < outOfReach && value >= rule.maxValue) return 'max'
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

/**
 * State of one trigger for one metric of one server; `sinceMs` is when the pending change began, and
 * `seenMs` when a value last confirmed it.
 */
export type Standing =
  | { readonly phase: 'calm' }
  | { readonly phase: 'rising'; readonly sinceMs: number; readonly seenMs: number }
  | { readonly phase: 'open' }
  | { readonly phase: 'falling'; readonly sinceMs: number; readonly seenMs: number }

export const calm: Standing = { phase: 'calm' }

export type Step = { readonly next: Standing; readonly happens: 'opens' | 'closes' | null }

/**
 * One evaluation. A change must last for the whole duration, in both directions, so that a value around the limit does
 * not flap. Without a value nothing changes, as silence proves nothing. A pending change continues with the next value, if
 * that comes within `gapMaxMs`; after a longer silence the time in between is unknown, and the duration starts over.
 */
export function step(
  rule: TriggerRule,
  now: Standing,
  value: number | null,
  nowMs: number,
  gapMaxMs: number,
): Step {
  if (value === null) return { next: now, happens: null }
  const isOpen = now.phase === 'open' || now.phase === 'falling'
  const isMet = limitMet(rule, value) !== null
  if (isMet === isOpen) return { next: isOpen ? { phase: 'open' } : calm, happens: null }
  const isOnItsWay = now.phase === 'rising' || now.phase === 'falling'
  // Nor does a clock that was set back say how long it held.
  const isHeld = isOnItsWay && nowMs >= now.seenMs && nowMs - now.seenMs <= gapMaxMs
  const sinceMs = isHeld ? now.sinceMs : nowMs
  if (nowMs - sinceMs < rule.durationMs) {
    return { next: { phase: isOpen ? 'falling' : 'rising', sinceMs, seenMs: nowMs }, happens: null }
  }
  return isOpen ? { next: calm, happens: 'closes' } : { next: { phase: 'open' }, happens: 'opens' }
}
