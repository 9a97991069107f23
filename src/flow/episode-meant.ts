/** Finds the alert that a number means; the monitoring may have given one number to several in turn. */
import type { Alert } from '../domain/alert/alert.ts'
import { numberOf, placeOf } from '../domain/alert/episode.ts'
import type { Store } from './ports/store.ts'

/** Exactly the episode of a given key, else the open one, else the last one; null if there is none. */
export async function episodeMeant(
  alertId: string,
  store: Pick<Store, 'recallByNumbers'>,
): Promise<Alert | null> {
  const episodes = await store.recallByNumbers([...new Set([alertId, numberOf(alertId)])])
  // A typed id may look like a key but be the API's number: the number is what a card shows.
  const named = episodes.filter((alert) => numberOf(alert.alertId) === alertId)
  const exact = episodes.find((alert) => alert.alertId === alertId)
  if (named.length === 0 && exact !== undefined) return exact
  const newest = (named.length > 0 ? named : episodes).toSorted(
    (a, b) => placeOf(b.alertId) - placeOf(a.alertId),
  )
  return newest.find(({ state }) => state === 'open') ?? newest[0] ?? null
}
