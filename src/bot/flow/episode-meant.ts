/** Finds the alert that a number means; the monitoring may have given one number to several in turn. */
import type { Alert } from '../domain/alert/alert.ts'
import { numberOf, placeOf } from '../domain/alert/episode.ts'
import type { Store } from './ports/store.ts'

/** The episode with exactly this key, else the open one, else the last one; null if there is none. */
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

/** What a typed id means: `several` where an ending of a long number fits more than one, of which none or several are open. */
export type Meant =
  | { readonly is: 'one'; readonly alert: Alert }
  | { readonly is: 'several'; readonly alerts: readonly Alert[] }
  | null

/** `123`, or the ending of a long number as a card says it: `…8398`; with or without `#`. */
export async function alertMeant(
  typed: string,
  store: Pick<Store, 'recallByNumbers' | 'recallByEnding'>,
): Promise<Meant> {
  const id = typed.trim().replace(/^#/, '')
  const exact = await episodeMeant(id, store)
  if (exact !== null) return { is: 'one', alert: exact }
  const [, ending] = /^(?:…|\.{2,3})?(\d{3,})$/.exec(id) ?? []
  if (ending === undefined) return null
  const all = await store.recallByEnding(ending)
  const open = all.filter(({ state }) => state === 'open')
  const fitting = open.length > 0 ? open : all
  const numbers = new Set(fitting.map(({ alertId }) => numberOf(alertId)))
  const [first] = fitting
  if (first === undefined) return null
  return numbers.size === 1 ? { is: 'one', alert: first } : { is: 'several', alerts: fitting }
}
