/** Makes one plan of alerts, cards and charts from a poll's changes and what existed before. Pure. */
import type { Alert } from '../alert/alert.ts'
import type { Change } from '../alert/change.ts'
import type { Steps } from '../base/steps.ts'
import { type Images, picturesFor } from '../delivery/picture.ts'
import { emptyPlan, type Plan } from '../plan.ts'
import { type Announcement, type AnnounceOptions, announce, type RoutedNews } from './announce.ts'
import type { NewCard } from './card.ts'

/** What was read from the store for the changes. */
export type ExistingCards = Pick<AnnounceOptions, 'carded' | 'episodes' | 'queues'> & {
  /** Cards of alerts that `turned`. */
  readonly cards: readonly { readonly cardId: string; readonly alertIds: readonly string[] }[]
  /** What is to be said of alerts that became critical. */
  readonly worsened: readonly NewCard[]
  /** What is to be announced, and where. */
  readonly news: RoutedNews
  /** Of the mutes that the news were chosen by; null where there are none. */
  readonly muteEpoch: number | null
}

/** The plan, in steps, because there may be tens of thousands of changes. */
export function* planning(
  changes: readonly Change[],
  standing: ExistingCards,
  {
    nowMs,
    catchingUp,
    images,
  }: { readonly nowMs: number; readonly catchingUp: boolean; readonly images: Images },
): Steps<{ readonly plan: Plan; readonly storms: Announcement['storms'] }> {
  const { storms, ...told } = yield* announce(changes, standing.news, {
    ...standing,
    nowMs,
    catchingUp,
    summaryId: nowMs,
  })
  yield changes.length
  const plan = {
    ...emptyPlan(nowMs),
    ...told,
    cards: [...told.cards, ...standing.worsened],
    alerts: changes.map(({ alert, was }) => ({ alert, was })),
    pictures: picturesFor(pictured(changes, told, standing.cards), images),
    muteEpoch: changes.length > 0 ? standing.muteEpoch : null,
  }
  return { plan, storms }
}

/** Alerts whose pictures have changed with them. */
export function closedOrReopened(changes: readonly Change[]): string[] {
  return changes
    .filter(({ kind }) => kind === 'closed' || kind === 'reopened')
    .map(({ alert }) => alert.alertId)
}

/** Every card that shows one alert and whose picture has changed with it; `standing` are those that are there already. */
function pictured(
  changes: readonly Change[],
  told: Pick<Announcement, 'cards' | 'folds' | 'withdrawn'>,
  standing: ExistingCards['cards'],
): { cardId: string; alert: Alert }[] {
  const alerts = new Map(changes.map(({ alert }) => [alert.alertId, alert]))
  const withdrawn = new Set(told.withdrawn)
  const shown = [
    ...told.cards.filter(({ kind }) => kind === 'alert'),
    ...told.folds.map(({ cardId, alertId }) => ({ cardId, alertIds: [alertId] })),
    ...standing.filter(({ cardId }) => !withdrawn.has(cardId)),
  ]
  return shown.flatMap(({ cardId, alertIds }) => {
    const alert = alerts.get(alertIds.at(-1) ?? '')
    return alert === undefined ? [] : [{ cardId, alert }]
  })
}
