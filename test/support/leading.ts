/**
 * Processes that lead one after the other on one memory, which refuses the writes of whoever leads no more, as the driver for
 * Postgres does. Each may be stopped for a while before or after any of its calls, as by SIGSTOP, or for ever.
 */
import { onTestFinished } from 'vitest'
import { Deposed } from '../../src/bot/domain/base/failure.ts'
import { fencedChat } from '../../src/bot/flow/fence.ts'
import { openTakenOver } from '../../src/bot/flow/outbox/taken-over.ts'
import { openDeliver } from '../../src/bot/flow/outbox/worker.ts'
import type { Leadership } from '../../src/bot/flow/ports/leadership.ts'
import type { Chat } from '../../src/bot/flow/ports/ports.ts'
import type { Store } from '../../src/bot/flow/ports/store.ts'
import { trustMs } from '../../src/bot/store/postgres/trust.ts'
import { calm } from './delivery-world.ts'
import { keptJournal } from './journal.ts'
import type { ManualClock } from './manual-clock.ts'

/** Whoever stands by takes the lease after so much silence; it looks every two seconds. */
const takenAfterMs = 32_000
const reads: readonly string[] = [
  ...[
    'due',
    'nextJob',
    'mutes',
    'findAlerts',
    'carded',
    'countUnshown',
    'copies',
    'cardById',
    'state',
    'boards',
  ],
]
const lateNotes: readonly string[] = ['noteCopy', 'noteLateUpdate', 'noteLateSwitch']

/** When a process is stopped, and for how long; `forMs` null: for ever. */
export type Stop = { readonly atStep: number; readonly forMs: number | null }

export function openLeading(store: Store, slack: Chat, clock: ManualClock) {
  let term = 0
  expectDeposed()

  /** Begins to lead, after whoever did. */
  function lead(stop: Stop | null = null) {
    term += 1
    const own = { term, steps: 0, renewedMs: clock.steadyMs(), isDeposed: false, isOver: false }
    let stopped: Promise<void> | null = null
    const taken = Promise.withResolvers<void>()

    /** Before and after each call of the process to anything outside. */
    async function pass(): Promise<void> {
      own.steps += 1
      if (own.steps === stop?.atStep) stopped = stand(stop.forMs)
      await stopped
      if (own.isOver) await new Promise(() => undefined)
    }

    async function stand(forMs: number | null): Promise<void> {
      own.renewedMs = clock.steadyMs()
      if (forMs === null || forMs > takenAfterMs) void clock.wait(takenAfterMs).then(() => taken.resolve())
      if (forMs === null) return new Promise(() => undefined)
      await clock.wait(forMs)
      // It renews as soon as it runs again, and finds whether another one leads; what was stopped may be faster.
      void clock.wait(1).then(() => {
        own.renewedMs = Number.POSITIVE_INFINITY
        if (own.term === term) return
        own.isDeposed = true
        // Its process ends, once late notes are written.
        void clock.wait(2_000).then(() => {
          own.isOver = true
        })
      })
    }

    const isStopped = () => stopped !== null && own.renewedMs !== Number.POSITIVE_INFINITY
    const leadership: Leadership = {
      holder: `process-${term}`,
      term,
      isTrusted: () => !own.isDeposed && (!isStopped() || clock.steadyMs() - own.renewedMs < trustMs),
    }
    const slowly = <Port extends object>(port: Port, check: (name: string) => void): Port => {
      const calls = Object.entries(port).map(([name, call]: [string, unknown]) => {
        if (typeof call !== 'function') return [name, call]
        const passing = async (...given: unknown[]) => {
          await pass()
          check(name)
          const came: unknown = await call.apply(port, given)
          await pass()
          return came
        }
        return [name, passing]
      })
      return Object.fromEntries(calls)
    }
    const chat = fencedChat(
      slowly(slack, () => undefined),
      leadership,
    )
    const memory = slowly(store, (name) => {
      if (own.term === term || reads.includes(name) || lateNotes.includes(name)) return
      own.isDeposed = true
      throw new Deposed('Another monbot leads now, and this one writes nothing more.')
    })
    const logger = keptJournal()
    const ports = { store: memory, chat, clock, logger, leadership }
    const deliver = openDeliver({
      ...ports,
      health: () => calm(clock.nowMs()),
      links: [],
      showLabels: null,
      routing: { routes: [], defaultChannel: null, gone: () => new Set() },
      onShown: () => undefined,
    })
    const takenOver = openTakenOver({ ...ports, onChanged: deliver.wake })
    // It may be stopped within that too.
    void takenOver.takeOver().then(() => {
      deliver.start()
      takenOver.start()
    })
    /** Ends it at once; the next one leads once it fell silent for long enough. */
    const kill = async () => {
      own.isOver = true
      await clock.wait(takenAfterMs)
    }
    return { wake: deliver.wake, kill, steps: () => own.steps, taken: taken.promise }
  }

  return { lead }
}

/** A process that is deposed ends by it; here nothing is left to end. */
function expectDeposed(): void {
  const before = process.listeners('unhandledRejection')
  const heard = (error: unknown, promise: Promise<unknown>) => {
    if (!(error instanceof Deposed)) for (const listener of before) listener.call(process, error, promise)
  }
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', heard)
  onTestFinished(() => {
    process.removeListener('unhandledRejection', heard)
    for (const listener of before) process.on('unhandledRejection', listener)
  })
}
