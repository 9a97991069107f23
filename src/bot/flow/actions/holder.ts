/**
 * Changes who has an alert: takes it over, hands it back, or confirms that its owner is still on it. Only in the bot, like an
 * acknowledgement.
 */
import { type Alert, isLive } from '../../domain/alert/alert.ts'
import { changeNotice } from '../../domain/card/thread-cards.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { ChangeOf } from '../../domain/request/actions.ts'
import type { Held } from '../../domain/request/alert-actions.ts'
import type { StaleReason } from '../../domain/request/reply.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import { takenBy, triesMax } from './alert-actions.ts'
import { alertsOnCard, allClosed, toldBelow, unknownCard } from './card-alerts.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  entryOf,
  type Found,
  keptChanging,
  outdated,
  refused,
  replyOnly,
} from './context.ts'
import { isOldCard } from './stale.ts'
import { alertFor } from './target.ts'

type Kind = 'take_over' | 'unacknowledge' | 'still_on_it'

export function takeOver(
  ports: ActPorts,
  context: ActionContext,
  { of }: ChangeOf<'take_over'>,
): Promise<Acted> {
  return changeHands(ports, context, { kind: 'take_over', of }, (alert, nowMs) => {
    const { userId } = context.request
    return alert.ackedBy === userId ? null : takenBy(userId, alert, nowMs)
  })
}

export function unacknowledge(
  ports: ActPorts,
  context: ActionContext,
  { of }: ChangeOf<'unacknowledge'>,
): Promise<Acted> {
  return changeHands(ports, context, { kind: 'unacknowledge', of }, (alert, nowMs) => {
    if (alert.ackedBy === null) return null
    const free = { ackedBy: null, ackedMs: null, ackedBefore: alert.ackedBy }
    return { ...alert, ...free, ownershipConfirmedMs: nowMs, version: alert.version + 1 }
  })
}

export function stillOnIt(
  ports: ActPorts,
  context: ActionContext,
  { of }: ChangeOf<'still_on_it'>,
): Promise<Acted> {
  return changeHands(ports, context, { kind: 'still_on_it', of }, (alert, nowMs) =>
    alert.ackedBy === context.request.userId
      ? { ...alert, ownershipConfirmedMs: nowMs, version: alert.version + 1 }
      : null,
  )
}

/** `next` is the alert as it is then; null where it stays as it is. */
type Next = (alert: Alert, nowMs: number) => Alert | null
type Asked = { readonly kind: Kind; readonly of: Held }

async function changeHands(
  ports: ActPorts,
  context: ActionContext,
  asked: Asked,
  next: Next,
): Promise<Acted> {
  const isMeant = await meant(asked, context, ports)
  const acted = await retryWhenStale(triesMax, async (tries) => {
    const found = await alertsOf(asked.of, context, ports, tries)
    return found.ok
      ? changeThese(ports, context, { ...asked, all: found.found }, (alert, nowMs) =>
          isMeant(alert, found.found.filter(isLive).length) ? next(alert, nowMs) : null,
        )
      : refused(found.refusal)
  })
  return acted === 'stale' ? keptChanging(context, 'the alert kept changing meanwhile') : acted
}

/** What somebody took meanwhile stays theirs: a question is about one person's alerts, and an old card may show another owner. */
async function meant(
  { kind, of }: Asked,
  { request }: ActionContext,
  { store }: ActPorts,
): Promise<(alert: Alert, many: number) => boolean> {
  const card = request.card === null ? null : await store.cardById(request.card.cardId)
  if (card?.topic === 'stale_ack') {
    const owner = card.subjectId
    return ({ ackedBy }) => ackedBy === owner || (ackedBy === null && kind === 'take_over')
  }
  if (kind !== 'unacknowledge') return () => true
  const isOld = await isOldCard(request, store)
  // Of many at once a person hands back their own: the others are somebody's who was not asked.
  return ({ ackedBy }, many) => ackedBy === request.userId || !(isOld || (of.by === 'card' && many > 1))
}

async function alertsOf(
  of: Held,
  context: ActionContext,
  ports: ActPorts,
  tries: number,
): Promise<Found<readonly Alert[]>> {
  if (of.by === 'card') {
    const found = await alertsOnCard(of.cardId, ports.store)
    return found === null ? { ok: false, refusal: unknownCard } : { ok: true, found }
  }
  const alert = await alertFor(of, context, ports, tries)
  return alert.ok ? { ok: true, found: [alert.found] } : alert
}

async function changeThese(
  { store, clock, ids }: ActPorts,
  context: ActionContext,
  { kind, of, all }: Asked & { readonly all: readonly Alert[] },
  next: Next,
): Promise<Acted | 'stale'> {
  const nowMs = clock.nowMs()
  const live = all.filter(isLive)
  const changes = live.flatMap((alert) => {
    const after = next(alert, nowMs)
    return after === null ? [] : [{ alert: after, was: alert }]
  })
  const [first] = changes
  if (first === undefined) return nothingToDo(kind, { of, all, live }, { context, nowMs })
  const owners = new Set(changes.map(({ was }) => was.ackedBy))
  const owner = owners.size === 1 ? first.was.ackedBy : null
  const detail = {
    ...(owner === null ? {} : { owner }),
    ...(of.by === 'card' ? { alerts: changes.length } : {}),
  }
  const row = { outcome: 'done', why: null, detail } as const
  const entry = entryOf(context, row, { auditId: ids.make(), atMs: nowMs })
  const saved = await store.commit({
    ...emptyPlan(nowMs),
    alerts: changes.map(({ alert, was }) => ({ alert, was: was.version })),
    dirty: changes.map(({ alert }) => alert.alertId),
    audit: [entry],
    cards:
      of.by === 'card' ? [changeNotice(entry, context.place)] : await toldBelow(entry, first.alert, store),
  })
  if (saved === 'stale') return 'stale'
  return replyOnly({ kind: 'done', act: kind, alerts: changes.map(({ alert }) => alert), owner })
}

function nothingToDo(
  kind: Kind,
  { of, all, live }: { readonly of: Held; readonly all: readonly Alert[]; readonly live: readonly Alert[] },
  { context, nowMs }: { readonly context: ActionContext; readonly nowMs: number },
): Acted {
  // Who has them, if anybody does.
  const alert = live.find(({ ackedBy }) => ackedBy !== null) ?? live[0]
  if (alert === undefined) return outdated(overOf(of, all), nowMs)
  const { userId } = context.request
  if (kind === 'take_over' && alert.ackedBy === userId) {
    return {
      reply: { kind: 'done', act: kind, alerts: [], owner: userId },
      row: { outcome: 'nothing', why: 'acknowledged' },
    }
  }
  const what = alert.ackedBy === null ? 'unacknowledged' : 'acknowledged'
  return outdated({ what, alert }, nowMs)
}

function overOf(of: Held, all: readonly Alert[]): StaleReason {
  const [alert] = all
  return of.by === 'alert' && alert !== undefined ? { what: 'closed', alert } : allClosed(all)
}
