/** Changes active mutes: a later deadline, or back to the former terms; those that one person made together in one message. */
import { changeNotice, type Place } from '../../domain/card/thread-cards.ts'
import { undoneMarker } from '../../domain/mute/marker.ts'
import { isInForce, type Mute, type Silenced } from '../../domain/mute/mute.ts'
import { extendTerms, isUndoable, restoreTerms, termsOf, undoMs } from '../../domain/mute/transitions.ts'
import type { Limits } from '../../domain/mute/until.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { Change } from '../../domain/request/actions.ts'
import type { AuditEntry, Before } from '../../domain/request/audit.ts'
import type { Reply } from '../../domain/request/reply.ts'
import { inSlices, lockName } from '../mute/batch.ts'
import type { TellTogether } from '../mute/end.ts'
import { inChannels, placesOf } from '../mute/place.ts'
import { unknownCard } from './card-alerts.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  entryOf,
  groupMessage,
  outdated,
  refused,
  replyOnly,
  save,
} from './context.ts'
import { detailOf } from './mute-terms.ts'
import { changedBeforeExtend } from './stale.ts'
import { endByHand, mark } from './unmute.ts'

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
    if (!isUndoable(live, context.request.userId, nowMs)) {
      return refused({ why: 'undo_too_late', mute: live })
    }
    const server = live.hostname
    if (live.previous === null) {
      const { failure, silenced } = await endByHand(ports, context, [live], { by: 'undo' })
      return replyOnly({ kind: 'undone', server, restored: null, isSure: failure === null, ...silenced })
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
    // Whose it was is not known, so nothing can be said of what is muted there now.
    if (mute === null) return refused(unknownCard)
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
    cards: places.map((place) => changeNotice(entry, place)),
    dirtyServers: [mute.hostname],
  })
  return replyOnly(reply)
}

/** The outcome for one: `ending` is not confirmed by the API yet, `left` no longer had to be undone. */
type Came =
  | { readonly what: 'ended' | 'ending' | 'left'; readonly hostname: string }
  | { readonly what: 'restored'; readonly hostname: string; readonly before: Before }

/**
 * Everything that the row covers. The minute counts from the last of them, because many take longer than that; terms that
 * somebody has set since then stay.
 */
async function undoTogether(ports: ActPorts, context: ActionContext, auditId: string): Promise<Acted> {
  const { store, clock } = ports
  const { userId } = context.request
  const entry = await store.auditById(auditId)
  if (entry === null) return refused(unknownCard)
  if (entry.userId !== userId || clock.nowMs() - entry.atMs >= undoMs) {
    return refused({ why: 'undo_too_late' })
  }
  const names = entry.detail.names ?? []
  const { mutes } = await store.mutes(names)
  const muted = new Set(mutes.map(({ hostname }) => hostname))
  const came: Came[] = []
  let isAway = false
  let silenced: Silenced = {}
  const channels = await store.channelsTold({ auditId })
  const places = channels.length === 0 ? [context.place] : inChannels(channels)
  const tell = (more: readonly Came[], now = silenced) =>
    tellUndone(ports, { context, places }, { came: [...came, ...more], silenced: now })
  await inSlices(
    ports.lock,
    names.filter((name) => muted.has(name)),
    async (slice) => {
      const { lives, left } = await meantIn(slice, entry, store)
      came.push(...left)
      came.push(...(await restore(ports, context, lives, tell)))
      const ending = lives.filter(({ previous }) => previous === null)
      const over: TellTogether = (ended, now) => tell(ended.map(cameAs('ended')), now)
      const result = await endByHand(ports, context, ending, { by: 'undo', isAway, tell: over })
      const overIds = new Set(result.over.map(({ muteId }) => muteId))
      came.push(...ending.map((mute) => cameAs(overIds.has(mute.muteId) ? 'ended' : 'ending')(mute)))
      isAway ||= result.isAway
      if (result.over.length > 0) silenced = result.silenced
      return 'go_on'
    },
  )
  const of = (...whats: Came['what'][]) =>
    came.flatMap(({ what, hostname }) => (whats.includes(what) ? [hostname] : []))
  const servers = of('ended', 'ending', 'restored')
  if (servers.length === 0) return refused({ why: 'undo_too_late' })
  const ended = of('ended')
  if (ended.length > 0) await mark(ports, context, undoneMarker(ended, userId))
  const isSure = of('ending').length === 0
  const several = { servers, left: of('left') }
  return replyOnly({ kind: 'undone', server: null, restored: null, isSure, several, ...silenced })
}

function hasTermsOf({ userId, atMs, detail }: AuditEntry, mute: Mute): boolean {
  const { mode, untilMs = null, reason = '' } = detail
  const isSame = mute.mode === mode && mute.untilMs === untilMs && mute.reason === reason
  return isSame && mute.userId === userId && mute.termsMs <= atMs
}

function cameAs(what: 'ended' | 'ending' | 'left') {
  return ({ hostname }: Mute): Came => ({ what, hostname: hostname ?? '' })
}

/** The current mutes of these servers, read under the lock. */
async function meantIn(slice: readonly string[], entry: AuditEntry, store: ActPorts['store']) {
  const { mutes } = await store.mutes(slice)
  const now = slice.flatMap((name) => mutes.find(({ hostname }) => hostname === name) ?? [])
  const isMeant = (mute: Mute) => mute.state === 'active' && hasTermsOf(entry, mute)
  return { lives: now.filter(isMeant), left: now.filter((mute) => !isMeant(mute)).map(cameAs('left')) }
}

/** Those with former terms: notifications are off and stay off. */
async function restore(
  { store, clock, ids }: ActPorts,
  context: ActionContext,
  lives: readonly Mute[],
  tell: (restored: readonly Came[]) => ReturnType<typeof tellUndone>,
): Promise<readonly Came[]> {
  const before = lives.filter(({ previous }) => previous !== null)
  if (before.length === 0) return []
  const atMs = clock.nowMs()
  const rows = before.map((live) => ({ mute: restoreTerms(live, atMs), was: live.version }))
  const restored = rows.map(({ mute }): Came => {
    const hostname = mute.hostname ?? ''
    return { what: 'restored', hostname, before: { ...termsOf(mute), hostname } }
  })
  const entries = rows.map(({ mute }) => {
    const { hostname, muteId } = mute
    const row = { outcome: 'done', why: null, hostname, detail: { ...detailOf(mute), muteId } } as const
    return { ...entryOf(context, row, { auditId: ids.make(), atMs }), partOf: context.auditId }
  })
  const all = tell(restored)
  const dirtyServers = rows.map(({ mute }) => mute.hostname)
  await save(store, {
    ...emptyPlan(atMs),
    ...all,
    mutes: rows,
    audit: [...entries, ...all.audit],
    dirtyServers,
  })
  return restored
}

function tellUndone(
  { clock }: ActPorts,
  { context, places }: { readonly context: ActionContext; readonly places: readonly Place[] },
  { came, silenced }: { readonly came: readonly Came[]; readonly silenced: Silenced },
) {
  const done = came.filter(({ what }) => what === 'ended' || what === 'restored')
  const before = done.flatMap((one) => (one.what === 'restored' ? [one.before] : []))
  const names = done.map(({ hostname }) => hostname)
  const detail = { names, ...(before.length === 0 ? {} : { before }), ...silenced }
  return groupMessage(context, { auditId: context.auditId, atMs: clock.nowMs() }, detail, places)
}
