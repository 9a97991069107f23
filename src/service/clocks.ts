/** Clocks that go on while the machine sleeps, or stand still while this process does. */
import { uptime } from 'node:os'

/** The system's uptime is coarser than Node's clock. */
const sleepMsMin = 1_000

/**
 * A clock in milliseconds that goes on while the machine sleeps. Node's own stops then, so eight hours of a remote counter would
 * seem to have passed in fifteen seconds.
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

/**
 * A clock that counts only the time in which this process was running. Sleeps longer than `gapMaxMs` and clock changes do not
 * count: it is unknown which servers were silent then.
 */
export function openAwakeClock(nowMs: () => number, gapMaxMs: number): () => number {
  let lookedMs = nowMs()
  let missedMs = 0
  return () => {
    const gapMs = nowMs() - lookedMs
    if (gapMs < 0 || gapMs > gapMaxMs) missedMs += gapMs
    lookedMs += gapMs
    return lookedMs - missedMs
  }
}
