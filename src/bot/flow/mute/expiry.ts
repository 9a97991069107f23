/**
 * What monbot does about mutes by itself: ends those that are due, for as long as it takes, and hands them back before.
 * Everything it goes by is on disk, so that a crash, an API that was away or a clock that jumped delays it and no more.
 */
import { backoffMs } from '../../domain/base/backoff.ts'
import { dayMs } from '../../domain/base/duration.ts'
import { isWithin, remainingMs } from '../../domain/base/set-clock.ts'
import type { Images } from '../../domain/delivery/picture.ts'
import { type Due, dueOf, type Wellness } from '../../domain/mute/due.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import { strayOf } from '../../domain/mute/stray.ts'
import { endingMute } from '../../domain/mute/transitions.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { contain } from '../concurrency/contain.ts'
import type { Lock } from '../concurrency/lock.ts'
import { type Job, openWatch, type Watch } from '../concurrency/watch.ts'
import type { Clock, Ids, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { lockName } from './batch.ts'
import type { EndMute } from './end.ts'
import { byItself, type HandBackPorts, openHandBack } from './hand-back.ts'
import type { Hidden } from './reveal.ts'

/** Checks at least this often: the clock may jump, and no event says that the API was read. */
const lookEveryMs = 30_000
/** How many mutes are ended at the same time, so that one call that hangs does not hold up the others. */
const lanesMax = 4
const forgetEveryMs = 60 * 60_000
/** Slack repeats an envelope within minutes, and people repeat a request within hours. */
const requestsKeptMs = dayMs
/** Data is stale after startup; what is due waits this long for the first poll. */
const outageMaxMs = 20_000

export type Expiry = Job & {
  /** Call it when a mute or an alert may have changed. */
  wake(): void
}

export type ExpiryPorts = {
  readonly store: HandBackPorts['store'] &
    Pick<Store, 'forgetRequests' | 'lastClosedMs' | 'lostAlerts' | 'muteById' | 'mutes' | 'noteStray'>
  readonly clock: Clock
  readonly logger: Logger
  readonly ids: Ids
  readonly lock: Lock
  readonly endMute: EndMute
  readonly hidden: Hidden
  /** When the open alerts were last read; null before the first time. */
  readonly lastPollMs: () => number | null
  /** The same for a poll that could read all of them: only then does no alert mean that a server is well. */
  readonly lastOpenCompleteMs: () => number | null
  /** Called when something was written that others show. */
  readonly onChanged: () => void
}

type ExpiryOptions = {
  readonly images: Images
}

export function openExpiry(ports: ExpiryPorts, options: ExpiryOptions): Expiry {
  const { store, clock, logger, hidden, lastPollMs, onChanged } = ports
  let forgotMs = Number.NEGATIVE_INFINITY
  let sweptEpoch: number | null = null
  let isRecovered = false

  async function round(): Promise<number> {
    if (!isRecovered) await recover()
    const nowMs = clock.nowMs()
    const nextMs = await lanes.begin(nowMs)
    if (lastPollMs() !== null) {
      await contain({ kind: 'mute', logger }, sweep, () => undefined)
    }
    await contain(
      { kind: 'retention', logger },
      () => forget(nowMs),
      () => undefined,
    )
    // Read the clock again: if it was set meanwhile, the next check is not far off either way.
    return Math.min(nextMs - clock.nowMs(), lookEveryMs)
  }

  /** The API may still carry out what the process before asked for when it ended. */
  async function recover(): Promise<void> {
    const { mutes } = await store.mutes()
    for (const mute of mutes) if (mute.state !== 'active') await noteAsked(mute, ports)
    isRecovered = true
  }

  /** After the start and after every change of a mute: finds alerts that a crash, or two changes at once, left without a card. */
  async function sweep(): Promise<void> {
    const { muteEpoch } = await store.mutes()
    if (muteEpoch === sweptEpoch) return
    if (await hidden.sweep(null)) onChanged()
    sweptEpoch = muteEpoch
  }

  async function forget(nowMs: number): Promise<void> {
    if (isWithin(forgotMs, nowMs, forgetEveryMs)) return
    forgotMs = nowMs
    await store.forgetRequests(nowMs - requestsKeptMs)
  }

  const watch = openWatch('mute', { clock, logger }, round)
  const lanes = openLanes(ports, openFollow(ports, options), watch)
  return {
    start: watch.start,
    wake: watch.wake,
    stop: async () => {
      await watch.stop()
      await lanes.idle()
    },
  }
}

type Lanes = {
  /** Starts what is due, and answers when the next thing is. */
  begin(nowMs: number): Promise<number>
  /** Resolves when nothing that was started is under way. */
  idle(): Promise<void>
}

/** Several mutes at the same time, each in a lane of its own, so that one that breaks or hangs holds up no other. */
function openLanes(ports: ExpiryPorts, follow: Follow, watch: Watch): Lanes {
  const { store, clock, logger, lock, lastPollMs } = ports
  const lanes = new Map<string, Promise<void>>()
  /** Mutes at which monbot broke: how often, and until when each rests. None is given up, as its server would stay silent. */
  const broken = new Map<string, { readonly times: number; readonly untilMs: number }>()
  let startedMs: number | null = null

  async function begin(nowMs: number): Promise<number> {
    let nextMs = nowMs + lookEveryMs
    const isUnread = lastPollMs() === null
    startedMs ??= nowMs
    const restMs = isUnread ? remainingMs(startedMs + outageMaxMs, nowMs, outageMaxMs) : 0
    if (restMs > 0) return nowMs + restMs
    const { mutes } = await store.mutes()
    for (const mute of mutes.toSorted(byUrgency)) {
      if (lanes.has(mute.muteId)) continue
      const brokenMs = remainingMs(broken.get(mute.muteId)?.untilMs ?? 0, nowMs, lookEveryMs)
      if (brokenMs > 0) {
        nextMs = Math.min(nextMs, nowMs + brokenMs)
        continue
      }
      const due = await unbroken(mute, async () => dueOf(mute, await wellnessOf(mute, ports), nowMs))
      if (due === null) continue
      if (due.do === 'wait') nextMs = Math.min(nextMs, due.untilMs ?? nextMs)
      // The alerts that it would list as open may have closed long ago.
      else if (due.do === 'hand_back' && isUnread) continue
      else if (lanes.size < lanesMax && !watch.isStopping()) lanes.set(mute.muteId, runLane(mute))
    }
    return nextMs
  }

  async function runLane(mute: Mute): Promise<void> {
    // Read it again under the lock: a person may have extended it meanwhile.
    await lock.hold(lockName(mute.hostname), () =>
      unbroken(mute, async () => {
        const now = await store.muteById(mute.muteId)
        if (now !== null) await follow(now, dueOf(now, await wellnessOf(now, ports), clock.nowMs()))
        broken.delete(mute.muteId)
      }),
    )
    lanes.delete(mute.muteId)
    watch.wake()
  }

  /** Null if it broke: this mute rests for a while, the others go on. */
  function unbroken<T>({ muteId, hostname }: Mute, work: () => Promise<T>): Promise<T | null> {
    return contain({ kind: 'mute', logger, facts: { muteId, hostname } }, work, () => {
      const times = (broken.get(muteId)?.times ?? 0) + 1
      broken.set(muteId, { times, untilMs: clock.nowMs() + Math.min(backoffMs(times), lookEveryMs) })
      return null
    })
  }

  return {
    begin,
    idle: async () => {
      await Promise.all(lanes.values())
    },
  }
}

type Follow = (mute: Mute, due: Due) => Promise<void>

/** Does what is due for one mute, whose lock the caller holds. */
function openFollow(ports: ExpiryPorts, options: ExpiryOptions): Follow {
  const { store, clock, logger, endMute, onChanged } = ports
  const handBack = openHandBack(ports, options.images)

  async function end(mute: Mute, by: 'deadline' | 'healthy' | 'interrupted'): Promise<void> {
    const nowMs = clock.nowMs()
    const next = endingMute(mute, { by, userId: null, nowMs })
    const plan = { ...emptyPlan(nowMs), mutes: [{ mute: next, was: mute.version }] }
    // Stale: it was changed meanwhile, and the next round decides again.
    if ((await store.commit(plan)) === 'stale') return
    logger.info('mute:ending', { hostname: mute.hostname, by })
    await endMute([next], byItself(next))
    onChanged()
  }

  return async (mute, due) => {
    switch (due.do) {
      case 'wait':
        return
      case 'hand_back':
        return handBack(mute)
      case 'try_again':
        await endMute([mute], byItself(mute))
        return onChanged()
      case 'interrupt':
        await noteAsked(mute, ports)
        return end(mute, 'interrupted')
      case 'end':
        return end(mute, due.by)
    }
  }
}

async function noteAsked({ hostname, muteId, state }: Mute, { store, clock }: ExpiryPorts): Promise<void> {
  await store.noteStray(strayOf({ hostname, on: state === 'ending', muteId }, clock.nowMs()))
}

async function wellnessOf(mute: Mute, ports: ExpiryPorts): Promise<Wellness> {
  const { store, clock } = ports
  const lookedMs = ports.lastOpenCompleteMs()
  if (mute.mode !== 'healthy' || mute.state !== 'active') return { wellSinceMs: null, lookedMs }
  const { hostname } = mute
  const on = hostname === null ? null : [hostname]
  // While an alert is lost, nobody knows whether the server is well.
  for (const alerts of [await store.openAlerts(on), await store.lostAlerts(on)]) {
    if (alerts.length > 0) return { wellSinceMs: null, lookedMs }
  }
  const closedMs = await store.lastClosedMs(hostname)
  // A time in the future comes from a clock that was set back since, and says nothing.
  const timesMs = [mute.termsMs, closedMs ?? 0].filter((ms) => ms <= clock.nowMs())
  return { wellSinceMs: Math.max(0, ...timesMs), lookedMs }
}

/** The account's mute hides everything, so it comes first; then what was not tried yet; then what has waited longest. */
function byUrgency(a: Mute, b: Mute): number {
  if ((a.hostname === null) !== (b.hostname === null)) return a.hostname === null ? -1 : 1
  // Otherwise servers on which the API always hangs would occupy the lanes.
  if ((a.attempts === 0) !== (b.attempts === 0)) return a.attempts === 0 ? -1 : 1
  return dueMs(a) - dueMs(b)
}

function dueMs({ state, notBeforeMs, untilMs }: Mute): number {
  return state === 'ending' ? notBeforeMs : (untilMs ?? 0)
}
