/** The report of the policy, at its days and time, a little late where nothing ran then; and counts of what was, for it and the handoff. */
import { day, hour } from '../clock.ts'
import type { Policy } from '../config/policy.ts'
import type { Scene } from '../view/view.ts'
import type { Alert, Numbers } from '../world/types.ts'
import { kindOf } from './matching.ts'
import { nextWindow } from './mute-times.ts'
import { want, wantEffect } from './want.ts'

const lateMaxMs = 3 * hour

export function tellReport(scene: Scene): void {
  const { world, policy, nowMs } = scene
  const { report } = policy
  if (report === null) return
  const { channel } = report
  const atMs = nextReportMs(policy, nowMs - lateMaxMs)
  const id = `report:${atMs}:${channel}`
  // Whoever starts the bot for the first time has nothing to report.
  const isFirst = ![...world.acts.values()].some((act) => act.atMs < atMs)
  if (atMs > nowMs || isFirst || world.posts.has(id)) return
  want(world, nowMs, { id, kind: 'report', channel, data: { atMs }, urgency: 3 })
  const data = {
    file: 'report_csv',
    post: id,
    to: channel,
    forMs: atMs - reportFromMs(policy, atMs),
    atMs,
  } as const
  wantEffect(scene, { id: `file:${id}`, does: 'file', data })
}

/** What a report is about begins with the one before it, a week ago at most. */
export function reportFromMs(policy: Policy, atMs: number): number {
  let fromMs = atMs - 7 * day
  for (;;) {
    const nextMs = nextReportMs(policy, fromMs)
    if (nextMs >= atMs) return fromMs
    fromMs = nextMs
  }
}

function nextReportMs({ report, timezone }: Policy, afterMs: number): number {
  if (report === null) return Number.POSITIVE_INFINITY
  const { days, atMinutes } = report
  const next = nextWindow({ days, atMinutes, lengthMs: 0, zone: timezone }, afterMs)
  return next?.fromMs ?? Number.POSITIVE_INFINITY
}

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

/** As things are now: who is on what is not known of any other time. */
export function numbersOf(alerts: readonly Alert[], fromMs: number, untilMs: number): Numbers {
  const lasting = alerts.filter(({ isOneoff }) => !isOneoff)
  const isOpen = ({ startedMs, closedMs }: Alert) =>
    startedMs < untilMs && (closedMs === null || closedMs >= untilMs)
  const isClosed = ({ closedMs }: Alert) => closedMs !== null && closedMs >= fromMs && closedMs < untilMs
  const open = Map.groupBy(lasting.filter(isOpen), ({ holder }) => holder)
  return {
    fromMs,
    opened: alerts.filter(isIn(fromMs, untilMs)).length,
    closed: lasting.filter(isClosed).length,
    open: [...open].map(([holder, some]) => [holder, some.length]),
  }
}

function isIn(fromMs: number, untilMs: number): (alert: Alert) => boolean {
  return ({ startedMs }) => startedMs >= fromMs && startedMs < untilMs
}
