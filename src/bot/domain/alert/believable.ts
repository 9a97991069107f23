/** Replaces impossible times in records by the bot's own clock. */

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
