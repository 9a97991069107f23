/** How fast Slack may be spoken to, and whose turn it is: one post a second and channel, and so many posts, updates and reads a minute in all. */

/** What Slack limits apart from one another, and what therefore goes side by side. */
export type Lane = 'post' | 'update' | 'look'

/** Slack takes about one post per second and channel, threads included (docs/slack.md#rate-limits). */
export const postEveryMs = 1_000

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
/** The methods of an upload take a hundred a minute each. */
export const uploads: Allowance = { everyMs: 1_200, burst: 10, first: 10 }
/** Boards have half of the updates, however many they are: the more there are, the less often each is freshened. */
export const boardUpdates: Allowance = { everyMs: 2 * updates.everyMs, burst: 5, first: 4 }

/**
 * How urgent it is, among all that waits in the workspace: an opening, the fate of a post that may be there, what else is
 * to be said, then a closing, what else changed by itself, what changed around it (a mute, a picture), and last what only repeats the others.
 */
export const ranks = {
  opening: 0,
  check: 1,
  said: 2,
  listing: 3,
  closing: 4,
  alert: 5,
  storm: 6,
  around: 7,
  page: 8,
  board: 9,
  tidy: 10,
} as const

export type Rank = (typeof ranks)[keyof typeof ranks]

/** Whose turn it is among the ranks that wait, the most urgent first; `undefined` where none does. */
export type Turn = (waiting: readonly Rank[]) => Rank | undefined

/**
 * How many of the calls at hand a rank leaves to what is more urgent. A picture or a reading leaves two, so that the card
 * on which somebody clicks, or that closes, need not wait; a page or a board half of the burst.
 */
export function spareOf(rank: Rank): number {
  if (rank === ranks.page || rank === ranks.board) return 5
  return rank === ranks.around ? 2 : 0
}

/** A rank that waited so long has the next call, whatever is more urgent: nothing waits for ever. */
export const patienceMs = 20_000

/**
 * Whose turn it is among the ranks that wait, the most urgent first: the one that was passed over for too long, else that
 * one. `sinceMs` says since when each waits for a call.
 */
export function turnOf(
  [first, ...others]: readonly Rank[],
  sinceMs: ReadonlyMap<Rank, number>,
  nowMs: number,
): Rank | undefined {
  const since = (rank: Rank) => sinceMs.get(rank) ?? nowMs
  const passedOver = others.filter((rank) => nowMs - since(rank) >= patienceMs)
  return passedOver.toSorted((a, b) => since(a) - since(b))[0] ?? first
}

/** The calls that are left: `tokens` at the time `atMs`. Fewer than none where several were made at once. */
type Bucket = { readonly tokens: number; readonly atMs: number }

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
