/** The memory on a Postgres that several processes share: one of them leads, and opens the store on it. */
import { Deposed, MemoryAway } from '../../domain/base/failure.ts'
import type { Leadership } from '../../flow/ports/leadership.ts'
import type { Logger, SteadyClock } from '../../flow/ports/ports.ts'
import type { Store } from '../../flow/ports/store.ts'
import { migratePostgres, openPostgresStore } from '../open/open-postgres.ts'
import { postgresDialect } from './driver.ts'
import { type Lease, openLease } from './lease.ts'
import { openLeaseRows } from './lease-rows.ts'
import { openPostgresPool } from './pool.ts'
import { preparePostgres } from './prepare.ts'

export type SharedMemory = Pick<Lease, 'state' | 'hasHeir' | 'release' | 'giveUp'> & {
  /**
   * Waits until Postgres is there and this process leads. Null: the signal came first. Throws a `StoreError` if a person must mend
   * something. To be called once.
   */
  lead(signal: AbortSignal): Promise<{ readonly store: Store; readonly leadership: Leadership } | null>
  /** Releases the lease, and ends all connections. */
  close(): Promise<void>
}

type SharedMemoryOptions = {
  readonly url: { reveal(): string }
  readonly connections: number
  readonly holder: string
  readonly name: string
  /** Where its health server is reached. */
  readonly ownUrl: string
  readonly reachesSlack: () => boolean
  readonly clock: SteadyClock
  readonly logger: Logger
  /** Another process leads: this one ends. */
  readonly onDeposed: (deposed: Deposed) => void
}

const againMs = 1_000

/** Asks nothing yet. Throws a `StoreError` if the address cannot be read. */
export function openSharedMemory(options: SharedMemoryOptions): SharedMemory {
  const { clock, logger, onDeposed, holder, name, ownUrl, reachesSlack } = options
  const url = options.url.reveal()
  const pool = openPostgresPool(url, { clock, connections: options.connections })
  const openedMs = clock.steadyMs()
  let isPrepared = false
  const lease = openLease({
    rows: openLeaseRows(openPostgresPool(url, { clock, connections: 1 })),
    holder,
    name,
    url: ownUrl,
    clock,
    logger,
    reachesSlack,
    onDeposed: () => onDeposed(new Deposed('Another monbot leads now, and this one writes nothing more.')),
    onForgotten: () => undefined,
  })

  async function prepare(signal: AbortSignal): Promise<void> {
    for (let told: string | null = null; !signal.aborted; await clock.wait(againMs, signal)) {
      try {
        await preparePostgres(pool, { migrate: migratePostgres })
        isPrepared = true
        return
      } catch (error) {
        if (!(error instanceof MemoryAway)) throw error
        if (error.message !== told) logger.warn('memory:away', { why: error.message })
        told = error.message
      }
    }
  }

  return {
    ...lease,
    state: () => {
      const state = lease.state()
      return isPrepared ? state : { ...state, awayMs: clock.steadyMs() - openedMs }
    },
    lead: async (signal) => {
      await prepare(signal)
      const led = await lease.lead(signal)
      if (led === null) return null
      const proof = () => ({ holder, term: led.term })
      const store = openPostgresStore(postgresDialect({ pool, proof, clock, onDeposed: lease.depose }))
      return { store, leadership: led }
    },
    close: async () => {
      await lease.release()
      await pool.close()
    },
  }
}
