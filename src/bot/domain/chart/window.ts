/** Chooses how much of a metric to show around an alert. */
import type { Alert } from '../alert/alert.ts'
import { hourMs } from '../base/duration.ts'
import { reachCovering } from './question.ts'

/** At least this much is shown before the start, and after the close. */
const beforeMsMin = hourMs
const afterMsMin = hourMs / 2
/** For a long alert, this share of its length is shown around it. */
const marginShare = 0.1
/** Shorter windows would show a minute as a cliff. */
const leastMs = 15 * 60_000
/** So much before the start says what it was like before; more is not worth coarser points. */
const neededBeforeMs = 10 * 60_000

/**
 * From at least an hour before the start, until after the close, or until now if nothing says that it closed. Epoch
 * milliseconds; it never reaches beyond now.
 */
export function aroundAlert(alert: Alert, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  // A one-off is a moment without an end.
  const closedMs = alert.state === 'oneoff' ? alert.startedMs : alert.closedMs
  const spanMs = Math.max(0, (closedMs ?? nowMs) - alert.startedMs)
  return {
    fromMs: alert.startedMs - Math.max(beforeMsMin, spanMs * marginShare),
    toMs: closedMs === null ? nowMs : Math.min(nowMs, closedMs + Math.max(afterMsMin, spanMs * marginShare)),
  }
}

/**
 * The window, starting later if the API then has finer points: its steps depend on the duration, and the shortest that shows the
 * time before an alert that began at `startedMs` is the best.
 */
export function finest(
  window: { readonly fromMs: number; readonly toMs: number },
  startedMs: number,
  nowMs: number,
): { readonly fromMs: number; readonly toMs: number } {
  const reach = reachCovering(nowMs - Math.min(startedMs - neededBeforeMs, window.toMs))
  return { ...window, fromMs: Math.max(window.fromMs, nowMs - reach) }
}

/**
 * The window, starting at the first point if most of it would be empty, as for a new server. `firstMs`: when the first point was
 * measured.
 */
export function withoutEmptyStart(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  firstMs: number,
): { readonly fromMs: number; readonly toMs: number } {
  if (firstMs - fromMs <= (toMs - fromMs) / 2) return { fromMs, toMs }
  return { fromMs: Math.max(fromMs, Math.min(firstMs, toMs - leastMs)), toMs }
}
