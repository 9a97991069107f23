/**
 * Which alert a record is of. An API may open the same record again, and give the number of one alert to another: each
 * such episode is an alert of its own here, with a key of its own. People see the API's number on all of them.
 */
import type { Alert, AlertRecord } from './alert.ts'
import { isBelievable } from './believable.ts'

/** Only at the end: what stands before it is the API's, whatever it holds. */
const placed = /~(\d+)$/

/** What the API calls an alert, and people: its key without what tells episodes of one number apart. */
export function numberOf(alertId: string): string {
  // Asked for every record of long lists: as a rule there is nothing to take off.
  return alertId.includes('~') ? alertId.replace(placed, '') : alertId
}

/** Its place among the episodes of its number, from 1; the first one's key is the number itself, as a rule. */
export function placeOf(alertId: string): number {
  return Number(placed.exec(alertId)?.[1] ?? 1)
}

/** The key of the episode at this place. A number that itself ends as a key does always has its place behind it. */
export function keyOf(number: string, place: number): string {
  return place === 1 && !placed.test(number) ? number : `${number}~${place}`
}

/** Precision that one list gives and another one does not. */
const sameTimeMs = 1_000
/** What began so long ago, and differs from a remembered alert in its time only, is that one, dated anew. */
const recentMs = 35 * 60_000
/** What tells an episode from others. */
export type Episode = Pick<
  Alert,
  'alertId' | 'hostname' | 'title' | 'startedMs' | 'state' | 'closedMs' | 'closedBy' | 'firstSeenMs'
>

export type Listed = {
  readonly alertRecord: AlertRecord
  /** Does it say that its alert is open now? A start that is no longer open is listed in pair form as well. */
  readonly isOpen: boolean
}

/** Is this record of one of these alerts, which have its number? */
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

/** The very record, as far as its time goes; its server may be called something else by now. */
export function isExact(episode: Episode, { alertRecord, isOpen }: Listed, nowMs: number): boolean {
  const isSameHost = episode.hostname === alertRecord.hostname
  if (isOpen) {
    return (
      isSameTime(episode.startedMs, alertRecord.timeMs, nowMs) &&
      isSameTitle(episode.title, alertRecord.title)
    )
  }
  // One that closes may get another title, and may take the time of its closing.
  const isItsTime =
    isSameTime(episode.startedMs, alertRecord.timeMs, nowMs) ||
    (isSameHost && episode.closedMs !== null && isSameTime(episode.closedMs, alertRecord.timeMs, nowMs))
  return isItsTime && (isSameHost || isSameTitle(episode.title, alertRecord.title))
}

/**
 * Where only the time differs, or in an end the title as well, by which it says that it is over. `isAlone`: nothing else is
 * listed under the number.
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
  // A number is given anew later on: an earlier time is a clock that was set right.
  if (isOpen) return !isLater || isRestless
  // An earlier alert's end stands beside the record of the later one; without such a one a clock was set right.
  if (lifecycle === 'end' && !isLater && !isAlone) return false
  switch (state) {
    case 'open':
    case 'unreported':
      return true
    case 'closed':
      // Of a close that was inferred the record itself may tell later on, and with another time.
      if (closedBy !== 'record' || closedMs === null) return true
      return timeMs <= closedMs || timeMs < nowMs - recentMs || isRestless
    case 'oneoff':
      return !isLater || timeMs < nowMs - recentMs || isRestless
  }
}

export function isSameTime(one: number, other: number, nowMs: number): boolean {
  // A time that cannot be says nothing.
  return Math.abs(one - other) <= sameTimeMs || !isBelievable(other, nowMs) || !isBelievable(one, nowMs)
}

/** `97 %` may be `98 %` by now, and `59 min` may be `1 h 2 min`. */
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
  return title
    .replaceAll(quantity, ' ')
    .replaceAll(/[^\p{L}\p{M}]+/gu, ' ')
    .trim()
    .toLowerCase()
}
