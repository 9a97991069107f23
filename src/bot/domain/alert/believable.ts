/** Impossible times in records are not believed; the bot's own clock is used instead. */
import type { AlertRecord } from './alert.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * Clocks may differ by this much; within it the API's time is kept, because only it gives the order of events. An alert that
 * begins later than this cannot have been seen yet.
 */
export const aheadMaxMs = 5 * 60_000

/** Stands for a time that could not be read; it is never believed. */
export const unknownTimeMs = 0

/** A clock that was never set says 1970. Alerts are listed for 30 days, so nothing real is near this date. */
const earliestMs = Date.UTC(2000, 0, 1)

export function isBelievable(timeMs: number, nowMs: number): boolean {
  return timeMs >= earliestMs && timeMs <= nowMs + aheadMaxMs
}

/**
 * The same snapshot, with its own time in place of every impossible one. At first sight an alert began then, or a second
 * record closed it then; otherwise it would have a negative duration, be due for a reminder in a year, be missing from
 * reports until then, and outlive everything else in memory. A start that is not open and whose time is unknown is left out:
 * in pair form it may have closed weeks ago, and if it is new, the next list of open alerts has it.
 */
export function believed(snapshot: Snapshot): Snapshot {
  const isInTime = ({ timeMs }: AlertRecord) => isBelievable(timeMs, snapshot.nowMs)
  const inTime = (alertRecords: readonly AlertRecord[]): readonly AlertRecord[] =>
    alertRecords.map((seen) => (isInTime(seen) ? seen : { ...seen, timeMs: snapshot.nowMs }))
  const openIds = new Set(snapshot.open.alertRecords.map(({ alertId }) => alertId))
  const isTelling = (seen: AlertRecord) =>
    isInTime(seen) || seen.lifecycle !== 'start' || openIds.has(seen.alertId) || !snapshot.open.complete
  return {
    ...snapshot,
    open: { ...snapshot.open, alertRecords: inTime(snapshot.open.alertRecords) },
    all: { ...snapshot.all, alertRecords: inTime(snapshot.all.alertRecords.filter(isTelling)) },
  }
}
