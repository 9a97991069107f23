/** Work that goes on for as long as the bot does: a round, a wait until the next one is due or somebody wakes it, and again. */

import { backoffMs } from '../../domain/base/backoff.ts'
import type { JobKind } from '../../domain/base/mishap.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import { contain } from './contain.ts'
import { openWakeSignal } from './wake-signal.ts'

/** A part of the bot that works from its start to its stop. It can be wired up, and woken, before it is started. */
export type Job = {
  start(): void
  /** Begins nothing new, and resolves when what was begun is written down. */
  stop(): Promise<void>
}

export type Watch = Job & {
  /** There may be something to do: the wait ends, also one that is about to begin. */
  wake(): void
  isStopping(): boolean
}

/**
 * The first round begins with the start. `round` answers how many milliseconds from now it has nothing to do; 0 or less: go on at once. `rung` is
 * aborted by the next wake or stop, for waits within a round. A round that breaks is told and followed by the next one, after
 * a wait that grows and that only a stop ends.
 */
export function openWatch(
  kind: JobKind,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  round: (rung: AbortSignal) => Promise<number>,
): Watch {
  const wakeSignal = openWakeSignal()
  const stopping = new AbortController()
  let broken = 0

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const rung = wakeSignal.signal()
      const waitMs = await contain(
        { kind, logger },
        async () => {
          const ms = await round(rung)
          broken = 0
          return ms
        },
        () => {
          broken += 1
          return backoffMs(broken - 1)
        },
      )
      await clock.wait(Math.max(0, waitMs), broken > 0 ? stopping.signal : rung)
    }
  }

  let watching: Promise<void> | null = null
  return {
    start: () => {
      watching ??= watch()
    },
    wake: () => wakeSignal.ring(),
    stop: async () => {
      stopping.abort()
      wakeSignal.ring()
      await watching
    },
    isStopping: () => stopping.signal.aborted,
  }
}
