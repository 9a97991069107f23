/** Limits the retries of all reads together, so that an API that is down does not get three times the requests. */
import type { Clock } from '../flow/ports/ports.ts'

export type RetryBudget = {
  /** Takes one retry; false if none is left. */
  take(): boolean
  /** A read succeeded: an API that answers sometimes is worth retrying. */
  earn(): void
}

/** Retries that one success earns: a long list is read to its end even if one answer in six fails. */
const earnedBySuccess = 0.25

/** Starts full; refills within a minute, sooner with successes. */
export function openRetryBudget(clock: Clock, perMinuteMax: number): RetryBudget {
  let left = perMinuteMax
  let atMs = clock.nowMs()

  function fill(): void {
    const nowMs = clock.nowMs()
    // A clock that was set back neither fills nor drains it.
    left = Math.min(perMinuteMax, left + (Math.max(0, nowMs - atMs) / 60_000) * perMinuteMax)
    atMs = nowMs
  }

  return {
    take() {
      fill()
      if (left < 1) return false
      left -= 1
      return true
    },
    earn() {
      left = Math.min(perMinuteMax, left + earnedBySuccess)
    },
  }
}
