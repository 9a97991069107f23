/** The real clock. Everything else takes time as an argument. */

/** Time as an argument: the real clock in the process, a manual clock in tests. */
export type Clock = {
  nowMs(): number
  /** Resolves after `ms`, or at once when the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
}

/** A clock with a steady counter, for measuring durations that a change of the clock must not affect. */
export type SteadyClock = Clock & {
  /** Milliseconds since some fixed moment; setting the clock does not change it. */
  steadyMs(): number
}

/** Longer waits are cut: a Node timer above 2^31 ms would fire at once. */
const waitMsMax = 24 * 60 * 60 * 1000

export const realClock: SteadyClock = {
  nowMs: () => Date.now(),
  steadyMs: () => performance.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, Math.min(ms, waitMsMax))
      signal?.addEventListener('abort', done)
    }),
}
