/** Flaps: an alert that comes back again and again goes on the card it had, instead of calling people once more each time. */
import type { Alert } from './alert.ts'

/** So many earlier episodes of one subject in so short a time make the next one a flap. */
const earlierMin = 2
const flapWindowMs = 30 * 60_000
/** A card that has taken flaps for so long has scrolled away: the next flap gets a card that can be seen. */
const foldedForMs = 60 * 60_000
/** How far back `episodes` must reach for `foldInto` to know how old a card is. */
export const episodesWithinMs = 2 * foldedForMs
/** A card whose alert closed longer ago than this is no longer in sight: what comes then is news. */
const closedWithinMs = 10 * 60_000

/** An earlier alert, and the card of its own that it stands on (null: on none). */
export type Earlier = {
  readonly alert: Alert
  readonly cardId: string | null
  readonly channel: string | null
}

/**
 * The card in `channel` that a new alert is folded into, or null when it gets one of its own. `episodes` are alerts of any
 * subject, in any order. A card that holds anything open takes nothing more: it would hide the one or the other.
 */
export function foldInto(alert: Alert, channel: string, episodes: readonly Earlier[]): string | null {
  if (alert.state === 'oneoff') return null
  const earlier = episodes
    .filter((episode) => isEarlier(episode.alert, alert))
    .toSorted((a, b) => a.alert.startedMs - b.alert.startedMs)
  const lately = earlier.filter((episode) => episode.alert.startedMs > alert.startedMs - flapWindowMs)
  const last = lately.at(-1)
  if (lately.length < earlierMin || last === undefined || last.channel !== channel) return null
  const { cardId } = last
  const members = earlier.filter((episode) => episode.cardId === cardId).map((episode) => episode.alert)
  const isOver = members.every(isClosed)
  const isOld = members.some(({ startedMs }) => startedMs < alert.startedMs - foldedForMs)
  const closedMs = last.alert.closedMs ?? 0
  return isOver && !isOld && alert.startedMs - closedMs < closedWithinMs ? cardId : null
}

function isEarlier(earlier: Alert, alert: Alert): boolean {
  const isSameSubject =
    earlier.hostname === alert.hostname && earlier.plugin === alert.plugin && earlier.metric === alert.metric
  return (
    isSameSubject &&
    earlier.startedMs <= alert.startedMs &&
    earlier.alertId !== alert.alertId &&
    earlier.state !== 'oneoff'
  )
}

function isClosed(alert: Alert): boolean {
  return alert.state === 'closed'
}
