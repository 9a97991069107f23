/** Ends and changes mutes as a person wants it: unmute, undo and extend, of one or of those that were made together. */

import { isGlob } from '../../../shared/glob.ts'
import { changeNotice } from '../../domain/card/thread-cards.ts'
import {
  extendTerms,
  isInForce,
  isUndoable,
  type Mute,
  type Place,
  restoreTerms,
  silencedBy,
  termsOf,
  undoMs,
} from '../../domain/mute/mute.ts'
import { decideSwitch, isSaid } from '../../domain/mute/switch.ts'
import type { Limits } from '../../domain/mute/until.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import type { Change } from '../../domain/request/actions.ts'
import type { AuditDetail, AuditEntry } from '../../domain/request/audit.ts'
import type { OneServer } from '../../domain/request/named.ts'
import { matching } from '../../domain/request/nearest.ts'
import type { Refusal, Reply } from '../../domain/request/reply.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import { planEnds } from '../mute/ends.ts'
import { inChannels, placesOf } from '../mute/places.ts'
import { serversUnder } from '../mute/reveal.ts'
import type { Told } from '../mute/switches.ts'
import type { Servers } from '../servers.ts'
import { triesMax } from './alert-actions.ts'
import { unknownServer } from './at-api.ts'
import { unknownCard } from './card-alerts.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  entryOf,
  failedReply,
  keptChanging,
  outdated,
  refused,
  replyOnly,
  serverOf,
} from './context.ts'
import { detailOf } from './mute-terms.ts'
import { changedBeforeExtend, changedBeforeUnmute, changedTerms } from './stale.ts'
import { hostnameOf, unknownServers } from './target.ts'

/** What is decided: the plan is written, the API told of these subjects, and then it is answered. */
type Decided = {
  readonly plan: Plan
  readonly tell: readonly (string | null)[]
  readonly reply: (told: ReadonlyMap<string | null, Told>) => Reply | Promise<Reply>
  /** Mutes that end: what they hid is looked for once more. */
  readonly ended?: readonly Mute[]
}

/** Somebody else, or a deadline, may change the mute between reading and writing: then it is decided anew. */
async function carryOut(
  ports: ActPorts,
  context: ActionContext,
  decide: () => Promise<Decided | Acted>,
): Promise<Acted> {
  const { store, hidden, switches } = ports
  const decided = await retryWhenStale(triesMax, async () => {
    const now = await decide()
    if (!('plan' in now)) return now
    return (await store.commit(now.plan)) === 'stale' ? 'stale' : now
  })
  if (decided === 'stale') return keptChanging(context, 'the mute kept changing meanwhile')
  if (!('plan' in decided)) return decided
  const { tell, reply, ended = [] } = decided
  const told = await switches.tell(tell)
  if (ended.length > 0) await hidden.sweep(serversUnder(ended))
  return replyOnly(await reply(told))
}

export async function unmuteServer(
  ports: ActPorts,
  context: ActionContext,
  change: Extract<Change, { kind: 'unmute_server' }>,
): Promise<Acted> {
  const { store, clock } = ports
  const server = serverOf(context)
  if (!server.ok) return refused(server.refusal)
  const hostname = server.found
  return carryOut(ports, context, async () => {
    const { mutes } = await store.mutes(hostname)
    const live = liveOn(hostname, mutes)
    const nowMs = clock.nowMs()
    const about = { request: context.request, server: hostname, shown: change.shown }
    const changed = await changedBeforeUnmute(about, live, { store, nowMs })
    if (changed !== null) return outdated(changed, nowMs)
    if (live === null && liveOn(null, mutes)?.state === 'active') {
      // Switching the server's own notifications on would change nothing: those of the whole account are off.
      return refused({ why: 'not_muted', server: hostname, isAccountMuted: true })
    }
    return live === null ? switchOn(ports, context, hostname) : endOne(ports, context, live, 'person')
  })
}

export async function unmuteAccount(
  ports: ActPorts,
  context: ActionContext,
  { shown }: Extract<Change, { kind: 'unmute_account' }>,
): Promise<Acted> {
  const { store, clock } = ports
  return carryOut(ports, context, async () => {
    const live = liveOn(null, (await store.mutes([null])).mutes)
    if (live === null) return switchOn(ports, context, null)
    const nowMs = clock.nowMs()
    const changed = await changedTerms({ request: context.request, shown }, live, { store, nowMs })
    return changed === null ? endOne(ports, context, live, 'person') : outdated(changed, nowMs)
  })
}

/** The active one, else one whose end the API has not confirmed. */
function liveOn(hostname: string | null, mutes: readonly Mute[]): Mute | null {
  const own = mutes.filter((mute) => mute.hostname === hostname)
  return own.find(({ state }) => state === 'active') ?? own[0] ?? null
}

