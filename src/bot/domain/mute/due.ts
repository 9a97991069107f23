/** When a mute needs something done to it, and what: pure, on its row and on how its server was. */

import { dayMs } from '../base/duration.ts'
import { isWithin, remainingMs } from '../base/set-clock.ts'
import type { Mute } from './mute.ts'
import { strayMs } from './transitions.ts'

/** A server with no open alert for this long is well. */
const wellAfterMs = 15 * 60_000
/** A mute is handed back this long before its end, if it is long enough for that to make sense. */
const handbackBeforeMs = 10 * 60_000
// One of 20 min, with what passes between asking for it and its beginning.
const handedBackFromMs = 19.5 * 60_000
/** The end of a mute is tried again within a minute; see `flow/mute/end.ts`. */
export const retryEndMaxMs = 60_000
/**
 * A server is gone once the API has answered 404 twice, this far apart, and polls succeeded between the two and just now: a
 * single 404 may come from a proxy, a withdrawn key or a service that is being deployed.
 */
const goneAfterMs = 2 * 60_000
const polledWithinMs = 90_000
/**
 * A mute given this far in the future was given by a wrong clock, so its end is wrong too: it might hide alerts for years.
 * Less than that may be a clock that was set right since, and the end is the one that people have read.
 */
const givenAheadMaxMs = dayMs

/**
 * - `interrupt`: the request for it was cut off; it is taken back
 * - `try_again`: the API has not confirmed the end yet
 * - `wait`: nothing before `untilMs`; null: nothing that comes with time alone
 */
export type Due =
  | { readonly do: 'interrupt' | 'try_again' | 'hand_back' }
  | { readonly do: 'end'; readonly by: 'deadline' | 'healthy' }
  | { readonly do: 'wait'; readonly untilMs: number | null }

/** Whether the server (or the whole account) is well, for mutes that end with that. Times are epoch milliseconds. */
export type Wellness = {
  /** Since when nothing is open there; null while something is, and for mutes that do not ask. */
  readonly wellSinceMs: number | null
  /** When all open alerts could last be read; null before the first time. */
  readonly lookedMs: number | null
}

/** Act on it only under the mute's lock: otherwise the API may just be answering for an `asked` row. */
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

/** For a mute whose server the API has just not known once more. `lastPollMs`: when the open alerts were last read. */
export function isGone({ goneMs }: Mute, lastPollMs: number | null, nowMs: number): boolean {
  if (goneMs === null || lastPollMs === null || nowMs - goneMs < goneAfterMs) return false
  return lastPollMs > goneMs && isWithin(lastPollMs, nowMs, polledWithinMs)
}

/** The same for repeated requests: `tries` in a row failed before, a minute apart. */
export function isGoneAgain(tries: number, lastPollMs: number | null, nowMs: number): boolean {
  return tries * 60_000 >= goneAfterMs && lastPollMs !== null && isWithin(lastPollMs, nowMs, polledWithinMs)
}

/** `maxMs`: how far ahead `ms` can have been set. */
function after(ms: number, maxMs: number, due: Due, nowMs: number): Due {
  return remainingMs(ms, nowMs, maxMs) === 0 ? due : { do: 'wait', untilMs: ms }
}

function dueOfActive(mute: Mute, { wellSinceMs, lookedMs }: Wellness, nowMs: number): Due {
  const { untilMs } = mute
  if (untilMs !== null && untilMs <= nowMs) return { do: 'end', by: 'deadline' }
  if (untilMs !== null && mute.termsMs > nowMs + givenAheadMaxMs) return { do: 'end', by: 'deadline' }
  const wellMs = mute.mode === 'healthy' && wellSinceMs !== null ? wellSinceMs + wellAfterMs : null
  // Silence while the API could not be read proves nothing: one poll after the quarter of an hour must show it too.
  if (wellMs !== null && lookedMs !== null && lookedMs >= wellMs) return { do: 'end', by: 'healthy' }
  const backMs = handbackMs(mute)
  if (backMs !== null && backMs <= nowMs) return { do: 'hand_back' }
  const times = [untilMs, backMs, wellMs].filter((time) => time !== null).filter((time) => time > nowMs)
  return { do: 'wait', untilMs: times.length > 0 ? Math.min(...times) : null }
}

/** When it is to be handed back; null if it was for this deadline, or never is. */
function handbackMs({ untilMs, startedMs, handbackMs: doneMs }: Mute): number | null {
  if (untilMs === null || untilMs - startedMs < handedBackFromMs) return null
  const backMs = untilMs - handbackBeforeMs
  return doneMs === null || doneMs < backMs ? backMs : null
}
