/** Stands before the log and keeps in mind what broke lately, for who asks how monbot is; changes nothing of what is said. */
import { afterMishap, freshMishaps, jobKinds, type Mishap } from '../domain/base/mishap.ts'
import type { Clock, Logger } from '../flow/ports/ports.ts'

export function observeJobs(
  logger: Logger,
  clock: Clock,
): { readonly logger: Logger; mishaps(): readonly Mishap[] } {
  let known: readonly Mishap[] = []
  return {
    logger: {
      ...logger,
      error: (event, facts = {}) => {
        const job = event === 'job:broken' ? jobKinds.find((kind) => kind === facts.job) : undefined
        if (job !== undefined)
          known = afterMishap(known, { job, errorId: String(facts.errorId), atMs: clock.nowMs() })
        logger.error(event, facts)
      },
    },
    mishaps: () => freshMishaps(known, clock.nowMs()),
  }
}
