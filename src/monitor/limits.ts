/** Every limit for talking to the monitoring API, with its default; tests pass smaller ones. */
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
