/** The changes of an alert, and the alert after each. */
import { type Alert, type AlertRecord, type ClosedBy, listed } from './alert.ts'
import { meantBy, usualSeverity } from './severity.ts'

/**
 * - `opened`: new and open
 * - `passed`: opened and closed between two polls
 * - `happened`: a new one-off
 * - `recorded`: history, closed or one-off before the first poll; not announced
 * - `closed`, `expired` (older than what the API reports)
 * - `lost`: no longer listed as open, and nothing says that it closed
 * - `reopened`: open after all, but not announced again: it was no longer reported, or it keeps coming and going
 * - `renamed`: its server has a new name, its title another remark, or what else is said of it changed
 * - `named`: its server or its title, which could not be read before, can be read
 * - `worsened`, `eased`: it is open, and more or less severe than before
 * - `muted`: the monitoring itself mutes it, or by something else than before
 * - `unmuting`: readings began to show that nothing there mutes it any more, or stopped to; not announced
 * - `unmuted`: that has held for a while; what has no card is told now
 * - `ignored`: the policy leaves it out from now on, or it does and it changed or ended
 * - `missed`, `found`: an open alert was absent from one sweep, and is back; not announced
 */
export type ChangeKind =
  | 'opened'
  | 'passed'
  | 'happened'
  | 'recorded'
  | 'closed'
  | 'lost'
  | 'reopened'
  | 'expired'
  | 'renamed'
  | 'named'
  | 'worsened'
  | 'eased'
  | 'muted'
  | 'unmuting'
  | 'unmuted'
  | 'ignored'
  | 'missed'
  | 'found'

export type Change = {
  readonly kind: ChangeKind
  /** The alert as it is now. */
  readonly alert: Alert
  /** The version it had, null when it is new. */
  readonly was: number | null
}

/** `closedMs` null: nobody knows when; `closedAfterMs`: between the two. */
export function closedAt(closedMs: number | null, closedBy: ClosedBy, closedAfterMs: number | null = null) {
  return { state: 'closed' as const, closedMs, closedBy, ...listed, closedAfterMs }
}

/** The alert after a change, with the next version. */
export function change(kind: ChangeKind, alert: Alert, next: Partial<Alert>): Change {
  return { kind, alert: { ...alert, ...next, version: alert.version + 1 }, was: alert.version }
}

/** A new alert as it is first stored: open, and without the policy's severity. */
export function toAlert(seen: AlertRecord, nowMs: number): Alert {
  const { lifecycle: _lifecycle, leftOut: _leftOut, timeMs, ...facts } = seen
  return {
    ...facts,
    state: 'open',
    severity: meantBy(seen.saidSeverity) ?? usualSeverity,
    startedMs: timeMs,
    closedMs: null,
    closedBy: null,
    ...listed,
    roles: [],
    ackedBy: null,
    ackedMs: null,
    ackedBefore: null,
    ownershipConfirmedMs: null,
    reopenedMs: null,
    unmutedMs: null,
    version: 1,
    firstSeenMs: nowMs,
  }
}

/** Did this change make it critical? */
export function isCriticalNow({ kind, alert }: Change): boolean {
  return kind === 'worsened' && alert.severity === 'critical'
}

/** A new alert that the policy leaves out: what is over stays so, and is no closed alert of any list. */
export function ignoredAtOnce({ alert, was }: Change): Change {
  const closedMs = alert.state === 'open' ? null : (alert.closedMs ?? alert.startedMs)
  return { kind: 'ignored', alert: { ...alert, state: 'ignored', closedMs }, was }
}
