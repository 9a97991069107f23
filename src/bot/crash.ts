/** Handles a crash: logs the reason once, answers pending requests if the database failed, then exits. */
import { Deposed, StoreFailure } from './domain/base/failure.ts'
import { within } from './flow/concurrency/within.ts'
import type { Clock } from './flow/ports/ports.ts'
import type { Log } from './log.ts'

/** Events that end the process unintentionally. */
const errorEvents = ['uncaughtException', 'unhandledRejection'] as const
/** Long enough for a pending answer. */
const farewellMs = 3_000
/** Long enough for most calls under way to leave a note; whoever leads by now finds out about the others. */
const deposedMs = 1_500
/** EX_TEMPFAIL of sysexits.h: all is well, and a supervisor starts it again, as one that stands by. */
const deposedCode = 75

/**
 * Ends the process after an unexpected error. After a bug its state is unknown, so it exits at once; after a failure of the
 * database it first answers pending requests (`farewell` resolves when none is left). Once another process leads, it stops
 * (`stop`) and exits with 75, whether or not all of it ended well.
 */
export function endOnCrash({
  log,
  clock,
  farewell,
  stop,
}: {
  readonly log: Log
  readonly clock: Clock
  readonly farewell: () => Promise<unknown>
  readonly stop: () => Promise<unknown>
}): void {
  const exit = (code: number) => () => process.exit(code)
  let isEnding = false
  const end = (error: unknown) => {
    // Further failures during the exit follow from the first.
    if (isEnding) return
    isEnding = true
    if (error instanceof Deposed) {
      log.error({ why: error.message }, 'app:deposed')
      // What failed because of it must not cut short what else is under way.
      const stopped = new Promise((resolve) => stop().then(resolve, () => undefined))
      within(clock, deposedMs, stopped).then(exit(deposedCode), exit(deposedCode))
      return
    }
    // A rejection without a reason is a crash too. Its stack is needed to find the cause.
    log.fatal({ error, stack: error instanceof Error ? error.stack : undefined }, 'app:crashed')
    if (!(error instanceof StoreFailure)) return process.exit(1)
    within(clock, farewellMs, farewell()).then(exit(1), exit(1))
  }
  for (const event of errorEvents) process.on(event, end)
  // Nothing keeps the process alive: whatever should have done so ended silently.
  process.on('beforeExit', () => end(new Error('nothing was left to wait for')))
}
