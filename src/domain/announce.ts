/** Who is told of a change, and how: changes become cards to make and cards to bring up to date. Pure. */
import type { Alert } from './alert.ts'
import { alertCard, type NewCard, summaryCards } from './card.ts'
import { type Earlier, foldInto } from './fold.ts'
import { isHidden, type Mute } from './mute.ts'
import type { Plan } from './plan.ts'
import type { Change, ChangeKind } from './reconcile.ts'
import { type Route, route } from './route.ts'

/** How many alerts found open at once still get a card each when the bot catches up. */
export const cardsOnCatchUpMax = 3

export type Announcement = {
  readonly cards: readonly NewCard[]
  readonly folds: Plan['folds']
  /** Alerts whose cards are out of date now. */
  readonly touched: readonly string[]
  /** Alerts that no route and no default channel takes. */
  readonly unrouted: readonly string[]
}

export type AnnounceOptions = {
  readonly routes: readonly Route[]
  readonly defaultChannel: string | null
  /** A first start, the return after a long absence, or the end of a mute. */
  readonly catchingUp: boolean
  /** Tells a summary from all others. */
  readonly summaryId: string | number
  /** Alerts that stand on a card already. */
  readonly carded: ReadonlySet<string>
  /** Every mute that has not ended: what is new on a server that one of them silences gets no card. */
  readonly mutes: readonly Mute[]
  /** Earlier alerts of the subjects that are news, as far back as a flap may reach. */
  readonly episodes: readonly Earlier[]
}

type Telling = 'card' | 'touch' | 'nothing'

const tellings = {
  opened: 'card',
  passed: 'card',
  happened: 'card',
  recorded: 'nothing',
  closed: 'touch',
  reopened: 'card',
  expired: 'touch',
  missed: 'nothing',
  found: 'nothing',
} as const satisfies Record<ChangeKind, Telling>

export function announce(changes: readonly Change[], options: AnnounceOptions): Announcement {
  const told = changes.filter(({ kind }) => tellings[kind] !== 'nothing').map(({ alert }) => alert)
  const cards: NewCard[] = []
  const folds: Plan['folds'][number][] = []
  const unrouted: string[] = []
  for (const [channel, routed] of byChannel(newsIn(changes, options), options, unrouted)) {
    const folded = options.catchingUp ? [] : foldsIn(channel, routed, options)
    const isFolded = new Set(folded.map(({ alertId }) => alertId))
    const rest = routed.filter(({ alert }) => !isFolded.has(alert.alertId))
    folds.push(...folded)
    cards.push(...cardsIn(channel, rest, options))
  }
  // A close is told whatever is muted: it touches the card that is there.
  const touched = told.map((alert) => alert.alertId).filter((alertId) => options.carded.has(alertId))
  return { cards, folds, touched, unrouted }
}

/** Alerts that call for a card, and that no mute silences. */
export function newsIn(
  changes: readonly Change[],
  { carded, mutes }: Pick<AnnounceOptions, 'carded' | 'mutes'>,
): Alert[] {
  return changes
    .filter(({ kind }) => tellings[kind] === 'card')
    .map(({ alert }) => alert)
    .filter((alert) => !carded.has(alert.alertId) && !isHidden(alert.hostname, mutes))
}

type Routed = { readonly alert: Alert; readonly mention: string | null }

function byChannel(
  alerts: readonly Alert[],
  options: AnnounceOptions,
  unrouted: string[],
): Map<string, Routed[]> {
  const channels = new Map<string, Routed[]>()
  for (const alert of alerts) {
    const to = route(alert, options.routes, options.defaultChannel)
    if (to === null) unrouted.push(alert.alertId)
    else channels.set(to.channel, [...(channels.get(to.channel) ?? []), { alert, mention: to.mention }])
  }
  return channels
}

/** In the order in which they opened. After one that is open nothing more goes on its card: a card shows the last one. */
function foldsIn(channel: string, routed: readonly Routed[], options: AnnounceOptions): Plan['folds'] {
  const folds: Plan['folds'][number][] = []
  const taken = new Set<string>()
  for (const { alert } of routed.toSorted((a, b) => a.alert.startedMs - b.alert.startedMs)) {
    const cardId = foldInto(alert, channel, options.episodes)
    if (cardId === null || taken.has(cardId)) continue
    folds.push({ cardId, alertId: alert.alertId })
    if (alert.state !== 'closed') taken.add(cardId)
  }
  return folds
}

function cardsIn(channel: string, routed: readonly Routed[], options: AnnounceOptions): NewCard[] {
  if (options.catchingUp && routed.length > cardsOnCatchUpMax) {
    const alerts = routed.map(({ alert }) => alert)
    const mentions = new Set(routed.flatMap(({ mention }) => (mention === null ? [] : [mention])))
    const mention = mentions.size > 0 ? [...mentions].join(' ') : null
    return summaryCards(alerts, { channel, mention }, options.summaryId)
  }
  return routed.map(({ alert, mention }) => alertCard(alert, { channel, mention }))
}
