/** Folds flapping alerts: one that reopens again and again stays on its card, instead of notifying people each time. */
import type { Alert } from '../alert/alert.ts'
import { troubleOf } from '../alert/trouble.ts'
import type { News } from './storm-cards.ts'

/** So many earlier episodes of one trouble in so short a time make the next one a flap. */
const earlierMin = 2
const flapWindowMs = 30 * 60_000
/** After flapping for so long, a card has scrolled away, and the next time gets a new card. */
const foldedForMs = 60 * 60_000
/** How far back `episodes` must reach for a fold to know how old a card is. */
export const episodesWithinMs = 2 * foldedForMs
/** A card whose alert closed longer ago than this is out of sight, so a new alert gets a new card. */
const closedWithinMs = 10 * 60_000

/** An earlier alert, and its own card; null if it has none. */
export type Earlier = { readonly alert: Alert; readonly card: EarlierCard | null }

export type EarlierCard = {
  readonly cardId: string
  readonly channel: string
  readonly mention: string | null
}

export type FoldInto = (news: News, channel: string) => string | null

/**
 * Returns a function that gives the card into which an alert is folded, or null if it gets its own. `episodes` are alerts of any
 * subject, in any order. Only the same problem is folded, and only if no other people would be mentioned, because an edit
 * notifies nobody. A card with an open alert takes no other: it would hide one of them.
 */
export function openFolds(episodes: readonly Earlier[]): FoldInto {
  const inOrder = episodes
    .filter(({ alert }) => alert.state !== 'oneoff')
    .toSorted((a, b) => a.alert.startedMs - b.alert.startedMs)
  const ofTrouble = Map.groupBy(inOrder, ({ alert }) => troubleOf(alert))
  const firstOn = firstStarts(inOrder)
  const holdsOpen = new Set(
    episodes.filter(({ alert }) => alert.state !== 'closed').map(({ card }) => card?.cardId),
  )
  return ({ alert, mention }, channel) => {
    if (alert.state === 'oneoff') return null
    const lately = lastBefore(alert, ofTrouble.get(troubleOf(alert)) ?? [])
    const [last] = lately
    const card = last?.card
    if (lately.length < earlierMin || last === undefined || card == null) return null
    if (card.channel !== channel || card.mention !== mention || holdsOpen.has(card.cardId)) return null
    // It is more severe than before, so people must be notified.
    if (alert.severity === 'critical' && last.alert.severity !== 'critical') return null
    const isOld = (firstOn.get(card.cardId) ?? alert.startedMs) < alert.startedMs - foldedForMs
    const closedMs = last.alert.closedMs ?? 0
    return !isOld && alert.startedMs - closedMs < closedWithinMs ? card.cardId : null
  }
}

/** The last few before an alert, within the time in which it would be a flap; the last comes first. */
function lastBefore(alert: Alert, inOrder: readonly Earlier[]): Earlier[] {
  const found: Earlier[] = []
  // From the end, as what is new is newer than nearly all of them: there may be thousands, for each of thousands.
  for (let at = inOrder.length - 1; at >= 0 && found.length < earlierMin; at -= 1) {
    const episode = inOrder[at]
    if (episode === undefined || episode.alert.startedMs <= alert.startedMs - flapWindowMs) break
    if (episode.alert.startedMs <= alert.startedMs && episode.alert.alertId !== alert.alertId) {
      found.push(episode)
    }
  }
  return found
}

/** When the first alert of each card started. */
function firstStarts(inOrder: readonly Earlier[]): ReadonlyMap<string, number> {
  return new Map(
    inOrder
      .toReversed()
      .flatMap(({ card, alert }) => (card === null ? [] : [[card.cardId, alert.startedMs]])),
  )
}
