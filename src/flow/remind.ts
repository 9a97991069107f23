/** Reminds of alerts that nobody has acknowledged: once each, in the thread of its card; of a summary's in one message. */
import type { Alert } from '../domain/alert.ts'
import type { NewCard } from '../domain/card.ts'
import { emptyPlan } from '../domain/plan.ts'
import { remainingMs } from '../domain/set-clock.ts'
import { reminderCard, summaryReminderCard } from '../domain/thread-cards.ts'
import type { Clock, Journal } from './ports.ts'
import type { Store } from './store-port.ts'

const lookEveryMs = 30_000
/** Reminders share the pace of posts with new alerts: after a storm they come a few at a time. */
const atOnceMax = 5

export type Remind = () => Promise<void>

export function openRemind(
  ports: {
    readonly store: Store
    readonly clock: Clock
    readonly journal: Journal
    readonly onChanged: () => void
  },
  options: { readonly reminderAfterMs: number | null },
): Remind {
  const { store, clock, journal, onChanged } = ports
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

  return async () => {
    const nowMs = clock.nowMs()
    if (options.reminderAfterMs === null || remainingMs(notBeforeMs, nowMs, lookEveryMs) > 0) return
    notBeforeMs = nowMs + lookEveryMs
    const sinceMs = nowMs - options.reminderAfterMs
    const waiting = await store.unacknowledged(sinceMs)
    const cards: NewCard[] = []
    const summaries = new Set<string>()
    for (const { alert, cardId, kind, channel, mention } of waiting) {
      if (cards.length === atOnceMax) break
      if (summaries.has(cardId) || !(await isDue(alert, sinceMs))) continue
      if (kind === 'alert') cards.push(reminderCard(alert, { channel, cardId }, mention))
      else {
        summaries.add(cardId)
        const alerts = await dueOf(
          waiting.filter((one) => one.cardId === cardId).map((one) => one.alert),
          sinceMs,
        )
        cards.push(summaryReminderCard(cardId, alerts, { channel, mention }))
      }
    }
    if (cards.length === 0) return
    // Acknowledged at this very moment: a reminder too many says so itself, as it shows the alert as it is.
    await store.commit({ ...emptyPlan(nowMs), cards })
    journal.info('alerts:reminded', { count: cards.length })
    onChanged()
  }
}
