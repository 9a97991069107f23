/** The memory on a Postgres that several processes share: one of them leads, and opens the store on it. */
import { Kysely } from 'kysely'
import { Deposed, MemoryAway } from '../../domain/base/failure.ts'
import type { Leadership } from '../../flow/ports/leadership.ts'
import type { Logger, SteadyClock } from '../../flow/ports/ports.ts'
import type { Store } from '../../flow/ports/store.ts'
import { lateNotes } from '../late-notes.ts'
import { migratePostgres, openPostgresStore } from '../open/open-postgres.ts'
import { postgresDialect } from './driver.ts'
import { type Lease, openLease } from './lease.ts'
import { openLeaseRows } from './lease-rows.ts'
import { openPostgresPool } from './pool.ts'
import { assertNotMoved, preparePostgres } from './prepare.ts'

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
    onForgotten: () => void doubts.raise(),
  })
  const closing = new AbortController()
  const doubts = openDoubts(clock, closing.signal)

  /** Does it once Postgres answers, unless the signal comes first. */
  async function once(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (let told: string | null = null; !signal.aborted; await clock.wait(againMs, signal)) {
      try {
        await work()
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
      await once(async () => {
        await assertNotMoved(pool)
        await preparePostgres(pool, { migrate: migratePostgres })
        isPrepared = true
      }, signal)
      const led = await lease.lead(signal)
      if (led === null) return null
      // It may have been moved while this process stood by.
      await once(() => assertNotMoved(pool), signal).catch(async (error) => {
        await lease.release()
        throw error
      })
      if (signal.aborted) return null
      const proof = () => ({ holder, term: led.term })
      const onForgotten = () => void doubts.raise()
      const store = {
        ...openPostgresStore(postgresDialect({ pool, proof, clock, onDeposed: lease.depose, onForgotten })),
        // Left when another one leads already, so they prove no term.
        ...lateNotes(new Kysely({ dialect: postgresDialect({ pool, proof: null, clock }) })),
      }
      const put = async () => {
        await store.doubtMemory(clock.nowMs())
        await lease.noteTimeline()
      }
      await doubts.begin(put, led.forgot, AbortSignal.any([signal, closing.signal]))
      if (signal.aborted && doubts.isOpen()) return null
      const isTrusted = () => led.isTrusted() && !doubts.isOpen()
      return { store, leadership: { ...led, isTrusted } }
    },
    close: async () => {
      closing.abort()
      await lease.release()
      await pool.close()
    },
  }
}

/**
 * What was forgotten is put right before anything else goes out: what was posted already must not be posted again. `raise`: the
 * memory forgot something. What is left when `closing` aborts is for whoever leads next.
 */
function openDoubts(clock: SteadyClock, closing: AbortSignal) {
  let raised = 0
  let settled = 0
  let work: (() => Promise<void>) | null = null
  let working: Promise<void> | null = null

  async function settle(put: () => Promise<void>, over: AbortSignal): Promise<void> {
    while (settled < raised && !over.aborted) {
      const until = raised
      try {
        await put()
        settled = until
      } catch (error) {
        if (over.aborted) return
        if (!(error instanceof MemoryAway)) throw error
        await clock.wait(againMs, over)
      }
    }
    working = null
  }

  async function raise(over = closing): Promise<void> {
    raised += 1
    if (work === null) return
    working ??= settle(work, over)
    await working
  }

  return {
    raise,
    isOpen: () => settled < raised,
    /** From now on `put` puts it right; at once where that is left to do, until it is done or `over`. */
    begin: async (put: () => Promise<void>, isLeft: boolean, over: AbortSignal): Promise<void> => {
      work = put
      if (isLeft) await raise(over)
    },
  }
}
