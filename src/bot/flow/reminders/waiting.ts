/** Finds the alerts that wait for somebody, and since when: both reminders and pages count from there. */
import type { Alert } from '../../domain/alert/alert.ts'
import { route } from '../../domain/alert/match.ts'
import { worstFirst } from '../../domain/alert/severity.ts'
import { isRead, type Routing } from '../../domain/card/reach.ts'
import { aheadMaxMs, lastKnown } from '../../domain/card/reminders.ts'
import { namesOnce } from '../../domain/card/storm-cards.ts'
import { hides, type Mute } from '../../domain/mute/mute.ts'
import { type Subject, troubleSubject } from '../../domain/mute/subject.ts'
import type { AlertForReminders, Store } from '../ports/store.ts'

type WaitingStore = Pick<Store, 'alertsForReminders' | 'mutesSince'>

/**
 * An alert that waits for somebody, and since when people could know of it: it had a card, and no mute. `sinceMs`: by this card;
 * `announcedMs`: by its first one, wherever that was.
 */
export type Waiting = Standing & {
  readonly openMs: number
  readonly sinceMs: number
  readonly announcedMs: number
}

/**
 * An alert with the card to reply to. `mention`: whom the routes of those of the card that are found name for its channel today; for
 * one that its route has elsewhere, whom the card mentioned. `cardMention`: whom the card mentioned, whatever the routes say since.
 */
export type Standing = AlertForReminders & { readonly cardMention: string | null }

/** The alerts with the cards to reply to: of several cards of one alert, that in its own channel, and none that nobody reads. */
export function standing(found: readonly AlertForReminders[], routing: Routing): readonly Standing[] {
  const { routes, defaultChannel, gone } = routing
  const stand = [...Map.groupBy(found, ({ alert }) => alert.alertId).values()].flatMap((cards) => {
    const [first] = cards
    const to = first === undefined ? null : route(first.alert, routes, defaultChannel, gone)
    const isThere = ({ channel }: AlertForReminders) => channel === to?.channel
    const called = cards.map((one) => ({
      ...one,
      cardMention: one.mention,
      mention: to !== null && isThere(one) ? to.mention : one.mention,
    }))
    const read = called.filter(({ channel }) => isRead(channel, routing))
    if (read.length === 0) return called
    const there = read.filter(isThere)
    return there.length > 0 ? there : read
  })
  const byCard = Map.groupBy(stand, ({ cardId }) => cardId)
  const mentions = new Map(
    [...byCard].map(([cardId, of]) => [cardId, namesOnce(of.map(({ mention }) => mention))]),
  )
  return stand.map((one) => ({ ...one, mention: mentions.get(one.cardId) ?? null }))
}

/** The alerts that wait now, critical ones first, then those open longest. */
export async function waitingNow(
  {
    store,
    nowMs,
    routing,
  }: { readonly store: WaitingStore; readonly nowMs: number; readonly routing: Routing },
  beforeMs: number,
): Promise<readonly Waiting[]> {
  const cards = await store.alertsForReminders({ isAcked: false, beforeMs, aheadMs: nowMs + aheadMaxMs })
  const found = standing(cards, routing)
  if (found.length === 0) return []
  const firstMs = new Map<string, number>()
  for (const { alert, createdMs } of cards) {
    firstMs.set(alert.alertId, Math.min(createdMs, firstMs.get(alert.alertId) ?? createdMs))
  }
  const opened = found.map((one) => {
    const { alertId, firstSeenMs, startedMs, reopenedMs, unmutedMs, severity } = one.alert
    const confirmedMs = one.alert.ownershipConfirmedMs
    const openMs = lastKnown([startedMs, firstSeenMs, reopenedMs, unmutedMs], nowMs)
    return {
      ...one,
      severity,
      openMs,
      sinceMs: lastKnown([openMs, one.createdMs, confirmedMs], nowMs),
      announcedMs: lastKnown([openMs, firstMs.get(alertId) ?? one.createdMs, confirmedMs], nowMs),
    }
  })
  const quiet = await quietUntil(store, Math.min(...opened.map(({ openMs }) => openMs)), nowMs)
  const heard = (alert: Alert, sinceMs: number) => lastKnown([sinceMs, ...quiet(alert)], nowMs)
  return worstFirst(
    opened.map(({ openMs, sinceMs, announcedMs, ...one }) => ({
      ...one,
      openMs: heard(one.alert, openMs),
      sinceMs: heard(one.alert, sinceMs),
      announcedMs: heard(one.alert, announcedMs),
    })),
  )
}

/** When the last of the alert's mutes since then was over: nobody had a reason to look while it was muted. */
async function quietUntil(
  store: WaitingStore,
  sinceMs: number,
  nowMs: number,
): Promise<(alert: Alert) => readonly (number | null)[]> {
  // A mute that cannot be ended at the API hides nothing after a while.
  const overMs = (mute: Mute) => mute.endedMs ?? (mute.state === 'active' ? nowMs : mute.untilMs)
  const ends = Map.groupBy(await store.mutesSince(null, sinceMs), ({ subject }) => subject)
  const of = (subject: Subject, alert: Alert) =>
    (ends.get(subject) ?? []).filter((mute) => hides(mute, alert)).map(overMs)
  return (alert) => [alert.hostname, troubleSubject(alert), null].flatMap((subject) => of(subject, alert))
}
