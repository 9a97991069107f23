/**
 * A loop looks at what is and what should be, and does the difference: one round at a time, at least every `everyMs`, and soon after
 * `wake`. A round that throws is logged and counted, and the next one waits longer; a lost lead ends the loop.
 */
import { type Clock, minute, second } from '../clock.ts'
import type { Log } from '../log.ts'
import { LostLead } from '../world/store.ts'

export type LoopOptions = {
  readonly name: string
  readonly everyMs: number
  /** May answer, or promise, in how many milliseconds it wants to run again, where that is sooner than `everyMs`. */
  readonly run: (signal: AbortSignal) => unknown
  readonly clock: Clock
  readonly log: Log
}

export type Loop = {
  /** Runs a round soon; several calls before it begins are one. */
  wake(): void
  /** Resolves once the round of now is over and no other one will begin. */
  stop(): Promise<void>
  /** How many rounds threw. */
  failed(): number
}

/** Grows with each failure in a row: 1, 2, 4 … 60 s. */
export function backoffMs(failures: number): number {
  return Math.min(second * 2 ** Math.max(failures - 1, 0), minute)
}

/** No pause is longer; one that seems so was written by a clock that went wrong. */
const pauseMaxMs = 35 * minute

export function soonest(dueMs: number, nowMs: number): number {
  return dueMs - nowMs > pauseMaxMs ? nowMs : dueMs
}

export function startLoop({ name, everyMs, run, clock, log }: LoopOptions): Loop {
  const stopped = new AbortController()
  let pause = new AbortController()
  let isWoken = false
  let inRow = 0
  let failed = 0

  /** Milliseconds until the next round, or null where there will be none. */
  async function round(): Promise<number | null> {
    try {
      const wishMs = await run(stopped.signal)
      inRow = 0
      return typeof wishMs === 'number' ? Math.min(everyMs, wishMs) : everyMs
    } catch (error) {
      if (error instanceof LostLead) return null
      inRow += 1
      failed += 1
      log.error('round:failed', { loop: name, inRow, error: String(error) })
      return Math.max(backoffMs(inRow), Math.min(everyMs, minute))
    }
  }

  async function go(): Promise<void> {
    await null
    while (!stopped.signal.aborted) {
      isWoken = false
      const waitMs = await round()
      if (waitMs === null || stopped.signal.aborted) return
      // What failed is not tried again at every change of the world, and a round that wakes its own loop lets others run.
      const isSoon = isWoken && inRow === 0
      pause = new AbortController()
      await clock.wait(isSoon ? 0 : waitMs, pause.signal)
    }
  }

  const ended = go()
  return {
    wake() {
      isWoken = true
      // A reason of our own: making a DOMException at each change costs more than the round.
      if (inRow === 0) pause.abort('woken')
    },
    async stop() {
      stopped.abort('stopped')
      pause.abort('stopped')
      await ended
    },
    failed: () => failed,
  }
}

/** Calls that a round starts and does not wait for, one at a time for each name. */
export type Calls = {
  has(name: string): boolean
  readonly size: number
  /** When it ends there is another round. What it throws is logged, but for a lost lead, which ends the loop. */
  start(name: string, work: () => Promise<void>): void
}

/** A loop whose rounds only start calls. `stop` waits for these too. */
export function startCalls(
  options: Omit<LoopOptions, 'run'> & { readonly round: (calls: Calls) => number },
): Loop {
  const { round, ...rest } = options
  const { name: loopName, log } = rest
  const underWay = new Map<string, Promise<void>>()
  let lost: LostLead | null = null
  const calls: Calls = {
    has: (name) => underWay.has(name),
    get size() {
      return underWay.size
    },
    start(name, work) {
      const call = work()
        .catch((error: unknown) => {
          if (error instanceof LostLead) lost = error
          else log.error('call:failed', { loop: loopName, call: name, error: String(error) })
        })
        .finally(() => {
          underWay.delete(name)
          loop.wake()
        })
      underWay.set(name, call)
    },
  }
  const loop = startLoop({
    ...rest,
    run: () => {
      if (lost !== null) throw lost
      return round(calls)
    },
  })
  return {
    ...loop,
    async stop() {
      await Promise.all([loop.stop(), ...underWay.values()])
    },
  }
}
