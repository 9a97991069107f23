/** What follows from how often, and for how long, the list of what is open has lacked an alert. */

import { remainingMs } from '../base/set-clock.ts'
import type { Alert } from './alert.ts'

/** Complete sweeps in a row that must not show an open alert before it counts as closed. */
const absencesToClose = 2

/** What is absent for so long, and nothing says that it closed, is not shown as open any more. */
const lostAfterMs = 5 * 60_000

/** Of an alert that is not absent. */
export const listed = { absences: 0, missingMs: null } as const satisfies Partial<Alert>

/** Does one more absence close it? */
export function isLastAbsence({ absences }: Alert): boolean {
  return absences + 1 >= absencesToClose
}

export function isLongMissing(missingMs: number, nowMs: number): boolean {
  return remainingMs(missingMs + lostAfterMs, nowMs, lostAfterMs) === 0
}
