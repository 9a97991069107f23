/**
 * Derives what is to be said and done from what is: mutes that end, posts, rounds, reminders, pages. A look costs nothing where nothing
 * changed; what depends on time alone is looked at each second (mutes) or every few seconds (all else).
 */
import { type Clock, minute, second } from '../clock.ts'
import { wantPosts } from '../decide/missing.ts'
import { endMutes, keepMaintenance, keepWindows } from '../decide/mute-times.ts'
import { keepBoards, tellOutage, tellReport, tellShift } from '../decide/notices.ts'
import { investigate, page } from '../decide/paging.ts'
import { keepRounds, remind, wantAloud } from '../decide/rounds.ts'
import { type Log, silentLog } from '../log.ts'
import type { Scene } from '../view/view.ts'
import type { World } from '../world/world.ts'
import { type Loop, startLoop } from './loop.ts'

const everyMs = second
/** Steps of reminders and the like may come so much late. */
const wholeEveryMs = 5 * second
/** A clock that leaps further is not believed for a minute: no mute ends because of it. */
const jumpMs = 10 * minute
const notBelievedMs = minute

type Memory = {
  version: number
  policy: unknown
  lookedMs: number
  wholeMs: number
  jumpedMs: number
}
const memories = new WeakMap<World, Memory>()

export function startAnnouncer(parts: {
  readonly scene: () => Scene
  readonly clock: Clock
  readonly log: Log
}): Loop {
  const { scene, clock, log } = parts
  return startLoop({ name: 'announce', everyMs, clock, log, run: () => announce(scene(), log) })
}

export function announce(scene: Scene, log: Log = silentLog): void {
  const { world, nowMs } = scene
  const never = {
    version: -1,
    policy: null,
    wholeMs: Number.NEGATIVE_INFINITY,
    jumpedMs: Number.NEGATIVE_INFINITY,
  }
  const memory = memories.get(world) ?? { ...never, lookedMs: nowMs }
  memories.set(world, memory)
  const sinceMs = memory.lookedMs
  memory.lookedMs = nowMs
  if (nowMs - sinceMs > jumpMs) {
    memory.jumpedMs = nowMs
    log.warn('clock:jumped', { byMs: nowMs - sinceMs })
  }
  const isBelieved = Math.abs(nowMs - memory.jumpedMs) >= notBelievedMs
  if (isBelieved && world.activeMutes.size > 0) world.decide(() => endMutes(scene))
  const isSame = () => world.version === memory.version && scene.policy === memory.policy
  if (world.activeMutes.size > 0 || !isSame()) world.decide(() => keepWindows(scene, sinceMs))
  if (isSame() && nowMs - memory.wholeMs < wholeEveryMs) return
  const parts = [
    keepMaintenance,
    tellOutage,
    wantPosts,
    keepRounds,
    wantAloud,
    remind,
    page,
    investigate,
    tellShift,
    tellReport,
    keepBoards,
  ]
  // One that fails as a whole must not keep the others from their turn.
  for (const part of parts) world.apart(part.name, () => part(scene))
  Object.assign(memory, { version: world.version, policy: scene.policy, wholeMs: nowMs })
  world.tellSetAside((record, why) => log.error('record:set_aside', { record, why }))
}
