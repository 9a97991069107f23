/** A crash: its reason stands in the log once, whoever is just being answered is answered where that can be, and then the end. */
import { MemoryFailure } from './domain/base/failure.ts'
import { within } from './flow/concurrency/within.ts'
import type { Clock } from './flow/ports/ports.ts'
import type { Log } from './log.ts'

/** What ends the process besides its own wish. */
const errorEvents = ['uncaughtException', 'unhandledRejection'] as const
/** An answer that is under way needs no longer. */
const farewellMs = 3_000

/**
 * `farewell` resolves when nobody is being answered any more. After a bug nothing is known of the process, so that it ends
 * at once; without its memory it can still say so to whoever asked.
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
    // What else fails while it ends follows from the first.
    if (isEnding) return
    isEnding = true
    // A rejection may come with no reason at all, and is a crash all the same. Its stack is what will be asked for.
    log.fatal({ error, stack: error instanceof Error ? error.stack : undefined }, 'app:crashed')
    if (!(error instanceof MemoryFailure)) return exit()
    within(clock, farewellMs, farewell()).then(exit, exit)
  }
  for (const event of errorEvents) process.on(event, end)
  // Nothing keeps the process alive: whatever should have, has ended without a word.
  process.on('beforeExit', () => end(new Error('nothing was left to wait for')))
}
