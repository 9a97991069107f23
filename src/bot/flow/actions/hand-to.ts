/** Hands alerts to another person: they have them from then on, and one direct message tells them so. */
import { type Alert, isLive } from '../../domain/alert/alert.ts'
import { changeNotice, handedNotice, type Root } from '../../domain/card/thread-cards.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { ChangeOf } from '../../domain/request/actions.ts'
import type { Held } from '../../domain/request/alert-actions.ts'
import { attempt } from '../attempt.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import { takenBy, triesMax } from './alert-actions.ts'
import { alertsOnCard, allClosed, openOf, threadsOf, unknownCard } from './card-alerts.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  entryOf,
  keptChanging,
  notTried,
  outdated,
  refused,
  replyOnly,
} from './context.ts'
import { takeOver } from './holder.ts'
import { alertFor } from './target.ts'

type Hand = ChangeOf<'hand_to'>

export async function handTo(ports: ActPorts, context: ActionContext, change: Hand): Promise<Acted> {
  if (change.to === context.request.userId) {
    return takeOver(ports, { ...context, act: 'take_over' }, { kind: 'take_over', of: change.of })
  }
  const who = await attempt(() => ports.directory.personIs(change.to))
  if (!who.ok) return notTried(context, who.failure)
  if (who.value !== 'person') return refused({ why: 'not_a_person', userId: change.to, is: who.value })
  const acted = await retryWhenStale(triesMax, async (tries) => {
    const { of } = change
    if (of.by === 'card') {
      const all = await alertsOnCard(of.cardId, ports.store)
      return all === null ? refused(unknownCard) : handThese(ports, context, { change, all })
    }
    const alert = await alertFor(of, context, ports, tries)
    return alert.ok ? handThese(ports, context, { change, all: [alert.found] }) : refused(alert.refusal)
  })
  return acted === 'stale' ? keptChanging(context, 'the alerts kept changing meanwhile') : acted
}

async function handThese(
  { store, clock, ids }: ActPorts,
  context: ActionContext,
  { change, all }: { readonly change: Hand; readonly all: readonly Alert[] },
): Promise<Acted | 'stale'> {
  const { to, of } = change
  const nowMs = clock.nowMs()
  // Of a card of many those that its form counted: its one-offs wait for nobody.
  const live = of.by === 'card' ? openOf(all) : all.filter(isLive)
  const [newest] = all
  if (live.length === 0) {
    const isOne = of.by === 'alert' && newest !== undefined
    return outdated(isOne ? { what: 'closed', alert: newest } : allClosed(all), nowMs)
  }
  const meant = live.filter((alert) => isAsShown(alert, change, context.request.userId))
  const [other] = live.filter(({ ackedBy }) => ackedBy !== null)
  if (meant.length === 0 && other !== undefined)
    return outdated({ what: 'acknowledged', alert: other }, nowMs)
  const handed = meant.filter(({ ackedBy }) => ackedBy !== to)
  const [first] = handed
  if (first === undefined) {
    return {
      reply: { kind: 'done', act: 'hand_to', alerts: [], owner: to, to },
      row: { outcome: 'nothing', why: 'acknowledged' },
    }
  }
  const owners = new Set(handed.map(({ ackedBy }) => ackedBy))
  const owner = owners.size === 1 ? first.ackedBy : null
  const detail = {
    ...(owner === null ? {} : { owner }),
    ...(of.by === 'card' ? { alerts: handed.length } : {}),
  }
  const made = { auditId: ids.make(), atMs: nowMs }
  const entry = entryOf(context, { outcome: 'done', why: null, detail }, made)
  const roots = await rootsOf(of, first, context, store)
  const root = roots.find(({ channel }) => channel === context.request.channel) ?? roots[0] ?? null
  const alerts = handed.map((alert) => ({ alert: takenBy(to, alert, nowMs), was: alert.version }))
  const saved = await store.commit({
    ...emptyPlan(nowMs),
    alerts,
    dirty: handed.map(({ alertId }) => alertId),
    audit: [entry],
    cards: [...roots.map((one) => changeNotice(entry, one)), handedNotice(entry, handed, { to, root })],
  })
  if (saved === 'stale') return 'stale'
  return replyOnly({ kind: 'done', act: 'hand_to', alerts: alerts.map(({ alert }) => alert), owner, to })
}

/** Not those that came, or that somebody else took, since the form was opened: nobody decided about these. */
function isAsShown({ ackedBy, ackedMs, firstSeenMs }: Alert, { shownMs, of }: Hand, userId: string): boolean {
  if (shownMs === null) return true
  if (of.by === 'card' && firstSeenMs > shownMs) return false
  return ackedBy === null || ackedBy === userId || (ackedMs ?? 0) <= shownMs
}

/** The cards in whose threads it is told. */
async function rootsOf(
  of: Held,
  { alertId }: Alert,
  { place }: ActionContext,
  store: ActPorts['store'],
): Promise<readonly Root[]> {
  if (of.by === 'alert') return threadsOf(alertId, store)
  return place.cardId === null ? [] : [{ cardId: place.cardId, channel: place.channel }]
}
