/** Ends mutes as a person wants it: of a server, of several, of the account. */

import { isGlob } from '../../../shared/glob.ts'
import {
  alertWords,
  hostnameOf as hostOf,
  type Mute,
  mutedServer,
  silencedBy,
  subjectsUnder,
} from '../../domain/mute/mute.ts'
import type { PlannedMute } from '../../domain/mute/planned.ts'
import { decideSwitch } from '../../domain/mute/switch.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import type { Change } from '../../domain/request/actions.ts'
import type { AuditDetail, AuditEntry } from '../../domain/request/audit.ts'
import type { OneServer } from '../../domain/request/named.ts'
import { matching } from '../../domain/request/nearest.ts'
import type { Refusal, Reply } from '../../domain/request/reply.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import { planEnds } from '../mute/ends.ts'
import { inChannels, placesOf } from '../mute/places.ts'
import type { Told } from '../mute/writer.ts'
import type { Servers } from '../servers.ts'
import { triesMax } from './alert-actions.ts'
import { unknownServer } from './at-api.ts'
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
import { changedBeforeUnmute, changedTerms } from './stale.ts'
import { hostnameOf, unknownServers } from './target.ts'

/** What is decided: the plan is written, the API told of these subjects, and then it is answered. */
export type Decided = {
  readonly plan: Plan
  readonly tell: readonly (string | null)[]
  readonly reply: (told: ReadonlyMap<string | null, Told>) => Reply | Promise<Reply>
  /** Mutes that end: what they hid is looked for once more. */
  readonly ended?: readonly Mute[]
}

/** Somebody else, or a deadline, may change the mute between reading and writing: then it is decided anew. */
export async function carryOut(
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
  if (ended.length > 0) await hidden.sweep(subjectsUnder(ended))
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
  const own = mutes.filter((mute) => mute.subject === hostname)
  return own.find(({ state }) => state === 'active') ?? own[0] ?? null
}

/** monbot did not mute it, but somebody may have elsewhere: only the person who asked gets an answer. */
async function switchOn(ports: ActPorts, context: ActionContext, hostname: string | null): Promise<Decided> {
  const { store, clock } = ports
  const [before = null] = await store.switchesOf([hostname])
  const entry = unanswered(context, clock.nowMs(), {})
  const of = { subject: hostname, wanted: 'on', muteId: null, auditId: entry.auditId, places: [] } as const
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
      const planned = isSure ? await plannedFor(store, hostname) : {}
      return { kind: 'unmuted', server: hostname, isSure, ...(isSure ? { wasMuted: false, ...planned } : {}) }
    },
  }
}

/** What will mute it later; nothing where nothing is planned. */
async function plannedFor(
  store: ActPorts['store'],
  ...names: readonly (string | null)[]
): Promise<{ readonly planned?: readonly PlannedMute[] }> {
  const isMeant = ({ what }: PlannedMute) =>
    what.of === 'servers'
      ? what.names.some((one) =>
          names.some(
            (name) => name !== null && (matching(one, [name]).length > 0 || matching(name, [one]).length > 0),
          ),
        )
      : what.of === 'account' && names.includes(null)
  const planned = (await store.planned()).filter(isMeant)
  return planned.length === 0 ? {} : { planned }
}

/** The row of the request, which the API's answer settles. */
export function unanswered(context: ActionContext, atMs: number, detail: AuditDetail): AuditEntry {
  const row = { outcome: 'unknown', why: 'unanswered', detail } as const
  return entryOf(context, row, { auditId: context.auditId, atMs })
}

export function isOver(came: Told | undefined): boolean {
  return came?.kind === 'said' || came?.kind === 'gone'
}

export async function endOne(
  ports: ActPorts,
  context: ActionContext,
  live: Mute,
  by: 'person' | 'undo',
): Promise<Decided> {
  const { store, clock } = ports
  const { subject, muteId, reason, alert } = live
  const nowMs = clock.nowMs()
  // Terms in the row of an undo are older ones that it put back; this one ended the mute.
  const terms = by === 'undo' ? {} : { ...detailOf(live), reason }
  const about = { ...context.subject, hostname: hostOf(live), ...alertOf(live) }
  const own = alert === null ? {} : { alert: alertWords(alert) }
  const entry = unanswered({ ...context, subject: about }, nowMs, { muteId, ...terms, ...own })
  const places = await placesOf(live, store)
  const end = { by, userId: context.request.userId, nowMs, auditId: entry.auditId, places }
  const plan = await planEnds(ports, [live], end)
  const silenced = subject === null ? {} : await silencedNow(store, live)
  return {
    plan: { ...plan, audit: [entry] },
    tell: [subject],
    ended: [live],
    reply: (told) => {
      const isSure = isOver(told.get(subject))
      const rest = { server: hostOf(live), ...own, isSure, ...(isSure ? silenced : {}) }
      return by === 'undo' ? { kind: 'undone', restored: null, ...rest } : { kind: 'unmuted', ...rest }
    },
  }
}

/** The alert that a mute was about, for the audit. */
export function alertOf({ alert }: Mute): { readonly alertId?: string | null } {
  return alert === null ? {} : { alertId: alert.about?.alertId ?? null }
}

export async function silencedNow(store: ActPorts['store'], of: Mute | null = null) {
  return silencedBy((await store.mutes(of === null ? [null] : null)).mutes, of)
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
    const muted = [...new Set(live.flatMap((mute) => mutedServer(mute) ?? []))]
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
    if (servers.length === 0) {
      const planned = await plannedFor(store, server, ...others)
      return refused({ why: 'not_muted', server, others, ...planned })
    }
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

export function ofSeveral(context: ActionContext): ActionContext {
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
