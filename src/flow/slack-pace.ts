/**
 * How long each kind of call must still wait in each channel: the memory of what was said to Slack, and of what Slack asked
 * to wait for. It counts seconds that have really passed, so no clock that is set makes it wait longer, or rush.
 */
import { closedDoorRetryMs, noTokenRetryMs, type Outcome, retryAfterMaxMs } from '../domain/delivery.ts'
import {
  type Allowance,
  newBucket,
  postEveryMs,
  posts,
  reads,
  takeToken,
  untilTokenMs,
  updates,
} from '../domain/pace.ts'
import type { CardTask } from './store-port.ts'

/** What Slack limits apart from one another. */
type Method = 'posts' | 'updates' | 'reads'

const methodOf = {
  post: 'posts',
  update: 'updates',
  check: 'reads',
  tidy: 'reads',
} as const satisfies Record<CardTask, Method>

export type SlackPace = {
  /** Milliseconds until such a call may be made and leaves `spare` calls for others; 0: now. */
  untilMs(task: CardTask, channel: string, spare?: number): number
  /** Such a call is about to be made. */
  took(task: CardTask, channel: string): void
  /** It was not made after all. */
  spared(task: CardTask, channel: string): void
  heard(task: CardTask, channel: string, outcome: Outcome): void
  /** Someone acted: a channel that did not work is tried at once. */
  reopen(channel: string): void
}

/** `steadyMs`: a clock that is never set. */
export function openSlackPace(steadyMs: () => number): SlackPace {
  const methods: Record<Method, ReturnType<typeof openMethod>> = {
    posts: openMethod(posts, steadyMs, { isByChannel: true }),
    updates: openMethod(updates, steadyMs, { isByChannel: false }),
    reads: openMethod(reads, steadyMs, { isByChannel: false }),
  }
  const nextPostMs = new Map<string, number>()
  /** Channels that do not work until someone acts: asked again now and then, one card at a time. */
  const closedUntilMs = new Map<string, number>()
  /** A refused token is refused everywhere. */
  let nothingBeforeMs = 0

  return {
    untilMs: (task, channel, spare = 0) => {
      const nowMs = steadyMs()
      const postMs = task === 'post' ? (nextPostMs.get(channel) ?? 0) : 0
      const closedMs = closedUntilMs.get(channel) ?? 0
      return Math.max(
        0,
        Math.max(nothingBeforeMs, closedMs, postMs) - nowMs,
        methods[methodOf[task]].untilMs(channel, spare),
      )
    },
    took: (task, channel) => {
      if (task === 'post') nextPostMs.set(channel, steadyMs() + postEveryMs)
      methods[methodOf[task]].took()
    },
    spared: (task, channel) => {
      if (task === 'post') nextPostMs.delete(channel)
      methods[methodOf[task]].spared()
    },
    heard: (task, channel, outcome) => {
      const nowMs = steadyMs()
      const method = methods[methodOf[task]]
      switch (outcome.kind) {
        case 'later':
          if (outcome.retryAfterMs !== null)
            method.hold(channel, Math.min(outcome.retryAfterMs, retryAfterMaxMs))
          return
        case 'closed_door':
          closedUntilMs.set(channel, nowMs + closedDoorRetryMs)
          return
        case 'no_token':
          // A token that may not read may still post.
          if (methodOf[task] === 'reads') method.holdAll(noTokenRetryMs)
          else nothingBeforeMs = nowMs + noTokenRetryMs
          return
        case 'image_refused':
          // It was not posted, so the next post need not wait.
          if (task === 'post') nextPostMs.delete(channel)
          return
        case 'shown':
        case 'unknown':
        case 'bad_payload':
        case 'gone':
        case 'frozen':
          return
      }
    },
    reopen: (channel) => {
      closedUntilMs.delete(channel)
    },
  }
}

/** The calls of one method, counted for the whole workspace; what Slack asks to wait for, by channel. */
function openMethod(
  allowance: Allowance,
  steadyMs: () => number,
  { isByChannel }: { readonly isByChannel: boolean },
) {
  let bucket = newBucket(allowance, steadyMs())
  let allHeldUntilMs = 0
  const heldUntilMs = new Map<string, number>()

  /** One channel's trouble is its own. What a second one is told as well is the workspace's limit, except of posts. */
  function heldMs(channel: string, nowMs: number): number {
    const own = heldUntilMs.get(channel) ?? 0
    const held = isByChannel ? [] : [...heldUntilMs.values()].filter((atMs) => atMs > nowMs)
    return Math.max(allHeldUntilMs, own, ...(held.length > 1 ? held : [])) - nowMs
  }

  return {
    untilMs: (channel: string, spare: number) => {
      const nowMs = steadyMs()
      return Math.max(0, heldMs(channel, nowMs), untilTokenMs(bucket, allowance, nowMs, spare))
    },
    took: () => {
      bucket = takeToken(bucket, allowance, steadyMs())
    },
    spared: () => {
      bucket = { ...bucket, tokens: bucket.tokens + 1 }
    },
    hold: (channel: string, ms: number) => heldUntilMs.set(channel, steadyMs() + ms),
    holdAll: (ms: number) => {
      allHeldUntilMs = steadyMs() + ms
    },
  }
}
