/** How long to wait after failures: longer each time, and never longer than is named. Polls also never wait the same for two bots. */
import type { FailureKind } from './failure.ts'

/** What passes by itself is tried again within a minute, however rarely polls are due. */
export const retryMaxMs = 60_000
/** A refused key is good again only once somebody acts, so it is not asked with at full speed. */
export const refusedKeyRetryMs = 5 * 60_000
/** An API that asks for a longer rest is asked again after this anyway. */
export const apiRestMaxMs = 10 * 60_000

/** Twice as long with each failure in a row; unless it says otherwise 1, 2, 4 … 60 s. `before`: how many failed before this one. */
export function backoffMs(
  before: number,
  { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number } = {
    firstMs: 1_000,
    maxMs: retryMaxMs,
  },
): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(before, 20))
}

/** `holdMs`: polls that are due before that are left out. `retryMs`: after that one is made, whether or not one is due. */
export type Backoff = { readonly holdMs: number; readonly retryMs: number }

export type FailedPoll = {
  readonly kind: FailureKind
  readonly retryAfterMs: number | null
  /** Failures in a row, this one among them. */
  readonly times: number
  /** What is open could be read: new alerts must not wait for a history that fails. */
  readonly isPartial: boolean
}

/** `gapMs` is the usual time between two polls, `random` from 0 up to 1. */
export function backoffAfter(failed: FailedPoll, by: { gapMs: number; random: () => number }): Backoff {
  const factor = 0.5 + by.random() / 2
  // What is over is left alone by `flow/poll/history.ts`, which asks for it.
  const askedMs = failed.isPartial ? 0 : Math.min(failed.retryAfterMs ?? 0, apiRestMaxMs)
  const ownMs = ownRest(failed, by.gapMs, factor)
  // Whole milliseconds: of less than one no clock tells that it has passed.
  const whole = (ms: number) => Math.ceil(Math.max(askedMs, ms))
  return { holdMs: whole(ownMs.holdMs), retryMs: whole(ownMs.retryMs) }
}

function ownRest({ kind, times, isPartial }: FailedPoll, gapMs: number, factor: number): Backoff {
  // The first failure may be a single one: the next poll comes when it is due, or within a minute where that is far off.
  if (isPartial || (times <= 1 && kind !== 'forbidden')) return { holdMs: 0, retryMs: retryMaxMs * factor }
  if (kind === 'forbidden') return both(refusedKeyRetryMs * factor)
  const fullMs = backoffMs(times - 1, { firstMs: gapMs, maxMs: retryMaxMs })
  return both(Math.max(gapMs <= retryMaxMs ? gapMs : 0, fullMs * factor))
}

function both(ms: number): Backoff {
  return { holdMs: ms, retryMs: ms }
}
