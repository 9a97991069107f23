/** Triggers of the own source: when a value opens an alert and when it closes it again. Pure; time is an argument. */
import { numberOf } from '../ledger.ts'
import { amount, heartbeat, outOfReach, wordsOf } from '../metrics.ts'
import type { MetricKey, MetricType, ServerKind, Trigger } from '../source.ts'

export type Rule = {
  readonly type: MetricType
  readonly metric: string
  /** Only this source; else every one of the type. */
  readonly source?: string
  readonly kinds: readonly ServerKind[]
  /** Opens above this value; the protocol requires a number, so one out of reach where only the low side counts. */
  readonly maxValue: number
  /** Opens below this value. */
  readonly lowValue: number | null
  /** How long it must hold before the alert opens, and be over before it closes. */
  readonly durationMs: number
}
export type OwnTrigger = Trigger & Rule

export function triggerOf(rule: Rule): OwnTrigger {
  const { human, units } = wordsOf({ ...rule, source: rule.source ?? '' })
  const sides = [
    ...(rule.maxValue < outOfReach ? [`exceeds ${amount(rule.maxValue, units)}`] : []),
    ...(rule.lowValue === null ? [] : [`falls below ${amount(rule.lowValue, units)}`]),
  ]
  const lasting = rule.durationMs > 0 ? ` for ${rule.durationMs / 1000} seconds` : ''
  return {
    ...rule,
    id: numberOf(rule),
    condition: `${human} ${sides.join(' or ')}${lasting}`,
  }
}

export function covers(trigger: OwnTrigger, key: MetricKey, kind: ServerKind): boolean {
  const isSource = trigger.source === undefined || trigger.source === key.source
  return (
    trigger.type === key.type && trigger.metric === key.metric && isSource && trigger.kinds.includes(kind)
  )
}

/** Which limit a value is beyond; a value at the limit is within it. */
export function sideOf(rule: Rule, value: number): 'high' | 'low' | null {
  if (rule.maxValue < outOfReach && value > rule.maxValue) return 'high'
  return rule.lowValue !== null && value < rule.lowValue ? 'low' : null
}

/** `Last minute exceeded 3.00, increasing to 3.50`. */
export function titleOf(key: MetricKey, side: 'high' | 'low', limit: number, value: number): string {
  const { human, units } = wordsOf(key)
  const what = side === 'high' ? ['exceeded', 'increasing to'] : ['fell below', 'decreasing to']
  return `${human} ${what[0]} ${amount(limit, units)}, ${what[1]} ${amount(value, units)}`
}

/** Of one trigger for one metric of one server. `sinceMs`: when the change that is under way began. */
export type Standing = {
  readonly isOpen: boolean
  readonly sinceMs: number | null
  readonly seenMs: number
}

/**
 * One evaluation. Without a value nothing changes, as silence proves nothing; after a silence of more than `gapMaxMs` a change that was
 * under way begins anew, since nobody knows what was in between.
 */
export function step(
  rule: Rule,
  before: Standing,
  value: number | null,
  nowMs: number,
  gapMaxMs: number,
): Standing {
  if (value === null) return before
  const isBeyond = sideOf(rule, value) !== null
  if (isBeyond === before.isOpen) return { isOpen: before.isOpen, sinceMs: null, seenMs: nowMs }
  const isHeld = before.sinceMs !== null && nowMs >= before.seenMs && nowMs - before.seenMs <= gapMaxMs
  const sinceMs = isHeld ? (before.sinceMs ?? nowMs) : nowMs
  if (nowMs - sinceMs < rule.durationMs) return { isOpen: before.isOpen, sinceMs, seenMs: nowMs }
  return { isOpen: isBeyond, sinceMs: null, seenMs: nowMs }
}

const load = 'Load Average'
const { metric: silence, source: beat } = heartbeat
type Row = readonly [
  ServerKind,
  MetricType,
  metric: string,
  maxValue: number,
  seconds: number,
  source?: string,
]
/** A laptop that works is no alert: this machine's limits are far above what a browser and a build take. */
const rows: readonly Row[] = [
  ['machine', 'cpu', 'cpu_busy', 97, 20],
  ['machine', 'memory', 'memory_used_percent', 98, 30],
  ['machine', 'disk', 'disk_used_percent', 97, 30],
  ['machine', 'plugin', 'last_minute_per_core', 8, 30, load],
  ['machine', 'plugin', silence, 30, 0, beat],
  ['fleet', 'cpu', 'cpu_busy', 90, 6],
  ['fleet', 'plugin', 'last_minute', 3, 6, load],
  ['fleet', 'memory', 'memory_used_percent', 92, 6],
  ['fleet', 'disk', 'disk_used_percent', 90, 6],
  ['fleet', 'plugin', silence, 30, 0, beat],
  ['pushed', 'plugin', silence, 180, 0, beat],
]
export const usualRules: readonly Rule[] = rows.map(([kind, type, metric, maxValue, seconds, source]) => ({
  ...{ type, metric, kinds: [kind], maxValue, lowValue: null, durationMs: seconds * 1000 },
  ...(source === undefined ? {} : { source }),
}))
