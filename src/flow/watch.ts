/** Work that goes on for as long as the bot does: a round, a wait until the next one is due or somebody wakes it, and again. */
import { openBell } from './bell.ts'
import type { Clock } from './ports.ts'

export type Watch = {
  /** There may be something to do: the wait ends, also one that is about to begin. */
  wake(): void
  /** Begins no further round, and resolves when the one under way is done. */
  stop(): Promise<void>
  isStopping(): boolean
}

/**
 * Begins at once. `round` answers how many milliseconds from now it has nothing to do; 0 or less: go on at once. `rung` is
 * aborted by the next wake or stop, for waits within a round.
 */
export function startWatch(clock: Clock, round: (rung: AbortSignal) => Promise<number>): Watch {
  const bell = openBell()
  let stopping = false

  async function watch(): Promise<void> {
    while (!stopping) {
      const rung = bell.signal()
      const waitMs = await round(rung)
      await clock.wait(Math.max(0, waitMs), rung)
    }
  }

  const watching = watch()
  return {
    wake: () => bell.ring(),
    stop: async () => {
      stopping = true
      bell.ring()
      await watching
    },
    isStopping: () => stopping,
  }
}
