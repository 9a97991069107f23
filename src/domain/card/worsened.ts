/** Alerts that became critical while they were open: their cards change, which notifies nobody, so a reply says it too. */
import type { Alert } from '../alert/alert.ts'
import type { Change } from '../alert/change.ts'
import { type Route, route } from '../alert/match.ts'
import { isHidden, type Mute } from '../mute/mute.ts'
import { type NewCard, newCard } from './card.ts'
import { namesOnce } from './storm-cards.ts'

/** A card that shows alerts: of one, or of many. */
type Shown = { readonly cardId: string; readonly channel: string; readonly alertIds: readonly string[] }

/** Those that became critical, and that no mute silences. */
export function becameCritical(changes: readonly Change[], mutes: readonly Mute[]): Alert[] {
  return changes
    .filter(({ kind, alert }) => kind === 'worsened' && alert.severity === 'critical')
    .map(({ alert }) => alert)
    .filter(({ hostname }) => !isHidden(hostname, mutes))
}

/** Those that are critical still. */
export function criticalOf(alerts: readonly Alert[]): readonly Alert[] {
  return alerts.filter(({ state, severity }) => state === 'open' && severity === 'critical')
}

/**
 * One reply a channel, however many they are, below the first of their cards there; the routes say who is called. Named for its
 * first alert.
 */
export function worsenedCards(
  alerts: readonly Alert[],
  shown: readonly Shown[],
  routes: readonly Route[],
): NewCard[] {
  return [...Map.groupBy(shown, ({ channel }) => channel)].flatMap(([channel, cards]) => {
    const on = new Set(cards.flatMap(({ alertIds }) => alertIds))
    const told = alerts.filter(({ alertId }) => on.has(alertId))
    const [first] = told
    const parent = cards.find(({ alertIds }) => first !== undefined && alertIds.includes(first.alertId))
    if (first === undefined || parent === undefined) return []
    const mention = namesOnce(told.map((alert) => route(alert, routes, channel)?.mention ?? null))
    const alertIds = told.map(({ alertId }) => alertId)
    return [
      newCard('worsened', `${first.alertId}:${channel}`, {
        channel,
        parentId: parent.cardId,
        mention,
        alertIds,
      }),
    ]
  })
}
