/**
 * Reminds people of alerts: of those that nobody takes, later and later to more people; of those that came back on a card which
 * called nobody; and whoever took one long ago. Each once, and what is on disk says which were.
 */
import type { Alert } from '../../domain/alert/alert.ts'
import type { NewCard } from '../../domain/card/card.ts'
import {
  dueStep,
  heldSinceMs,
  type ReminderStep,
  type Reminders,
  roundOf,
} from '../../domain/card/reminders.ts'
import { againCard, forgottenCard, reminderCard } from '../../domain/card/thread-cards.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { contain } from '../concurrency/contain.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import type { Attended, Store } from '../ports/store.ts'

const lookEveryMaxMs = 30_000
const lookEveryMinMs = 1_000
/** Reminders share the pace of posts with new alerts: after a storm they come a few at a time. */
const atOnceMax = 5

export type ReminderPorts = {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** When the open alerts were last read; null before the first time: until then they may have closed long ago. */
  readonly lastPollMs: () => number | null
  readonly onChanged: () => void
}

/** One that may be due; null: it is not, or people know why it was silent. */
type Candidate = { readonly cardId: string; readonly make: () => Promise<NewCard | null> }

export function openReminders(ports: ReminderPorts, policy: Reminders): Job {
  const { store, clock, logger, lastPollMs, onChanged } = ports
  const times = [policy.flapSettleMs, policy.forgottenAfterMs, ...policy.steps.map(({ afterMs }) => afterMs)]
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
    for (const { cardId, make } of await candidates({ store, policy, nowMs, readMs })) {
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
  readonly store: Store
  readonly policy: Reminders
  readonly nowMs: number
  readonly readMs: number
}

/** The most urgent first. */
async function candidates(look: Look): Promise<readonly Candidate[]> {
  const { store, policy, nowMs } = look
  const soonest = [policy.flapSettleMs, policy.steps[0]?.afterMs].flatMap((ms) => ms ?? [])
  const waiting =
    soonest.length === 0
      ? []
      : await store.attended({ isAcked: false, beforeMs: nowMs - Math.min(...soonest) })
  const held =
    policy.forgottenAfterMs === null
      ? []
      : await store.attended({ isAcked: true, beforeMs: nowMs - policy.forgottenAfterMs })
  return [...backAgain(waiting, look), ...unacknowledged(waiting, look), ...forgotten(held, look)]
}

/** By the last poll: an API that is away says nothing of whether it is open still. */
function backAgain(waiting: readonly Attended[], { store, policy, readMs }: Look): readonly Candidate[] {
  const { flapSettleMs } = policy
  if (flapSettleMs === null) return []
  return waiting
    .filter(({ alert, kind, isFold }) => kind === 'alert' && (isFold || alert.reopenedMs !== null))
    .map((one) => ({
      cardId: one.cardId,
      make: async () => {
        const openMs = Math.max(one.alert.firstSeenMs, one.alert.reopenedMs ?? 0)
        // Somebody had it since: they handed it back to people who know of it.
        if ((one.alert.saidMs ?? 0) > openMs) return null
        const card = againCard(one.alert, one, one.mention)
        const isTold = (await store.cardById(card.cardId)) !== null
        return !isTold && readMs - (await audibleSince(one.alert, openMs, store, readMs)) >= flapSettleMs
          ? card
          : null
      },
    }))
}

/** Of a list's alerts in one message. */
function unacknowledged(waiting: readonly Attended[], { store, policy, nowMs }: Look): readonly Candidate[] {
  const { steps } = policy
  return [...Map.groupBy(waiting, ({ cardId }) => cardId)].map(([cardId, group]) => ({
    cardId,
    make: async () => {
      const [root] = group
      if (root === undefined) return null
      const roundMs = Math.max(...group.map(({ alert }) => roundOf(alert)))
      const since = group.map((one) => ({ ...one, sinceMs: Math.max(roundMs, waitsSince(one)) }))
      const rough = dueStep(steps, nowMs - Math.min(...since.map(({ sinceMs }) => sinceMs)))
      const cardOf = (step: ReminderStep, alerts: readonly Alert[]) => {
        const of = [
          root.kind === 'alert' ? `${root.alert.alertId}:${root.channel}` : cardId,
          ...(roundMs === 0 ? [] : [roundMs]),
          ...(step === steps[0] ? [] : [`after-${step.afterMs}`]),
        ].join(':')
        return reminderCard(of, alerts, {
          root,
          mention: step.mention ?? root.mention,
          channel: step.channel,
        })
      }
      if (rough === null || (await store.cardById(cardOf(rough, []).cardId)) !== null) return null
      const audible: { alert: Alert; ageMs: number }[] = []
      for (const { alert, sinceMs } of since)
        audible.push({ alert, ageMs: nowMs - (await audibleSince(alert, sinceMs, store, nowMs)) })
      const step = dueStep(steps, Math.max(...audible.map(({ ageMs }) => ageMs)))
      if (step === null) return null
      const due = audible.filter(({ ageMs }) => ageMs >= step.afterMs)
      return cardOf(
        step,
        due.map(({ alert }) => alert),
      )
    },
  }))
}

/** What somebody took at one time, in one message. */
function forgotten(held: readonly Attended[], _: Look): readonly Candidate[] {
  const keyOf = ({ cardId, alert }: Attended) => `${cardId}:${alert.ackedBy}:${heldSinceMs(alert)}`
  return [...Map.groupBy(held, keyOf).values()].map((group) => ({
    cardId: group[0]?.cardId ?? '',
    make: async () => {
      const [root] = group
      const owner = root?.alert.ackedBy
      if (root === undefined || owner == null) return null
      const alerts = group.map(({ alert }) => alert)
      return forgottenCard(alerts, root, { owner, sinceMs: heldSinceMs(root.alert) })
    },
  }))
}

/** Before its card, after a mute or an absence, nobody could take it. */
function waitsSince({ alert, createdMs }: Attended): number {
  return Math.max(alert.startedMs, createdMs, roundOf(alert))
}

/** People had no reason to look while somebody had silenced the server. */
async function audibleSince(
  { hostname }: Alert,
  sinceMs: number,
  store: Store,
  nowMs: number,
): Promise<number> {
  const mutes = await store.mutesSince(hostname, sinceMs)
  return Math.max(sinceMs, ...mutes.map(({ endedMs }) => endedMs ?? nowMs))
}
