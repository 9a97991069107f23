/** A clock that nobody sets and that goes on while this machine sleeps. */
import { uptime } from 'node:os'

/** The system tells its own time since its start more coarsely than Node does. */
const sleepMsMin = 1_000

/**
 * In milliseconds since some moment. Node's own stands still while a Linux machine sleeps: what was counted elsewhere in
 * eight hours would then have grown in fifteen seconds.
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
