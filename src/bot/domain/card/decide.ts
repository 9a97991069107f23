/** Makes one plan of alerts, cards and charts from a poll's changes and from facts that were loaded once. Pure. */
import type { Alert } from '../alert/alert.ts'
import { type Change, isCriticalNow } from '../alert/change.ts'
import { type Route, route } from '../alert/match.ts'
import type { Steps } from '../base/steps.ts'
import { type Images, picturesFor } from '../delivery/picture.ts'
import type { Mute } from '../mute/mute.ts'
import { emptyPlan, type Plan } from '../plan.ts'
import {
  type Announcement,
  type AnnounceOptions,
  announce,
  newsIn,
  type RoutedNews,
  type RouteOptions,
  routeNews,
} from './announce.ts'
import { type NewCard, newCard } from './card.ts'
import { namesOnce } from './storm-cards.ts'

/** What has to be known of these changes before they are decided on. */
export type Questions = {
  /** The alerts that may be announced, by the channel that the routes name: mutes hide some, and some stand on a card there already. */
  readonly candidates: RoutedNews
  readonly becameCritical: readonly string[]
  /** Alerts whose cards matter. */
  readonly shown: readonly string[]
  /** Those of which lists matter as well. */
  readonly listed: readonly string[]
}

/** A card or a list, and the alerts that it shows. */
type Place = { readonly cardId: string; readonly channel: string; readonly alertIds: readonly string[] }

/** What was read from the store for the changes, after the API was read. */
export type ExistingCards = Pick<AnnounceOptions, 'carded' | 'episodes' | 'queues'> & {
  /** Of the alerts asked for: the cards of their own, and the lists that show them. */
  readonly cards: readonly Place[]
  readonly lists: readonly Place[]
  /** Alerts of which it was announced before that they became critical. */
  readonly announcedCritical: ReadonlySet<string>
  readonly mutes: readonly Mute[]
  /** A mute that changes after this makes the plan stale. */
  readonly muteEpoch: number
}

const nothingKnown = { carded: new Set<string>(), mutes: [] }

/** Lists what has to be known, in steps: each of two hundred routes may be tried for each alert. */
export function* asking(changes: readonly Change[], options: RouteOptions): Steps<Questions> {
  const candidates = yield* routeNews(newsIn(changes, nothingKnown), options)
  const idsOf = (is: (change: Change) => boolean) => changes.filter(is).map(({ alert }) => alert.alertId)
  const listed = idsOf((change) => change.kind === 'named' || isCriticalNow(change))
  const becameCritical = idsOf(isCriticalNow)
  return { candidates, becameCritical, shown: [...idsOf(isClosedOrReopened), ...listed], listed }
}

/** The plan, in steps, because there may be tens of thousands of changes. */
export function* deciding(
  changes: readonly Change[],
  { candidates }: Pick<Questions, 'candidates'>,
  existing: ExistingCards,
  options: {
    readonly nowMs: number
    readonly catchingUp: boolean
    readonly images: Images
    readonly routes: readonly Route[]
  },
): Steps<{
  readonly plan: Plan
  readonly storms: Announcement['storms']
  readonly unrouted: readonly string[]
}> {
  const { nowMs, images, routes } = options
  const { mutes, announcedCritical } = existing
  const places = [...existing.cards, ...existing.lists]
  const fresh = newsIn(changes, existing)
  const news = new Set(fresh.map(({ alertId }) => alertId))
  yield changes.length
  const critical = changes
    .filter((change) => isCriticalNow(change) && news.has(change.alert.alertId))
    .map(({ alert }) => alert)
    .filter(({ alertId }) => !announcedCritical.has(alertId))
  const { storms, ...told } = yield* announce(
    changes,
    { byChannel: stillNews(candidates, news, places) },
    {
      ...existing,
      ...options,
      summaryId: nowMs,
    },
  )
  yield changes.length
  const plan = {
    ...emptyPlan(nowMs),
    ...told,
    cards: [...told.cards, ...criticalNotices(critical, places, routes)],
    alerts: changes.map(({ alert, was }) => ({ alert, was })),
    pictures: picturesFor(pictured(changes, told, existing.cards), images),
    muteEpoch: changes.length > 0 && mutes.length > 0 ? existing.muteEpoch : null,
  }
  return { plan, storms, unrouted: candidates.unrouted.filter((alertId) => news.has(alertId)) }
}

/** What stands in its channel already is no news there. */
function stillNews(
  { byChannel }: RoutedNews,
  news: ReadonlySet<string>,
  places: readonly Place[],
): RoutedNews['byChannel'] {
  const nameOf = (alertId: string, channel: string) => `${alertId} ${channel}`
  const told = new Set(
    places.flatMap(({ alertIds, channel }) => alertIds.map((alertId) => nameOf(alertId, channel))),
  )
  return new Map(
    [...byChannel].flatMap(([channel, all]) => {
      const some = all.filter(
        ({ alert: { alertId } }) => news.has(alertId) && !told.has(nameOf(alertId, channel)),
      )
      return some.length === 0 ? [] : [[channel, some] as const]
    }),
  )
}

/**
 * One reply per channel, however many alerts, below the first of their cards there: an edit of a card notifies nobody. It mentions
 * the people whom the routes name for that channel; if they name another one, people are mentioned there. Its id is that of its
 * first alert.
 */
function criticalNotices(
  alerts: readonly Alert[],
  shown: readonly Place[],
  routes: readonly Route[],
): NewCard[] {
  return [...Map.groupBy(shown, ({ channel }) => channel)].flatMap(([channel, cards]) => {
    const on = new Set(cards.flatMap(({ alertIds }) => alertIds))
    const told = alerts.filter(({ alertId }) => on.has(alertId))
    const [first] = told
    const parent = cards.find(({ alertIds }) => first !== undefined && alertIds.includes(first.alertId))
    if (first === undefined || parent === undefined) return []
    const to = told.flatMap((alert) => route(alert, routes, channel) ?? [])
    const mention = namesOnce(to.filter((one) => one.channel === channel).map((one) => one.mention))
    const alertIds = told.map(({ alertId }) => alertId)
    const of = `${first.alertId}:${channel}`
    return [
      newCard('notice', of, {
        topic: 'became_critical',
        channel,
        parentId: parent.cardId,
        mention,
        alertIds,
      }),
    ]
  })
}

/** The pictures of these alerts have changed with them. */
function isClosedOrReopened({ kind }: Change): boolean {
  return kind === 'closed' || kind === 'reopened'
}

/** Every card that shows one alert and whose picture has changed with it. */
function pictured(
  changes: readonly Change[],
  told: Pick<Announcement, 'cards' | 'folds' | 'withdrawn'>,
  cards: readonly Place[],
): { cardId: string; alert: Alert }[] {
  const alerts = new Map(changes.map(({ alert }) => [alert.alertId, alert]))
  const closedOrReopened = new Set(changes.filter(isClosedOrReopened).map(({ alert }) => alert.alertId))
  const withdrawn = new Set(told.withdrawn)
  const shown = [
    ...told.cards.filter(({ kind }) => kind === 'alert'),
    ...told.folds.map(({ cardId, alertId }) => ({ cardId, alertIds: [alertId] })),
    ...cards.filter(
      ({ cardId, alertIds }) =>
        !withdrawn.has(cardId) && alertIds.some((alertId) => closedOrReopened.has(alertId)),
    ),
  ]
  return shown.flatMap(({ cardId, alertIds }) => {
    const alert = alerts.get(alertIds.at(-1) ?? '')
    return alert === undefined ? [] : [{ cardId, alert }]
  })
}
