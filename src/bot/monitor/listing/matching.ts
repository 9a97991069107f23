/** Decides whether a record belongs to an alert, by server, title and time, because an API may reuse an alert's number. */
import type { Alert, AlertRecord } from '../../domain/alert/alert.ts'
import { isBelievable } from '../../domain/alert/believable.ts'
import { withoutRemark } from '../../domain/alert/remark.ts'

/** One list may give a finer precision than another. */
const sameTimeMs = 1_000
/** A record this old that differs from a remembered alert only in its time is that alert with a new date. */
const recentMs = 35 * 60_000
/** What distinguishes an episode from others. */
export type Episode = Pick<
  Alert,
  'alertId' | 'hostname' | 'title' | 'startedMs' | 'state' | 'closedMs' | 'closedBy' | 'firstSeenMs'
>

export type Listed = {
  readonly alertRecord: AlertRecord
  /** Does it say that its alert is open now? Pair form also lists starts that are no longer open. */
  readonly isOpen: boolean
}

/** Does this record belong to one of these alerts, which have its number? */
export function isOfAny(
  alerts: readonly Alert[],
  alertRecord: AlertRecord,
  { isOpen, nowMs }: { readonly isOpen: boolean; readonly nowMs: number },
): Alert | null {
  const as = { isOpen, isRestless: false, isAlone: false, nowMs }
  return (
    alerts.find(
      (alert) => isExact(alert, { alertRecord, isOpen }, nowMs) || isSameEpisode(alert, alertRecord, as),
    ) ?? null
  )
}

export function isSameRecord(one: AlertRecord, other: AlertRecord, nowMs: number): boolean {
  return (
    one.hostname === other.hostname &&
    isSameTime(one.timeMs, other.timeMs, nowMs) &&
    isSameTitle(one.title, other.title)
  )
}

/** Is it the same record by its time? Its server may have been renamed. */
export function isExact(episode: Episode, { alertRecord, isOpen }: Listed, nowMs: number): boolean {
  const isSameHost = episode.hostname === alertRecord.hostname
  if (isOpen) {
    return (
      isSameTime(episode.startedMs, alertRecord.timeMs, nowMs) &&
      isSameTitle(episode.title, alertRecord.title)
    )
  }
  // A closing record may get another title, and may take the time of the close.
  const isItsTime =
    isSameTime(episode.startedMs, alertRecord.timeMs, nowMs) ||
    (isSameHost && episode.closedMs !== null && isSameTime(episode.closedMs, alertRecord.timeMs, nowMs))
  return isItsTime && (isSameHost || isSameTitle(episode.title, alertRecord.title))
}

/**
 * Is it the same alert, if only the time differs or, for an end, also the title, which then says that it is over? `isAlone`:
 * nothing else is listed under the number.
 */
export function isSameEpisode(
  episode: Episode,
  { hostname, title, timeMs, lifecycle }: AlertRecord,
  {
    isOpen,
    isRestless,
    isAlone,
    nowMs,
  }: { isOpen: boolean; isRestless: boolean; isAlone: boolean; nowMs: number },
): boolean {
  if (episode.hostname !== hostname) return false
  if (!(lifecycle === 'end' ? isTitleOfEnd(episode.title, title) : isSameTitle(episode.title, title)))
    return false
  const { startedMs, closedMs, closedBy, state } = episode
  const isLater = timeMs > startedMs
  // A reused number has a later time: an earlier time means that a clock was corrected.
  if (isOpen) return !isLater || isRestless
  // An earlier alert's end is listed beside the later one's record; without that record, a clock was corrected.
  if (lifecycle === 'end' && !isLater && !isAlone) return false
  switch (state) {
    case 'open':
    case 'unreported':
      return true
    case 'ignored':
      return closedMs === null || timeMs <= closedMs || timeMs < nowMs - recentMs || isRestless
    case 'closed':
      // After an inferred close, the record itself may arrive later and with another time.
      if (closedBy !== 'record' || closedMs === null) return true
      return timeMs <= closedMs || timeMs < nowMs - recentMs || isRestless
    case 'oneoff':
      return !isLater || timeMs < nowMs - recentMs || isRestless
  }
}

export function isSameTime(one: number, other: number, nowMs: number): boolean {
  // An impossible time says nothing.
  return Math.abs(one - other) <= sameTimeMs || !isBelievable(other, nowMs) || !isBelievable(one, nowMs)
}

/** Are two titles the same apart from values? `97 %` may be `98 %` now, and `59 min` may be `1 h 2 min`. */
export function isSameTitle(one: string, other: string): boolean {
  return one === other || wordsOf(one) === wordsOf(other)
}

/** `Resolved: disk full` is the end of `disk full`. */
function isTitleOfEnd(start: string, end: string): boolean {
  const [short, long] = [wordsOf(start), wordsOf(end)].toSorted((a, b) => a.length - b.length)
  return ` ${long} `.includes(` ${short} `)
}

const quantity =
  /[-+]?\d[\d.,:]*(?:\s*(?:%|‰|°\w?|[kmgtp]?i?b(?:\/s)?|[munµ]?s|sec|min|minutes?|h|hours?|d|days?)(?!\p{L}))?/giu

function wordsOf(title: string): string {
  return withoutRemark(title)
    .replaceAll(quantity, ' ')
    .replaceAll(/[^\p{L}\p{M}]+/gu, ' ')
    .trim()
    .toLowerCase()
}
