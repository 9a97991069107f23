/** Deletes what ended long ago, a little at a time, so that the store does not grow. */
import { forgettingAt, forgettingNowMs, keptAsARule } from '../domain/base/retention.ts'
import { type Job, openWatch } from './concurrency/watch.ts'
import type { Clock, Logger } from './ports/ports.ts'
import type { Store } from './ports/store.ts'

const everyMs = 60 * 60_000
/** Rows of one kind per transaction: a few milliseconds in which nothing else can be written. */
const batchRows = 200
/** Pause between two batches, so that others get their turn. */
const restMs = 50

/** Runs every hour. */
export function openRetain(
  ports: {
    readonly store: Pick<Store, 'prune' | 'newestStartMs'>
    readonly clock: Clock
    readonly logger: Logger
  },
  kept = keptAsARule,
): Job {
  const { store, clock, logger } = ports

  // The time passed since the first look, measured by the waits in between, which no change of the clock affects.
  let believedMs = Number.NEGATIVE_INFINITY

  return openWatch('retention', { clock, logger }, async (rung) => {
    let rows = 0
    const newestMs = await store.newestStartMs()
    believedMs = Math.max(believedMs + everyMs, newestMs ?? Number.NEGATIVE_INFINITY)
    const nowMs = forgettingNowMs(clock.nowMs(), believedMs)
    // Nothing wakes it: the signal only means stop.
    while (!rung.aborted) {
      const deleted = await store.prune(forgettingAt(nowMs, kept), batchRows)
      rows += deleted
      if (deleted === 0) break
      await clock.wait(restMs, rung)
    }
    if (rows > 0) logger.info('memory:pruned', { rows })
    return everyMs
  })
}
