/** The order in which the parts of the bot start, and stop in reverse. */
import type { Job } from './flow/concurrency/watch.ts'
import { within } from './flow/concurrency/within.ts'
import type { Schedule } from './flow/poll/schedule.ts'
import type { Clock, Logger } from './flow/ports/ports.ts'
import type { Store } from './flow/ports/store.ts'

/** How long work in progress may still take when the bot is stopped; within `stopWithinMs` of main.ts. */
export const partingMs = 2_000

/** A part could not be set up; the message is one sentence for the operator, without a secret. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

/** What is done when, from the first step to the last. */
export type Steps = {
  /** Checks token and channels at Slack; nobody can ask anything yet. */
  connect(): Promise<void>
  readonly beforeListening: readonly Job[]
  listen(): Promise<void>
  readonly afterFirstPoll: readonly Job[]
  /** No further request; resolves when those under way are answered. */
  stopListening(): Promise<void>
  /** Breaks off what the monitoring API has not answered. */
  cancelCalls(): Promise<void>
}

type Parts = {
  readonly schedule: Schedule
  readonly store: Pick<Store, 'recoverSending'>
  readonly clock: Clock
  readonly logger: Logger
}

/** Resolves after the first poll, even if it failed. Throws a `SetupError` if the API refuses the key. */
export async function start(steps: Steps, { schedule, store, logger }: Omit<Parts, 'clock'>): Promise<void> {
  await steps.connect()
  const interrupted = await store.recoverSending()
  if (interrupted > 0) logger.warn('cards:interrupted', { count: interrupted })
  for (const job of steps.beforeListening) job.start()
  await steps.listen()
  const failure = await schedule.poll()
  if (failure?.kind === 'forbidden') {
    throw new SetupError(
      'The monitoring API refused MONITOR_API_KEY: check the key, and that it was not removed.',
    )
  }
  for (const job of steps.afterFirstPoll) job.start()
  schedule.start()
}

/** Resolves when everything that was begun is written down. */
export async function stop(
  steps: Steps,
  { schedule, clock }: Pick<Parts, 'schedule' | 'clock'>,
): Promise<void> {
  const polled = schedule.stop()
  // Answers in progress come first, because they may be half done at the API.
  await steps.stopListening()
  const quiet = Promise.all([...steps.afterFirstPoll, ...steps.beforeListening].map((job) => job.stop()))
  // An interrupted change may or may not have been made, so it gets a moment to be answered.
  await within(clock, partingMs, Promise.all([polled, quiet]))
  // Calls still waiting for the API are cancelled; the next start repeats them.
  await steps.cancelCalls()
  await polled
  await quiet
}
