/** Ends mutes that a person wants ended: the row says so on disk before the API is called. */

import type { Change } from '../../domain/intent.ts'
import type { Mute } from '../../domain/mute.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { endingMute } from '../../domain/transition.ts'
import { lockName } from '../lapse.ts'
import { doAtApi } from './at-api.ts'
import { type Acted, type ActPorts, outdated, refused, type Scene, said, save } from './scene.ts'
import { changedBeforeUnmute, changedTerms } from './stale.ts'
import { hostnameOf } from './subject.ts'

export async function unmuteServer(
  ports: ActPorts,
  scene: Scene,
  change: Extract<Change, { kind: 'unmute_server' }>,
): Promise<Acted> {
  const { store, clock, lock } = ports
  const server = await hostnameOf(change.server, store)
  if (!server.ok) return refused(server.refusal)
  const hostname = server.found
  return lock.hold(lockName({ hostname }), async () => {
    const { mutes } = await store.mutes()
    const live = mutes.find((mute) => mute.hostname === hostname) ?? null
    const nowMs = clock.nowMs()
    const about = { request: scene.request, server: hostname, shown: change.shown }
    const changed = await changedBeforeUnmute(about, live, { store, nowMs })
    if (changed !== null) return outdated(changed, nowMs)
    if (live !== null) return endByPerson(ports, scene, live)
    if (mutes.some((mute) => mute.hostname === null)) {
      // Switching the server's own notifications on would change nothing: those of the whole account are off.
      const expected = `/mon unmute account: the whole account is muted, ${hostname} itself is not`
      return refused({ why: 'invalid', expected, came: hostname })
    }
    // Somebody may have muted it elsewhere.
    return doAtApi(ports, scene, {
      call: () => ports.monitor.setServerNotifications(hostname, true),
      reply: { kind: 'unmuted', server: hostname, isSure: true },
      server: hostname,
    })
  })
}

export async function unmuteAccount(
  ports: ActPorts,
  scene: Scene,
  { shown }: Extract<Change, { kind: 'unmute_account' }>,
): Promise<Acted> {
  return ports.lock.hold(lockName({ hostname: null }), async () => {
    const { mutes } = await ports.store.mutes()
    const live = mutes.find((mute) => mute.hostname === null)
    if (live !== undefined) {
      const nowMs = ports.clock.nowMs()
      const changed = await changedTerms(live, shown, { store: ports.store, nowMs })
      return changed === null ? endByPerson(ports, scene, live) : outdated(changed, nowMs)
    }
    return doAtApi(ports, scene, {
      call: () => ports.monitor.setAccountNotifications(true),
      reply: { kind: 'unmuted', server: null, isSure: true },
      server: null,
    })
  })
}

async function endByPerson(ports: ActPorts, scene: Scene, live: Mute): Promise<Acted> {
  const isSure = await endNow(ports, scene, live, 'person')
  return said({ kind: 'unmuted', server: live.hostname, isSure })
}

/**
 * Whoever calls it holds the lock. The audit and what everyone is told are `endMute`'s; `together`: what everyone is told
 * is the caller's; `later`: all of it is left to `lapse`. Answers whether it is over.
 */
export async function endNow(
  { store, clock, endMute }: ActPorts,
  { request, act, auditId }: Scene,
  live: Mute,
  by: 'person' | 'undo',
  how: 'alone' | 'together' | 'later' = 'alone',
): Promise<boolean> {
  const { userId, via, channel } = request
  const nowMs = clock.nowMs()
  const mute = endingMute(live, { by, userId, nowMs })
  const touchedServers = [mute.hostname]
  await save(store, { ...emptyPlan(nowMs), mutes: [{ mute, was: live.version }], touchedServers })
  if (how === 'later') return false
  const base = { userId, via, act, channel, ...(how === 'together' ? { partOf: auditId } : {}) }
  const { isSure } = await endMute(mute, base, how === 'together')
  return isSure
}
