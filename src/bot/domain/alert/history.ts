/** After an absence of the bot: what counts as history, and what it remembers of its own polls. */

import { isWithin } from '../base/set-clock.ts'
import type { Facts } from '../plan.ts'
import type { AlertRecord } from './alert.ts'
import { unknownTimeMs } from './believable.ts'
import type { CloseStyle } from './pairing.ts'

/** An idle poll writes nothing, except a note this often that the bot was running. */
export const notedEveryMs = 5 * 60_000

/** An absence of half an hour is long; the note's age may add to it. */
export const absenceMs = 30 * 60_000 + notedEveryMs

/** A first start, or the return after a long absence: open alerts are announced at once, ended ones are only recorded. */
export function isCatchingUp(facts: Facts, nowMs: number, longMs: number): boolean {
  return facts.polledMs === null || nowMs - facts.polledMs > longMs
}

/** How a listing of everything came out. */
type Listed = {
  readonly alertRecords: readonly AlertRecord[]
  readonly whole: boolean
  readonly newestFirst: boolean
  readonly isFailed: boolean
}

/** The facts to store after a poll; only what changed, so that an idle poll changes nothing. */
export function factsAfter(
  facts: Facts,
  poll: {
    readonly nowMs: number
    readonly catchingUp: boolean
    readonly listed: Listed
    readonly hasChanges: boolean
    /** Null if the form was set by hand: then nothing was learned. */
    readonly learned: CloseStyle | null
  },
): Partial<Facts> {
  const { nowMs, catchingUp, listed, hasChanges, learned } = poll
  const form = learned === null || learned === facts.form ? {} : { form: learned }
  // A note from the future was written before the clock was set back: if it stayed, no absence would be noticed until then.
  const isNoted = !catchingUp && !hasChanges && isWithin(facts.polledMs ?? 0, nowMs, notedEveryMs - 1)
  return {
    ...form,
    ...(isNoted ? {} : { polledMs: nowMs }),
    ...(catchingUp ? { historyMs: historyEnd(listed, nowMs) } : {}),
  }
}

/**
 * A complete listing has been remembered record by record, and needs no boundary. In one that was cut short, newest first,
 * everything older than its last record was not seen. Otherwise, what was not read is history up to the start and no further:
 * what happens while the past cannot be read is news.
 */
function historyEnd({ alertRecords, whole, newestFirst, isFailed }: Listed, nowMs: number): number | null {
  if (whole) return null
  const times = alertRecords.map(({ timeMs }) => timeMs).filter((timeMs) => timeMs !== unknownTimeMs)
  // What was read before a failure may have gaps: only the newest record says how far the list went.
  if (isFailed && isDescending(times)) return Math.min(times[0] ?? nowMs, nowMs)
  if (isFailed || !newestFirst || times.length === 0) return nowMs + 1
  return times.reduce((a, b) => Math.min(a, b), nowMs)
}

/** In the order of the API's own times, if the list has an order at all. */
function isDescending(times: readonly number[]): boolean {
  const isOrdered = times.every((timeMs, at) => at === 0 || timeMs <= (times[at - 1] ?? 0))
  return isOrdered && (times[0] ?? 0) > (times.at(-1) ?? 0)
}
