/** Finds the alert that a number means, which the monitoring may have given to several, one after the other. */
import type { Alert } from '../domain/alert/alert.ts'
import { numberOf, placeOf } from '../domain/alert/episode.ts'
import type { Store } from './ports/store.ts'

/** The very episode where a key is given, else the one that is open, else the last one; null where there is none. */
export async function episodeMeant(
  alertId: string,
  store: Pick<Store, 'recallByNumbers'>,
): Promise<Alert | null> {
  const episodes = await store.recallByNumbers([...new Set([alertId, numberOf(alertId)])])
  // What a person types may look like a key, and be the number that the API gave: that is what a card shows.
  const named = episodes.filter((alert) => numberOf(alert.alertId) === alertId)
  const exact = episodes.find((alert) => alert.alertId === alertId)
  if (named.length === 0 && exact !== undefined) return exact
  const newest = (named.length > 0 ? named : episodes).toSorted(
    (a, b) => placeOf(b.alertId) - placeOf(a.alertId),
  )
  return newest.find(({ state }) => state === 'open') ?? newest[0] ?? null
}
