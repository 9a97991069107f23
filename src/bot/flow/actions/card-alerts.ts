/** Finds the current alerts of a card with several: a click there is about those that are still open. */
import type { Alert } from '../../domain/alert/alert.ts'
import type { NewCard } from '../../domain/card/card.ts'
import { changeNotice } from '../../domain/card/thread-cards.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import type { Refusal, StaleReason } from '../../domain/request/reply.ts'
import type { CardPlace } from '../ports/card-store.ts'
import type { Store } from '../ports/store.ts'

/** The alerts, in the card's order; null if no such card is stored (any more): what it showed may still be open. */
export async function alertsOnCard(
  cardId: string,
  store: Pick<Store, 'cardById' | 'recallByIds'>,
): Promise<readonly Alert[] | null> {
  const card = await store.cardById(cardId)
  if (card === null) return null
  const found = await store.recallByIds(card.alertIds)
  const byId = new Map(found.map((alert) => [alert.alertId, alert]))
  return card.alertIds.flatMap((alertId) => byId.get(alertId) ?? [])
}

/** The refusal of a click whose meaning only the card could tell. */
export const unknownCard: Refusal = { why: 'unknown_card' }

export function openOf(alerts: readonly Alert[]): readonly Alert[] {
  return alerts.filter(({ state }) => state === 'open')
}

/** The cards in whose threads an alert is discussed: its own, or if it has none, the cards of several that include it. */
export async function threadsOf(
  alertId: string,
  store: Pick<Store, 'cardsOf' | 'listsOf'>,
): Promise<readonly CardPlace[]> {
  const own = await store.cardsOf([alertId])
  return own.length > 0 ? own : store.listsOf([alertId])
}

/** A line in the threads where an alert is discussed; none if a mute hides it, because the channel does not know it. */
export async function toldBelow(
  entry: AuditEntry,
  { alertId }: Alert,
  store: Pick<Store, 'cardsOf' | 'listsOf'>,
): Promise<readonly NewCard[]> {
  return (await threadsOf(alertId, store)).map((card) => changeNotice(entry, card))
}

/** Nothing on the card is open any more. */
export function allClosed(alerts: readonly Alert[]): StaleReason {
  const isUnclear = alerts.length === 0 || alerts.some(({ state }) => state === 'unreported')
  const lastMs = alerts.reduce((last, { closedMs }) => Math.max(last, closedMs ?? 0), 0)
  return {
    what: 'all_closed',
    count: alerts.length,
    closedMs: isUnclear || lastMs === 0 ? null : lastMs,
  }
}
