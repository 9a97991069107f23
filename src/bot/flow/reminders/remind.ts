import { type IgnoreRule, isIgnored } from '../../domain/alert/match.ts'
import type { NewCard } from '../../domain/card/card.ts'
import { isLeaving, type LiveRouting, type Routing, routingNow } from '../../domain/card/reach.ts'
import {
  dueStep,
  heldSinceMs,
  isReminded,
  lastKnown,
  matching,
  type ReminderStep,
  type Reminders,
  reminderCycleStart,
  remindingSteps,
  stepId,
} from '../../domain/card/reminders.ts'
import { flapReminder, reminderCard, staleAckNotice } from '../../domain/card/thread-cards.ts'
import { calledNow } from '../../domain/oncall/mention.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { contain } from '../concurrency/contain.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import type { AlertForReminders, Store } from '../ports/store.ts'
import { standing, type Waiting, waitingNow } from './waiting.ts'

const lookEveryMaxMs = 30_000
const lookEveryMinMs = 1_000
/** Reminders share Slack's rate limits with new alerts, so after a storm they come a few at a time. */
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

/** A reminder that may be due; `make` returns null if it is no longer due. */
type Candidate = { readonly cardId: string; readonly make: () => Promise<NewCard | null> }

/**
 * Opens the reminders; `routing` says which channels people read. `ignore`: a policy may have begun to leave out what the last poll
 * still showed.
 */
