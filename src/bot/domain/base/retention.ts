/** How long what is over is kept. */
import type { AlertRecord } from '../alert/alert.ts'
import { isBelievable } from '../alert/believable.ts'
import { dayMs } from './duration.ts'

/**
 * Ended alerts, with their cards, pictures and notes. The API lists an alert for 30 days, and one forgotten while still listed
 * would be announced as news; a report reaches back 30 days as well. Ten more days allow for clocks that differ, and for a look
 * at last month's incident. What is not known to have ended is kept as long as records are.
 */
export const alertsKeptMs = 40 * dayMs

/** The audit, and mutes that ended: a quarter of a year, as far back as people ask who did what. */
export const recordsKeptMs = 90 * dayMs

/** How long ended things are kept (milliseconds); records at least as long as alerts. */
export type Kept = { readonly alertsMs: number; readonly recordsMs: number }

export const keptAsARule: Kept = { alertsMs: alertsKeptMs, recordsMs: recordsKeptMs }

/** What ended before these times is deleted (epoch milliseconds). */
export type Forgetting = { readonly alertsBeforeMs: number; readonly recordsBeforeMs: number }

/**
 * The present time for deleting what is old: no later than the newest event by another clock than ours. Otherwise a clock that is
 * years ahead would delete everything at once; and while nothing happens, nothing grows.
 */
export function forgettingNowMs(nowMs: number, newestMs: number): number {
  return Math.min(nowMs, newestMs)
}

export function forgettingAt(nowMs: number, { alertsMs, recordsMs } = keptAsARule): Forgetting {
  return { alertsBeforeMs: nowMs - alertsMs, recordsBeforeMs: nowMs - recordsMs }
}

/**
 * The records of the list of all alerts to process. Others were deleted, or would be at once, if an API lists alerts for longer
 * than documented, and must not come back as news. `newestMs`: when the newest remembered alert began; null if there is none. A
 * record with an impossible time is processed, because it is not known to be old.
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
