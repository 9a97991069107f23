/** Runs background work in rounds, as long as the bot runs: each waits until it is due or something wakes it. */

import { backoffMs } from '../../domain/base/backoff.ts'
import type { JobKind } from '../../domain/base/unexpected-error.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import { contain, unlessAway } from './contain.ts'

/** How soon work is tried again that the memory did not answer. */
export const awayRestMs = 1_000

/** A part of the bot that runs from start to stop. It can be wired up, and woken, before it is started. */
export type Job = {
  start(): void
  /** Starts nothing new, and resolves once everything already started is written. */
  stop(): Promise<void>
}

export type Watch = Job & {
  /** There may be work: ends the current wait, or the next one. */
  wake(): void
  isStopping(): boolean
}

/**
 * The first round begins with the start. `round` returns for how many milliseconds it has nothing to do; 0 or less: continue
 * at once. `rung` is aborted by the next wake or stop, for waits within a round. A failed round is reported and followed by
 * the next, after a growing wait that only a stop ends; one that the memory did not answer, after a second.
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
          const ms = await unlessAway(() => round(rung))
          if (ms !== 'away') broken = 0
          return ms
        },
        () => {
          broken += 1
          return backoffMs(broken - 1)
        },
      )
      const isAway = waitMs === 'away'
      const signal = broken > 0 || isAway ? stopping.signal : rung
      await clock.wait(isAway ? awayRestMs : Math.max(0, waitMs), signal)
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

type WakeSignal = {
  ring(): void
  /** Aborted by the next wake; take it before checking for work, so that no wake is missed in between. */
  signal(): AbortSignal
}

export function openWakeSignal(): WakeSignal {
  let controller = new AbortController()
  return {
    ring: () => {
      const rung = controller
      controller = new AbortController()
      // Without a reason given here each abort would create one, with a stack that nobody reads.
      rung.abort(null)
    },
    signal: () => controller.signal,
  }
}

/** One signal for everything that shows or continues what is on disk: every write raises it. */
export type ChangeBus = {
  raise(): void
  /** Woken by every change from now on. */
  join(part: { wake(): void }): void
}

export function openChangeBus(): ChangeBus {
  const parts: { wake(): void }[] = []
  return {
    raise: () => {
      for (const part of parts) part.wake()
    },
    join: (part) => {
      parts.push(part)
    },
  }
}
