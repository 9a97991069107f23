/** How fast Slack may be spoken to: one post a second and channel, and so many posts, updates and reads a minute in all. */
import type { CardKind } from './card.ts'

/** Slack takes about one post per second and channel, threads included (slack-facts.md 3.1). */
export const postEveryMs = 1_000
/** Four calls go with an uploaded picture, of methods that take a hundred a minute. */
export const uploadEveryMs = 1_200

/**
 * Calls that are counted for the whole workspace: one in `everyMs`, and up to `burst` at once after a quiet time. `first`
 * is how many may be made at once after a start, when nobody knows what was asked for just before it.
 */
export type Allowance = { readonly everyMs: number; readonly burst: number; readonly first: number }

/** `chat.postMessage` takes several hundred a minute in all channels together: 240 and 20 stay below, also with a restart. */
export const posts: Allowance = { everyMs: 250, burst: 20, first: 20 }
/** `chat.update` takes about fifty a minute: 36, 10 and 4 stay within it, wherever the minute begins, also with a restart. */
export const updates: Allowance = { everyMs: 1_700, burst: 10, first: 4 }
/** `conversations.history` and `conversations.replies` take about fifty a minute each, and are counted together here. */
export const reads: Allowance = updates

/** What a board or a page leaves for the cards of alerts and storms: they have half of the burst to themselves. */
export const patientSpare = 5
/** Nobody is patient for ever: after so long it takes the next call that is left. */
export const patienceMs = 60_000
/** A board changes with everything; people read it no faster than this. */
const boardEveryMs = 10_000
/** It is freshened every minute, so one that was shown two minutes ago is a minute behind: it no longer comes last. */
export const boardOverdueMs = 2 * 60_000 - boardEveryMs

/** How long a card of this kind rests after it was shown, so that what changes meanwhile is shown together. */
export function restMs(kind: CardKind): number {
  switch (kind) {
    case 'storm':
    case 'summary':
      return 2_000
    case 'page':
      return 10_000
    case 'board':
      return boardEveryMs
    case 'alert':
    case 'blind':
    case 'note':
    case 'told':
    case 'handback':
    case 'mute_ended':
    case 'reminder':
      return 0
  }
}

/** The calls that are left: `tokens` at the time `atMs`. Fewer than none where several were made at once. */
export type Bucket = { readonly tokens: number; readonly atMs: number }

export function newBucket({ first }: Allowance, nowMs: number): Bucket {
  return { tokens: first, atMs: nowMs }
}

/** Milliseconds until a call may be made that leaves `spare` calls for others; 0 when it may be now. */
export function untilTokenMs(bucket: Bucket, allowance: Allowance, nowMs: number, spare = 0): number {
  const { tokens } = refill(bucket, allowance, nowMs)
  return tokens >= spare + 1 ? 0 : Math.ceil((spare + 1 - tokens) * allowance.everyMs)
}

export function takeToken(bucket: Bucket, allowance: Allowance, nowMs: number): Bucket {
  const now = refill(bucket, allowance, nowMs)
  return { ...now, tokens: now.tokens - 1 }
}

function refill(bucket: Bucket, { everyMs, burst }: Allowance, nowMs: number): Bucket {
  const gained = Math.max(0, nowMs - bucket.atMs) / everyMs
  return { tokens: Math.min(burst, bucket.tokens + gained), atMs: nowMs }
}
