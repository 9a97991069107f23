/** Writes a note into an alert's thread, even after the alert has closed: findings belong there. */
import { noteCard } from '../../domain/card/thread-cards.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { ChangeOf } from '../../domain/request/actions.ts'
import { threadsOf } from './card-alerts.ts'
import { type Acted, type ActionContext, type ActPorts, entryOf, refused, said, save } from './context.ts'
import { alertFor } from './target.ts'

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
  return said({ kind: 'done', act: 'add_note', alert, text, isTold: cards.length > 0 })
}
