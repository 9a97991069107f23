/** Takes back mutes that one person made at once: each ends, or is again what it was before, and everyone is told once. */

import { toldCard } from '../../domain/card/thread-cards.ts'
import { undoneMarker } from '../../domain/mute/marker-text.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import { restoreTerms, termsOf, undoMs } from '../../domain/mute/transitions.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import type { AuditEntry, Before } from '../../domain/request/audit.ts'
import { inLanes } from '../concurrency/in-lanes.ts'
import { lockName } from '../mute/batch.ts'
import { type Acted, type ActionContext, type ActPorts, entryOf, refused, said, save } from './context.ts'
import { detailOf } from './mute-terms.ts'
import { type EndedOne, endOne } from './unmute.ts'

/** What came of one: `ending` and `away` are not confirmed by the API yet, `left` was not to be undone any more. */
type Came =
  | { readonly what: EndedOne | 'left'; readonly hostname: string }
  | { readonly what: 'restored'; readonly hostname: string; readonly before: Before }

/**
 * All that the row tells of. The minute counts from the last of them, because many take longer than that; terms that
 * somebody gave since then stay.
 */
export async function undoTogether(ports: ActPorts, context: ActionContext, auditId: string): Promise<Acted> {
  const { store, clock } = ports
  const { userId } = context.request
  const entry = await store.auditById(auditId)
  if (entry?.userId !== userId || clock.nowMs() - entry.atMs >= undoMs) {
    return refused({ why: 'undo_too_late' })
  }
  const names = new Set(entry.detail.names)
  const { mutes } = await store.mutes()
  const meant = mutes.filter(({ hostname }) => hostname !== null && names.has(hostname))
  return undoEach(ports, context, meant, (mute) => hasTermsOf(entry, mute))
}

function hasTermsOf({ userId, atMs, detail }: AuditEntry, mute: Mute): boolean {
  const { mode, untilMs = null, reason = '' } = detail
  const isSame = mute.mode === mode && mute.untilMs === untilMs && mute.reason === reason
  return isSame && mute.userId === userId && mute.termsMs <= atMs
}

async function undoEach(
  ports: ActPorts,
  context: ActionContext,
  mutes: readonly Mute[],
  isMeant: (mute: Mute) => boolean,
): Promise<Acted> {
  const came: Came[] = []
  const tell = (one: Came) => togetherOf(ports, context, [...came, one])
  const undo = async ({ muteId, hostname }: Mute) => {
    if (hostname === null) return
    const isAway = came.some(({ what }) => what === 'away')
    came.push(
      await ports.lock.hold(lockName(hostname), async () => {
        const live = await ports.store.muteById(muteId)
        if (live?.state !== 'active' || !isMeant(live)) return { what: 'left', hostname } as const
        if (live.previous !== null) return restore(ports, context, live, { hostname, tell })
        const over = () => tell({ what: 'ended', hostname })
        return { what: await endOne(ports, context, live, 'undo', { isAway, tell: over }), hostname }
      }),
    )
  }
  const [first, ...others] = mutes
  // The first one shows whether the API answers at all.
  if (first !== undefined) await undo(first)
  await inLanes(others, async (mute) => {
    await undo(mute)
    return 'go_on'
  })
  const of = (...whats: Came['what'][]) =>
    came.flatMap(({ what, hostname }) => (whats.includes(what) ? [hostname] : []))
  const servers = of('ended', 'ending', 'away', 'restored')
  if (servers.length === 0) return refused({ why: 'undo_too_late' })
  await settle(ports, context, came)
  const isSure = of('ending', 'away').length === 0
  return said({
    kind: 'undone',
    server: null,
    restored: null,
    isSure,
    several: { servers, left: of('left') },
  })
}

/** Notifications are off and stay off. */
async function restore(
  { store, clock, ids }: ActPorts,
  context: ActionContext,
  live: Mute,
  { hostname, tell }: { readonly hostname: string; readonly tell: (one: Came) => Together },
): Promise<Came> {
  const atMs = clock.nowMs()
  const mute = restoreTerms(live, atMs)
  const row = {
    outcome: 'done',
    why: null,
    hostname,
    detail: { ...detailOf(mute), muteId: mute.muteId },
  } as const
  const entry = { ...entryOf(context, row, { auditId: ids.make(), atMs }), partOf: context.auditId }
  const mutes = [{ mute, was: live.version }]
  const restored = { what: 'restored', hostname, before: { ...termsOf(mute), hostname } } as const
  const all = tell(restored)
  const dirtyServers = [hostname]
  await save(store, { ...emptyPlan(atMs), ...all, mutes, audit: [entry, ...all.audit], dirtyServers })
  return restored
}

type Together = Pick<Plan, 'audit' | 'cards' | 'dirtyCards'>

/** One message, which grows with each of them. */
function togetherOf({ clock }: ActPorts, context: ActionContext, came: readonly Came[]): Together {
  const names = came.flatMap(({ what, hostname }) => (isDone(what) ? [hostname] : []))
  const before = came.flatMap((one) => (one.what === 'restored' ? [one.before] : []))
  const detail = { names, ...(before.length === 0 ? {} : { before }) }
  const subject = { hostname: null, alertId: null, detail }
  const row = { outcome: 'done', why: null } as const
  const made = { auditId: context.auditId, atMs: clock.nowMs() }
  const entry = entryOf({ ...context, subject }, row, made)
  const card = toldCard(entry, context.place)
  return { audit: [entry], cards: [card], dirtyCards: [card.cardId] }
}

function isDone(what: Came['what']): boolean {
  return what === 'ended' || what === 'restored'
}

/** Once all of them are known: the whole of the message, for two that ended at a time may each lack the other, and its marker. */
async function settle(ports: ActPorts, context: ActionContext, came: readonly Came[]): Promise<void> {
  const { store, clock, ids } = ports
  if (!came.some(({ what }) => isDone(what))) return
  const over = came.flatMap(({ what, hostname }) => (what === 'ended' ? [hostname] : []))
  const all = togetherOf(ports, context, came)
  const cardId = toldCard(context, context.place).cardId
  const text = undoneMarker(over, context.request.userId)
  const markers = over.length === 0 ? [] : [{ markerId: ids.make(), text, cardId }]
  await save(store, { ...emptyPlan(clock.nowMs()), ...all, markers })
}
