/** Acknowledges every open alert of a summary's or storm's card that nobody is on yet: one press, one commit, told once. */
import type { Alert } from '../../domain/alert/alert.ts'
import { toldCard } from '../../domain/card/thread-cards.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { Change } from '../../domain/request/actions.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import { alertsOnCard, allClosed, openOf } from './card-alerts.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  entryOf,
  keptChanging,
  outdated,
  said,
} from './context.ts'

type AcknowledgeAll = Extract<Change, { kind: 'acknowledge_all' }>

/** A poll may change some of the alerts between reading and writing; three times in a row it does not. */
const triesMax = 3

export async function acknowledgeAll(
  ports: ActPorts,
  context: ActionContext,
  { cardId, shown }: AcknowledgeAll,
): Promise<Acted> {
  const acted = await retryWhenStale(triesMax, async () =>
    acknowledgeOnce(ports, context, await alertsOnCard(cardId, ports.store), shown),
  )
  return acted === 'stale' ? keptChanging(context, 'the alerts kept changing meanwhile') : acted
}

async function acknowledgeOnce(
  { store, clock, ids }: ActPorts,
  context: ActionContext,
  all: readonly Alert[],
  shown: number | null,
): Promise<Acted | 'stale'> {
  const nowMs = clock.nowMs()
  const { userId } = context.request
  const seen = all.slice(0, shown ?? all.length)
  const open = openOf(seen)
  if (openOf(all).length === 0) return outdated(allClosed(all), nowMs)
  const waiting = open.filter(({ ackedBy }) => ackedBy === null)
  const others = open.filter(({ ackedBy }) => ackedBy !== null && ackedBy !== userId).length
  const later = openOf(all.slice(seen.length)).filter(({ ackedBy }) => ackedBy === null).length
  const reply = { kind: 'done', act: 'acknowledge_all', count: waiting.length, others, later } as const
  if (waiting.length === 0) return { reply, row: { outcome: 'nothing', why: 'acknowledged' } }
  const row = { outcome: 'done', why: null, detail: { alerts: waiting.length } } as const
  const entry = entryOf(context, row, { auditId: ids.make(), atMs: nowMs })
  const saved = await store.commit({
    ...emptyPlan(nowMs),
    alerts: waiting.map((alert) => ({
      alert: { ...alert, ackedBy: userId, ackedMs: nowMs, version: alert.version + 1 },
      was: alert.version,
    })),
    dirty: waiting.map(({ alertId }) => alertId),
    audit: [entry],
    // Below the card, where everyone sees at once who is on it.
    cards: [toldCard(entry, context.place)],
  })
  return saved === 'stale' ? 'stale' : said(reply)
}
