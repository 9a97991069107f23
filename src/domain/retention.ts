/** How long what is over is remembered. */
import type { Sighting } from './alert.ts'

const dayMs = 24 * 60 * 60 * 1000

/**
 * Alerts that are over, with their cards, pictures and notes. The API lists an alert for 30 days, and one that was
 * forgotten while it is listed would be told as news; a report reaches back 30 days as well. Ten days more leave room for
 * clocks that differ, and for a look at last month's incident.
 */
export const alertsKeptMs = 40 * dayMs

/** The audit, and mutes that ended: a quarter of a year, as long as people look back for who did what. */
export const recordsKeptMs = 90 * dayMs

/** What is older than each of these, and over, is forgotten (epoch milliseconds). */
export type Forgetting = { readonly alertsBeforeMs: number; readonly recordsBeforeMs: number }

export function forgettingAt(nowMs: number): Forgetting {
  return { alertsBeforeMs: nowMs - alertsKeptMs, recordsBeforeMs: nowMs - recordsKeptMs }
}

/**
 * Records of the general list that are to be looked at: not those that were forgotten, or would be at once, should an API
 * list its alerts for longer than it says. They would come back as news.
 */
export function listedLately(
  records: readonly Sighting[],
  isKnown: (alertId: string) => boolean,
  nowMs: number,
): readonly Sighting[] {
  const { alertsBeforeMs } = forgettingAt(nowMs)
  return records.filter(({ alertId, timeMs }) => timeMs >= alertsBeforeMs || isKnown(alertId))
}
