/** Forgets what is long over, a little at a time, so that the memory stays as large as a month or two make it. */
import { forgettingAt } from '../domain/retention.ts'
import { openBell } from './bell.ts'
import type { Clock, Journal } from './ports.ts'
import type { Store } from './store-port.ts'

const everyMs = 60 * 60_000
/** Rows of one kind in one transaction: a few milliseconds, in which nothing else can be written. */
const batchRows = 200
/** Between two batches everybody else has their turn. */
const restMs = 50

export type Retain = { stop(): Promise<void> }

/** Begins at once, and goes on every hour. */
export function startRetain(ports: {
  readonly store: Pick<Store, 'prune'>
  readonly clock: Clock
  readonly journal: Journal
}): Retain {
  const { store, clock, journal } = ports
  const bell = openBell()
  let stopping = false

  async function watch(): Promise<void> {
    while (!stopping) {
      const rung = bell.signal()
      await forget(rung)
      await clock.wait(everyMs, rung)
    }
  }

  async function forget(rung: AbortSignal): Promise<void> {
    let rows = 0
    while (!stopping) {
      const deleted = await store.prune(forgettingAt(clock.nowMs()), batchRows)
      rows += deleted
      if (deleted === 0) break
      await clock.wait(restMs, rung)
    }
    if (rows > 0) journal.info('memory:pruned', { rows })
  }

  const watching = watch()
  return {
    stop: async () => {
      stopping = true
      bell.ring()
      await watching
    },
  }
}
