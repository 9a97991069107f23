/** When a mute needs something done to it, and what: pure, on its row and on how its server was. */

import { isWithin, remainingMs } from '../base/set-clock.ts'
import type { Mute } from './mute.ts'
import { strayMs } from './transitions.ts'

/** A server with no open alert for this long is well. */
export const wellAfterMs = 15 * 60_000
/** So long before its end a mute is handed back, where it is long enough for that to make sense. */
export const handbackBeforeMs = 10 * 60_000
const handedBackFromMs = 20 * 60_000
/** The end of a mute is tried again within a minute; see `end-mute.ts`. */
export const retryEndMaxMs = 60_000
/**
 * A server is gone once the API has said twice, so far apart, that it does not know it, and what is open could be read
 * between the two and just now: a single 404 may be a proxy's, a withdrawn key's or that of a service that is being deployed.
 */
const goneAfterMs = 2 * 60_000
const polledWithinMs = 90_000
/**
 * A mute that was given so far in the future was given by a clock that was wrong, and so is its end: it might hide what
 * happens for years. Less than that may be a clock that was set right, and its end is the one that people were told.
 */
const givenAheadMaxMs = 24 * 60 * 60_000

/**
 * - `interrupt`: whoever asked for it did not come to the end; it is taken back
 * - `try_again`: the API has not confirmed the end yet
 * - `wait`: nothing before `untilMs`; null: nothing that time alone brings
 */
export type Due =
  | { readonly do: 'interrupt' | 'try_again' | 'hand_back' }
  | { readonly do: 'end'; readonly by: 'deadline' | 'healthy' }
  | { readonly do: 'wait'; readonly untilMs: number | null }

/** How the server (or the whole account) is, where the mute asks for it. Times are epoch milliseconds. */
export type Wellness = {
  /** Since when nothing is open there; null while something is, and where it does not matter. */
  readonly wellSinceMs: number | null
  /** When what is open was last read with nothing of it unknown; null when it was not yet. */
  readonly lookedMs: number | null
}

/** Safe only while the mute's lock is held: outside of it an `asked` row may be one that is just being asked for. */
export function dueOf(mute: Mute, wellness: Wellness, nowMs: number): Due {
  switch (mute.state) {
    case 'asked':
      return after(mute.termsMs + strayMs, strayMs, { do: 'interrupt' }, nowMs)
    case 'ending':
      return after(mute.notBeforeMs, retryEndMaxMs, { do: 'try_again' }, nowMs)
    case 'active':
      return dueOfActive(mute, wellness, nowMs)
    case 'ended':
      return { do: 'wait', untilMs: null }
  }
}

/** Asked when the API has just said once more that it does not know the server. `lastPollMs`: when what is open was last read. */
export function isGone({ goneMs }: Mute, lastPollMs: number | null, nowMs: number): boolean {
  if (goneMs === null || lastPollMs === null || nowMs - goneMs < goneAfterMs) return false
  return lastPollMs > goneMs && isWithin(lastPollMs, nowMs, polledWithinMs)
}

/** The same for what is only said again: `tries` in a row failed before, a minute apart. */
export function isGoneAgain(tries: number, lastPollMs: number | null, nowMs: number): boolean {
  return tries * 60_000 >= goneAfterMs && lastPollMs !== null && isWithin(lastPollMs, nowMs, polledWithinMs)
}

/** `maxMs`: how far ahead `ms` was put at most. */
function after(ms: number, maxMs: number, due: Due, nowMs: number): Due {
  return remainingMs(ms, nowMs, maxMs) === 0 ? due : { do: 'wait', untilMs: ms }
}

function dueOfActive(mute: Mute, { wellSinceMs, lookedMs }: Wellness, nowMs: number): Due {
  const { untilMs } = mute
  if (untilMs !== null && untilMs <= nowMs) return { do: 'end', by: 'deadline' }
  if (untilMs !== null && mute.termsMs > nowMs + givenAheadMaxMs) return { do: 'end', by: 'deadline' }
  const wellMs = mute.mode === 'healthy' && wellSinceMs !== null ? wellSinceMs + wellAfterMs : null
  // Silence while the API could not be read proves nothing: one look after the quarter of an hour must show it too.
  if (wellMs !== null && lookedMs !== null && lookedMs >= wellMs) return { do: 'end', by: 'healthy' }
  const backMs = handbackMs(mute)
  if (backMs !== null && backMs <= nowMs) return { do: 'hand_back' }
  const times = [untilMs, backMs, wellMs].filter((time) => time !== null).filter((time) => time > nowMs)
  return { do: 'wait', untilMs: times.length > 0 ? Math.min(...times) : null }
}

/** When it is to be handed back; null where that is done for this deadline, or never is. */
function handbackMs({ untilMs, startedMs, handbackMs: doneMs }: Mute): number | null {
  if (untilMs === null || untilMs - startedMs < handedBackFromMs) return null
  const backMs = untilMs - handbackBeforeMs
  return doneMs === null || doneMs < backMs ? backMs : null
}
