/** The real clock. Everything else takes time as an argument. */
import type { SteadyClock } from './flow/ports/ports.ts'

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
