/** How fast Slack may be spoken to: one post a second and channel, about fifty updates a minute in all. */

/** Slack takes about one post per second and channel, threads included (slack-facts.md 3.1). */
export const postEveryMs = 1_000
/** `chat.update` is limited for the whole workspace; this keeps under 50 a minute however they fall into the minutes. */
const updateEveryMs = 1_500
const updateBurst = 10

/** A bucket of updates: `tokens` at the time `atMs`. */
export type Bucket = { readonly tokens: number; readonly atMs: number }

export function fullBucket(nowMs: number): Bucket {
  return { tokens: updateBurst, atMs: nowMs }
}

export function refill(bucket: Bucket, nowMs: number): Bucket {
  const gained = Math.max(0, nowMs - bucket.atMs) / updateEveryMs
  return { tokens: Math.min(updateBurst, bucket.tokens + gained), atMs: nowMs }
}

/** Milliseconds until an update may be sent; 0 when it may be now. */
export function untilUpdateMs(bucket: Bucket, nowMs: number): number {
  const { tokens } = refill(bucket, nowMs)
  return tokens >= 1 ? 0 : Math.ceil((1 - tokens) * updateEveryMs)
}

export function takeUpdate(bucket: Bucket, nowMs: number): Bucket {
  const now = refill(bucket, nowMs)
  return { ...now, tokens: now.tokens - 1 }
}
