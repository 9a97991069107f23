/** Decides which cards follow from changes: those to make, and those to update. */
import type { Alert } from '../alert/alert.ts'
import { type Change, type ChangeKind, isCriticalNow } from '../alert/change.ts'
import { type Route, route } from '../alert/match.ts'
import { kindsAmong } from '../alert/trouble.ts'
import type { Steps } from '../base/steps.ts'
import { isHidden } from '../mute/hiding.ts'
import type { Mute } from '../mute/mute.ts'
import type { Plan } from '../plan.ts'
import { alertCard } from './card.ts'
import { type Earlier, type FoldInto, openFolds } from './fold.ts'
import { type ChannelQueue, emptyQueue, isRunning, openTakes, type StormCard, singlesMax } from './storm.ts'
import { joinStorm, mentionOf, type News, stormCards, summaryCards } from './storm-cards.ts'
import { descriptionNotice } from './thread-cards.ts'

export type Announcement = Pick<Plan, 'cards' | 'folds' | 'joins' | 'withdrawn'> & {
  /** Alerts whose cards are out of date now. */
  readonly dirty: readonly string[]
  /** What became of storms, and by how many alerts. */
  readonly storms: readonly {
    readonly channel: string
    readonly came: 'began' | 'grew'
    readonly alerts: number
  }[]
}

export type AnnounceOptions = {
  readonly nowMs: number
  /** A first start, the return after a long absence, or the end of a mute. */
  readonly catchingUp: boolean
  /** Tells a summary from all others. */
  readonly summaryId: string | number
  /** Alerts that stand on a card already. */
  readonly carded: Pick<ReadonlySet<string>, 'has'>
  /** Earlier alerts of the servers, plugins and metrics that are news, as far back as a flap may reach. */
  readonly episodes: readonly Earlier[]
  /** What the channels of the news have waiting, and their storms. */
  readonly queues: ReadonlyMap<string, ChannelQueue>
}

/** News by the channel that it is announced in. */
export type RoutedNews = {
  readonly byChannel: ReadonlyMap<string, readonly News[]>
  /** Alerts that no route and no default channel takes. */
  readonly unrouted: readonly string[]
}

export type RouteOptions = {
  readonly routes: readonly Route[]
  readonly defaultChannel: string | null
  /** Channels that can take nothing; see `route`. */
  readonly gone?: ReadonlySet<string>
}

/** What it takes to route an alert, in things that are only looked at (see `steps.ts`). */
const routeWork = 10

type CardEffect = 'card' | 'markDirty' | 'nothing'

const cardEffects = {
  opened: 'card',
  passed: 'card',
  happened: 'card',
  recorded: 'nothing',
  closed: 'markDirty',
  lost: 'markDirty',
  reopened: 'card',
  expired: 'markDirty',
  renamed: 'markDirty',
  named: 'card',
  worsened: 'markDirty',
  eased: 'markDirty',
  muted: 'markDirty',
  unmuting: 'nothing',
  unmuted: 'markDirty',
  ignored: 'markDirty',
  missed: 'nothing',
  found: 'nothing',
} as const satisfies Record<ChangeKind, CardEffect>

/**
 * The cards for all changes, and for the news among them, from `newsIn` and `routeNews`. In steps, because thousands may come at
 * once.
 */
export function* announce(
  changes: readonly Change[],
  { byChannel }: Pick<RoutedNews, 'byChannel'>,
  options: AnnounceOptions,
): Steps<Announcement> {
  const told = changes.filter(({ kind }) => cardEffects[kind] !== 'nothing').map(({ alert }) => alert)
  const changed = new Map(changes.map(({ alert }) => [alert.alertId, alert]))
  const foldInto = openFolds(options.episodes)
  yield options.episodes.length
  const parts: InChannel[] = []
  for (const [channel, news] of byChannel) {
    const queue = asChanged(options.queues.get(channel) ?? emptyQueue, changed)
    parts.push(yield* inChannel(channel, news, queue, foldInto, options))
  }
  return {
    cards: parts.flatMap(({ cards }) => cards),
    folds: parts.flatMap(({ folds }) => folds),
    joins: parts.flatMap(({ joins }) => joins),
    withdrawn: parts.flatMap(({ withdrawn }) => withdrawn),
    storms: parts.flatMap(({ storms }) => storms),
    // A close is shown whatever is muted: it updates the card that is there.
    dirty: told.map((alert) => alert.alertId).filter((alertId) => options.carded.has(alertId)),
  }
}

