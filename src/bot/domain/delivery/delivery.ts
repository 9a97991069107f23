/**
 * Decides what follows from each answer of Slack, so that a card is posted once although Slack has no idempotency key.
 *
 * A post is marked `sending` on disk before the call. An answer that leaves open whether Slack took it makes the card `unknown`,
 * and only Slack's own history, read for long enough, turns it back into `wanted` (docs/slack.md#posting-once).
 */
import { backoffMs, retryMaxMs } from '../base/backoff.ts'
import { brokenTriesMax } from '../base/unexpected-error.ts'

/** `sending` found at start-up is `unknown`: the process died while Slack was being asked. */
export type CardState = 'wanted' | 'sending' | 'unknown' | 'shown' | 'dead'

/** The part of a stored card that delivery reads and writes. Times are epoch milliseconds. */
export type Delivery = {
  readonly state: CardState
  /** The version that should be shown, and the one that is. */
  readonly wanted: number
  readonly shown: number
  /** Slack's id of the message, once there is one. */
  readonly ts: string | null
  readonly notBeforeMs: number
  /** When the last post was begun. */
  readonly sendingMs: number | null
  /** When the first post was begun whose copy may still turn up; history is read from there. */
  readonly firstSendingMs: number | null
  /** Failures in a row. */
  readonly attempts: number
  /** Blocks were refused: only the text is sent. */
  readonly plain: boolean
  /** Copies are looked for at this time; null when there can be none. */
  readonly tidyMs: number | null
  readonly tidies: number
  /** Why it is not shown as wanted, in a word. */
  readonly why: string | null
}

/**
 * The outcome of one call to Slack.
 *
 * - `later`: certainly not done, and worth another try
 * - `unknown`: it may have been done
 * - `unlisted`: refused with an undocumented code, so that nobody knows whether it will ever be accepted
 * - `image_refused`: nothing was done, because of the image alone; `isFinal`: and never will be there
 * - `bad_payload`: this content can never be shown
 * - `channel_unavailable`: this channel does not work until someone acts
 * - `no_token`: the token was refused; nothing works until someone acts
 * - `gone`: the message to update is not there any more
 * - `frozen`: the message exists, but may not be edited
 * - `no_person`: this person gets no direct message
 * - `no_thread`: refused as a reply; the channel itself may take it
 */
export type Outcome =
  | { readonly kind: 'shown'; readonly ts: string }
  | { readonly kind: 'later'; readonly why: string; readonly retryAfterMs: number | null }
  | { readonly kind: 'unknown'; readonly why: string }
  | { readonly kind: 'unlisted'; readonly why: string }
  | { readonly kind: 'image_refused'; readonly why: string; readonly isFinal?: true }
  | {
      readonly kind:
        | 'bad_payload'
        | 'channel_unavailable'
        | 'no_token'
        | 'gone'
        | 'frozen'
        | 'no_thread'
        | 'no_person'
      readonly why: string
    }

/** How long Slack's history may lag behind a post: only then does absence from it count. */
export const historyLagMs = 60_000
/** How far before the post's own time the history is read, because our clock and Slack's may differ. */
export const historySkewMs = 10 * 60_000

/**
 * Longest wait of a card. Longer waits belong to its channel or the workspace, and are kept in memory, where setting a clock does
 * not stretch them. So a stored time that is further away was written before the clock was set back, and is ignored.
 */
export const cardWaitMaxMs = retryMaxMs
/** Longest `Retry-After` that is obeyed, because what waits for a day is lost. */
export const slackRestMaxMs = 10 * 60_000
const recheckMs = 5_000
/** So often a word of refusal that nobody knows is met with the blocks: 1, 2, 4, 8 and 16 s apart. */
const blocksTriesMax = 5
export const unreadableMaxMs = 600_000
/** A board that may not be edited is posted again, no more often than this. */
export const boardAnewEveryMs = 60 * 60_000
/** The same of a list in a thread; no longer than a card waits by itself. */
const listAnewEveryMs = cardWaitMaxMs
/** How often a refused token, or a channel that does not work, is tried again until somebody acts. */
export const noTokenRetryMs = 60_000
export const channelUnavailableRetryMs = 5 * 60_000
/** After a re-post the first message may still turn up: looked for after 5 s, 1 min, 10 min. */
const tidyAfterMs = [5_000, 60_000, 600_000] as const
export const tidyWaitMaxMs = 600_000
/** Looks for copies, those that failed counted as well. */
const tidiesMax = 8

export type DeliveryPatch = Partial<Delivery>

