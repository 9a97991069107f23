/** Tries what Slack refused for good once more: at the start, and a few times a day, as the workspace may be another by then. */

import { type Job, openWatch } from '../concurrency/watch.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

const everyMs = 6 * 60 * 60_000

/** `onChanged` wakes those who show cards. */
export function openRevive({
  store,
  clock,
  logger,
  onChanged,
}: {
  readonly store: Pick<Store, 'retryDead'>
  readonly clock: Clock
  readonly logger: Logger
  readonly onChanged: () => void
}): Job {
  return openWatch('card', { clock, logger }, async () => {
    const retried = await store.retryDead()
    if (retried > 0) {
      logger.info('cards:retried', { count: retried })
      onChanged()
    }
    return everyMs
  })
}
