/** Handles a crash: logs the reason once, answers pending requests if the database failed, then exits. */
import { StoreFailure } from './domain/base/failure.ts'
import { within } from './flow/concurrency/within.ts'
import type { Clock } from './flow/ports/ports.ts'
import type { Log } from './log.ts'

/** Events that end the process unintentionally. */
const errorEvents = ['uncaughtException', 'unhandledRejection'] as const
/** Long enough for a pending answer. */
const farewellMs = 3_000

/**
 * Ends the process after an unexpected error. After a bug its state is unknown, so it exits at once; after a failure of the
 * database it first answers pending requests (`farewell` resolves when none is left).
 */
export function endOnCrash({
  log,
  clock,
  farewell,
}: {
  readonly log: Log
  readonly clock: Clock
  readonly farewell: () => Promise<unknown>
}): void {
  const exit = () => process.exit(1)
  let isEnding = false
  const end = (error: unknown) => {
    // Further failures during the exit follow from the first.
    if (isEnding) return
    isEnding = true
    // A rejection without a reason is a crash too. Its stack is needed to find the cause.
    log.fatal({ error, stack: error instanceof Error ? error.stack : undefined }, 'app:crashed')
    if (!(error instanceof StoreFailure)) return exit()
    within(clock, farewellMs, farewell()).then(exit, exit)
  }
  for (const event of errorEvents) process.on(event, end)
  // Nothing keeps the process alive: whatever should have done so ended silently.
  process.on('beforeExit', () => end(new Error('nothing was left to wait for')))
}
