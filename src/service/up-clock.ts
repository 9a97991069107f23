/** A monotonic clock that keeps running while the machine sleeps. */
import { uptime } from 'node:os'

/** The system's uptime is coarser than Node's clock. */
const sleepMsMin = 1_000

/**
 * In milliseconds since some moment. Node's own clock stops while a Linux machine sleeps: eight hours of a remote counter
 * would then seem to have passed in fifteen seconds.
 */
export function openUpClock(
  ownMs: () => number = () => performance.now(),
  systemMs: () => number = () => uptime() * 1_000,
): () => number {
  let aheadMs = systemMs() - ownMs()
  return () => {
    const nowMs = ownMs()
    const foundMs = systemMs() - nowMs
    if (foundMs - aheadMs > sleepMsMin) aheadMs = foundMs
    return nowMs + aheadMs
  }
}
