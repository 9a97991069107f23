/**
 * Reminds people of alerts: of those that nobody takes, later and later to more people; of those that came back on a card which
 * called nobody; and whoever took one long ago. Each once, and what is on disk says which were.
 */
import { route } from '../../domain/alert/match.ts'
import { worstFirst } from '../../domain/alert/severity.ts'
import type { NewCard } from '../../domain/card/card.ts'
import { isRead, type LiveRouting, type Routing, routingNow } from '../../domain/card/reach.ts'
import {
  aheadMaxMs,
  dueStep,
  heldSinceMs,
  isReminded,
  lastKnown,
  type ReminderStep,
  type Reminders,
  reminderCycleStart,
  stepId,
} from '../../domain/card/reminders.ts'
import { flapReminder, reminderCard, staleAckNotice } from '../../domain/card/thread-cards.ts'
import { isHidden, type Mute } from '../../domain/mute/mute.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { contain } from '../concurrency/contain.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import type { AlertForReminders, Store } from '../ports/store.ts'

const lookEveryMaxMs = 30_000
const lookEveryMinMs = 1_000
/** Reminders share the pace of posts with new alerts: after a storm they come a few at a time. */
const atOnceMax = 5

type ReminderStore = Pick<Store, 'alertsForReminders' | 'cardById' | 'commit' | 'mutesSince' | 'remindersOf'>

type ReminderPorts = {
  readonly store: ReminderStore
  readonly clock: Clock
  readonly logger: Logger
  /** When the open alerts were last read; null before the first time: until then they may have closed long ago. */
  readonly lastPollMs: () => number | null
  readonly onChanged: () => void
}

/** One that may be due; null: it is not, or people know why it was silent. */
type Candidate = { readonly cardId: string; readonly make: () => Promise<NewCard | null> }

/** `routing` says which channels people read. */
export function openReminders(
  ports: ReminderPorts,
  policy: Reminders & { readonly routing: LiveRouting },
): Job {
  const { store, clock, logger, lastPollMs, onChanged } = ports
  const times = [policy.flapSettleMs, policy.staleAckAfterMs, ...policy.steps.map(({ afterMs }) => afterMs)]
  const shortestMs = Math.min(lookEveryMaxMs * 4, ...times.flatMap((ms) => ms ?? []))
  const lookEveryMs = Math.max(lookEveryMinMs, shortestMs / 4)

  async function made(make: Candidate['make'], nowMs: number): Promise<boolean> {
    const card = await make()
    if (card === null || (await store.cardById(card.cardId)) !== null) return false
    // Taken at this very moment: one too many is not posted, or says so itself, as it shows the alert as it is.
    return (await store.commit({ ...emptyPlan(nowMs), cards: [card] })) === 'saved'
  }

  return openWatch('reminder', ports, async () => {
    const readMs = lastPollMs()
    if (readMs === null) return lookEveryMs
    const nowMs = clock.nowMs()
    let count = 0
    for (const { cardId, make } of await candidates({
      store,
      policy,
      nowMs,
      readMs,
      routing: routingNow(policy.routing),
    })) {
      if (count === atOnceMax) break
      // One that breaks is tried again at the next look, and keeps no other from its turn.
      const job = { kind: 'reminder', logger, facts: { cardId } } as const
      if (
        await contain(
          job,
          () => made(make, nowMs),
          () => false,
        )
      )
        count += 1
    }
    if (count > 0) {
      logger.info('alerts:reminded', { count })
      onChanged()
    }
    return lookEveryMs
  })
}

type Look = {
  readonly store: ReminderStore
  readonly policy: Reminders
  readonly nowMs: number
  readonly readMs: number
  readonly routing: Routing
}

/** One that waits for somebody, and since when people could hear of it: its card, and no mute. */
type Waiting = AlertForReminders & { readonly openMs: number; readonly sinceMs: number }