/**
 * The alerts that need a card and are not muted. One whose server or title can be read only now, or that became critical, may
 * have a card in another channel than where it belongs.
 */
export function newsIn(
  changes: readonly Change[],
  { carded, mutes }: { readonly carded: AnnounceOptions['carded']; readonly mutes: readonly Mute[] },
): Alert[] {
  return changes
    .filter((change) => cardEffects[change.kind] === 'card' || isCriticalNow(change))
    .filter((change) => change.kind === 'named' || isCriticalNow(change) || !carded.has(change.alert.alertId))
    .map(({ alert }) => alert)
    .filter((alert) => !isHidden(alert, mutes))
}

/** Routes the news. In steps, because each of two hundred routes may be tried for each alert. */
export function* routeNews(
  alerts: readonly Alert[],
  { routes, defaultChannel, gone }: RouteOptions,
): Steps<RoutedNews> {
  const byChannel = new Map<string, News[]>()
  const unrouted: string[] = []
  for (const alert of alerts) {
    yield routeWork
    const to = route(alert, routes, defaultChannel, gone)
    if (to === null) unrouted.push(alert.alertId)
    else {
      const news = byChannel.get(to.channel) ?? []
      news.push({ alert, mention: to.mention })
      byChannel.set(to.channel, news)
    }
  }
  return { byChannel, unrouted }
}

type InChannel = Omit<Announcement, 'dirty'>

function* inChannel(
  channel: string,
  news: readonly News[],
  queue: ChannelQueue,
  foldInto: FoldInto,
  { catchingUp, nowMs, summaryId }: AnnounceOptions,
): Steps<InChannel> {
  const cardOf = new Map<News, string>(queue.waiting.map((one) => [one, one.cardId]))
  const { joining, left } = shared([...news, ...queue.waiting], queue, { catchingUp, nowMs })
  yield news.length
  const unjoined = left.filter((one) => !cardOf.has(one))
  // A flapping alert that joined a storm is a line of it, and is not folded: updating its old card would cost another call.
  const folds = catchingUp ? [] : foldsIn(channel, unjoined, foldInto)
  const folded = new Set(folds.map(({ alertId }) => alertId))
  const taken = new Set(folds.map(({ cardId }) => cardId))
  const all = left.filter((one) => !folded.has(one.alert.alertId) && !taken.has(cardOf.get(one) ?? ''))
  const isFresh = all.some((one) => !cardOf.has(one))
  const waiting = [...joining.keys()].find(({ isWaiting }) => isWaiting)
  let singles: readonly News[] = all
  let storms: readonly (readonly News[])[] = []
  if (isFresh && areTogether(all.length, queue, catchingUp)) {
    // A storm that is not posted yet notifies by itself, so these need no other message.
    if (waiting !== undefined) joining.set(waiting, [...(joining.get(waiting) ?? []), ...all])
    else storms = catchingUp || queue.unsure >= singlesMax ? [all] : crowdsOf(all)
    const together = new Set(storms.flat())
    singles = waiting === undefined ? all.filter((one) => !together.has(one)) : []
  }
  yield news.length
  const parts: Pick<InChannel, 'cards' | 'joins'>[] = []
  for (const [storm, some] of joining) {
    if (some.length === 0) continue
    parts.push(joinStorm(storm, channel, some))
    yield some.length
  }
  for (const [part, some] of storms.entries()) {
    const alerts = some.map(({ alert }) => alert)
    const to = { channel, mention: mentionOf(some) }
    const cards = catchingUp ? summaryCards(alerts, to, summaryId) : stormCards(alerts, to, nowMs, part)
    parts.push({ cards, joins: [] })
    yield some.length
  }
  const joined = [...joining.values()].filter((some) => some.length > 0)
  return {
    folds,
    cards: [
      ...parts.flatMap(({ cards }) => cards),
      ...singles
        .filter((one) => !cardOf.has(one))
        .flatMap(({ alert, mention }) => {
          const card = alertCard(alert, { channel, mention })
          return [card, ...[descriptionNotice(alert, card) ?? []].flat()]
        }),
    ],
    joins: parts.flatMap(({ joins }) => joins),
    withdrawn: [...joined, ...storms].flat().flatMap((one) => cardOf.get(one) ?? []),
    storms: catchingUp
      ? []
      : [
          ...joined.map((some) => ({ channel, came: 'grew' as const, alerts: some.length })),
          ...storms.map((some) => ({ channel, came: 'began' as const, alerts: some.length })),
        ],
  }
}

