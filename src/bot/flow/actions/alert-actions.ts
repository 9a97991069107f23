/**
 * Acknowledges an alert, or all unacknowledged ones of a card, in one commit; writes a note into an alert's thread. Only in the
 * bot: the API does not know of it.
 */
import { type Alert, isLive } from '../../domain/alert/alert.ts'
import { countsOf } from '../../domain/base/counts.ts'
import { changeNotice, noteCard } from '../../domain/card/thread-cards.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { ChangeOf } from '../../domain/request/actions.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import { alertsOnCard, allClosed, openOf, threadsOf, toldBelow, unknownCard } from './card-alerts.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  entryOf,
  keptChanging,
  outdated,
  refused,
  replyOnly,
  save,
} from './context.ts'
import { alertFor } from './target.ts'

/** A poll may change an alert between reading and writing, but not three times in a row. */
export const triesMax = 3

export async function acknowledge(
  ports: ActPorts,
  context: ActionContext,
  change: ChangeOf<'acknowledge'>,
): Promise<Acted> {
  const acted = await retryWhenStale(triesMax, async (tries) => {
    const alert = await alertFor(change, context, ports, tries)
    return alert.ok ? acknowledgeOne(ports, context, alert.found) : refused(alert.refusal)
  })
  return acted === 'stale' ? keptChanging(context, 'the alert kept changing meanwhile') : acted
}

async function acknowledgeOne(
  { store, clock, ids }: ActPorts,
  context: ActionContext,
  alert: Alert,
): Promise<Acted | 'stale'> {
  const nowMs = clock.nowMs()
  const { userId } = context.request
  if (!isLive(alert)) {
    return outdated({ what: 'closed', alert }, nowMs)
  }
  if (alert.ackedBy === userId) {
    return {
      reply: { kind: 'done', act: 'acknowledge', alert, isTheirs: true },
      row: { outcome: 'nothing', why: 'acknowledged' },
    }
  }
  if (alert.ackedBy !== null) return outdated({ what: 'acknowledged', alert }, nowMs)
  const acked = takenBy(userId, alert, nowMs)
  const entry = entryOf(context, { outcome: 'done', why: null }, { auditId: ids.make(), atMs: nowMs })
  const saved = await store.commit({
    ...emptyPlan(nowMs),
    alerts: [{ alert: acked, was: alert.version }],
    dirty: [alert.alertId],
    audit: [entry],
    cards: await toldBelow(entry, alert, store),
  })
  return saved === 'stale' ? 'stale' : replyOnly({ kind: 'done', act: 'acknowledge', alert: acked })
}

/** Acknowledges every open alert of a summary's or storm's card, with one commit and one announcement. */
export async function acknowledgeAll(
  ports: ActPorts,
  context: ActionContext,
  { cardId, shown }: ChangeOf<'acknowledge_all'>,
): Promise<Acted> {
  const acted = await retryWhenStale(triesMax, async () => {
    const all = await alertsOnCard(cardId, ports.store)
    return all === null ? refused(unknownCard) : acknowledgeThese(ports, context, all, shown)
  })
  return acted === 'stale' ? keptChanging(context, 'the alerts kept changing meanwhile') : acted
}

async function acknowledgeThese(
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
  const held = open.flatMap(({ ackedBy }) => ackedBy ?? [])
  const others = held.filter((owner) => owner !== userId)
  const owners = countsOf(others, Number.POSITIVE_INFINITY).most.map(({ name }) => name)
  const later = openOf(all.slice(seen.length)).filter(({ ackedBy }) => ackedBy === null).length
  const had = { others: others.length, owners, mine: held.length - others.length }
  const reply = { kind: 'done', act: 'acknowledge_all', count: waiting.length, ...had, later } as const
  if (waiting.length === 0) return { reply, row: { outcome: 'nothing', why: 'acknowledged' } }
  const row = { outcome: 'done', why: null, detail: { alerts: waiting.length } } as const
  const entry = entryOf(context, row, { auditId: ids.make(), atMs: nowMs })
  const saved = await store.commit({
    ...emptyPlan(nowMs),
    alerts: waiting.map((alert) => ({ alert: takenBy(userId, alert, nowMs), was: alert.version })),
    dirty: waiting.map(({ alertId }) => alertId),
    audit: [entry],
    // Below the card, where everyone sees at once who is working on it.
    cards: [changeNotice(entry, context.place)],
  })
  return saved === 'stale' ? 'stale' : replyOnly(reply)
}

/** The alert once this person has it. */
export function takenBy(userId: string, alert: Alert, nowMs: number): Alert {
  const ackedBefore = alert.ackedBy ?? alert.ackedBefore
  return { ...alert, ackedBy: userId, ackedMs: nowMs, ackedBefore, version: alert.version + 1 }
}

/** Writes a note, even after the alert has closed, because findings belong there. */
export async function addNote(
  ports: ActPorts,
  context: ActionContext,
  change: ChangeOf<'add_note'>,
): Promise<Acted> {
  const { store, clock, ids } = ports
  const { userId } = context.request
  const text = change.text.trim()
  if (text === '') return refused({ why: 'invalid', wanted: 'note', came: '' })
  const found = await alertFor(change, context, ports)
  if (!found.ok) {
    const { refusal } = found
    return refused(refusal.why === 'many_alerts' ? { ...refusal, note: text } : refusal)
  }
  const alert = found.found
  const atMs = clock.nowMs()
  const note = { noteId: ids.make(), alertId: alert.alertId, userId, atMs, text }
  const cards = await threadsOf(alert.alertId, store)
  await save(store, {
    ...emptyPlan(atMs),
    notes: [note],
    cards: cards.map(({ channel, cardId }) => noteCard(note, { channel, cardId })),
    dirty: [alert.alertId],
    audit: [entryOf(context, { outcome: 'done', why: null }, { auditId: ids.make(), atMs })],
  })
  return replyOnly({ kind: 'done', act: 'add_note', alert, text, isTold: cards.length > 0 })
}
