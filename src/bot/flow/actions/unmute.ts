/** Ends mutes that a person wants ended: the row says so on disk before the API is called. */

import { isGlob } from '../../../shared/glob.ts'
import { failsForAll } from '../../domain/base/failure.ts'
import { changeNotice, type Place } from '../../domain/card/thread-cards.ts'
import { unmutesMarker } from '../../domain/mute/marker.ts'
import type { Mute, Silenced } from '../../domain/mute/mute.ts'
import { endingMute } from '../../domain/mute/transitions.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { Change } from '../../domain/request/actions.ts'
import type { OneServer } from '../../domain/request/named.ts'
import { matching } from '../../domain/request/nearest.ts'
import type { Refusal } from '../../domain/request/reply.ts'
import { inSlices, lockName, switchNotifications } from '../mute/batch.ts'
import type { EndedMutes, TellTogether } from '../mute/end.ts'
import { inChannels } from '../mute/place.ts'
import type { Servers } from '../servers.ts'
import { doAtApi } from './at-api.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  groupMessage,
  outdated,
  refused,
  replyOnly,
  save,
  serverOf,
} from './context.ts'
import { changedBeforeUnmute, changedTerms } from './stale.ts'
import { hostnameOf, unknownServers } from './target.ts'

export async function unmuteServer(
  ports: ActPorts,
  context: ActionContext,
  change: Extract<Change, { kind: 'unmute_server' }>,
): Promise<Acted> {
  const { store, clock, lock } = ports
  const server = serverOf(context)
  if (!server.ok) return refused(server.refusal)
  const hostname = server.found
  return lock.hold(lockName(hostname), async () => {
    const { mutes } = await store.mutes(hostname)
    const live = mutes.find((mute) => mute.hostname === hostname) ?? null
    const nowMs = clock.nowMs()
    const about = { request: context.request, server: hostname, shown: change.shown }
    const changed = await changedBeforeUnmute(about, live, { store, nowMs })
    if (changed !== null) return outdated(changed, nowMs)
    if (live !== null) return endByPerson(ports, context, live)
    if (mutes.some((mute) => mute.hostname === null)) {
      // Switching the server's own notifications on would change nothing: those of the whole account are off.
      return refused({ why: 'not_muted', server: hostname, isAccountMuted: true })
    }
    return switchOn(ports, context, hostname)
  })
}

export async function unmuteAccount(
  ports: ActPorts,
  context: ActionContext,
  { shown }: Extract<Change, { kind: 'unmute_account' }>,
): Promise<Acted> {
  return ports.lock.hold(lockName(null), async () => {
    const { mutes } = await ports.store.mutes()
    const live = mutes.find((mute) => mute.hostname === null)
    if (live !== undefined) {
      const nowMs = ports.clock.nowMs()
      const changed = await changedTerms({ request: context.request, shown }, live, {
        store: ports.store,
        nowMs,
      })
      return changed === null ? endByPerson(ports, context, live) : outdated(changed, nowMs)
    }
    return switchOn(ports, context, null)
  })
}

/** monbot did not mute it, but somebody may have elsewhere: only the person who asked gets an answer. */
function switchOn(ports: ActPorts, context: ActionContext, hostname: string | null): Promise<Acted> {
  return doAtApi(ports, context, {
    call: () => switchNotifications(ports, { hostname, on: true, muteId: null, isOnDisk: false }),
    reply: { kind: 'unmuted', server: hostname, isSure: true, wasMuted: false },
    server: hostname,
    isNews: false,
  })
}

