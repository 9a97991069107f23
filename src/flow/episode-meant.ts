/** Finds the alert that a number means, which the monitoring may have given to several, one after the other. */
import type { Alert } from '../domain/alert.ts'
import { numberOf, placeOf } from '../domain/episode.ts'
import type { Store } from './store-port.ts'

/** The very episode where a key is given, else the one that is open, else the last one; null where there is none. */
export async function episodeMeant(
  alertId: string,
  store: Pick<Store, 'recallByNumbers'>,
): Promise<Alert | null> {
  const episodes = await store.recallByNumbers([numberOf(alertId)])
  const newest = episodes.toSorted((a, b) => placeOf(b.alertId) - placeOf(a.alertId))
  const isMeant = (alert: Alert) =>
    placeOf(alertId) > 1 ? alert.alertId === alertId : alert.state === 'open'
  return newest.find(isMeant) ?? newest[0] ?? null
}
