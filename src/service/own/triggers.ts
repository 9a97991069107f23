/** Triggers of the own source: when a value opens an alert and when it closes it again. Pure; time is an argument. */
import { numberOf } from '../ledger.ts'
import { amount, heartbeat, wordsOf } from '../metrics.ts'
import type { MetricKey, MetricType, ServerKind, Trigger } from '../source.ts'

export type OwnTrigger = Trigger & {
  readonly type: MetricType
  readonly source?: string | undefined
  readonly kind: ServerKind
}

export function covers(trigger: OwnTrigger, key: MetricKey, kind: ServerKind): boolean {
  const isSource = trigger.source === undefined || trigger.source === key.source
  return isSource && trigger.type === key.type && trigger.metric === key.metric && trigger.kind === kind
}

/** Of one trigger for one metric of one server. `sinceMs`: when the change that is under way began. */
export type Standing = { readonly isOpen: boolean; readonly sinceMs: number | null; readonly seenMs: number }

/**
 * One evaluation: a value opens above the limit, and closes at it or below, once that has lasted. Without a value nothing changes, as
 * silence proves nothing; after a silence of more than `gapMaxMs` a change that was under way begins anew.
 */
export function step(
  { maxValue, durationMs }: Pick<Trigger, 'maxValue' | 'durationMs'>,
  before: Standing,
  value: number | null,
  nowMs: number,
  gapMaxMs: number,
): Standing {
  const { isOpen, seenMs } = before
  if (value === null) return before
  if (value > maxValue === isOpen) return { isOpen, sinceMs: null, seenMs: nowMs }
  const isHeld = nowMs >= seenMs && nowMs - seenMs <= gapMaxMs
  const sinceMs = (isHeld ? before.sinceMs : null) ?? nowMs
  if (nowMs - sinceMs < durationMs) return { isOpen, sinceMs, seenMs: nowMs }
  return { isOpen: !isOpen, sinceMs: null, seenMs: nowMs }
}

const load = 'Load Average'
const { metric: silence, source: beat } = heartbeat
type Row = readonly [ServerKind, MetricType, metric: string, max: number, seconds: number, source?: string]
/** A laptop that works is no alert: this machine's limits are far above what a start, a browser and a build take. */
const rows: readonly Row[] = [
  ['machine', 'cpu', 'cpu_busy', 97, 60],
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
export const ownTriggers: readonly OwnTrigger[] = rows.map((row) => {
  const [kind, type, metric, maxValue, seconds, source] = row
  const { human, units } = wordsOf({ type, metric, source: source ?? '' })
  const lasting = seconds > 0 ? ` for ${seconds} seconds` : ''
  const condition = `${human} exceeds ${amount(maxValue, units)}${lasting}`
  const limits = { maxValue, lowValue: null, durationMs: seconds * 1000 }
  return { id: numberOf(row), condition, kind, type, metric, source, ...limits }
})