/** The most urgent first. */
async function candidates(look: Look): Promise<readonly Candidate[]> {
  const { store, policy, nowMs } = look
  const soonest = [policy.flapSettleMs, policy.steps[0]?.afterMs].flatMap((ms) => ms ?? [])
  const waiting = soonest.length === 0 ? [] : await waitingNow(look, nowMs - Math.min(...soonest))
  const held =
    policy.staleAckAfterMs === null
      ? []
      : standing(
          await store.alertsForReminders({ isAcked: true, beforeMs: nowMs - policy.staleAckAfterMs }),
          look,
        )
  const asked = held.filter(({ isWaiting }) => !isWaiting)
  return [...backAgain(waiting, look), ...unacknowledged(waiting, look), ...forgotten(asked)]
}

/** Where an alert stands on several cards, those in the channel in which it belongs; not those that nobody reads. */
function standing(found: readonly AlertForReminders[], { routing }: Look): readonly AlertForReminders[] {
  const { routes, defaultChannel, gone } = routing
  return [...Map.groupBy(found, ({ alert }) => alert.alertId).values()].flatMap((cards) => {
    const read = cards.filter(({ channel }) => isRead(channel, routing))
    const [one] = read
    if (one === undefined) return cards
    const to = route(one.alert, routes, defaultChannel, gone)
    const there = read.filter(({ channel }) => channel === to?.channel)
    return there.length > 0 ? there : read
  })
}

/** Critical ones first, then those that are open longest. */
async function waitingNow(look: Look, beforeMs: number): Promise<readonly Waiting[]> {
  const { store, nowMs } = look
  const found = standing(
    await store.alertsForReminders({ isAcked: false, beforeMs, aheadMs: nowMs + aheadMaxMs }),
    look,
  )
  if (found.length === 0) return []
  const opened = found.map((one) => {
    const { firstSeenMs, startedMs, reopenedMs, severity } = one.alert
    const openMs = lastKnown([startedMs, firstSeenMs, reopenedMs], nowMs)
    return {
      ...one,
      severity,
      openMs,
      sinceMs: lastKnown([openMs, one.createdMs, one.alert.ownershipConfirmedMs], nowMs),
    }
  })
  const quiet = await quietUntil(store, Math.min(...opened.map(({ openMs }) => openMs)), nowMs)
  const heard = (hostname: string, sinceMs: number) => lastKnown([sinceMs, ...quiet(hostname)], nowMs)
  return worstFirst(
    opened.map(({ openMs, sinceMs, ...one }) => ({
      ...one,
      openMs: heard(one.alert.hostname, openMs),
      sinceMs: heard(one.alert.hostname, sinceMs),
    })),
  )
}

/** By the last poll: an API that is away says nothing of whether it is open still. */
function backAgain(waiting: readonly Waiting[], { policy, readMs }: Look): readonly Candidate[] {
  const { flapSettleMs } = policy
  if (flapSettleMs === null) return []
  return (
    waiting
      .filter(
        ({ alert, kind, isFold, isWaiting }) =>
          kind === 'alert' && !isWaiting && (isFold || alert.reopenedMs !== null),
      )
      // Somebody had it since: they handed it back to people who know of it.
      .filter(
        ({ alert }) =>
          (alert.ownershipConfirmedMs ?? 0) <= Math.max(alert.firstSeenMs, alert.reopenedMs ?? 0),
      )
      .filter(({ openMs }) => readMs - openMs >= flapSettleMs)
      .map((one) => ({
        cardId: one.cardId,
        make: async () => flapReminder(one.alert, one, one.mention),
      }))
  )
}