/** What follows from the answer to a post. */
export function afterPost(card: Delivery, outcome: Outcome, nowMs: number): DeliveryPatch {
  switch (outcome.kind) {
    case 'shown':
      return settled(card, outcome.ts, card.wanted, nowMs)
    case 'later':
      return waiting('wanted', card, outcome.why, nowMs + untilOpenMs(outcome.retryAfterMs))
    case 'unknown':
      return waiting('unknown', card, outcome.why, nowMs)
    case 'unlisted':
      // If it is there anyway, copies are searched for once a post is accepted.
      return { ...afterUnlisted('wanted', card, outcome.why, nowMs), tidies: Math.max(1, card.tidies) }
    case 'image_refused':
      // Nothing was posted, so posting again at once, now without the image, cannot make two.
      return { state: 'wanted', notBeforeMs: nowMs, why: outcome.why }
    case 'bad_payload':
      return card.plain
        ? { state: 'dead', why: outcome.why }
        : { state: 'wanted', plain: true, notBeforeMs: nowMs, why: outcome.why }
    case 'no_thread':
      // It is a message of the channel from now on (`detach`).
      return { state: 'wanted', notBeforeMs: nowMs, why: outcome.why }
    case 'channel_unavailable':
    case 'no_token':
      return waiting('wanted', card, outcome.why, nowMs)
    case 'gone':
    case 'frozen':
    case 'no_person':
      return { state: 'dead', why: outcome.why }
  }
}

/**
 * Priority for posting a card again whose message was deleted. One about something `open` must stay visible, one about something
 * `over` must have said so, and what was `said` once need not be said again. A board (`kept`) must exist and be true. A list of
 * what is open (`listed`) may have grown since it was posted. An alert that reopened after the message was posted (`unsaid`) was
 * announced by an edit only, if at all.
 */
export type Worth = 'open' | 'unsaid' | 'over' | 'said' | 'kept' | 'listed'

/** What follows from the answer to an update. Updates can be repeated freely; the newest version wins. */
export function afterUpdate(card: Delivery, outcome: Outcome, nowMs: number, worth: Worth): DeliveryPatch {
  switch (outcome.kind) {
    case 'shown':
      return settled(card, outcome.ts, card.wanted, nowMs)
    case 'later':
      return waiting('shown', card, outcome.why, nowMs + untilOpenMs(outcome.retryAfterMs))
    case 'unknown':
      return waiting('shown', card, outcome.why, nowMs + backoffMs(card.attempts))
    case 'unlisted':
      return afterUnlisted('shown', card, outcome.why, nowMs)
    case 'image_refused':
      return { notBeforeMs: nowMs, why: outcome.why }
    case 'bad_payload':
      return card.plain
        ? { state: 'dead', why: outcome.why }
        : { plain: true, notBeforeMs: nowMs, why: outcome.why }
    case 'channel_unavailable':
    case 'no_token':
    case 'no_thread':
      return waiting('shown', card, outcome.why, nowMs)
    case 'no_person':
      return { shown: card.wanted, why: outcome.why }
    case 'gone':
      // Somebody deleted the card. What is open must stay visible; what is over need not be posted again.
      return worth === 'over' || worth === 'said'
        ? { shown: card.wanted, why: outcome.why }
        : { state: 'wanted', ts: null, notBeforeMs: nowMs, why: outcome.why }
    case 'frozen':
      if (worth === 'kept' || worth === 'listed') {
        const everyMs = worth === 'kept' ? boardAnewEveryMs : listAnewEveryMs
        const notBeforeMs = Math.max(nowMs, Math.min(card.sendingMs ?? 0, nowMs) + everyMs)
        return { state: 'wanted', ts: null, notBeforeMs, why: outcome.why }
      }
      // It cannot turn green, nor red again, so that is posted; an open one still says what it has to.
      return worth === 'over' || worth === 'unsaid'
        ? { state: 'wanted', ts: null, notBeforeMs: nowMs, why: outcome.why }
        : { shown: card.wanted, why: outcome.why }
  }
}

/**
 * What follows from the search for an `unknown` post in Slack's history: its `ts` if it was found, null if a complete reading did
 * not show it. `agoMs` is how long ago it was sent, by a clock that cannot be set.
 */
export function afterCheck(
  card: Delivery,
  foundTs: string | null,
  { nowMs, agoMs }: { readonly nowMs: number; readonly agoMs: number },
): DeliveryPatch {
  // The message shows what was wanted when it was sent, or older: the card is brought up to date by an update.
  if (foundTs !== null) return settled(card, foundTs, card.wanted - 1, nowMs)
  const leftMs = historyLagMs - agoMs
  if (leftMs > 0) return { notBeforeMs: nowMs + Math.min(recheckMs, leftMs) }
  return { state: 'wanted', notBeforeMs: nowMs, tidies: card.tidies + 1 }
}

