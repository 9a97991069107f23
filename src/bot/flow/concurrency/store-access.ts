/**
 * What the bot's parts do while the memory does not answer: background work waits until it does, and whoever waits for an answer is
 * told within three seconds.
 */
import { MemoryAway } from '../../domain/base/failure.ts'
import type { Logger, SteadyClock } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { within } from './within.ts'

/** A call that takes longer counts as unanswered; Slack's own way takes part of the three seconds. */
export const unansweredMs = 2_000
const againMs = 250
const lookEveryMs = 250

export type StoreAccess = {
  /** Each call fails with `MemoryAway` where the memory does not answer. For polls, as what they have read would be old by then. */
  readonly direct: Store
  /** For background work: each call is made again until it is answered. */
  readonly patient: Store
  /** For questions of people: each call fails with `MemoryAway` that is not answered in two seconds. */
  readonly impatient: Store
  /** For one request of a person. */
  forRequest(): RequestAccess
  /** Since when the memory has not answered, epoch milliseconds; null while it does. */
  awaySinceMs(): number | null
}

export type RequestAccess = {
  /**
   * Impatient until something was decided, so that what a person was told was not done is not done later either; patient from
   * then on, as what was begun is brought to its end.
   */
  readonly store: Store
  /** Was something written, or may it have been? */
  mayBeDone(): boolean
  /** The work's result; fails with `MemoryAway` as soon as it is known that the memory is away, though the work may go on. */
  orAway<T>(work: Promise<T>): Promise<T>
}

/** Of a memory that is a file: it answers at once, or ends the process. */
export function fileAccess(store: Store): StoreAccess {
  const request: RequestAccess = { store, mayBeDone: () => true, orAway: (work) => work }
  return {
    direct: store,
    patient: store,
    impatient: store,
    forRequest: () => request,
    awaySinceMs: () => null,
  }
}

/** Of a memory that may be away for a while. */
export function openStoreAccess(
  store: Store,
  { clock, logger }: { readonly clock: SteadyClock; readonly logger: Logger },
): StoreAccess {
  const contact = openContact(clock, logger)

  /** One try, and what it says of the memory. */
  async function tried<T>(call: () => Promise<T>): Promise<T> {
    const isOver = contact.began()
    try {
      const came = await call()
      contact.heard()
      return came
    } catch (error) {
      if (error instanceof MemoryAway) contact.failed(error)
      throw error
    } finally {
      isOver()
    }
  }

  /** Tries again while that is worth it. */
  async function repeated<T>(call: () => Promise<T>, isWorth: (failure: MemoryAway) => boolean): Promise<T> {
    for (;;) {
      try {
        return await tried(call)
      } catch (error) {
        if (!(error instanceof MemoryAway) || !isWorth(error)) throw error
      }
      await clock.wait(againMs)
    }
  }

  const patiently = <T>(call: () => Promise<T>) => repeated(call, () => true)

  const impatiently = <T>(call: () => Promise<T>): Promise<T> => {
    const untilMs = clock.steadyMs() + unansweredMs
    const leftMs = () => untilMs - clock.steadyMs()
    const inTime = async () => {
      const came = await within(clock, leftMs(), call())
      if (came === 'late') throw new MemoryAway('The memory takes too long to answer', true)
      return came
    }
    // What may have been written would be taken for somebody's second request.
    return repeated(inTime, ({ mayBeWritten }) => !mayBeWritten && leftMs() > againMs)
  }

  function forRequest(): RequestAccess {
    const own = openUnderWay(clock)
    let fate: 'untouched' | 'perhaps' | 'written' = 'untouched'
    let isGivenUp = false

    async function decide<T>(call: () => Promise<T>): Promise<T> {
      fate = 'perhaps'
      try {
        const came = await impatiently(call)
        fate = came === 'stale' ? 'untouched' : 'written'
        return came
      } catch (error) {
        if (error instanceof MemoryAway && !error.mayBeWritten) fate = 'untouched'
        throw error
      }
    }

    const make: Make = async (call, name) => {
      if (isGivenUp && fate !== 'written') throw new MemoryAway('Nobody waits for this request any more')
      const isOver = own.began()
      const came = fate === 'written' ? patiently(call) : name === 'commit' ? decide(call) : impatiently(call)
      return came.finally(isOver)
    }

    const isLost = () =>
      [own.oldestMs(), contact.awayMs()].some((ms) => ms !== null && clock.steadyMs() - ms >= unansweredMs)

    return {
      store: wrapped(store, make),
      mayBeDone: () => fate !== 'untouched',
      orAway: async (work) => {
        const over = new AbortController()
        const given = async () => {
          do await clock.wait(lookEveryMs, over.signal)
          while (!over.signal.aborted && !isLost())
          if (over.signal.aborted) return work
          isGivenUp = true
          throw new MemoryAway('The memory does not answer', fate !== 'untouched')
        }
        return Promise.race([work, given()]).finally(() => over.abort())
      },
    }
  }

  return {
    direct: wrapped(store, tried),
    patient: wrapped(store, patiently),
    impatient: wrapped(store, impatiently),
    forRequest,
    awaySinceMs: () => {
      const awayMs = contact.awayMs()
      return awayMs === null ? null : clock.nowMs() - (clock.steadyMs() - awayMs)
    },
  }
}

type Make = <T>(call: () => Promise<T>, name: string) => Promise<T>

/** The store with each of its calls made by `make`. */
function wrapped(store: Store, make: Make): Store {
  const calls = Object.entries(store).map(([name, own]: [string, unknown]) => [
    name,
    typeof own === 'function' ? (...given: unknown[]) => make(async () => own(...given), name) : own,
  ])
  return Object.fromEntries(calls) as Store
}

/** Calls under way, by the steady clock. */
function openUnderWay({ steadyMs }: SteadyClock) {
  const begunMs = new Map<symbol, number>()
  return {
    /** Call the result when it is over. */
    began: () => {
      const one = Symbol('call')
      begunMs.set(one, steadyMs())
      return () => void begunMs.delete(one)
    },
    /** Since when the oldest is under way; null if none is. */
    oldestMs: () => begunMs.values().next().value ?? null,
  }
}

/** Notes what calls came to, and so since when the memory has not answered, by the steady clock. */
function openContact(clock: SteadyClock, logger: Logger) {
  const { began, oldestMs } = openUnderWay(clock)
  let heardMs = Number.NEGATIVE_INFINITY
  let failedMs: number | null = null

  return {
    began,
    heard: () => {
      heardMs = clock.steadyMs()
      if (failedMs === null) return
      logger.info('memory:back', { awayMs: Math.round(heardMs - failedMs) })
      failedMs = null
    },
    failed: ({ message: why }: MemoryAway) => {
      if (failedMs !== null) return
      failedMs = clock.steadyMs()
      logger.warn('memory:away', { why })
    },
    /** Since a call failed and none was answered; or where none was for two seconds, though some are under way. */
    awayMs: (): number | null => {
      const sinceMs = oldestMs()
      if (failedMs !== null || sinceMs === null) return failedMs
      const unheardMs = Math.max(sinceMs, heardMs)
      return clock.steadyMs() - unheardMs >= unansweredMs ? unheardMs : null
    },
  }
}