/** Of a list's alerts that came about the same time in one message. */
function unacknowledged(waiting: readonly Waiting[], look: Look): readonly Candidate[] {
  const turns = Map.groupBy(waiting, (one) => turnOf(one, look.policy).of)
  return [...turns].flatMap(([of, group]) => {
    const [root] = group
    if (root === undefined) return []
    const { gone } = look.routing
    // What takes nothing cannot be called in: then it is said where the alert stands.
    const steps = turnOf(root, look.policy).steps.map((step) =>
      gone.has(step.channel ?? '') ? { ...step, channel: null } : step,
    )
    // Whose channel takes nothing can still be told of in another one.
    const possible = root.isWaiting
      ? steps.filter(({ channel }) => (channel ?? root.channel) !== root.channel)
      : steps
    const step = dueStep(possible, look.nowMs - Math.min(...group.map(({ sinceMs }) => sinceMs)))
    if (step === null) return []
    const to = { root, mention: step.mention ?? root.mention, channel: step.channel }
    const make = async () => {
      const alerts = group.map(({ alert }) => alert)
      const card = reminderCard(stepId(of, step, steps), alerts, to)
      if ((await look.store.cardById(card.cardId)) !== null) return null
      // Its time may have been another one when they were reminded.
      const told = Map.groupBy(await look.store.remindersOf(idsOf(group)), ({ alertId }) => alertId)
      const left = group.filter(({ alert, sinceMs }) => {
        const since = (told.get(alert.alertId) ?? []).filter(({ createdMs }) => createdMs >= sinceMs)
        return !isReminded(step, steps, since, root)
      })
      return left.length === 0 ? null : { ...card, alertIds: idsOf(left) }
    }
    return [{ cardId: root.cardId, make }]
  })
}

function idsOf(group: readonly Waiting[]): readonly string[] {
  return group.map(({ alert }) => alert.alertId)
}

/**
 * What an alert is reminded of together with, and when. Those that joined a list within the time of the first step are told
 * with the first of them: when that one is due, all of them are there. So nobody's reminder is used up by one that came before.
 */
function turnOf(
  { alert, cardId, kind, channel, createdMs, sinceMs }: Waiting,
  { steps, flapSettleMs }: Reminders,
): { readonly of: string; readonly steps: readonly ReminderStep[] } {
  if (kind === 'alert') {
    const roundMs = reminderCycleStart(alert)
    return { of: [`${alert.alertId}:${channel}`, ...(roundMs === 0 ? [] : [roundMs])].join(':'), steps }
  }
  // That a list holds an open one again is an edit, too.
  const isBack = flapSettleMs !== null && (alert.reopenedMs ?? 0) > (alert.ownershipConfirmedMs ?? 0)
  const settled = { afterMs: flapSettleMs ?? 0, mention: null, channel: null }
  const own = isBack ? [settled, ...steps.filter(({ afterMs }) => afterMs > settled.afterMs)] : steps
  const turn = Math.max(0, Math.floor((sinceMs - createdMs) / Math.max(1, own[0]?.afterMs ?? 1)))
  return {
    of: [cardId, ...(isBack ? ['again'] : []), ...(isBack || turn > 0 ? [turn] : [])].join(':'),
    steps: own,
  }
}

/** What somebody took at one time, in one message. */
function forgotten(held: readonly AlertForReminders[]): readonly Candidate[] {
  const keyOf = ({ cardId, alert }: AlertForReminders) => `${cardId}:${alert.ackedBy}:${heldSinceMs(alert)}`
  return [...Map.groupBy(held, keyOf).values()].map((group) => ({
    cardId: group[0]?.cardId ?? '',
    make: async () => {
      const [root] = group
      const owner = root?.alert.ackedBy
      if (root === undefined || owner == null) return null
      const alerts = group.map(({ alert }) => alert)
      return staleAckNotice(alerts, root, { owner, sinceMs: heldSinceMs(root.alert) })
    },
  }))
}

/** People had no reason to look while somebody had silenced the server: when each of its mutes since then was over. */
async function quietUntil(
  store: ReminderStore,
  sinceMs: number,
  nowMs: number,
): Promise<(hostname: string) => readonly (number | null)[]> {
  // One that the API does not let end hides nothing after a while.
  const overMs = (mute: Mute) =>
    mute.endedMs ?? (isHidden(mute.hostname ?? '', [mute]) ? nowMs : mute.untilMs)
  const ends = Map.groupBy(await store.mutesSince(null, sinceMs), ({ hostname }) => hostname)
  const of = (hostname: string | null) => (ends.get(hostname) ?? []).map(overMs)
  return (hostname) => [...of(hostname), ...of(null)]
}
