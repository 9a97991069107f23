/** One audit row and one message about several servers, which grow with each slice of them. */
import { toldCard } from '../../domain/card/thread-cards.ts'
import type { Plan } from '../../domain/plan.ts'
import type { AuditDetail } from '../../domain/request/audit.ts'
import { type ActionContext, entryOf } from './context.ts'

export function groupMessage(
  context: ActionContext,
  made: { readonly auditId: string; readonly atMs: number },
  detail: AuditDetail,
): Pick<Plan, 'audit' | 'cards' | 'dirtyCards'> {
  const subject = { hostname: null, alertId: null, detail }
  const entry = entryOf({ ...context, subject }, { outcome: 'done', why: null }, made)
  const card = toldCard(entry, context.place)
  return { audit: [entry], cards: [card], dirtyCards: [card.cardId] }
}
