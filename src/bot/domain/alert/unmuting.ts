/**
 * Decides when an alert that the monitoring itself muted counts as unmuted: one reading without it proves little, because an
 * alert that inhibits sixty others may flap, and each time all of them would be told.
 */
import type { Alert, AlertRecord } from './alert.ts'
import { type ReadTimes, unreadMinMs } from './snapshot.ts'

/** So long every reading has to show it, and two at least. */
const unmutedAfterMs = 5 * 60_000

type MutedAs = Pick<Alert, 'mutedBy' | 'unmutedMs'>

/**
 * What mutes it after this reading. What the service made for a client of its own ends when the service says so; all else is kept
 * until readings have shown for a while that it is over. A longer time between two readings than usual counts as much as a usual
 * one: nobody knows what was then. `gapMs`: what is usual.
 */
export function mutedAfter(
  known: MutedAs,
  seen: Pick<AlertRecord, 'mutedBy'>,
  { nowMs, polledMs }: ReadTimes,
  gapMs = unreadMinMs,
): MutedAs {
  if (seen.mutedBy !== undefined) return { mutedBy: seen.mutedBy, unmutedMs: null }
  if (known.mutedBy === undefined) return { mutedBy: undefined, unmutedMs: known.unmutedMs }
  const held = known.mutedBy.filter(({ isOurs }) => !isOurs)
  if (held.length === 0) return { mutedBy: undefined, unmutedMs: nowMs }
  // A time in the future was written before the clock was set back: how long ago it was nobody knows.
  const beganMs = Math.min(known.unmutedMs ?? nowMs, nowMs)
  const unreadMs = nowMs - Math.max(polledMs ?? nowMs, beganMs) - Math.max(gapMs, unreadMinMs)
  const sinceMs = beganMs + Math.max(0, unreadMs)
  return nowMs - sinceMs >= unmutedAfterMs
    ? { mutedBy: undefined, unmutedMs: nowMs }
    : { mutedBy: held, unmutedMs: sinceMs }
}

/** Is this when it was believed that nothing elsewhere mutes it any more? */
export function isUnmutedAt({ mutedBy, unmutedMs }: MutedAs, atMs: number): boolean {
  return mutedBy === undefined && unmutedMs === atMs
}