/** monbot did not mute it, but somebody may have elsewhere: only the person who asked gets an answer. */
async function switchOn(ports: ActPorts, context: ActionContext, hostname: string | null): Promise<Decided> {
  const { store, clock } = ports
  const [before = null] = await store.switchesOf([hostname])
  const entry = unanswered(context, clock.nowMs(), {})
  const of = { hostname, wanted: 'on', muteId: null, auditId: entry.auditId, places: [] } as const
  return {
    plan: {
      ...emptyPlan(entry.atMs),
      switches: [{ next: decideSwitch(before, of), was: before?.version ?? null }],
      audit: [entry],
    },
    tell: [hostname],
    reply: async (told) => {
      const came = told.get(hostname)
      if (came?.kind === 'refused') {
        const { failure } = came
        const isServer = failure.kind === 'missing' && hostname !== null
        return isServer ? unknownServer(ports, hostname, failure) : failedReply(context, failure, false)
      }
      const isSure = isOver(came)
      return { kind: 'unmuted', server: hostname, isSure, ...(isSure ? { wasMuted: false } : {}) }
    },
  }
}

/** The row of the request, which the API's answer settles. */
function unanswered(context: ActionContext, atMs: number, detail: AuditDetail): AuditEntry {
  const row = { outcome: 'unknown', why: 'unanswered', detail } as const
  return entryOf(context, row, { auditId: context.auditId, atMs })
}

function isOver(came: Told | undefined): boolean {
  return came?.kind === 'said' || came?.kind === 'gone'
}

async function endOne(
  ports: ActPorts,
  context: ActionContext,
  live: Mute,
  by: 'person' | 'undo',
): Promise<Decided> {
  const { store, clock } = ports
  const { hostname, muteId, reason } = live
  const nowMs = clock.nowMs()
  // Terms in the row of an undo are older ones that it put back; this one ended the mute.
  const terms = by === 'undo' ? {} : { ...detailOf(live), reason }
  const entry = unanswered({ ...context, subject: { ...context.subject, hostname } }, nowMs, {
    muteId,
    ...terms,
  })
  const places = await placesOf(live, store)
  const end = { by, userId: context.request.userId, nowMs, auditId: entry.auditId, places }
  const plan = await planEnds(ports, [live], end)
  const silenced = hostname === null ? {} : await silencedNow(store)
  return {
    plan: { ...plan, audit: [entry] },
    tell: [hostname],
    ended: [live],
    reply: (told) => {
      const isSure = isOver(told.get(hostname))
      const rest = { server: hostname, isSure, ...(isSure ? silenced : {}) }
      return by === 'undo' ? { kind: 'undone', restored: null, ...rest } : { kind: 'unmuted', ...rest }
    },
  }
}

async function silencedNow(store: ActPorts['store']) {
  return silencedBy((await store.mutes([null])).mutes)
}

/**
 * Only mutes of monbot's own: names that are not muted are listed in the answer, and the API is not asked about them. With a
 * name that nobody knows nothing is done: what was mistyped would stay muted, and its person would think that it is not.
 */
export async function unmuteSeveral(
  ports: ActPorts,
  context: ActionContext,
  refs: readonly OneServer[],
): Promise<Acted> {
  const { store, clock } = ports
  return carryOut(ports, context, async () => {
    const live = (await store.mutes()).mutes
    const muted = [...new Set(live.flatMap(({ hostname }) => hostname ?? []))]
    const wanted = new Set<string>()
    const left = new Set<string>()
    for (const ref of refs) {
      const server = await hostnameOf(ref, store)
      if (!server.ok) return refused(server.refusal)
      const found = muted.includes(server.found) ? [server.found] : matching(server.found, muted)
      if (found.length === 0) left.add(server.found)
      for (const hostname of found) wanted.add(hostname)
    }
    const unknown = await unknownOf([...left], ports.servers)
    if (unknown !== null) return refused(unknown)
    const [server = null, ...others] = left
    const servers = [...wanted]
    if (servers.length === 0) return refused({ why: 'not_muted', server, others })
    const nowMs = clock.nowMs()
    const mutes = servers.flatMap((name) => liveOn(name, live) ?? [])
    const channels = [context.place.channel]
    // Where it is asked, and where the beginning of any of them stands in a message of its own.
    for (const mute of mutes) channels.push(...(await store.channelsTold(mute)))
    const places = inChannels(channels)
    const entry = unanswered(ofSeveral(context), nowMs, { names: servers })
    const end = {
      by: 'person',
      userId: context.request.userId,
      nowMs,
      auditId: entry.auditId,
      places,
    } as const
    const plan = await planEnds(ports, mutes, end)
    const silenced = await silencedNow(store)
    return {
      plan: { ...plan, audit: [entry] },
      tell: servers,
      ended: mutes,
      reply: (told) => {
        const isSure = servers.every((name) => isOver(told.get(name)))
        const isAny = servers.some((name) => isOver(told.get(name)))
        const several = { servers: overFirst(servers, told), left: [...left] }
        return { kind: 'unmuted', server: null, isSure, several, ...(isAny ? silenced : {}) }
      },
    }
  })
}

