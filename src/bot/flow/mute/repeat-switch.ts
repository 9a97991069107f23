/**
 * Says again how notifications should be where a request without a clear answer may be carried out late: 1, 5 and 30 min
 * after it, also over a restart. On where no mute holds, off where one does: what holds by then wins in the end.
 */

import { mayHaveBeenDone, type OutsideFailure } from '../../domain/base/failure.ts'
import { remainingMs } from '../../domain/base/set-clock.ts'
import { changeNotice } from '../../domain/card/thread-cards.ts'
import { isGoneAgain } from '../../domain/mute/due.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import { type Stray, saidAgain, saidLater, strayMaxMs, toldAfterTries } from '../../domain/mute/stray.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import { attempt } from '../attempt.ts'
import { contain } from '../concurrency/contain.ts'
import type { Lock } from '../concurrency/lock.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { Clock, Ids, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { lockName, type SwitchPorts, strayFor, switchNotifications } from './batch.ts'
import { placeOf } from './place.ts'

const lookEveryMs = 30_000

type RepeatPorts = {
  readonly monitor: SwitchPorts['monitor']
  readonly store: SwitchPorts['store'] & Pick<Store, 'cardById' | 'commit' | 'muteById' | 'mutes'>
  readonly clock: Clock
  readonly logger: Logger
  readonly ids: Ids
  readonly lock: Lock
  /** When the open alerts were last read; null until the first poll after the start. */
  readonly lastPollMs: () => number | null
  /** Called when something was written that others show. */
  readonly onChanged: () => void
}

/** Nobody is told of it, unless the API does not take it. */
export function openRepeats(ports: RepeatPorts): Job {
  const { store, clock, logger, ids, lock, lastPollMs, onChanged } = ports

  async function round(): Promise<number> {
    const nowMs = clock.nowMs()
    const waits = (await store.strays()).map((stray) => ({
      stray,
      waitMs: remainingMs(stray.notBeforeMs, nowMs, strayMaxMs),
    }))
    const due = waits.find(({ waitMs }) => waitMs === 0)
    if (due === undefined) return Math.min(lookEveryMs, ...waits.map(({ waitMs }) => waitMs))
    await lock.hold(lockName(due.stray.hostname), () => settle(due.stray))
    return 0
  }

  async function settle(found: Stray): Promise<void> {
    // Read again under the lock: a person may have muted or unmuted it meanwhile.
    const stray = await strayFor(found, store)
    if (stray?.notBeforeMs !== found.notBeforeMs) return
    const { hostname, on } = stray
    const job = { kind: 'mute', logger, facts: { hostname, on } } as const
    // One that breaks rests for a while, and no other.
    const next = await contain(
      job,
      () => after(stray),
      () => saidLater(stray, clock.nowMs(), true),
    )
    await (next === null ? store.dropStray(stray) : store.noteStray(next))
  }

  /** What is left of it. */
  async function after(stray: Stray): Promise<Stray | null> {
    const { hostname } = stray
    const mute = (await store.mutes(hostname)).mutes.find((one) => one.hostname === hostname)
    // It is being asked for something anyway.
    if (mute?.state === 'asked' || mute?.state === 'ending') return saidLater(stray, clock.nowMs(), false)
    const on = mute === undefined
    if (on === stray.on) return saidAgain(stray, clock.nowMs())
    const muteId = mute?.muteId ?? stray.muteId
    const came = await attempt(() => switchNotifications(ports, { hostname, on, muteId, isOnDisk: false }))
    const nowMs = clock.nowMs()
    // A server that the API does not know, however often it is asked, has no notifications that could be off.
    const isMissing = !came.ok && came.failure.kind === 'missing' && hostname !== null
    if (came.ok || (isMissing && isGoneAgain(stray.attempts, lastPollMs(), nowMs))) {
      logger.info('mute:said_again', { hostname, on })
      return saidAgain(stray, nowMs)
    }
    const next = saidLater(stray, nowMs, true)
    logger.warn('mute:not_said_again', { hostname, on, why: came.failure.message, tries: next.attempts })
    if (next.attempts === toldAfterTries) await tell(next, mute ?? null, came.failure)
    return next
  }

  async function tell(stray: Stray, live: Mute | null, failure: OutsideFailure): Promise<void> {
    const mute = live ?? (stray.muteId === null ? null : await store.muteById(stray.muteId))
    const entry: AuditEntry = {
      auditId: ids.make(),
      atMs: clock.nowMs(),
      userId: null,
      via: 'monbot',
      act: 'repeat_switch',
      hostname: stray.hostname,
      alertId: null,
      channel: mute?.channel ?? null,
      outcome: mayHaveBeenDone(failure) ? 'unknown' : 'failed',
      why: failure.kind,
      detail: { answer: failure.message, ...(live === null ? {} : { muteId: live.muteId }) },
    }
    const cards = mute === null ? [] : [changeNotice(entry, await placeOf(mute, store))]
    await store.commit({ ...emptyPlan(entry.atMs), audit: [entry], cards })
    onChanged()
  }

  return openWatch('mute', { clock, logger }, round)
}
