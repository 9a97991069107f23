/** Ends mutes that a person wants ended: the row says so on disk before the API is called. */

import { failsForAll, type OutsideFailure } from '../../domain/base/failure.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import { endingMute } from '../../domain/mute/transitions.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { Change } from '../../domain/request/actions.ts'
import { lockName } from '../mute/batch.ts'
import type { TellTogether } from '../mute/end.ts'
import { switchNotifications } from '../mute/switch.ts'
import { doAtApi } from './at-api.ts'
import { type Acted, type ActionContext, type ActPorts, outdated, refused, said, save } from './context.ts'
import { changedBeforeUnmute, changedTerms } from './stale.ts'
import { hostnameOf } from './target.ts'

export async function unmuteServer(
  ports: ActPorts,
  context: ActionContext,
  change: Extract<Change, { kind: 'unmute_server' }>,
): Promise<Acted> {
  const { store, clock, lock } = ports
  const server = await hostnameOf(change.server, store)
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
      const expected = `/mon unmute account: the whole account is muted, ${hostname} itself is not`
      return refused({ why: 'invalid', expected, came: hostname })
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

/** monbot did not mute it, and somebody may have elsewhere: only who asked is told. */
function switchOn(ports: ActPorts, context: ActionContext, hostname: string | null): Promise<Acted> {
  return doAtApi(ports, context, {
    call: () => switchNotifications(ports, { hostname, on: true, muteId: null, isOnDisk: false }),
    reply: { kind: 'unmuted', server: hostname, isSure: true, wasMuted: false },
    server: hostname,
    isNews: false,
  })
}

async function endByPerson(ports: ActPorts, context: ActionContext, live: Mute): Promise<Acted> {
  const isSure = (await endNow(ports, context, live, 'person')) === null
  return said({ kind: 'unmuted', server: live.hostname, isSure })
}

/**
 * Whoever calls it holds the lock. The audit and what everyone is told are `endMute`'s; `together`: what everyone is told
 * is the caller's. Answers why it is not over yet; null: it is.
 */
export async function endNow(
  ports: ActPorts,
  context: ActionContext,
  live: Mute,
  by: 'person' | 'undo',
  together: TellTogether | null = null,
): Promise<OutsideFailure | null> {
  const { request, act, auditId } = context
  const { userId, via, channel } = request
  const mute = await toEnding(ports, context, live, by)
  const base = { userId, via, act, channel, ...(together === null ? {} : { partOf: auditId }) }
  return ports.endMute(mute, base, together)
}

/** `away`: the API does not answer, so that the others would wait for it in vain. */
export type EndedOne = 'ended' | 'ending' | 'away'

/** One of several that are ended together. Once the API is away, `lapse` goes on with it. */
export async function endOne(
  ports: ActPorts,
  context: ActionContext,
  live: Mute,
  by: 'person' | 'undo',
  { isAway, tell }: { readonly isAway: boolean; readonly tell: TellTogether },
): Promise<EndedOne> {
  if (isAway) {
    await toEnding(ports, context, live, by)
    return 'away'
  }
  const failure = await endNow(ports, context, live, by, tell)
  if (failure === null) return 'ended'
  return failsForAll(failure) ? 'away' : 'ending'
}

async function toEnding(
  { store, clock }: ActPorts,
  { request: { userId } }: ActionContext,
  live: Mute,
  by: 'person' | 'undo',
): Promise<Mute> {
  const nowMs = clock.nowMs()
  const mute = endingMute(live, { by, userId, nowMs })
  const dirtyServers = [mute.hostname]
  await save(store, { ...emptyPlan(nowMs), mutes: [{ mute, was: live.version }], dirtyServers })
  return mute
}
