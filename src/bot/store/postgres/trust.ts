/** Says for how long a lease may be trusted after a renewal, on a machine whose clocks may be set, stand still or run ahead. */
import type { SteadyClock } from '../../flow/ports/ports.ts'

/** 30 s until somebody else may take it, less 10 s for a call that was begun in trust, less 1 s. */
export const trustMs = 19_000

/** A moment on both clocks. */
export type Mark = { readonly steadyMs: number; readonly wallMs: number }

export type Trust = {
  /** A renewal succeeded that was begun at this moment: it was written at that moment at the earliest. */
  renewed(mark: Mark): void
  /** Not before so much time has passed, whatever is renewed meanwhile. */
  holdFor(ms: number): void
  lastMark(): Mark | null
  isGood(): boolean
}

export function markNow(clock: SteadyClock): Mark {
  return { steadyMs: clock.steadyMs(), wallMs: clock.nowMs() }
}

/** By the larger of both: a machine that sleeps stops the steady clock, one whose clock is set back moves the other. */
export function passedMs(clock: SteadyClock, since: Mark): number {
  return Math.max(clock.steadyMs() - since.steadyMs, clock.nowMs() - since.wallMs)
}

export function openTrust(clock: SteadyClock): Trust {
  let last: Mark | null = null
  let heldUntilMs = Number.NEGATIVE_INFINITY
  return {
    renewed: (mark) => {
      last = mark
    },
    holdFor: (ms) => {
      heldUntilMs = clock.steadyMs() + ms
    },
    lastMark: () => last,
    isGood: () => last !== null && passedMs(clock, last) < trustMs && clock.steadyMs() >= heldUntilMs,
  }
}
