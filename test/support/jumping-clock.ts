/** The real clock, which a test can also advance: waits that end in the skipped time end at once. */

import type { SteadyClock } from '../../src/bot/flow/ports/ports.ts'
import { realClock } from '../../src/shared/clock.ts'

export type JumpingClock = SteadyClock & { jump(ms: number): void }

export function jumpingClock(): JumpingClock {
  let aheadMs = 0
  let jumped = new AbortController()
  const nowMs = () => realClock.nowMs() + aheadMs
  return {
    nowMs,
    // The time in between counts as having passed.
    steadyMs: nowMs,
    wait: async (ms, signal) => {
      const untilMs = nowMs() + ms
      while (nowMs() < untilMs && signal?.aborted !== true) {
        const ends = AbortSignal.any(signal === undefined ? [jumped.signal] : [jumped.signal, signal])
        await realClock.wait(untilMs - nowMs(), ends)
      }
    },
    jump: (ms) => {
      aheadMs += ms
      jumped.abort()
      jumped = new AbortController()
    },
  }
}
