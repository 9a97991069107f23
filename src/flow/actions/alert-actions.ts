/** What people do about an alert in the bot alone: acknowledge it, write a note. The API knows neither. */
import type { Alert } from '../../domain/alert/alert.ts'
import { noteCard } from '../../domain/card/thread-cards.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { Change } from '../../domain/request/actions.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import { threadsOf } from './card-alerts.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  entryOf,
  keptChanging,
  outdated,
  refused,
  said,
  save,
} from './context.ts'
import { alertOf, meantBy } from './target.ts'

type Of<Kind extends Change['kind']> = Extract<Change, { kind: Kind }>

/** A poll may change the alert between reading and writing; three times in a row it does not. */
const triesMax = 3

export async function acknowledge(
  ports: ActPorts,
  context: ActionContext,
  change: Of<'acknowledge'>,
): Promise<Acted> {
  const acted = await retryWhenStale(triesMax, async () => {
    const alert = await alertOf(meantBy(change.alert, context.request), ports)
    return alert.ok ? acknowledgeOnce(ports, context, alert.found) : refused(alert.refusal)
  })
  return acted === 'stale' ? keptChanging(context, 'the alert kept changing meanwhile') : acted
}

async function acknowledgeOnce(
  { store, clock, ids }: ActPorts,
  context: ActionContext,
  alert: Alert,
): Promise<Acted | 'stale'> {
  const nowMs = clock.nowMs()
  const { userId } = context.request
  if (alert.state === 'closed' || alert.state === 'unreported') {
    return outdated({ what: 'closed', alert }, nowMs)
  }
  if (alert.ackedBy === userId) {
    return {
      reply: { kind: 'done', act: 'acknowledge', alert },
      row: { outcome: 'nothing', why: 'acknowledged' },
    }
  }
  if (alert.ackedBy !== null) return outdated({ what: 'acknowledged', alert }, nowMs)
  const acked: Alert = { ...alert, ackedBy: userId, ackedMs: nowMs, version: alert.version + 1 }
  const saved = await store.commit({
    ...emptyPlan(nowMs),
    alerts: [{ alert: acked, was: alert.version }],
    dirty: [alert.alertId],
    audit: [entryOf(context, { outcome: 'done', why: null }, { auditId: ids.make(), atMs: nowMs })],
  })
  return saved === 'stale' ? 'stale' : said({ kind: 'done', act: 'acknowledge', alert: acked })
}

/** Also of an alert that has closed: what was found out belongs to it. */
export async function addNote(
  ports: ActPorts,
  context: ActionContext,
  change: Of<'add_note'>,
): Promise<Acted> {
  const { store, clock, ids } = ports
  const text = change.text.trim()
  if (text === '') return refused({ why: 'invalid', wanted: 'note', came: '' })
  const found = await alertOf(meantBy(change.alert, context.request), ports)
  if (!found.ok) {
    const { refusal } = found
    return refused(refusal.why === 'many_alerts' ? { ...refusal, note: text } : refusal)
  }
  const alert = found.found
  const atMs = clock.nowMs()
  const note = { noteId: ids.make(), alertId: alert.alertId, userId: context.request.userId, atMs, text }
  const cards = await threadsOf(alert.alertId, store)
  await save(store, {
    ...emptyPlan(atMs),
    notes: [note],
    cards: cards.map(({ channel, cardId }) => noteCard(note, { channel, cardId })),
    dirty: [alert.alertId],
    audit: [entryOf(context, { outcome: 'done', why: null }, { auditId: ids.make(), atMs })],
  })
  return said({ kind: 'done', act: 'add_note', alert, text, isTold: cards.length > 0 })
}
