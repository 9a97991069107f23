/** Time as an argument: the real clock in the process, a manual one in tests. */
export type Clock = {
  /** Epoch milliseconds. */
  nowMs(): number
  /** Milliseconds that setting the clock does not change. */
  steadyMs(): number
  /** Resolves after `ms`, or at once when the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
}

/** Longer waits are cut: a timer above 2^31 ms would fire at once. */
const waitMaxMs = 24 * 60 * 60_000

export const realClock: Clock = {
  nowMs: () => Date.now(),
  steadyMs: () => performance.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        // In a turn of its own: whoever wakes several loops must not hold up everybody until the last one is done.
        setImmediate(resolve)
      }
      const timer = setTimeout(done, Math.min(Math.max(ms, 0), waitMaxMs))
      signal?.addEventListener('abort', done)
    }),
}

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour
