/** How many repetitions all reads together may make, so that an API that is down is not asked three times for each question. */
import type { Clock } from '../flow/ports/ports.ts'

export type RetryBudget = {
  /** Takes one repetition; false where there is none left. */
  take(): boolean
  /** A read succeeded: what works now and then is worth repeating. */
  earn(): void
}

/** Repetitions that one success earns: a long list is read to its end where one answer in six fails. */
const earnedBySuccess = 0.25

/** Starts full; fills up again within a minute, and sooner by what succeeds. */
export function openRetryBudget(clock: Clock, perMinuteMax: number): RetryBudget {
  let left = perMinuteMax
  let atMs = clock.nowMs()

  function fill(): void {
    const nowMs = clock.nowMs()
    // A clock that was set back fills nothing, and takes nothing either.
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
