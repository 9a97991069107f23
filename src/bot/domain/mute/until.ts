/** When a mute ends: turns what somebody asked for into a moment, by the clock of their zone and the policy's limits. */

import { dayMs, hourMs, minuteMs } from '../base/duration.ts'
import { momentsOf, wallClock } from '../base/wall-clock.ts'
import type { MuteEnd } from '../request/named.ts'
import type { Refusal } from '../request/reply.ts'
import { type MuteMode, muteMinMs } from './mute.ts'

/** How long a mute may last, as the policy says. */
export type Limits = {
  /** Of a mute without a duration. */
  readonly muteDefaultMs: number
  /** The longest mute of a server. */
  readonly muteMaxMs: number
  /** The longest mute of the account. */
  readonly accountMuteMaxMs: number
  /** The channels' time zone: an end in another one is named with it. Absent: UTC. */
  readonly zone?: string
}

/** How long a mute may last at most: one of the account, or any other. */
export function longestMs(
  { accountMuteMaxMs, muteMaxMs }: Pick<Limits, 'accountMuteMaxMs' | 'muteMaxMs'>,
  isOfAccount: boolean,
): number {
  return isOfAccount ? accountMuteMaxMs : muteMaxMs
}

type UntilOptions = {
  readonly nowMs: number
  /** IANA; must be one that Intl knows. */
  readonly zone: string
  readonly defaultMs: number
  readonly maxMs: number
}

/** The end of a mute that begins now; `untilMs` is null where it has none. */
export type Until = { readonly mode: MuteMode; readonly untilMs: number | null }

/** The moment that is meant, or why not: longer than the policy allows, or shorter than a minute. */
export function untilOf(end: MuteEnd, { nowMs, zone, defaultMs, maxMs }: UntilOptions): Until | Refusal {
  switch (end.kind) {
    case 'healthy':
      return { mode: 'healthy', untilMs: nowMs + maxMs }
    case 'unmuted':
      return { mode: 'open', untilMs: null }
    case 'default':
      return timed(nowMs + defaultMs, nowMs, maxMs)
    case 'for':
      return timed(nowMs + end.ms, nowMs, maxMs)
    case 'at':
      return timed(nextClock(end.hour, end.minute, nowMs, zone), nowMs, maxMs)
  }
}

function timed(untilMs: number, nowMs: number, maxMs: number): Until | Refusal {
  const ms = untilMs - nowMs
  if (ms < muteMinMs) return { why: 'too_short', minMs: muteMinMs }
  if (ms > maxMs) return { why: 'too_long', maxMs }
  return { mode: 'timed', untilMs }
}

/** The next moment after now at which a clock in the zone shows this; where it skips it, the moment at which it does. */
export function nextClock(hour: number, minute: number, nowMs: number, zone: string): number {
  const wallOf = wallClock(zone)
  const today = Math.floor(wallOf(nowMs) / dayMs) * dayMs
  // A day when the clock has shown it already, and then another where a change of the clock swallows one.
  const moments = [0, 1, 2].flatMap((day) => {
    return momentsOf(today + day * dayMs + hour * hourMs + minute * minuteMs, wallOf)
  })
  return Math.min(...moments.filter((ms) => ms > nowMs))
}
