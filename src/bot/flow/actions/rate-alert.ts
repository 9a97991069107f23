/** Notes what somebody thinks of an alert that is over, or of each rule of a list. It calls nobody, and only counts. */
import type { Alert } from '../../domain/alert/alert.ts'
import { firstOfRules, ruleFactsOf, ruleOf } from '../../domain/alert/rule.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { ChangeOf } from '../../domain/request/actions.ts'
import { alertsOnCard, unknownCard } from './card-alerts.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  entryOf,
  type Found,
  refused,
  replyOnly,
  save,
} from './context.ts'
import { alertFor } from './target.ts'

export async function rateAlert(
  ports: ActPorts,
  context: ActionContext,
  change: ChangeOf<'rate_alert'>,
): Promise<Acted> {
  const { store, clock, ids } = ports
  const { verdict } = change
  const { userId } = context.request
  const meant = await alertsMeant(ports, context, change)
  if (!meant.ok) return refused(meant.refusal)
  const alerts = meant.found
  const rules = [...new Set(alerts.map((alert) => ruleOf(ruleFactsOf(alert))))]
  const reply = { kind: 'done', act: 'rate_alert', verdict, rules } as const
  const given = await store.verdictsOn(alerts.map(({ alertId }) => alertId))
  const own = given.filter((one) => one.userId === userId && one.verdict === verdict)
  if (own.length === alerts.length) {
    return { reply: { ...reply, isTheirs: true }, row: { outcome: 'nothing', why: 'already' } }
  }
  const atMs = clock.nowMs()
  await save(store, {
    ...emptyPlan(atMs),
    verdicts: alerts.map((alert) => ({
      alertId: alert.alertId,
      userId,
      rule: ruleOf(ruleFactsOf(alert)),
      verdict,
      atMs,
    })),
    audit: [entryOf(context, { outcome: 'done', why: null }, { auditId: ids.make(), atMs })],
  })
  return replyOnly(reply)
}

async function alertsMeant(
  ports: ActPorts,
  context: ActionContext,
  { of }: ChangeOf<'rate_alert'>,
): Promise<Found<readonly Alert[]>> {
  if (of.by === 'card') {
    const all = await alertsOnCard(of.cardId, ports.store)
    const shown = all?.filter(({ state }) => state !== 'ignored') ?? []
    return shown.length === 0 ? { ok: false, refusal: unknownCard } : { ok: true, found: firstOfRules(shown) }
  }
  const alert = await alertFor({ alert: of.alert }, context, ports)
  return alert.ok ? { ok: true, found: [alert.found] } : alert
}
