/** When an active mute needs something done to it, and what: pure, on its row and on how its server was. */

import { dayMs } from '../base/duration.ts'
import type { Mute } from './mute.ts'

/** A server, or the account, with no open alert for this long is well. */
const wellAfterMs = 15 * 60_000
/** The same of one alert, and of what matchers match. */
const alertWellAfterMs = 10 * 60_000
/** Its owner is asked to extend or end a mute this long before its end, if it is long enough for that to make sense. */
const noticeBeforeMs = 10 * 60_000
// One of 20 min, with what passes between asking for it and its beginning.
const noticeFromMs = 19.5 * 60_000
/**
 * A mute given this far in the future was given by a wrong clock, so its end is wrong too: it might hide alerts for years.
 * Less than that may be a clock that was set right since, and the end is the one that people have read.
 */
const givenAheadMaxMs = dayMs

/** `wait`: nothing before `untilMs`; null: nothing that comes with time alone. */
export type Due =
  | { readonly do: 'mute_expiring' }
  | { readonly do: 'end'; readonly by: 'deadline' | 'healthy' }
  | { readonly do: 'wait'; readonly untilMs: number | null }

/** Whether the server (or the whole account) is well, for mutes that end with that. Times are epoch milliseconds. */
export type Wellness = {
  /** Since when nothing is open there; null while something is, and for mutes that do not ask. */
  readonly wellSinceMs: number | null
  /** When all open alerts could last be read; null before the first time. */
  readonly lookedMs: number | null
}

export function dueOf(mute: Mute, { wellSinceMs, lookedMs }: Wellness, nowMs: number): Due {
  const { state, untilMs } = mute
  if (state === 'ended') return { do: 'wait', untilMs: null }
  if (untilMs !== null && untilMs <= nowMs) return { do: 'end', by: 'deadline' }
  if (untilMs !== null && mute.termsMs > nowMs + givenAheadMaxMs) return { do: 'end', by: 'deadline' }
  const wellMs =
    mute.mode === 'healthy' && wellSinceMs !== null
      ? wellSinceMs + (mute.alert === null ? wellAfterMs : alertWellAfterMs)
      : null
  // Silence while the API could not be read proves nothing: one poll after that time must show it too.
  if (wellMs !== null && lookedMs !== null && lookedMs >= wellMs) return { do: 'end', by: 'healthy' }
  const backMs = expiryNoticeAtMs(mute)
  if (backMs !== null && backMs <= nowMs) return { do: 'mute_expiring' }
  const times = [untilMs, backMs, wellMs].filter((time) => time !== null).filter((time) => time > nowMs)
  return { do: 'wait', untilMs: times.length > 0 ? Math.min(...times) : null }
}

/** When its owner is to be asked; null if that was done for this deadline, or never is. */
function expiryNoticeAtMs({ untilMs, startedMs, expiryNoticeMs: doneMs }: Mute): number | null {
  if (untilMs === null || untilMs - startedMs < noticeFromMs) return null
  const backMs = untilMs - noticeBeforeMs
  return doneMs === null || doneMs < backMs ? backMs : null
}
