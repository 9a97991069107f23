/** Who is told of a change, and how: changes become cards to make and cards to bring up to date. Pure. */
import type { Alert } from './alert.ts'
import { alertCard, type NewCard, summaryCards } from './card.ts'
import type { Change, ChangeKind } from './reconcile.ts'
import { type Route, route } from './route.ts'

/** How many alerts found open at once still get a card each when the bot catches up. */
export const cardsOnCatchUpMax = 3

export type Announcement = {
  readonly cards: readonly NewCard[]
  /** Alerts whose cards are out of date now. */
  readonly touched: readonly string[]
  /** Alerts that no route and no default channel takes. */
  readonly unrouted: readonly string[]
}

export type AnnounceOptions = {
  readonly routes: readonly Route[]
  readonly defaultChannel: string | null
  /** A first start, or the return after a long absence. */
  readonly catchingUp: boolean
  readonly nowMs: number
  /** Alerts that stand on a card already. */
  readonly carded: ReadonlySet<string>
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
  const fresh = changes.filter(({ kind }) => tellings[kind] === 'card').map(({ alert }) => alert)
  const uncarded = fresh.filter((alert) => !options.carded.has(alert.alertId))
  const cards: NewCard[] = []
  const unrouted: string[] = []
  for (const [channel, alerts] of byChannel(uncarded, options, unrouted)) {
    cards.push(...cardsIn(channel, alerts, options))
  }
  const touched = told.map((alert) => alert.alertId).filter((alertId) => options.carded.has(alertId))
  return { cards, touched, unrouted }
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

function cardsIn(channel: string, routed: readonly Routed[], options: AnnounceOptions): NewCard[] {
  if (options.catchingUp && routed.length > cardsOnCatchUpMax) {
    const alerts = routed.map(({ alert }) => alert)
    const mentions = new Set(routed.flatMap(({ mention }) => (mention === null ? [] : [mention])))
    const mention = mentions.size > 0 ? [...mentions].join(' ') : null
    return summaryCards(alerts, { channel, mention }, options.nowMs)
  }
  return routed.map(({ alert, mention }) => alertCard(alert, { channel, mention }))
}
