/** Reminds of alerts that nobody has acknowledged: once each, in the thread of its card; of a summary's in one message. */
import type { Alert } from '../../domain/alert/alert.ts'
import { remainingMs } from '../../domain/base/set-clock.ts'
import { reminderCard, summaryReminderCard } from '../../domain/card/thread-cards.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { contain } from '../concurrency/contain.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

const lookEveryMs = 30_000
/** Reminders share the pace of posts with new alerts: after a storm they come a few at a time. */
const atOnceMax = 5

type Waiting = Awaited<ReturnType<Store['unacknowledged']>>[number]

export type Remind = () => Promise<void>

export function openRemind(
  ports: {
    readonly store: Store
    readonly clock: Clock
    readonly logger: Logger
    readonly onChanged: () => void
  },
  options: { readonly reminderAfterMs: number | null },
): Remind {
  const { store, clock, logger, onChanged } = ports
  let notBeforeMs = 0

  // People had no reason to look while somebody had silenced the server.
  async function isDue(alert: Alert, sinceMs: number): Promise<boolean> {
    return (await store.mutesSince(alert.hostname, sinceMs)).length === 0
  }

  async function dueOf(alerts: readonly Alert[], sinceMs: number): Promise<Alert[]> {
    const due: Alert[] = []
    for (const alert of alerts) if (await isDue(alert, sinceMs)) due.push(alert)
    return due
  }

  /** The reminder for an alert that waits, or for the whole list on which it stands; null: people know why it is silent. */
  async function cardFor(
    { alert, cardId, kind, channel, mention }: Waiting,
    all: readonly Waiting[],
    sinceMs: number,
  ) {
    if (!(await isDue(alert, sinceMs))) return null
    if (kind === 'alert') return reminderCard(alert, { channel, cardId }, mention)
    const listed = all.filter((one) => one.cardId === cardId).map((one) => one.alert)
    return summaryReminderCard(cardId, await dueOf(listed, sinceMs), { channel, mention })
  }

  return async () => {
    const nowMs = clock.nowMs()
    if (options.reminderAfterMs === null || remainingMs(notBeforeMs, nowMs, lookEveryMs) > 0) return
    notBeforeMs = nowMs + lookEveryMs
    const sinceMs = nowMs - options.reminderAfterMs
    const waiting = await store.unacknowledged(sinceMs)
    const done = new Set<string>()
    let count = 0
    for (const one of waiting) {
      if (count === atOnceMax) break
      if (done.has(one.cardId)) continue
      const facts = { cardId: one.cardId }
      // One that breaks is tried again at the next look, and keeps no other from its turn.
      const isMade = await contain(
        { kind: 'reminder', logger, facts },
        () => remind(one),
        () => false,
      )
      if (!isMade) continue
      done.add(one.cardId)
      count += 1
    }
    if (count === 0) return
    logger.info('alerts:reminded', { count })
    onChanged()

    async function remind(one: Waiting): Promise<boolean> {
      const card = await cardFor(one, waiting, sinceMs)
      if (card === null) return false
      // Acknowledged at this very moment: a reminder too many says so itself, as it shows the alert as it is.
      await store.commit({ ...emptyPlan(nowMs), cards: [card] })
      return true
    }
  }
}
