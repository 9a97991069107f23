/** What follows from how often, and for how long, the list of open alerts has lacked an alert. */

import { remainingMs } from '../base/set-clock.ts'
import type { Alert } from './alert.ts'

/** This many complete sweeps in a row without an open alert count as its close. */
const absencesToClose = 2

/** An alert absent for this long, without anything saying that it closed, is no longer shown as open. */
const lostAfterMs = 5 * 60_000

/** For an alert that is not absent. */
export const listed = { absences: 0, missingMs: null } as const satisfies Partial<Alert>

/** Does one more absence close it? */
export function isLastAbsence({ absences }: Alert): boolean {
  return absences + 1 >= absencesToClose
}

export function isLongMissing(missingMs: number, nowMs: number): boolean {
  return remainingMs(missingMs + lostAfterMs, nowMs, lostAfterMs) === 0
}
