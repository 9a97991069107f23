/**
 * Waits after failures: longer each time, up to a named limit. Polls add randomness, so that several bots do not poll at once.
 */
import type { FailureKind } from './failure.ts'

/** Longest wait for what recovers by itself, however rarely polls are due. */
export const retryMaxMs = 60_000
/** A refused key stays refused until somebody acts, so it is tried rarely. */
export const refusedKeyRetryMs = 5 * 60_000
/** Longest wait that an API can ask for. */
export const apiRestMaxMs = 10 * 60_000

/** Doubles with each failure in a row; 1, 2, 4 … 60 s by default. `before`: how many failed before this one. */
export function backoffMs(
  before: number,
  { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number } = {
    firstMs: 1_000,
    maxMs: retryMaxMs,
  },
): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(before, 20))
}

/** `holdMs`: polls due before then are skipped. `retryMs`: a poll follows after this, whether or not one is due. */
type Backoff = { readonly holdMs: number; readonly retryMs: number }

type FailedPoll = {
  readonly kind: FailureKind
  readonly retryAfterMs: number | null
  /** Failures in a row, including this one. */
  readonly times: number
  /** Open alerts could be read: new ones must not wait for a failing history. */
  readonly isPartial: boolean
}

/** `gapMs` is the usual time between two polls, `random` from 0 up to 1. */
export function backoffAfter(failed: FailedPoll, by: { gapMs: number; random: () => number }): Backoff {
  const factor = 0.5 + by.random() / 2
  // For the history, `monitor/listing/past-list.ts`, which reads it, keeps the rest that the API asks for.
  const askedMs = failed.isPartial ? 0 : Math.min(failed.retryAfterMs ?? 0, apiRestMaxMs)
  const ownMs = ownRest(failed, by.gapMs, factor)
  // Whole milliseconds: clocks cannot show that a fraction of one has passed.
  const whole = (ms: number) => Math.ceil(Math.max(askedMs, ms))
  return { holdMs: whole(ownMs.holdMs), retryMs: whole(ownMs.retryMs) }
}

function ownRest({ kind, times, isPartial }: FailedPoll, gapMs: number, factor: number): Backoff {
  // The first failure may be an isolated one: the next poll comes when it is due, or within a minute if that is far off.
  if (isPartial || (times <= 1 && kind !== 'forbidden')) return { holdMs: 0, retryMs: retryMaxMs * factor }
  if (kind === 'forbidden') return both(refusedKeyRetryMs * factor)
  const fullMs = backoffMs(times - 1, { firstMs: gapMs, maxMs: retryMaxMs })
  return both(Math.max(gapMs <= retryMaxMs ? gapMs : 0, fullMs * factor))
}

function both(ms: number): Backoff {
  return { holdMs: ms, retryMs: ms }
}
