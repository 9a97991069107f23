/** Times of records that cannot be: whose clock is wrong is not believed, and the bot's own clock stands in for it. */
import type { AlertRecord } from './alert.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * Clocks differ by this much, and within it the API's time stands: it alone tells in which order things happened. An alert
 * that begins later than this cannot have been seen yet.
 */
export const aheadMaxMs = 5 * 60_000

/** Stands for a time that could not be read: it cannot be believed either. */
export const unknownTimeMs = 0

/** A clock that was never set says 1970. Alerts are listed for 30 days, so that nothing real is near this. */
const earliestMs = Date.UTC(2000, 0, 1)

export function isBelievable(timeMs: number, nowMs: number): boolean {
  return timeMs >= earliestMs && timeMs <= nowMs + aheadMaxMs
}

/**
 * The same look, with the time of the look for every time that cannot be. At its first sight an alert began then, and a
 * second record closed it then; otherwise it would last for less than nothing, be reminded of in a year, hide from
 * reports until then, and outlive the memory of everything else. A start that is not open and of which nobody knows when
 * it was is left out: in pair form it may have closed weeks ago, and if it is new, the next list of what is open has it.
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