export function openReminders(
  ports: ReminderPorts,
  policy: Reminders & { readonly routing: LiveRouting; readonly ignore: readonly IgnoreRule[] },
): Job {
  const { store, clock, logger, lastPollMs, onChanged } = ports
  const steps = remindingSteps(policy.steps)
  const times = [policy.flapSettleMs, policy.staleAckAfterMs, ...steps.map(({ afterMs }) => afterMs)]
  const shortestMs = Math.min(lookEveryMaxMs * 4, ...times.flatMap((ms) => ms ?? []))
  const lookEveryMs = Math.max(lookEveryMinMs, shortestMs / 4)

  async function made(make: Candidate['make'], nowMs: number): Promise<boolean> {
    const card = await make()
    if (card === null || (await store.cardById(card.cardId)) !== null) return false
    // If somebody takes the alert at this moment, the reminder is not posted, or shows that it is taken.
    return (await store.commit({ ...emptyPlan(nowMs), cards: [card] })) === 'saved'
  }

  return openWatch('reminder', ports, async () => {
    const readMs = lastPollMs()
    if (readMs === null) return lookEveryMs
    const nowMs = clock.nowMs()
    let count = 0
    for (const { cardId, make } of await candidates({
      store,
      policy: { ...policy, steps },
      nowMs,
      readMs,
      routing: routingNow(policy.routing),
    })) {
      if (count === atOnceMax) break
      // One with an unexpected error is tried again at the next look, and does not stop the others.
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
  /** Its steps are those that remind. */
  readonly policy: Reminders & { readonly ignore: readonly IgnoreRule[] }
  readonly nowMs: number
  readonly readMs: number
  readonly routing: Routing
}

/** The reminders that may be due, the most urgent first. */
async function candidates(look: Look): Promise<readonly Candidate[]> {
  const { store, policy, nowMs, routing } = look
  const soonest = [policy.flapSettleMs, policy.steps[0]?.afterMs].flatMap((ms) => ms ?? [])
  const shortestMs = Math.min(...soonest)
  const waiting = soonest.length === 0 ? [] : await waitingNow(look, nowMs - shortestMs)
  const staleMs = policy.staleAckAfterMs
  const held =
    staleMs === null ? [] : await store.alertsForReminders({ isAcked: true, beforeMs: nowMs - staleMs })
  const asked = standing(held, routing).filter(({ isWaiting }) => !isWaiting)
  // A card that an alert has left is no place for a reminder.
  const isHere = ({ alert, channel }: AlertForReminders) =>
    !isLeaving(alert, channel, routing) && !isIgnored(alert, policy.ignore)
  const due = waiting.filter((one) => lastKnown([one.createdMs], nowMs) <= nowMs - shortestMs && isHere(one))
  // How long somebody has it does not depend on when it got the card on which it stands now.
  return [...backAgain(due, look), ...unacknowledged(due, look), ...forgotten(asked.filter(isHere))]
}

/** Alerts that reopened, by the last poll: during an outage nobody knows whether they are still open. */
function backAgain(waiting: readonly Waiting[], { policy, readMs, routing }: Look): readonly Candidate[] {
  const { flapSettleMs } = policy
  if (flapSettleMs === null) return []
  return (
    waiting
      .filter(
        ({ alert, kind, isFold, isWaiting }) =>
          kind === 'alert' && !isWaiting && (isFold || alert.reopenedMs !== null),
      )
      // Skips released alerts: the channel already knows them.
      .filter(
        ({ alert }) =>
          (alert.ownershipConfirmedMs ?? 0) <= Math.max(alert.firstSeenMs, alert.reopenedMs ?? 0),
      )
      .filter(({ openMs }) => readMs - openMs >= flapSettleMs)
      .map((one) => ({
        cardId: one.cardId,
        make: async () => flapReminder(one.alert, one, calledNow(one.mention, routing.onCall)),
      }))
  )
}

/** Unacknowledged alerts; those of a list that came about the same time share a message. */
function unacknowledged(waiting: readonly Waiting[], look: Look): readonly Candidate[] {
  const turns = Map.groupBy(waiting, (one) => turnOf(one, look.policy).of)
  return [...turns].flatMap(([of, group]) => {
    const [root] = group
    if (root === undefined) return []
    const { gone } = look.routing
    // A channel that takes nothing cannot be used, so the step is announced where the alert's card is.
    const steps = turnOf(root, look.policy).steps.map((step) =>
      gone.has(step.channel ?? '') ? { ...step, channel: null } : step,
    )
    // An alert whose channel takes nothing can still be announced in another one.
    const possible = root.isWaiting
      ? steps.filter(({ channel }) => (channel ?? root.channel) !== root.channel)
      : steps
    const step = dueStep(possible, group, look.nowMs)
    if (step === null) return []
    const mention = calledNow(step.mention ?? root.mention, look.routing.onCall)
    const to = { root, mention, channel: step.channel }
    const make = async () => {
      const about = matching(step, group)
      const alerts = about.map(({ alert }) => alert)
      const card = reminderCard(stepId(of, step), alerts, to)
      if ((await look.store.cardById(card.cardId)) !== null) return null
      // The step may have had another time when the reminder was made.
      const told = Map.groupBy(await look.store.remindersOf(idsOf(about)), ({ alertId }) => alertId)
      const left = about.filter(({ alert, sinceMs }) => {
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
 * The group with which an alert is escalated, and the steps. Alerts that joined a list within the time of the first step are
 * escalated with the first of them, so that no alert's reminder is used up by an earlier one.
 */
function turnOf(
  { alert, cardId, kind, channel, createdMs, openMs, sinceMs }: Waiting,
  { steps, flapSettleMs }: Reminders,
): { readonly of: string; readonly steps: readonly ReminderStep[] } {
  if (kind === 'alert') {
    const roundMs = reminderCycleStart(alert, openMs)
    return { of: [`${alert.alertId}:${channel}`, ...(roundMs === 0 ? [] : [roundMs])].join(':'), steps }
  }
  // That an alert of a list reopened is only an edit, too.
  const isBack = flapSettleMs !== null && (alert.reopenedMs ?? 0) > (alert.ownershipConfirmedMs ?? 0)
  const settled = { afterMs: flapSettleMs ?? 0, mention: null, channel: null }
  const own = isBack ? [settled, ...steps.filter(({ afterMs }) => afterMs > settled.afterMs)] : steps
  const turn = Math.max(0, Math.floor((sinceMs - createdMs) / Math.max(1, own[0]?.afterMs ?? 1)))
  return {
    of: [cardId, ...(isBack ? ['again'] : []), ...(isBack || turn > 0 ? [turn] : [])].join(':'),
    steps: own,
  }
}

/** Old acknowledgements: what somebody acknowledged at one time shares a message. */
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
