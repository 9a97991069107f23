/** Changes an active mute: a later deadline, or back to its former terms. */

import { toldCard } from '../../domain/card/thread-cards.ts'
import { isInForce, type Mute } from '../../domain/mute/mute.ts'
import { extendTerms, isUndoable, restoreTerms } from '../../domain/mute/transitions.ts'
import type { Limits } from '../../domain/mute/until.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { Change } from '../../domain/request/actions.ts'
import type { Reply } from '../../domain/request/reply.ts'
import { lockName } from '../mute/batch.ts'
import { placesOf } from '../mute/place.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  entryOf,
  outdated,
  refused,
  said,
  save,
} from './context.ts'
import { detailOf } from './mute-terms.ts'
import { changedBeforeExtend } from './stale.ts'
import { undoTogether } from './undo-mutes.ts'
import { endByHand } from './unmute.ts'

/** The new deadline is at most the policy's longest mute away. */
export async function extendMute(
  ports: ActPorts,
  context: ActionContext,
  { muteId, ms }: Extract<Change, { kind: 'extend_mute' }>,
  limits: Limits,
): Promise<Acted> {
  return withActive(ports, context, muteId, async (live) => {
    const { store, clock } = ports
    const changed = await changedBeforeExtend(context.request, live, { store, nowMs: clock.nowMs() })
    if (changed !== null) return outdated(changed, clock.nowMs())
    if (live.untilMs === null) {
      return { reply: { kind: 'extended', mute: live }, row: { outcome: 'nothing', why: 'no_deadline' } }
    }
    const nowMs = clock.nowMs()
    const maxMs = live.hostname === null ? limits.accountMuteMaxMs : limits.muteMaxMs
    const untilMs = Math.min(Math.max(live.untilMs, nowMs) + ms, nowMs + maxMs)
    if (untilMs <= live.untilMs) return refused({ why: 'too_long', maxMs })
    const mute = extendTerms(live, untilMs)
    return tellNew(ports, context, { mute, was: live.version }, { kind: 'extended', mute })
  })
}

/**
 * Restores the former terms, or ends the mute if there were none. For one minute, and only for the person who set the terms.
 */
export async function undoMute(
  ports: ActPorts,
  context: ActionContext,
  { muteId, termsMs, auditId }: Extract<Change, { kind: 'undo_mute' }>,
): Promise<Acted> {
  if (auditId !== undefined) return undoTogether(ports, context, auditId)
  return withActive(ports, context, muteId, async (live) => {
    const nowMs = ports.clock.nowMs()
    // It does not undo terms other than those of the button.
    if (live.termsMs !== termsMs) return refused({ why: 'mute_replaced', mute: live })
    if (!isUndoable(live, context.request.userId, nowMs)) return refused({ why: 'undo_too_late' })
    const server = live.hostname
    if (live.previous === null) {
      const { failure } = await endByHand(ports, context, [live], { by: 'undo' })
      return said({ kind: 'undone', server, restored: null, isSure: failure === null })
    }
    const mute = restoreTerms(live, nowMs)
    const reply: Reply = { kind: 'undone', server, restored: mute, isSure: true }
    return tellNew(ports, context, { mute, was: live.version }, reply)
  })
}

/** Runs `change` on the current mute while nobody else can change it. */
async function withActive(
  { store, lock }: ActPorts,
  { subject }: ActionContext,
  muteId: string,
  change: (live: Mute) => Promise<Acted>,
): Promise<Acted> {
  const { hostname } = subject
  return lock.hold(lockName(hostname), async () => {
    const mute = await store.muteById(muteId)
    if (mute?.state === 'active') return change(mute)
    const { mutes } = await store.mutes([hostname])
    const other = mutes.find((one) => one.hostname === hostname && isInForce(one))
    if (other !== undefined) return refused({ why: 'mute_replaced', mute: other })
    return refused({ why: 'not_muted', server: hostname })
  })
}

/** Notifications are off and stay off: no call to the API is needed. */
async function tellNew(
  { store, clock, ids }: ActPorts,
  context: ActionContext,
  { mute, was }: { readonly mute: Mute; readonly was: number },
  reply: Reply,
): Promise<Acted> {
  const atMs = clock.nowMs()
  const row = { outcome: 'done', why: null, detail: detailOf(mute) } as const
  const entry = entryOf(context, row, { auditId: ids.make(), atMs })
  const places = mute.hostname === null ? await placesOf(mute, store) : [context.place]
  await save(store, {
    ...emptyPlan(atMs),
    mutes: [{ mute, was }],
    audit: [entry],
    cards: places.map((place) => toldCard(entry, place)),
    dirtyServers: [mute.hostname],
  })
  return said(reply)
}
