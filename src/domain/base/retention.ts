/** How long what is over is remembered. */
import type { AlertRecord } from '../alert/alert.ts'
import { isBelievable } from '../alert/believable.ts'

const dayMs = 24 * 60 * 60 * 1000

/**
 * Alerts that are over, with their cards, pictures and notes. The API lists an alert for 30 days, and one that was
 * forgotten while it is listed would be told as news; a report reaches back 30 days as well. Ten days more leave room for
 * clocks that differ, and for a look at last month's incident.
 */
export const alertsKeptMs = 40 * dayMs

/** The audit, and mutes that ended: a quarter of a year, as long as people look back for who did what. */
export const recordsKeptMs = 90 * dayMs

/** How long what is over is kept (milliseconds); records no shorter than alerts. */
export type Kept = { readonly alertsMs: number; readonly recordsMs: number }

export const keptAsARule: Kept = { alertsMs: alertsKeptMs, recordsMs: recordsKeptMs }

/** What is older than each of these, and over, is forgotten (epoch milliseconds). */
export type Forgetting = { readonly alertsBeforeMs: number; readonly recordsBeforeMs: number }

/**
 * The present time as far as forgetting may believe it: no later than the newest thing that happened by another clock than
 * ours. A clock that is years ahead would else have everything forgotten at once; and where nothing happens, nothing grows.
 */
export function forgettingNowMs(nowMs: number, newestMs: number): number {
  return Math.min(nowMs, newestMs)
}

export function forgettingAt(nowMs: number, { alertsMs, recordsMs } = keptAsARule): Forgetting {
  return { alertsBeforeMs: nowMs - alertsMs, recordsBeforeMs: nowMs - recordsMs }
}

/**
 * Records of the general list that are to be looked at: not those that were forgotten, or would be at once, should an API
 * list its alerts for longer than it says. They would come back as news. `newestMs`: when the newest alert that is
 * remembered began; null where none is. A record whose time cannot be is looked at: nobody knows that it is old.
 */
export function listedLately(
  records: readonly AlertRecord[],
  isKnown: (alertId: string) => boolean,
  { nowMs, newestMs }: { readonly nowMs: number; readonly newestMs: number | null },
  kept = keptAsARule,
): readonly AlertRecord[] {
  const latestMs = records.reduce((latest, { timeMs }) => Math.max(latest, timeMs), newestMs ?? 0)
  const { alertsBeforeMs } = forgettingAt(forgettingNowMs(nowMs, latestMs), kept)
  return records.filter(
    ({ alertId, timeMs }) => timeMs >= alertsBeforeMs || !isBelievable(timeMs, nowMs) || isKnown(alertId),
  )
}
