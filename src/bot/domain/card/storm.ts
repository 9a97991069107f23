/** Decides about storms: many alerts at once become one card that counts them, and replies that list them. */
import type { Alert } from '../alert/alert.ts'
import { kindsAmong, troubleOf } from '../alert/trouble.ts'

/** At most this many single cards may wait in a channel; more become one card. */
export const singlesMax = 3
/** A storm lasts so long at least, and arrivals are counted over so long. */
const stormWindowMs = 60_000
/** Alerts of a storm that came within `stormWindowMs`: with fewer than one in two seconds it is over. */
const stormArrivalsMin = 30
/** After this time a storm's card has scrolled away, and later alerts get a new one. */
export const stormLastsMsMax = 60 * 60_000

/** What a channel has waiting, its last storms and its last summaries: new alerts are announced in view of these. */
export type ChannelQueue = {
  /** Cards of single alerts that Slack certainly does not have, with nothing in their threads: they may still be withdrawn. */
  readonly waiting: readonly WaitingCard[]
  /** Cards of alerts of which nobody knows whether Slack has them. */
  readonly unsure: number
  /** The storms that were begun last in the channel, the newest first, without those that Slack shows no more. */
  readonly storms: readonly StormCard[]
  /** The same of summaries: mutes that end one after the other tell what they hid on one card. */
  readonly summaries: readonly StormCard[]
}

export type WaitingCard = {
  readonly cardId: string
  readonly alert: Alert
  readonly mention: string | null
}

export type StormCard = {
  readonly cardId: string
  readonly mention: string | null
  readonly createdMs: number
  /** Not posted yet: until it is, all later alerts of its kind join it. */
  readonly isWaiting: boolean
  /** All its alerts, in their order. */
  readonly alerts: readonly Alert[]
  /** Its replies, in their order. */
  readonly pages: readonly {
    readonly cardId: string
    readonly page: number
    readonly mention: string | null
    /** Slack will never show it: nothing more goes on it. */
    readonly isDead: boolean
    readonly alertIds: readonly string[]
  }[]
}

export const emptyQueue: ChannelQueue = { waiting: [], unsure: 0, storms: [], summaries: [] }

/**
 * Do this many new alerts still belong to the storm? They count as arrivals, because each poll brings all of its interval. But
 * they alone do not continue a storm that the polls before added nothing to, perhaps a minute apart.
 */
export function isRunning(
  { isWaiting, createdMs, alerts }: StormCard,
  fresh: number,
  nowMs: number,
): boolean {
  if (isWaiting || isNear(createdMs, nowMs, stormWindowMs)) return true
  const since = (ms: number) => alerts.filter(({ firstSeenMs }) => isNear(firstSeenMs, nowMs, ms)).length
  // Its card has said for a while that it is over, and nobody is notified of an edit.
  if (since(stormWindowMs) === 0 && alerts.every(({ state }) => state !== 'open')) return false
  const isSteady = since(stormWindowMs) + fresh >= stormArrivalsMin && since(2 * stormWindowMs) > 0
  return isSteady && isNear(createdMs, nowMs, stormLastsMsMax)
}

// Either way: a clock that was set back must not make a storm of what came before it last for an hour more.
function isNear(atMs: number, nowMs: number, ms: number): boolean {
  return Math.abs(nowMs - atMs) < ms
}

/**
 * Which news a running storm takes by an edit, which notifies nobody: more of the same kind. Another kind of problem, or the
 * first critical alert of a kind, gets a message of its own, and so does what comes after its card said that it is over, except
 * alerts of that card that reopen. A card that is not posted yet takes everything.
 */
export function openTakes({ isWaiting, alerts }: StormCard): (alert: Alert) => boolean {
  const kindOf = kindsAmong(alerts)
  const told = new Map<string, boolean>()
  for (const alert of alerts) {
    const kind = kindOf(alert)
    told.set(kind, told.get(kind) === true || alert.severity === 'critical')
  }
  const isTold = (alert: Alert) => {
    const isCritical = told.get(kindOf(alert))
    return isCritical === true || (isCritical === false && alert.severity !== 'critical')
  }
  const lasting = alerts.filter(({ state }) => state !== 'oneoff')
  if (isWaiting || lasting.length === 0 || lasting.some(({ state }) => state === 'open')) return isTold
  const troubles = new Set(lasting.map(troubleOf))
  return (alert) => alert.state !== 'oneoff' && isTold(alert) && troubles.has(troubleOf(alert))
}

/** One line of a page: an alert, and how often its problem occurred on that line, including this time. */
export type StormLine = { readonly alert: Alert; readonly times: number }

/**
 * The lines of a page, in the order of first appearance. The closed alerts of one problem share a line: that of the one that
 * opened after them if there is one, else of the newest.
 */
export function linesOf(alerts: readonly Alert[]): readonly StormLine[] {
  const placed = alerts.map((alert, place) => ({ alert, place }))
  return [...Map.groupBy(placed, ({ alert }) => troubleOf(alert)).values()]
    .flatMap(linesOfTrouble)
    .toSorted((a, b) => a.place - b.place)
    .map(({ alert, times }) => ({ alert, times }))
}

type Placed = { readonly alert: Alert; readonly place: number }

function linesOfTrouble(placed: readonly Placed[]): readonly (Placed & { readonly times: number })[] {
  const closed = placed.filter(({ alert }) => alert.state === 'closed')
  const others = placed.filter(({ alert }) => alert.state !== 'closed')
  const own = others.map((line) => ({ ...line, times: 1 }))
  const newest = latest(closed)
  if (newest === null) return own
  const after = latest(others.filter(({ alert }) => alert.state === 'open' && !isBefore(alert, newest.alert)))
  const recent = after ?? newest
  const members = after === null ? closed : [after, ...closed]
  const place = members.reduce((least, member) => Math.min(least, member.place), recent.place)
  return [
    ...own.filter(({ alert }) => alert !== recent.alert),
    { alert: recent.alert, place, times: members.length },
  ]
}

function latest(placed: readonly Placed[]): Placed | null {
  return placed.reduce<Placed | null>(
    (last, one) => (last !== null && isBefore(one.alert, last.alert) ? last : one),
    null,
  )
}

function isBefore(one: Alert, other: Alert): boolean {
  return one.startedMs < other.startedMs
}

/** Counts the lines for the alerts of one problem while they are added. */
export type Tally = { readonly others: number; readonly closedMs: number; readonly openMs: number }

export const emptyTally: Tally = {
  others: 0,
  closedMs: Number.NEGATIVE_INFINITY,
  openMs: Number.NEGATIVE_INFINITY,
}

export function tallied({ others, closedMs, openMs }: Tally, { state, startedMs }: Alert): Tally {
  if (state === 'closed') return { others, closedMs: Math.max(closedMs, startedMs), openMs }
  return { others: others + 1, closedMs, openMs: state === 'open' ? Math.max(openMs, startedMs) : openMs }
}

/** How many lines `linesOf` returns for the alerts of one problem. */
export function linesIn({ others, closedMs, openMs }: Tally): number {
  const isOwnLine = closedMs > Number.NEGATIVE_INFINITY && openMs < closedMs
  return others + (isOwnLine ? 1 : 0)
}
