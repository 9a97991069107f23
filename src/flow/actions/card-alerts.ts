/** The alerts of a card that holds many, as they are now: what is pressed there is about those that are still open. */
import type { Alert } from '../../domain/alert/alert.ts'
import type { Changed } from '../../domain/request/reply.ts'
import type { CardPlace, Store } from '../ports/store.ts'

/** In the card's order. Empty also where the card is forgotten: only one whose alerts are all over is. */
export async function alertsOnCard(
  cardId: string,
  store: Pick<Store, 'cardById' | 'recallByIds'>,
): Promise<readonly Alert[]> {
  const card = await store.cardById(cardId)
  if (card === null) return []
  const found = await store.recallByIds(card.alertIds)
  const byId = new Map(found.map((alert) => [alert.alertId, alert]))
  return card.alertIds.flatMap((alertId) => byId.get(alertId) ?? [])
}

export function openOf(alerts: readonly Alert[]): readonly Alert[] {
  return alerts.filter(({ state }) => state === 'open')
}

/** The cards in whose threads an alert is talked of: its own, or where it has none, those of many on which it stands. */
export async function threadsOf(
  alertId: string,
  store: Pick<Store, 'cardsOf' | 'listsOf'>,
): Promise<readonly CardPlace[]> {
  const own = await store.cardsOf([alertId])
  return own.length > 0 ? own : store.listsOf([alertId])
}

/** Nothing on the card is open any more. */
export function allClosed(alerts: readonly Alert[]): Changed {
  const isUnclear = alerts.length === 0 || alerts.some(({ state }) => state === 'unreported')
  const lastMs = alerts.reduce((last, { closedMs }) => Math.max(last, closedMs ?? 0), 0)
  return {
    what: 'all_closed',
    count: alerts.length,
    closedMs: isUnclear || lastMs === 0 ? null : lastMs,
  }
}
