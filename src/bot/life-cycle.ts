/** Starts the parts of the bot in order, and stops them in reverse. */
import { backoffMs } from './domain/base/backoff.ts'
import { slackRestMaxMs } from './domain/delivery/delivery.ts'
import { allOver } from './flow/concurrency/all-over.ts'
import type { Job } from './flow/concurrency/watch.ts'
import { within } from './flow/concurrency/within.ts'
import type { Schedule } from './flow/poll/schedule.ts'
import type { Clock, Logger, SlackTrouble } from './flow/ports/ports.ts'
import type { Store } from './flow/ports/store.ts'

/** How long work in progress may still take when the bot is stopped; within `stopWithinMs` of main.ts. */
export const shutdownGraceMs = 2_000

/**
 * A problem that prevents the start and that only a person can fix; the message is one sentence for the operator, without a
 * secret.
 */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

/** The steps of a start. The monitoring API and Slack are started at the same time, and neither waits for the other. */
export type Steps = {
  /** Marks what a crash, or another process that led, left under way, before anything is started. */
  takeOver(): Promise<void>
  /** Jobs that need neither. */
  readonly atOnce: readonly Job[]
  readonly afterFirstPoll: readonly Job[]
  /** Checks token and channels at Slack; nobody can ask anything yet. `none`: why no channel takes cards. */
  connect(): Promise<{ readonly none: string | null } | SlackTrouble>
  readonly afterConnecting: readonly Job[]
  /** Jobs that show the state of both. */
  readonly afterBoth: readonly Job[]
  listen(): Promise<SlackTrouble | null>
  /** Accepts no further request; resolves when those in progress are answered. */
  stopListening(): Promise<void>
  /** Cancels calls that the monitoring API has not answered. */
  cancelCalls(): Promise<void>
}

type LifeParts = {
  readonly schedule: Schedule
  readonly store: Pick<Store, 'mutes' | 'switches'>
  readonly clock: Clock
  readonly logger: Logger
}

/** `connected` resolves once Slack is connected, and rejects with a `SetupError` if only a person can change that it is not. */
export type Started = { readonly connected: Promise<void> }

export type Life = {
  /**
   * Starts everything. Resolves after the first poll and the first try to reach Slack, even if both failed. Throws a `SetupError`
   * if the API's key or Slack's token is refused, or no channel takes cards; but not while a mute is in force, because only this
   * bot would end it, nor if the bot `hasRun` before with other settings. `stopping` ends the waiting.
   */
  start(how?: { readonly hasRun?: boolean; readonly stopping?: AbortSignal | undefined }): Promise<Started>
  /** Accepts no more requests, and resolves once all work in progress is written. */
  stop(): Promise<void>
}

export function openLife(steps: Steps, given: LifeParts): Life {
  const leaving = new AbortController()
  const parts = { ...given, leaving: leaving.signal }
  return {
    start: ({ hasRun = false, stopping } = {}) => {
      stopping?.addEventListener('abort', () => leaving.abort())
      if (stopping?.aborted) leaving.abort()
      return start(steps, parts, hasRun)
    },
    stop: () => {
      leaving.abort()
      return stop(steps, parts)
    },
  }
}

/** `leaving` is aborted when the bot is to stop. */
type Living = LifeParts & { readonly leaving: AbortSignal }

async function start(steps: Steps, parts: Living, hasRun: boolean): Promise<Started> {
  await steps.takeOver()
  // Only this bot can end a mute that is in force or may still take effect.
  const { mutes } = await parts.store.mutes()
  const isNeeded = mutes.length > 0 || (await parts.store.switches()).length > 0
  const mayEnd = !hasRun && !isNeeded
  for (const job of steps.atOnce) job.start()
  const polled = firstPoll(steps, parts, mayEnd)
  const { tried, reached } = reachSlack(steps, parts, mayEnd)
  const connected = Promise.all([polled, reached]).then(() => {
    for (const job of steps.afterBoth) job.start()
  })
  // A rejection is handled by whoever waits for it.
  void Promise.allSettled([connected])
  await Promise.all([polled, tried])
  return { connected }
}

async function firstPoll(steps: Steps, parts: Living, mayEnd: boolean): Promise<void> {
  const failure = await parts.schedule.poll()
  if (failure?.kind === 'forbidden' && mayEnd) {
    const why = 'The monitoring API refused MONITOR_API_KEY: check the key, and that it was not removed.'
    throw new SetupError(why)
  }
  for (const job of steps.afterFirstPoll) job.start()
  if (!parts.leaving.aborted) parts.schedule.start()
}

/**
 * Connects to Slack, and tries again until it succeeds. `tried`: the first try is over; `reached`: people can reach the bot, or
 * it is stopping. Both reject with a `SetupError`.
 */
function reachSlack(steps: Steps, { clock, logger, leaving }: Living, mayEnd: boolean) {
  const { promise: isTried, resolve: tried } = Promise.withResolvers<void>()
  let told: string | null = null

  function tell({ isRefused, why }: SlackTrouble): void {
    if (isRefused && mayEnd) throw new SetupError(why)
    // The same reason again is no news.
    logger[why === told ? 'debug' : 'warn']('slack:not_connected', { why })
    told = why
    tried()
  }

  async function reach(): Promise<void> {
    for (let failures = 0; !leaving.aborted; failures += 1) {
      const came = await steps.connect()
      if (leaving.aborted) return
      if (!('why' in came)) return begin(came.none)
      tell(came)
      const restMs = Math.min(came.retryAfterMs ?? 0, slackRestMaxMs)
      await clock.wait(Math.max(restMs, backoffMs(failures)), leaving)
    }
  }

  async function begin(none: string | null): Promise<void> {
    if (none !== null && mayEnd) throw new SetupError(none)
    for (const job of steps.afterConnecting) job.start()
    const trouble = await steps.listen()
    if (trouble !== null) tell(trouble)
    else if (told !== null) logger.info('slack:connected')
  }

  const reached = reach()
  const left = new Promise<void>((resolve) => leaving.addEventListener('abort', () => resolve()))
  return { tried: Promise.race([isTried, reached, left]), reached }
}

async function stop(steps: Steps, { schedule, clock }: LifeParts): Promise<void> {
  const polled = schedule.stop()
  // Answers in progress come first, because they may be half done at the API.
  await steps.stopListening()
  const jobs = [...steps.afterBoth, ...steps.afterConnecting, ...steps.afterFirstPoll, ...steps.atOnce]
  const quiet = allOver(jobs.map((job) => job.stop()))
  // An interrupted change may or may not have been made, so it gets a moment to be answered.
  await within(clock, shutdownGraceMs, allOver([polled, quiet]))
  // Calls still waiting for the API are cancelled; the next start repeats them.
  await steps.cancelCalls()
  await polled
  await quiet
}
