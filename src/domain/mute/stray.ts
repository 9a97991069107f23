/**
 * A stray: a request to switch notifications that got no clear answer, so that the API may still carry it out, minutes later
 * and after others. The API cannot be asked how things are; only saying again what should be makes sure that it is.
 */

/** Times are epoch milliseconds. One a subject and direction: the newest. */
export type Stray = {
  /** Null: the account. */
  readonly hostname: string | null
  /** What it asked for; the opposite is what it may undo. */
  readonly on: boolean
  /** When nobody waited for its answer any more. */
  readonly sinceMs: number
  /** When what should be is said again. */
  readonly notBeforeMs: number
  /** Failed tries in a row to say it. */
  readonly attempts: number
  /** Whose request it was; null: of no mute of monbot's. */
  readonly muteId: string | null
}

const minuteMs = 60_000
/** So long after the request it is said again, and it is over with the last of them. */
const againAfterMs = [minuteMs, 5 * minuteMs, 30 * minuteMs]
export const strayMaxMs = 30 * minuteMs
/** So many tries in a row that failed are told to everyone. */
export const toldAfterTries = 5

export function strayOf(asked: Pick<Stray, 'hostname' | 'on' | 'muteId'>, nowMs: number): Stray {
  const { hostname, on, muteId } = asked
  return { hostname, on, muteId, sinceMs: nowMs, notBeforeMs: nowMs + minuteMs, attempts: 0 }
}

/** What should be was said again, or needs no saying now; null: that was the last time. */
export function saidAgain(stray: Stray, nowMs: number): Stray | null {
  // A clock that was set back since says nothing about how old it is.
  if (nowMs < stray.sinceMs) return strayOf(stray, nowMs)
  const waitMs = againAfterMs.find((ms) => stray.sinceMs + ms > nowMs)
  return waitMs === undefined ? null : { ...stray, notBeforeMs: stray.sinceMs + waitMs, attempts: 0 }
}

/** It could not be said, or not yet; `isFailure` false: its mute is just being changed. */
export function saidLater(stray: Stray, nowMs: number, isFailure: boolean): Stray {
  return { ...stray, notBeforeMs: nowMs + minuteMs, attempts: stray.attempts + (isFailure ? 1 : 0) }
}