/** The news that running storms take, and the rest, which gets messages of its own. */
function shared(
  all: readonly News[],
  queue: ChannelQueue,
  { catchingUp, nowMs }: { readonly catchingUp: boolean; readonly nowMs: number },
): { readonly joining: Map<StormCard, readonly News[]>; readonly left: readonly News[] } {
  const joining = new Map<StormCard, readonly News[]>()
  let left = all
  for (const storm of catchingUp ? queue.summaries : queue.storms) {
    const takes = openTakes(storm)
    const some = left.filter(({ alert }) => takes(alert))
    if (!isRunning(storm, some.length, nowMs)) continue
    joining.set(storm, some)
    left = left.filter(({ alert }) => !takes(alert))
  }
  return { joining, left }
}

/**
 * Too many for a card each. So is any number where Slack has left it open of several posts whether it took them: each more
 * would be one more to look for, and after an outage one more to post.
 */
function areTogether(count: number, { unsure }: ChannelQueue, catchingUp: boolean): boolean {
  return count > singlesMax || (!catchingUp && unsure >= singlesMax)
}

/**
 * The storms that begin with these. The few that are of another kind than the many, or critical among many that are not, would
 * be seen by nobody on one card with them: they have cards of their own, or if they are more than that, a storm.
 */
function crowdsOf(all: readonly News[]): readonly (readonly News[])[] {
  const kindOf = kindsAmong(all.map(({ alert }) => alert))
  const kinds = Map.groupBy(all, ({ alert }) => `${alert.severity === 'critical'} ${kindOf(alert)}`)
  const isMany = (some: readonly News[]) => some.length > singlesMax
  const many = [...kinds.values()].filter(isMany).flat()
  const others = [...kinds.values()].filter((some) => !isMany(some)).flat()
  return [many, others].filter(isMany)
}

/** The queue as the plan leaves it: what closes in the same look as its next flap opens is closed. */
function asChanged(queue: ChannelQueue, changed: ReadonlyMap<string, Alert>): ChannelQueue {
  const now = (alert: Alert) => changed.get(alert.alertId) ?? alert
  return {
    ...queue,
    waiting: queue.waiting.map((card) => ({ ...card, alert: now(card.alert) })),
    storms: queue.storms.map((storm) => ({ ...storm, alerts: storm.alerts.map(now) })),
    summaries: queue.summaries.map((storm) => ({ ...storm, alerts: storm.alerts.map(now) })),
  }
}

/** In the order in which they opened. After one that is open nothing more goes on its card: a card shows the last one. */
function foldsIn(channel: string, news: readonly News[], foldInto: FoldInto): Plan['folds'] {
  const folds: Plan['folds'][number][] = []
  const taken = new Set<string>()
  for (const one of news.toSorted((a, b) => a.alert.startedMs - b.alert.startedMs)) {
    const cardId = foldInto(one, channel)
    if (cardId === null || taken.has(cardId)) continue
    folds.push({ cardId, alertId: one.alert.alertId })
    if (one.alert.state !== 'closed') taken.add(cardId)
  }
  return folds
}