function ofSeveral(context: ActionContext): ActionContext {
  return { ...context, subject: { hostname: null, alertId: null, detail: {} } }
}

function overFirst(servers: readonly string[], told: ReadonlyMap<string | null, Told>): string[] {
  const isDone = (name: string) => isOver(told.get(name))
  return [...servers.filter(isDone), ...servers.filter((name) => !isDone(name))]
}

/** A list that cannot be read does not prove that there is no such server. */
async function unknownOf(names: readonly string[], servers: Servers): Promise<Refusal | null> {
  const book = await servers.book()
  const unknown = names.filter((name) => !isGlob(name) && !book.has(name))
  if (unknown.length === 0 || servers.unread() !== null) return null
  return unknownServers({ act: 'unmute_server', unread: null }, unknown, servers)
}

/** The new deadline is at most the policy's longest mute away. */
export async function extendMute(
  ports: ActPorts,
  context: ActionContext,
  { muteId, ms }: Extract<Change, { kind: 'extend_mute' }>,
  limits: Limits,
): Promise<Acted> {
  const { store, clock } = ports
  return carryOut(ports, context, async () => {
    const live = await activeOf(ports, context, muteId)
    if ('reply' in live) return live
    const nowMs = clock.nowMs()
    const changed = await changedBeforeExtend(context.request, live, { store, nowMs })
    if (changed !== null) return outdated(changed, nowMs)
    if (live.untilMs === null) {
      return { reply: { kind: 'extended', mute: live }, row: { outcome: 'nothing', why: 'no_deadline' } }
    }
    const maxMs = live.hostname === null ? limits.accountMuteMaxMs : limits.muteMaxMs
    const untilMs = Math.min(Math.max(live.untilMs, nowMs) + ms, nowMs + maxMs)
    if (untilMs <= live.untilMs) return refused({ why: 'too_long', maxMs })
    const mute = extendTerms(live, untilMs)
    return newTerms(ports, context, { mute, was: live.version }, { kind: 'extended', mute })
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
  return carryOut(ports, context, async () => {
    if (auditId !== undefined) return undoTogether(ports, context, auditId)
    const live = await activeOf(ports, context, muteId)
    if ('reply' in live) return live
    const nowMs = ports.clock.nowMs()
    // It does not undo terms other than those of the button.
    if (live.termsMs !== termsMs) return refused({ why: 'mute_replaced', mute: live })
    if (!isUndoable(live, context.request.userId, nowMs)) {
      return refused({ why: 'undo_too_late', mute: live })
    }
    if (live.previous === null) return endOne(ports, context, live, 'undo')
    const mute = restoreTerms(live, nowMs)
    const reply: Reply = { kind: 'undone', server: live.hostname, restored: mute, isSure: true }
    return newTerms(ports, context, { mute, was: live.version }, reply)
  })
}

/** The mute as it is now, or why it is not there to be changed. */
async function activeOf(
  { store }: ActPorts,
  { subject: { hostname } }: ActionContext,
  muteId: string,
): Promise<Mute | Acted> {
  const mute = await store.muteById(muteId)
  if (mute?.state === 'active') return mute
  // Whose it was is not known, so nothing can be said of what is muted there now.
  if (mute === null) return refused(unknownCard)
  const { mutes } = await store.mutes([hostname])
  const other = mutes.find((one) => one.hostname === hostname && isInForce(one) && one.state === 'active')
  if (other !== undefined) return refused({ why: 'mute_replaced', mute: other })
  return refused({ why: 'not_muted', server: hostname })
}

/** Notifications are off and stay off: the API is not asked. */
async function newTerms(
  { store, clock }: ActPorts,
  context: ActionContext,
  { mute, was }: { readonly mute: Mute; readonly was: number },
  reply: Reply,
): Promise<Decided> {
  const atMs = clock.nowMs()
  const row = { outcome: 'done', why: null, detail: detailOf(mute) } as const
  const entry = entryOf(context, row, { auditId: context.auditId, atMs })
  const places = mute.hostname === null ? await placesOf(mute, store) : [context.place]
  return {
    plan: {
      ...emptyPlan(atMs),
      mutes: [{ mute, was }],
      switches: reply.kind === 'undone' ? await withoutAnnouncement(store, [mute]) : [],
      audit: [entry],
      cards: places.map((place) => changeNotice(entry, place)),
      dirtyServers: [mute.hostname],
    },
    tell: [],
    reply: () => reply,
  }
}

/** Nobody is told any more that terms were confirmed which are not those of the mute. */
async function withoutAnnouncement(
  store: ActPorts['store'],
  mutes: readonly Mute[],
): Promise<Plan['switches']> {
  const rows = await store.switchesOf(mutes.map(({ hostname }) => hostname))
  return rows
    .filter((row) => !isSaid(row))
    .map((row) => ({
      next: { ...row, auditId: null, places: [], version: row.version + 1 },
      was: row.version,
    }))
}

/**
 * Everything that the row covers. The minute counts from the last of them, because many take longer than that; terms that
 * somebody has set since then stay.
 */
async function undoTogether(
  ports: ActPorts,
  context: ActionContext,
  auditId: string,
): Promise<Decided | Acted> {
  const { store, clock } = ports
  const { userId } = context.request
  const nowMs = clock.nowMs()
  const entry = await store.auditById(auditId)
  if (entry === null) return refused(unknownCard)
  if (entry.userId !== userId || nowMs - entry.atMs >= undoMs) {
    return refused({ why: 'undo_too_late' })
  }
  const asked = (await store.switchesAsked(auditId)).flatMap(({ hostname }) => hostname ?? [])
  const names = [...new Set([...(entry.detail.names ?? []), ...asked])]
  const { mutes } = await store.mutes(names)
  const isActive = new Map(
    mutes.filter(({ state }) => state === 'active').map((mute) => [mute.hostname, mute]),
  )
  const now = names.flatMap((name) => isActive.get(name) ?? [])
  const lives = now.filter((mute) => hasTermsOf(entry, mute))
  const left = now.flatMap((mute) => (lives.includes(mute) ? [] : (mute.hostname ?? [])))
  if (lives.length === 0) return refused({ why: 'undo_too_late' })
  const channels = await store.channelsTold({ auditId })
  const places = channels.length === 0 ? [context.place] : inChannels(channels)
  const ending = lives.filter(({ previous }) => previous === null)
  const back = restored(context, lives, nowMs)
  const servers = lives.flatMap(({ hostname }) => hostname ?? [])
  const waiting = { ...unanswered(ofSeveral(context), nowMs, { names: servers }) }
  const isAnyBack = back.mutes.length > 0
  const whole: AuditEntry = isAnyBack
    ? { ...waiting, outcome: 'done', why: null, detail: back.detail }
    : waiting
  const end = { by: 'undo', userId, nowMs, auditId: whole.auditId, places } as const
  const ends = ending.length === 0 ? emptyPlan(nowMs) : await planEnds(ports, ending, end)
  const silenced = await silencedNow(store)
  const plan = {
    ...ends,
    mutes: [...ends.mutes, ...back.mutes],
    switches: [
      ...ends.switches,
      ...(await withoutAnnouncement(
        store,
        back.mutes.map(({ mute }) => mute),
      )),
    ],
    audit: [...back.audit, whole],
    cards: [...ends.cards, ...(isAnyBack ? places.map((place: Place) => changeNotice(whole, place)) : [])],
    dirtyServers: lives.map(({ hostname }) => hostname),
  }
  const tell = ending.map(({ hostname }) => hostname)
  return {
    plan,
    tell,
    ended: ending,
    reply: (told) => {
      const isSure = tell.every((name) => isOver(told.get(name)))
      const isAny = tell.some((name) => isOver(told.get(name)))
      const several = { servers, left }
      return { kind: 'undone', server: null, restored: null, isSure, several, ...(isAny ? silenced : {}) }
    },
  }
}

function hasTermsOf({ userId, atMs, detail }: AuditEntry, mute: Mute): boolean {
  const { mode, untilMs = null, reason = '' } = detail
  const isSame = mute.mode === mode && mute.untilMs === untilMs && mute.reason === reason
  return isSame && mute.userId === userId && mute.termsMs <= atMs
}

/** Those with former terms: notifications are off and stay off. */
function restored(context: ActionContext, lives: readonly Mute[], nowMs: number) {
  const before = lives.filter(({ previous }) => previous !== null)
  const mutes = before.map((live) => ({ mute: restoreTerms(live, nowMs), was: live.version }))
  const audit = mutes.map(({ mute }) => {
    const { hostname, muteId } = mute
    const row = { outcome: 'done', why: null, hostname, detail: { ...detailOf(mute), muteId } } as const
    const auditId = `${context.auditId}:${hostname ?? ''}`
    return { ...entryOf(ofSeveral(context), row, { auditId, atMs: nowMs }), partOf: context.auditId }
  })
  const names = mutes.flatMap(({ mute }) => mute.hostname ?? [])
  return {
    mutes,
    audit,
    detail: { names, before: mutes.map(({ mute }) => ({ ...termsOf(mute), hostname: mute.hostname })) },
  }
}
