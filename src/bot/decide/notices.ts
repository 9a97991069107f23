/**
 * Messages about no single alert: a board in each channel, an outage of the monitoring, a change of who is on call, the policy's report;
 * and counts of what was, for the last two.
 */
import { day, hour, minute, second } from '../clock.ts'
import type { Policy } from '../config/policy.ts'
import type { Scene } from '../view/view.ts'
import type { Alert, Numbers } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { kindOf } from './matching.ts'
import { nextWindow } from './mute-times.ts'
import { channelsOf, isLeftOut, isShut, onCallAt, shiftsIn } from './standing.ts'
import { isUnsent, note, want, wantEffect } from './want.ts'

/** A board that differs is edited at most so often. */
const boardsEveryMs = 10 * second
const boardsMs = new WeakMap<World, number>()

export function keepBoards({ world, policy, nowMs, defaultChannel }: Scene): void {
  // Before the first look at the monitoring there is nothing to say.
  const isBlind = world.fact('polled') === undefined && (world.fact('failing') ?? null) === null
  if (!policy.board || isBlind || nowMs - (boardsMs.get(world) ?? 0) < boardsEveryMs) return
  boardsMs.set(world, nowMs)
  for (const channel of channelsOf(policy, defaultChannel)) {
    const id = `board:${channel}`
    want(world, nowMs, { id, kind: 'board', channel, urgency: 5 })
    world.dirty.add(id)
  }
}

/** So many polls in a row that failed are an outage; a refused key counts as so many. */
export const outageAfter = 3

/** Longer without a poll, and nobody knows when it was over. */
const measuredWithinMs = 5 * minute

export function tellOutage(scene: Scene): void {
  const { world, policy, nowMs, defaultChannel } = scene
  const failing = world.fact('failing') ?? null
  if (failing === null || failing.count < outageAfter) return
  if (failing.toldMs === null) {
    world.setFact('failing', { ...failing, toldMs: nowMs })
    note(scene, { kind: 'outage', subject: 'the monitoring', data: { why: failing.why } })
  }
  const { sinceMs } = failing
  for (const channel of channelsOf(policy, defaultChannel)) {
    if (isShut(world, channel)) continue
    const id = `outage:${sinceMs}:${channel}`
    want(world, nowMs, { id, kind: 'outage', channel, isLoud: true, data: { sinceMs, untilMs: null } })
  }
}

/** The monitoring can be read again: in one stretch with what it listed, so that the message counts right. */
export function endOutage({ world, nowMs }: Scene): void {
  const failing = world.fact('failing') ?? null
  if (failing === null) return
  world.setFact('failing', null)
  const isUnmeasured = nowMs - (failing.lastMs ?? failing.sinceMs) > measuredWithinMs
  for (const post of world.posts.values()) {
    if (post.kind !== 'outage' || (post.data.untilMs ?? null) !== null) continue
    const data = { ...post.data, untilMs: nowMs, ...(isUnmeasured && { isUnmeasured }) }
    if (isUnsent(post)) world.remove('posts', post.id, 'gone')
    else world.patch('posts', post.id, { data, urgency: 2 })
  }
}

/** A change is told late, but not when it is no news any more. */
const lateMaxMs = hour
const handoffMaxMs = 7 * day

/** A cover is told as a shift is, whoever it is; once it is over its message says so. */
export function tellShift(scene: Scene): void {
  const { world, policy, nowMs, defaultChannel } = scene
  const channels = channelsOf(policy, defaultChannel)
  const covers = world.fact('covers') ?? []
  const over = covers.filter(({ untilMs }) => untilMs <= nowMs)
  const ids = over.flatMap(({ fromMs }) => channels.map((channel) => `shift:${fromMs}:${channel}`))
  for (const { id, data } of ids.flatMap((one) => world.posts.get(one) ?? []))
    if (data.untilMs === undefined)
      world.patch('posts', id, { data: { ...data, untilMs: nowMs }, urgency: 2 })
  const begins = shiftsIn(world).map(({ fromMs }) => fromMs)
  const atMs = Math.max(...begins.filter((ms) => ms <= nowMs && nowMs - ms < lateMaxMs))
  const isCover = covers.some(({ fromMs }) => fromMs === atMs)
  if (!isCover && peopleAt(world, atMs) === peopleAt(world, atMs - 1)) return
  const missing = channels.filter(
    (channel) => !isShut(world, channel) && !world.posts.has(`shift:${atMs}:${channel}`),
  )
  if (missing.length === 0) return
  const data = { atMs, ...handoffAt(scene, atMs) }
  for (const channel of missing)
    want(world, nowMs, { id: `shift:${atMs}:${channel}`, kind: 'shift', channel, data, urgency: 3 })
}

/** What the shift that ended then brought. Of a time before the bot's first record nobody knows. */
function handoffAt(scene: Scene, atMs: number): { readonly handoff?: Numbers } {
  const { world, policy } = scene
  if (policy.onCall?.handoff !== true) return {}
  const begins = shiftsIn(world).flatMap((one) =>
    one.untilMs === atMs && one.fromMs < atMs ? one.fromMs : [],
  )
  const fromMs = Math.max(atMs - handoffMaxMs, Math.min(...begins))
  const alerts = [...world.alerts.values()]
  const isKnown =
    alerts.some(({ firstSeenMs }) => firstSeenMs <= fromMs) ||
    [...world.acts.values()].some((act) => act.atMs <= fromMs)
  if (begins.length === 0 || !isKnown) return {}
  const told = alerts.filter((alert) => !isLeftOut(scene, alert))
  return { handoff: numbersOf(told, fromMs, atMs) }
}

function peopleAt(world: World, ms: number): string {
  return [...new Set(onCallAt(world, ms).map(({ person }) => person))].sort().join()
}

const reportLateMaxMs = 3 * hour

export function tellReport(scene: Scene): void {
  const { world, policy, nowMs } = scene
  const { report } = policy
  if (report === null) return
  const { channel } = report
  const atMs = nextReportMs(policy, nowMs - reportLateMaxMs)
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
