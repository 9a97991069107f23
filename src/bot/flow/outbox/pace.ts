/**
 * Keeps to Slack's rate limits: how long each kind of call must still wait in each channel, by the calls made and the waits that
 * Slack asked for. It uses a steady clock, so setting the clock makes it neither slower nor faster.
 */
import { backoffMs } from '../../domain/base/backoff.ts'
import {
  channelUnavailableRetryMs,
  noTokenRetryMs,
  type Outcome,
  slackRestMaxMs,
} from '../../domain/delivery/delivery.ts'
import {
  type Allowance,
  boardUpdates,
  type Lane,
  newBucket,
  postEveryMs,
  posts,
  type Rank,
  ranks,
  reads,
  spareOf,
  takeToken,
  untilTokenMs,
  updates,
} from '../../domain/delivery/pace.ts'

type SlackPace = {
  /** Milliseconds until a call may be made on this lane at all, in whatever channel; 0: now. */
  untilMs(lane: Lane): number
  /** Milliseconds until such a card may be shown and still leaves calls for those that are more urgent; 0: now. */
  untilSpareMs(lane: Lane, rank: Rank): number
  /** The channels that must wait by themselves, and for how many milliseconds. */
  shut(lane: Lane): ReadonlyMap<string, number>
  /** A call is about to be made. */
  took(lane: Lane, channel: string, rank: Rank): void
  /** What was taken for a post took until now to be written down: Slack counts from here. */
  posting(channel: string): void
  /** It was not made after all. */
  spared(lane: Lane, channel: string): void
  heard(lane: Lane, channel: string, outcome: Outcome): void
  /** Someone acted: a channel that did not work is tried at once. */
  reopen(channel: string): void
}

/** `steadyMs`: a clock that is never set. `isSpent`: another process may have made as many calls as Slack takes, until just now. */
export function openSlackPace(steadyMs: () => number, isSpent = false): SlackPace {
  const open = (allowance: Allowance) => openCalls(isSpent ? { ...allowance, first: 0 } : allowance, steadyMs)
  const calls = {
    post: open(posts),
    update: open(updates),
    look: open(reads),
  } as const satisfies Record<Lane, Calls>
  const boards = open(boardUpdates)
  const nextPostMs = new Map<string, number>()
  /** Channels that do not work until someone acts: asked again now and then, one card at a time. */
  const closedUntilMs = new Map<string, number>()
  const failing = { post: openFailing(steadyMs), update: openFailing(steadyMs) }
  /** A refused token is refused everywhere. */
  let nothingBeforeMs = 0

  return {
    untilMs: (lane) => {
      const nowMs = steadyMs()
      // One channel's trouble is its own. Once a second one is held as well, it is the workspace's limit, except for posts.
      const heldMs = lane === 'post' ? 0 : calls[lane].heldEverywhereMs()
      return Math.max(0, nothingBeforeMs - nowMs, heldMs, calls[lane].untilTokenMs())
    },
    untilSpareMs: (lane, rank) => {
      if (lane !== 'update') return calls[lane].untilTokenMs()
      const spareMs = calls.update.untilTokenMs(spareOf(rank))
      return rank === ranks.board ? Math.max(spareMs, boards.untilTokenMs()) : spareMs
    },
    shut: (lane) => {
      const nowMs = steadyMs()
      const untilMs = [...closedUntilMs, ...calls[lane].heldUntilMs]
      if (lane === 'post') untilMs.push(...nextPostMs)
      if (lane !== 'look') untilMs.push(...failing[lane].heldUntilMs())
      const shut = new Map<string, number>()
      for (const [channel, atMs] of untilMs) {
        if (atMs > nowMs) shut.set(channel, Math.max(shut.get(channel) ?? 0, atMs - nowMs))
      }
      return shut
    },
    took: (lane, channel, rank) => {
      if (lane === 'post') nextPostMs.set(channel, steadyMs() + postEveryMs)
      if (lane === 'update' && rank === ranks.board) boards.took()
      calls[lane].took()
    },
    posting: (channel) => {
      nextPostMs.set(channel, steadyMs() + postEveryMs)
    },
    spared: (lane, channel) => {
      if (lane === 'post') nextPostMs.delete(channel)
      calls[lane].spared()
    },
    heard: (lane, channel, outcome) => {
      const nowMs = steadyMs()
      // A post that may have been taken is looked up, and keeps no other alert from being told.
      if (lane === 'update' || (lane === 'post' && outcome.kind !== 'unknown'))
        failing[lane].heard(channel, outcome)
      switch (outcome.kind) {
        case 'later':
          if (outcome.retryAfterMs !== null)
            calls[lane].heldUntilMs.set(
              channel,
              nowMs + Math.min(Math.max(outcome.retryAfterMs, backoffMs(0)), slackRestMaxMs),
            )
          return
        case 'channel_unavailable':
          closedUntilMs.set(channel, nowMs + channelUnavailableRetryMs)
          return
        case 'no_token':
          // A token that may not read may still post.
          if (lane === 'look') calls.look.holdAll(noTokenRetryMs)
          else nothingBeforeMs = nowMs + noTokenRetryMs
          return
        case 'no_thread':
        case 'image_refused':
          // It was not posted, so the next post need not wait.
          if (lane === 'post') nextPostMs.delete(channel)
          return
        case 'shown':
        case 'unknown':
        case 'unlisted':
        case 'bad_payload':
        case 'gone':
        case 'frozen':
        case 'no_person':
          return
      }
    },
    reopen: (channel) => {
      closedUntilMs.delete(channel)
      for (const lane of Object.values(failing)) lane.forget(channel)
    },
  }
}

type Calls = ReturnType<typeof openCalls>

/** The calls of one method, counted for the whole workspace; what Slack asks to wait for, by channel. */
function openCalls(allowance: Allowance, steadyMs: () => number) {
  let bucket = newBucket(allowance, steadyMs())
  let allHeldUntilMs = 0
  const heldUntilMs = new Map<string, number>()

  return {
    heldUntilMs,
    heldEverywhereMs: () => {
      const nowMs = steadyMs()
      const held = [...heldUntilMs.values()].filter((atMs) => atMs > nowMs)
      return Math.max(allHeldUntilMs, ...(held.length > 1 ? held : [])) - nowMs
    },
    untilTokenMs: (spare = 0) => untilTokenMs(bucket, allowance, steadyMs(), spare),
    took: () => {
      bucket = takeToken(bucket, allowance, steadyMs())
    },
    spared: () => {
      bucket = { ...bucket, tokens: bucket.tokens + 1 }
    },
    holdAll: (ms: number) => {
      allHeldUntilMs = steadyMs() + ms
    },
  }
}

/** Channels whose calls fail one after the other: each try would be taken from the other channels. */
function openFailing(steadyMs: () => number) {
  const failing = new Map<string, { readonly times: number; readonly untilMs: number }>()
  return {
    heldUntilMs: () => [...failing].map(([channel, { untilMs }]): [string, number] => [channel, untilMs]),
    heard: (channel: string, outcome: Outcome) => {
      const isFailed =
        outcome.kind === 'unknown' || (outcome.kind === 'later' && (outcome.retryAfterMs ?? 0) < backoffMs(0))
      if (!isFailed) {
        failing.delete(channel)
        return
      }
      const times = (failing.get(channel)?.times ?? 0) + 1
      // The first may be the card's own trouble.
      const holdMs = times === 1 ? 0 : backoffMs(times - 1)
      failing.set(channel, { times, untilMs: steadyMs() + holdMs })
    },
    forget: (channel: string) => {
      failing.delete(channel)
    },
  }
}
