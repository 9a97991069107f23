/**
 * A stray: a request to switch notifications that got no clear answer, so that the API may still carry it out, minutes later
 * and after others. The API cannot be asked for its state, so the bot repeats what should be.
 */
import { minuteMs } from '../base/duration.ts'

/** Times are epoch milliseconds. One a subject and direction: the newest. */
export type Stray = {
  /** Null: the account. */
  readonly hostname: string | null
  /** What it asked for; the opposite is what it may undo. */
  readonly on: boolean
  /** When nobody waited for its answer any more. */
  readonly sinceMs: number
  /** When it is repeated next. */
  readonly notBeforeMs: number
  /** Failed repeats in a row. */
  readonly attempts: number
  /** Whose request it was; null: of no mute of monbot's. */
  readonly muteId: string | null
}

/** How long after the request it is repeated; after the last repeat it is forgotten. */
const againAfterMs = [minuteMs, 5 * minuteMs, 30 * minuteMs]
export const strayMaxMs = 30 * minuteMs
/** After so many failed tries in a row it is announced. */
export const toldAfterTries = 5

export function strayOf(asked: Pick<Stray, 'hostname' | 'on' | 'muteId'>, nowMs: number): Stray {
  const { hostname, on, muteId } = asked
  return { hostname, on, muteId, sinceMs: nowMs, notBeforeMs: nowMs + minuteMs, attempts: 0 }
}

/** After a repeat, or where none was needed; null: that was the last one. */
export function saidAgain(stray: Stray, nowMs: number): Stray | null {
  // A clock that was set back since says nothing about how old it is.
  if (nowMs < stray.sinceMs) return strayOf(stray, nowMs)
  const waitMs = againAfterMs.find((ms) => stray.sinceMs + ms > nowMs)
  return waitMs === undefined ? null : { ...stray, notBeforeMs: stray.sinceMs + waitMs, attempts: 0 }
}

/** It could not be repeated; `isFailure` false: not yet, as its mute is being changed. */
export function saidLater(stray: Stray, nowMs: number, isFailure: boolean): Stray {
  return { ...stray, notBeforeMs: nowMs + minuteMs, attempts: stray.attempts + (isFailure ? 1 : 0) }
}
