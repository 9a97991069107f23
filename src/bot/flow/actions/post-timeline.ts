/** Asks for the timeline of an alert, or of a list: `flow/files.ts` makes it, and posts it once. */
import type { Place } from '../../domain/mute/mute.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { ChangeOf } from '../../domain/request/actions.ts'
import { keptFile } from '../../domain/request/wanted-file.ts'
import { alertsOnCard, threadsOf, unknownCard } from './card-alerts.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  entryOf,
  refused,
  replyOnly,
  save,
} from './context.ts'
import { alertFor } from './target.ts'

export async function postTimeline(
  ports: ActPorts,
  context: ActionContext,
  { of }: ChangeOf<'post_timeline'>,
): Promise<Acted> {
  const { store } = ports
  if (of.by === 'card') {
    const alerts = await alertsOnCard(of.cardId, store)
    if (alerts === null) return refused(unknownCard)
    await want(ports, context, { alertId: null, ...context.place, cardId: of.cardId })
    return replyOnly({ kind: 'done', act: 'post_timeline', alert: null })
  }
  const found = await alertFor({ alert: of.alert }, context, ports)
  if (!found.ok) return refused(found.refusal)
  const alert = found.found
  const cards = await threadsOf(alert.alertId, store)
  const { card, channel } = context.request
  const own =
    cards.find((one) => one.channel === (card === null ? channel : context.place.channel)) ?? cards[0]
  const place = own ?? context.place
  await want(ports, context, { alertId: alert.alertId, channel: place.channel, cardId: place.cardId })
  return replyOnly({ kind: 'done', act: 'post_timeline', alert })
}

async function want(
  { store, clock, ids }: ActPorts,
  context: ActionContext,
  { alertId, channel, cardId }: Place & { readonly alertId: string | null },
): Promise<void> {
  const atMs = clock.nowMs()
  const auditId = ids.make()
  await save(store, {
    ...emptyPlan(atMs),
    audit: [entryOf(context, { outcome: 'done', why: null }, { auditId, atMs })],
    state: [keptFile({ auditId, alertId, channel, cardId })],
  })
}
