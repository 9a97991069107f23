/** A storm for tests of actions: many open alerts on as many servers, on one card of a channel. */
import type { Alert } from '../../src/bot/domain/alert/alert.ts'
import { stormCards } from '../../src/bot/domain/card/storm-cards.ts'
import { emptyPlan, type Plan } from '../../src/bot/domain/plan.ts'
import { anAlert } from './delivery-world.ts'

/** Alerts `1`, `2`, … on `web-1`, `web-2`, … */
export function manyAlerts(count: number, over: (n: number) => Partial<Alert> = () => ({})): Alert[] {
  return Array.from({ length: count }, (_, at) => anAlert(String(at + 1), over(at + 1)))
}

/** The plan of a poll that finds them; `cardId` is that of the storm. */
export function storming(
  alerts: readonly Alert[],
  channel: string,
  atMs: number,
): { readonly plan: Plan; readonly cardId: string } {
  const cards = stormCards(alerts, { channel, mention: null }, atMs)
  const plan = { ...emptyPlan(atMs), alerts: alerts.map((alert) => ({ alert, was: null })), cards }
  return { plan, cardId: cards[0]?.cardId ?? '' }
}
