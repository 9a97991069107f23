/** Every limit that talking to the monitoring API has, and its default; tests pass smaller ones. */
export type Limits = {
  /** One attempt: connecting, headers and the whole body together, however slowly they drip. */
  readonly attemptMs: number
  /** A read with all its attempts and the waits between them. */
  readonly totalMs: number
  /** A longer body is not read to its end. */
  readonly bodyBytesMax: number
  /** Attempts after the first one; only for reads. */
  readonly retriesMax: number
  /** Repetitions of all reads together; what succeeds earns more. */
  readonly retriesPerMinuteMax: number
  /** The wait before the first repetition; doubled for the next, then jittered down to as little as half. */
  readonly backoffMs: number
  /** A longer `Retry-After` is not waited for: the failure carries it to the caller instead. */
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
