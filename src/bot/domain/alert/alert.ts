/** An alert, as the monitoring API lists it (`AlertRecord`) and as the bot stores it (`Alert`). */
import { remainingMs } from '../base/set-clock.ts'
import type { Details, MutedBy } from './details.ts'
import type { Reading } from './reading.ts'
import type { SaidSeverity, Severity } from './severity.ts'

/**
 * The API's own word for a record's state; `start` is open, `end` is closed, `oneoff` has neither (docs/api.md#alerts).
 */
export type Lifecycle = 'start' | 'end' | 'oneoff'

const unknownServer = 'unknown-server-'

/** The server's name for a record that has none: each gets its own, so that no two seem to be the same server. */
export function unknownServerOf(alertId: string): string {
  return `${unknownServer}${alertId}`
}

export function isUnknownServer(hostname: string): boolean {
  return hostname.startsWith(unknownServer)
}

/** What the API says of an alert, in a record and ever after. */
type AlertFacts = {
  readonly alertId: string
  readonly hostname: string
  readonly serverName: string
  readonly title: string
  readonly plugin: string
  readonly metric: string | null
  readonly value: number | null
  /** The link as the API gave it; not trusted yet: the renderer checks its scheme. */
  readonly url: string
  /** Only in answers of the historical service; pairs an `end` record with its `start` more reliably than names do. */
  readonly triggerId: string | null
  /** How bad it is by the API's own word; null if it says nothing that is known. */
  readonly saidSeverity: SaidSeverity | null
  /** Absent on the plain API. */
  readonly details?: Details | undefined
  /**
   * The silences and inhibitions for which the monitoring notifies nobody of it; absent, or not empty. Of a stored alert: those of
   * the last reading that showed any, until it counts as unmuted (`unmuting.ts`).
   */
  readonly mutedBy?: readonly MutedBy[] | undefined
}

/** One record of `alerts.json`, checked. Times are epoch milliseconds, UTC. */
export type AlertRecord = AlertFacts & {
  /** The record's `time`: when the alert opened, or for a second, closing record when it closed. */
  readonly timeMs: number
  readonly lifecycle: Lifecycle
  /** How many of its optional fields, or parts of them, could not be used; absent for none. */
  readonly leftOut?: number
}

/**
 * - `open`: the API lists it as open
 * - `closed`: it ended
 * - `unreported`: it is not listed as open, and nothing says that it closed: unknown, never over (`isLost`)
 * - `oneoff`: it never had a state
 * - `ignored`: the policy leaves it out: it is shown nowhere but in a count. Once it is over, it has `closedMs`.
 */
export type AlertState = 'open' | 'closed' | 'unreported' | 'oneoff' | 'ignored'

/**
 * How we know that an alert closed: its own record said so; a second record did (pair form); or it was absent from two
 * sweeps in a row. The last two are inferred and are revoked when the alert is seen open again.
 */
export type ClosedBy = 'record' | 'pair' | 'absence'

/** An alert as the bot stores it. Times are epoch milliseconds, UTC. */
export type Alert = AlertFacts & {
  readonly state: AlertState
  /** How bad it is by the policy and the API together (see `gradeOf`). */
  readonly severity: Severity
  readonly startedMs: number
  readonly closedMs: number | null
  readonly closedBy: ClosedBy | null
  /** Where it went while nothing could be read: the last reading before. Its end lies between this and `closedMs`; null else. */
  readonly closedAfterMs: number | null
  /** How many complete sweeps of the open list in a row did not show it while it was open. */
  readonly absences: number
  /** When the first of these sweeps was; null while it is listed, once its end is known, and where it left the list by its age. */
  readonly missingMs: number | null
  /** Roles of the server when the alert was first seen; they route it and are shown on its card. */
  readonly roles: readonly string[]
  /** Who acknowledged it and when; both null if nobody has it now. Of a closed alert: who had it when it closed. */
  readonly ackedBy: string | null
  readonly ackedMs: number | null
  /** Who had it before: until it closed and came back, handed it back, or somebody took it over. */
  readonly ackedBefore: string | null
  /** When it was released, or its owner last confirmed to be on it: reminders count from there. */
  readonly ownershipConfirmedMs: number | null
  /** When it was found open again after it had closed. */
  readonly reopenedMs: number | null
  /**
   * Beside `mutedBy`: since when readings show that nothing mutes it any more, which is not believed yet; null while they show that
   * something does. Without `mutedBy`: when that was believed, or when the policy ignored it no longer; null if neither ever was.
   */
  readonly unmutedMs: number | null
  /** Grows with every change; a plan made on an older version is stale. */
  readonly version: number
  readonly firstSeenMs: number
  /** The ending of a number that is too long to be typed, as no other alert has it; written by the store alone (`store/alert/endings.ts`). */
  readonly ending?: string | undefined
  /** What is known of its metric besides; a plan never changes it (`store/alert/readings.ts` does). */
  readonly reading?: Reading | undefined
}

/**
 * Is it unknown whether it is open? It has been missing from the list of open alerts for minutes, or since it reached the age up
 * to which the API lists alerts, and no end was seen.
 */
export function isLost({ state }: Pick<Alert, 'state'>): boolean {
  return state === 'unreported'
}

/** May it be open? Its end is still unknown. */
export function mayBeOpen(alert: Pick<Alert, 'state' | 'closedMs'>): boolean {
  return isListedOpen(alert) || isLost(alert)
}

/** Was it listed as open when last seen, shown or ignored? */
export function isListedOpen({ state, closedMs }: Pick<Alert, 'state' | 'closedMs'>): boolean {
  return state === 'open' || (state === 'ignored' && closedMs === null)
}

/** Is it open, or a one-off, which cannot close? */
export function isLive({ state }: Pick<Alert, 'state'>): boolean {
  return state === 'open' || state === 'oneoff'
}

/** The alert reopened: whoever acknowledged it before has done their part, and is only mentioned as such. */
export function reopenedAlert({ ackedBy, ackedBefore }: Alert, nowMs: number) {
  return {
    state: 'open',
    closedMs: null,
    closedBy: null,
    ackedBy: null,
    ackedMs: null,
    ackedBefore: ackedBy ?? ackedBefore,
    reopenedMs: nowMs,
  } as const satisfies Partial<Alert>
}

/** How long it was open; null if it is open, or if it is not known when it closed. */
export function lastedMs({ startedMs, closedMs, closedAfterMs }: Alert): number | null {
  return closedMs === null || closedAfterMs !== null ? null : closedMs - startedMs
}

/** What somebody wrote about an alert: it is posted in the card's thread and belongs to the episode. */
export type Note = {
  readonly noteId: string
  readonly alertId: string
  readonly userId: string
  readonly atMs: number
  readonly text: string
}

/** This many complete sweeps in a row without an open alert count as its close. */
const absencesToClose = 2

/** An alert absent for this long, without anything saying that it closed, is no longer shown as open. */
const lostAfterMs = 5 * 60_000

/** The fields of an alert that is listed. */
export const listed = { absences: 0, missingMs: null, closedAfterMs: null } as const satisfies Partial<Alert>

/** Does one more absence close it? */
export function isLastAbsence({ absences }: Alert): boolean {
  return absences + 1 >= absencesToClose
}

export function isLongMissing(missingMs: number, nowMs: number): boolean {
  return remainingMs(missingMs + lostAfterMs, nowMs, lostAfterMs) === 0
}
