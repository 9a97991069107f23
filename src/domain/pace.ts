/** How fast Slack may be spoken to: one post a second and channel, about fifty updates and reads a minute in all. */

/** Slack takes about one post per second and channel, threads included (slack-facts.md 3.1). */
export const postEveryMs = 1_000
/** Four calls go with an uploaded picture, of methods that take a hundred a minute. */
export const uploadEveryMs = 1_200
/**
 * `chat.update`, `conversations.history` and `conversations.replies` take about fifty calls a minute each, counted for
 * the whole workspace: forty spread over the minute and a burst of ten keep below it wherever the minute begins.
 */
const tokenEveryMs = 1_500
const burst = 10
/** What a board leaves for the cards of alerts: they have half of the burst to themselves. */
export const boardSpare = 5
/** A board changes with everything; people read it no faster than this. */
export const boardEveryMs = 10_000
/** It is freshened every minute, so one that was shown two minutes ago is a minute behind: it no longer comes last. */
export const boardOverdueMs = 2 * 60_000 - boardEveryMs

/** The calls that are left: `tokens` at the time `atMs`. */
export type Bucket = { readonly tokens: number; readonly atMs: number }

export function fullBucket(nowMs: number): Bucket {
  return { tokens: burst, atMs: nowMs }
}

/** Milliseconds until a call may be made that leaves `spare` calls for others; 0 when it may be now. */
export function untilTokenMs(bucket: Bucket, nowMs: number, spare = 0): number {
  const { tokens } = refill(bucket, nowMs)
  return tokens >= spare + 1 ? 0 : Math.ceil((spare + 1 - tokens) * tokenEveryMs)
}

export function takeToken(bucket: Bucket, nowMs: number): Bucket {
  const now = refill(bucket, nowMs)
  return { ...now, tokens: now.tokens - 1 }
}

function refill(bucket: Bucket, nowMs: number): Bucket {
  const gained = Math.max(0, nowMs - bucket.atMs) / tokenEveryMs
  return { tokens: Math.min(burst, bucket.tokens + gained), atMs: nowMs }
}
