/** Counts of what was: rules by how often they called, for the report, and what a stretch of time brought, for the handoff. */
import type { Alert } from '../world/types.ts'
import { kindOf } from './trouble.ts'

/** What one rule, a plugin and metric, brought. */
export type RuleRow = {
  /** The newest of them, for its words. */
  readonly example: Alert
  readonly alerts: number
  readonly servers: readonly string[]
  readonly critical: number
  /** How long they were open, as far as both ends were measured. */
  readonly medianMs: number | null
}

/** Of alerts that opened from `fromMs` until before `untilMs`, the most frequent first. */
export function ruleRows(alerts: readonly Alert[], fromMs: number, untilMs: number): RuleRow[] {
  const rows = [...Map.groupBy(alerts.filter(isIn(fromMs, untilMs)), kindOf)].map(([, some]) => {
    const lengths = some.flatMap(({ closedAfterMs }) => closedAfterMs ?? []).sort((a, b) => a - b)
    return {
      example: some.reduce((a, b) => (b.startedMs > a.startedMs ? b : a)),
      alerts: some.length,
      servers: [...new Set(some.map(({ server }) => server))],
      critical: some.filter(({ severity }) => severity === 'critical').length,
      medianMs: lengths[Math.ceil(lengths.length / 2) - 1] ?? null,
    }
  })
  return rows.sort((a, b) => b.alerts - a.alerts)
}

export type Numbers = {
  readonly opened: readonly Alert[]
  readonly closed: readonly Alert[]
  /** Open at the end of it, by who is on them; `null` holds those on which nobody is. */
  readonly open: ReadonlyMap<string | null, readonly Alert[]>
}

export function numbersOf(alerts: readonly Alert[], fromMs: number, untilMs: number): Numbers {
  const lasting = alerts.filter(({ isOneoff }) => !isOneoff)
  const isOpen = ({ startedMs, closedMs }: Alert) =>
    startedMs < untilMs && (closedMs === null || closedMs >= untilMs)
  return {
    opened: alerts.filter(isIn(fromMs, untilMs)),
    closed: lasting.filter(({ closedMs }) => closedMs !== null && closedMs >= fromMs && closedMs < untilMs),
    open: Map.groupBy(lasting.filter(isOpen), ({ holder }) => holder),
  }
}

function isIn(fromMs: number, untilMs: number): (alert: Alert) => boolean {
  return ({ startedMs }) => startedMs >= fromMs && startedMs < untilMs
}
