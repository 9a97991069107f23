/** Retries a read after a transient failure; never used for changes. */
import { backoffMs } from '../domain/base/backoff.ts'
import { OutsideFailure, stoppingCode } from '../domain/base/failure.ts'
import type { Clock } from '../flow/ports/ports.ts'
import { tooLarge } from './exchange.ts'

/**
 * Calls `attempt` with its time limit until it succeeds, fails permanently, reaches a limit of tries or time, uses up
 * the budget that all reads share, or `closing` aborts; then throws the last failure. Waits are jittered, and never
 * shorter than the API's `Retry-After`.
 */
export async function repeat<T>(
  attempt: (attemptMs: number) => Promise<T>,
  limits: Limits,
  {
    clock,
    random,
    closing,
    budget,
    onRetry,
  }: {
    readonly clock: Clock
    readonly random: () => number
    readonly closing: AbortSignal
    readonly budget: RetryBudget
    readonly onRetry: (failure: OutsideFailure) => void
  },
): Promise<T> {
  const startedMs = clock.nowMs()
  for (let retry = 0; ; retry += 1) {
    const leftMs = limits.totalMs - (clock.nowMs() - startedMs)
    try {
      const value = await attempt(Math.min(limits.attemptMs, Math.max(1, leftMs)))
      budget.earn()
      return value
    } catch (error) {
      if (!(error instanceof OutsideFailure) || !mayPass(error)) throw error
      if (closing.aborted) throw error.status === null ? stopped() : error
      if (retry >= limits.retriesMax) throw error
      const ownMs =
        backoffMs(retry, { firstMs: limits.backoffMs, maxMs: limits.totalMs }) * (0.5 + random() / 2)
      const retryAfterMs = error.retryAfterMs ?? 0
      const waitMs = Math.max(ownMs, retryAfterMs)
      const usedMs = clock.nowMs() - startedMs
      if (retryAfterMs > limits.retryAfterMsMax || usedMs + waitMs >= limits.totalMs) throw error
      if (!budget.take()) throw error
      await clock.wait(waitMs, closing)
      if (closing.aborted) throw error
      onRetry(error)
    }
  }
}

/** Whatever the connection says as it is torn down: the API did nothing wrong. */
function stopped(): OutsideFailure {
  const message = 'monbot stops, and no longer waits for the monitoring API'
  return new OutsideFailure('unreachable', message, { code: stoppingCode })
}

/** No answer, 5xx and 429 are transient; a redirect, or a body that is too long or not JSON, would come again. */
function mayPass(failure: OutsideFailure): boolean {
  if (failure.kind === 'rate_limited') return true
  if (failure.kind !== 'unreachable' || failure.code === tooLarge) return false
  return failure.status === null || failure.status >= 500
}

/** Limits the retries of all reads together, so that an API that is down does not get three times the requests. */
type RetryBudget = {
  /** Takes one retry; false if none is left. */
  take(): boolean
  /** A read succeeded: an API that answers sometimes is worth retrying. */
  earn(): void
}

/** Retries that one success earns: a long list is read to its end even if one answer in six fails. */
const earnedBySuccess = 0.25

/** Opens the budget: it starts full, and refills within a minute, sooner with successes. */
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

export type Limits = {
  /** One attempt: connecting, headers and the whole body together, however slowly they drip. */
  readonly attemptMs: number
  /** A read, including all attempts and the waits between them. */
  readonly totalMs: number
  /** Reading a longer body stops here. */
  readonly bodyBytesMax: number
  /** Attempts after the first one; only for reads. */
  readonly retriesMax: number
  /** Retries of all reads together; each success earns more. */
  readonly retriesPerMinuteMax: number
  /** The wait before the first retry; doubled for each further one, then jittered down to as little as half. */
  readonly backoffMs: number
  /** With a longer `Retry-After` the read fails instead, and the failure carries it to the caller. */
  readonly retryAfterMsMax: number
  /** Connections at once, for reads and for changes each; further requests queue within `attemptMs`. */
  readonly connectionsMax: number
}

export const defaultLimits: Limits = {
  attemptMs: 10_000,
  totalMs: 30_000,
  bodyBytesMax: 5 * 1024 * 1024,
  retriesMax: 2,
  retriesPerMinuteMax: 12,
  backoffMs: 250,
  retryAfterMsMax: 5_000,
  connectionsMax: 8,
}
