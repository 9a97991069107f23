/**
 * What one who takes the lead does about calls of those who led before. Nobody knows the end of what they had under way, so it is
 * shown again; and what they posted when it was too late is deleted, or given to the card that has no message.
 */

import type { CardState } from '../../domain/delivery/delivery.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { attempt } from '../attempt.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { Copy } from '../ports/card-store.ts'
import type { Leadership } from '../ports/leadership.ts'
import type { Chat, Logger, SteadyClock } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { placeOf } from './direct.ts'

const lookEveryMs = 5_000
/** After a copy could not be deleted. */
const againMs = 60_000
/** When an update that was under way is shown over once more: a proxy may carry it out late. */
const againAfterMs = [60_000, 5 * 60_000, 30 * 60_000] as const

export type TakenOver = Job & {
  /** To be called before anything else is started. */
  takeOver(): Promise<void>
}

/** `onChanged` wakes those who show cards. */
export function openTakenOver(ports: {
  readonly store: Pick<
    Store,
    'commit' | 'copies' | 'forgetCopy' | 'recoverSending' | 'settle' | 'takeCopy' | 'takeOver'
  >
  readonly chat: Pick<Chat, 'direct' | 'remove'>
  readonly clock: SteadyClock
  readonly logger: Logger
  readonly leadership: Leadership
  readonly onChanged: () => void
}): TakenOver {
  const { store, chat, clock, logger, leadership, onChanged } = ports
  let interrupted: readonly string[] = []
  /** When they are to be shown again, by the steady clock. */
  let dueMs: readonly number[] = []
  /** Copies that could not be deleted just now. */
  const left = new Map<string, number>()

  async function showAgain(): Promise<void> {
    const nowMs = clock.steadyMs()
    if (dueMs.every((ms) => ms > nowMs)) return
    dueMs = dueMs.filter((ms) => ms > nowMs)
    await store.commit({ ...emptyPlan(clock.nowMs()), dirtyCards: interrupted })
    onChanged()
  }

  async function clear({ cardId, channel, ts }: Copy & { readonly ts: string }): Promise<void> {
    if (await store.takeCopy({ cardId, channel, ts })) return onChanged()
    const deleted = await attempt(async () => chat.remove({ channel: await placeOf(chat, channel), ts }))
    if (!deleted.ok) {
      logger.warn('copy:left', { cardId, channel, why: deleted.failure.message })
      left.set(ts, clock.steadyMs() + againMs)
      return
    }
    await store.forgetCopy({ cardId, channel, ts })
    logger.info('copy:deleted', { cardId, channel, ts })
  }

  /** Once it is known which message is the card's, any other of it is looked for and deleted. */
  async function lookFor(copy: Copy, state: CardState | null): Promise<void> {
    if (state === 'wanted' || state === 'unknown') return
    if (state === 'shown') {
      await store.settle(copy.cardId, { tidyMs: clock.nowMs(), tidies: 1 }, 'shown')
      onChanged()
    }
    await store.forgetCopy(copy)
  }

  const watch = openWatch('delivery', ports, async () => {
    await showAgain()
    for (const { state, ts, ...of } of await store.copies()) {
      // Whether it will have a message of its own is known in a moment.
      if (state === 'sending') continue
      if (ts === null) await lookFor({ ...of, ts }, state)
      else if ((left.get(ts) ?? 0) <= clock.steadyMs()) await clear({ ...of, ts })
    }
    return lookEveryMs
  })

  return {
    takeOver: async () => {
      const count = await store.recoverSending()
      if (count > 0) logger.warn('cards:interrupted', { count })
      if (leadership.term === 0) return
      interrupted = await store.takeOver()
      if (interrupted.length > 0) dueMs = againAfterMs.map((ms) => clock.steadyMs() + ms)
    },
    start: () => {
      if (leadership.term > 0) watch.start()
    },
    stop: watch.stop,
  }
}