/**
 * What follows if the history could not be read: wait, and read again. After ten minutes the card is posted again anyway: a
 * duplicate is a nuisance, but a lost one is an alert that nobody saw.
 */
export function afterFailedCheck(
  card: Delivery,
  failure: { readonly message: string; readonly retryAfterMs: number | null },
  { nowMs, agoMs }: { readonly nowMs: number; readonly agoMs: number },
): DeliveryPatch {
  const why = failure.message
  if (agoMs >= unreadableMaxMs) {
    return { state: 'wanted', notBeforeMs: nowMs, tidies: card.tidies + 1, why }
  }
  return {
    why,
    attempts: card.attempts + 1,
    notBeforeMs: nowMs + Math.max(recheckMs, untilRetryMs(card, failure.retryAfterMs)),
  }
}

/** No copy is looked for any more. */
const tidied = { tidyMs: null, tidies: 0, firstSendingMs: null } as const satisfies DeliveryPatch

/** After copies were looked for: `keptTs` is the earliest message found, null when none was. */
export function afterTidy(card: Delivery, keptTs: string | null, nowMs: number): DeliveryPatch {
  const afterMs = tidyAfterMs[card.tidies]
  return {
    ts: keptTs ?? card.ts,
    // The earliest copy may show an older version than the one that was just deleted.
    ...(keptTs !== null && keptTs !== card.ts ? { shown: 0 } : {}),
    ...(afterMs === undefined ? tidied : { tidyMs: nowMs + afterMs, tidies: card.tidies + 1 }),
  }
}

/** A failure to tidy is tried again, a few times; it never disturbs the card that is shown. */
export function afterFailedTidy(card: Delivery, nowMs: number): DeliveryPatch {
  if (card.tidies >= tidiesMax) return tidied
  return { tidyMs: nowMs + retryMaxMs, tidies: card.tidies + 1 }
}

/**
 * monbot itself broke at a card: it is tried again a few times, and then set aside with its reason. `isBegun`: Slack may have
 * been asked to post it, so that it is looked for first.
 */
export function afterBreak(
  card: Delivery,
  { why, isBegun, nowMs }: { readonly why: string; readonly isBegun: boolean; readonly nowMs: number },
): DeliveryPatch {
  const attempts = card.attempts + 1
  if (attempts >= brokenTriesMax) return { state: 'dead', attempts, why }
  const state = isBegun ? { state: 'unknown' as const } : {}
  return { ...state, attempts, why, notBeforeMs: nowMs + backoffMs(card.attempts) }
}

function settled(card: Delivery, ts: string, shown: number, nowMs: number): DeliveryPatch {
  const [afterMs] = tidyAfterMs
  const isPostedAgain = card.tidies > 0 && card.tidyMs === null
  return {
    state: 'shown',
    ts,
    shown,
    attempts: 0,
    why: null,
    // Of cards that are behind, the one that was shown longest ago comes first.
    notBeforeMs: nowMs,
    ...(isPostedAgain ? { tidies: 1, tidyMs: nowMs + afterMs } : {}),
    ...(card.tidies === 0 ? { firstSendingMs: null } : {}),
  }
}

/**
 * It is not the card that waits, but its channel (`flow/outbox/pace.ts`), less and less often: when that opens again, the most
 * urgent goes first, however often it was refused.
 */
function untilOpenMs(retryAfterMs: number | null): number {
  return Math.min(Math.max(retryAfterMs ?? 0, backoffMs(0)), cardWaitMaxMs)
}

/** What Slack asks for, but never at once, and never longer than a card waits by itself. */
function untilRetryMs(card: Delivery, retryAfterMs: number | null): number {
  return Math.min(Math.max(retryAfterMs ?? 0, backoffMs(card.attempts)), cardWaitMaxMs)
}

/** It may be about the blocks, which words alone do without: after half a minute of it they are better than nothing. */
function afterUnlisted(state: CardState, card: Delivery, why: string, nowMs: number): DeliveryPatch {
  const isPlain = card.plain || card.attempts + 1 >= blocksTriesMax
  return { ...waiting(state, card, why, nowMs + backoffMs(card.attempts)), plain: isPlain }
}

function waiting(state: CardState, card: Delivery, why: string, notBeforeMs: number): DeliveryPatch {
  return { state, why, notBeforeMs, attempts: card.attempts + 1 }
}
