/** One audit row and one message about several servers, in each channel that it concerns, which grow with each slice of them. */
import { type Place, toldCard } from '../../domain/card/thread-cards.ts'
import type { Plan } from '../../domain/plan.ts'
import type { AuditDetail } from '../../domain/request/audit.ts'
import { type ActionContext, entryOf } from './context.ts'

export function groupMessage(
  context: ActionContext,
  made: { readonly auditId: string; readonly atMs: number },
  detail: AuditDetail,
  places: readonly Place[],
): Pick<Plan, 'audit' | 'cards' | 'dirtyCards'> {
  const subject = { hostname: null, alertId: null, detail }
  const entry = entryOf({ ...context, subject }, { outcome: 'done', why: null }, made)
  const cards = places.map((place) => toldCard(entry, place))
  return { audit: [entry], cards, dirtyCards: cards.map(({ cardId }) => cardId) }
}