async function endByPerson(ports: ActPorts, context: ActionContext, live: Mute): Promise<Acted> {
  const { failure, silenced } = await endByHand(ports, context, [live], { by: 'person' })
  return replyOnly({ kind: 'unmuted', server: live.hostname, isSure: failure === null, ...silenced })
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
  const { store, clock, lock } = ports
  const { auditId } = context
  const live = (await store.mutes()).mutes
  const muted = live.flatMap(({ hostname }) => hostname ?? [])
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
  const places = await placesTold(
    context,
    live.filter(({ hostname }) => wanted.has(hostname ?? '')),
    store,
  )
  const ended: string[] = []
  const ending: string[] = []
  let isAway = false
  let silenced: Silenced = {}
  const tell: TellTogether = (mutes, now) => {
    const names = [...ended, ...hostnamesOf(mutes)]
    return groupMessage(context, { auditId, atMs: clock.nowMs() }, { names, ...now }, places)
  }
  await inSlices(lock, [...wanted], async (slice) => {
    const { mutes } = await store.mutes(slice)
    const lives = slice.flatMap((name) => mutes.find(({ hostname }) => hostname === name) ?? [])
    const came = await endByHand(ports, context, lives, { by: 'person', isAway, tell })
    const names = new Set(hostnamesOf(lives))
    for (const name of slice) if (!names.has(name)) left.add(name)
    const over = new Set(came.over.map(({ muteId }) => muteId))
    ended.push(...hostnamesOf(lives.filter(({ muteId }) => over.has(muteId))))
    ending.push(...hostnamesOf(lives.filter(({ muteId }) => !over.has(muteId))))
    isAway ||= came.isAway
    if (came.over.length > 0) silenced = came.silenced
    return 'go_on'
  })
  const servers = [...ended, ...ending]
  const [server = null, ...others] = left
  if (servers.length === 0) return refused({ why: 'not_muted', server, others })
  if (ended.length > 0) await mark(ports, context, unmutesMarker(ended, context.request.userId))
  const isSure = ending.length === 0
  return replyOnly({
    kind: 'unmuted',
    server: null,
    isSure,
    several: { servers, left: [...left] },
    ...silenced,
  })
}

/** A list that cannot be read does not prove that there is no such server. */
async function unknownOf(names: readonly string[], servers: Servers): Promise<Refusal | null> {
  const book = await servers.book()
  const unknown = names.filter((name) => !isGlob(name) && !book.has(name))
  if (unknown.length === 0 || servers.unread() !== null) return null
  return unknownServers({ act: 'unmute_server', unread: null }, unknown, servers)
}

/** Where it is asked, and where the beginning of any of them stands in a message of its own. */
async function placesTold(
  { place }: ActionContext,
  mutes: readonly Mute[],
  store: ActPorts['store'],
): Promise<readonly Place[]> {
  const channels = [place.channel]
  for (const mute of mutes) channels.push(...(await store.channelsTold(mute)))
  return inChannels(channels)
}

/** One marker about several, once all of them are known. */
export async function mark(
  { store, clock, ids }: ActPorts,
  context: ActionContext,
  text: string,
): Promise<void> {
  const { cardId } = changeNotice(context, context.place)
  await save(store, { ...emptyPlan(clock.nowMs()), markers: [{ markerId: ids.make(), text, cardId }] })
}

type ByHand = {
  readonly by: 'person' | 'undo'
  /** The API has just failed, so it is not asked: these mutes end as soon as it answers again. */
  readonly isAway?: boolean
  /** For several: the message about all of them. */
  readonly tell?: TellTogether
}

/** The caller holds the locks. First the rows say that they are to end: from then on they do, even if monbot is killed. */
export async function endByHand(
  { store, clock, endMute }: ActPorts,
  { request, act, auditId }: ActionContext,
  lives: readonly Mute[],
  { by, isAway = false, tell }: ByHand,
): Promise<EndedMutes & { readonly isAway: boolean }> {
  const none = { over: [], failure: null, silenced: {}, isAway }
  if (lives.length === 0) return none
  const { userId, via, channel } = request
  const nowMs = clock.nowMs()
  const rows = lives.map((live) => endingMute(live, { by, userId, nowMs }))
  await save(store, {
    ...emptyPlan(nowMs),
    mutes: rows.map((mute, at) => ({ mute, was: lives[at]?.version ?? null })),
    dirtyServers: rows.map(({ hostname }) => hostname),
  })
  if (isAway) return none
  const base = { userId, via, act, channel, ...(tell === undefined ? {} : { partOf: auditId }) }
  const ended = await endMute(rows, base, tell)
  return { ...ended, isAway: ended.failure !== null && failsForAll(ended.failure) }
}

function hostnamesOf(mutes: readonly Mute[]): readonly string[] {
  return mutes.flatMap(({ hostname }) => hostname ?? [])
}
