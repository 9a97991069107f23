/** Makes alerts, and the plans that open and close them; and lets time pass. */
import type { Alert } from '../../src/bot/domain/alert/alert.ts'
import type { Details } from '../../src/bot/domain/alert/details.ts'
import { alertCard } from '../../src/bot/domain/card/card.ts'
import { emptyPlan, type Plan } from '../../src/bot/domain/plan.ts'
import type { Health } from '../../src/bot/domain/request/answer.ts'
import type { ManualClock } from './manual-clock.ts'
import { isMemoryAsked } from './memory-store.ts'

export function anAlert(alertId: string, over: Partial<Alert> = {}): Alert {
  return {
    alertId,
    hostname: `web-${alertId}`,
    serverName: `web-${alertId}`,
    title: 'Last minute met or exceeded 3.00',
    plugin: 'Load Average',
    metric: 'last_minute',
    value: 3.5,
    url: 'https://monitor.example/a/1',
    triggerId: null,
    saidSeverity: null,
    severity: 'warning',
    state: 'open',
    startedMs: Date.UTC(2026, 10, 21, 3, 0, 0),
    closedMs: null,
    closedBy: null,
    closedAfterMs: null,
    absences: 0,
    missingMs: null,
    roles: [],
    ackedBy: null,
    ackedMs: null,
    ackedBefore: null,
    ownershipConfirmedMs: null,
    reopenedMs: null,
    unmutedMs: null,
    version: 1,
    firstSeenMs: Date.UTC(2026, 10, 21, 3, 0, 5),
    ...over,
  }
}

/** What a service says of an alert beyond the plain API. */
export function someDetails(over: Partial<Details> = {}): Details {
  return { labels: {}, description: '', links: [], trouble: null, canMute: false, ...over }
}

/** The plan that opens these alerts, each with a card in the channel; `withPicture` adds a chart for each. */
export function opening(alerts: readonly Alert[], channel: string, atMs: number, withPicture = false): Plan {
  return {
    ...emptyPlan(atMs),
    alerts: alerts.map((alert) => ({ alert, was: null })),
    cards: alerts.map((alert) => alertCard(alert, { channel, mention: null })),
    pictures: withPicture
      ? alerts.map(({ alertId }) => ({
          cardId: `alert:${alertId}:${channel}`,
          alertId,
          way: 'chart' as const,
        }))
      : [],
  }
}

/** The plan that closes the alert and updates its cards. */
export function closing(alert: Alert, atMs: number): Plan {
  const closed: Alert = {
    ...alert,
    state: 'closed',
    closedMs: atMs,
    closedBy: 'record',
    version: alert.version + 1,
  }
  return { ...emptyPlan(atMs), alerts: [{ alert: closed, was: alert.version }], dirty: [alert.alertId] }
}

/** Health without any problem. */
export function calm(nowMs: number): Health {
  return {
    nowMs,
    lastPollMs: nowMs,
    failing: null,
    coverage: { open: 'complete', past: 'complete' },
    slack: { ready: true, sinceMs: nowMs, sockets: 1 },
    troubles: [],
    unexpectedErrors: [],
  }
}

/** Lets everything that is ready happen, then moves the clock to whoever wakes next, until `ms` have passed. */
export async function letPass(clock: ManualClock, ms: number): Promise<void> {
  const endMs = clock.nowMs() + ms
  for (;;) {
    await turn()
    const nextMs = clock.nextWakeMs()
    if (nextMs === null || nextMs > endMs) break
    clock.advance(Math.max(0, nextMs - clock.nowMs()))
  }
  clock.advance(endMs - clock.nowMs())
  await turn()
}

const longestMs = 3 * 3_600_000

/** Lets time pass until it is so. Throws after three hours: a loop without an end would hold up every other test for good. */
export async function letPassUntil(clock: ManualClock, isSo: () => boolean): Promise<void> {
  const endMs = clock.nowMs() + longestMs
  while (!isSo()) {
    if (clock.nowMs() > endMs) throw new Error(`It is not so after three hours: ${isSo}`)
    await letPass(clock, 1_000)
  }
}

// SQLite answers at once, so all that is ready is done after the queue of promises ran dry; but much of it at once gives others
// their turn in between (src/bot/store/open/yielding.ts), and then it goes on in the next one.
async function turn(): Promise<void> {
  do await new Promise<void>((resolve) => setImmediate(resolve))
  while (isMemoryAsked() || process.getActiveResourcesInfo().includes('Immediate'))
}
