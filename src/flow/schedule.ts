/** When to poll: once at start, then on the cron expression; never two at once, and less often while it makes no sense. */
import { createTask, schedule as cron } from 'node-cron'
import { OutsideFailure } from '../domain/failure.ts'
import type { Poll } from './poll.ts'
import type { Clock, Journal } from './ports.ts'

/** A refused key is not asked with at full speed: only someone's action makes it good again. */
const refusedKeyRetryMs = 5 * 60_000

/** The longest time between two polls that the expression means to leave, seen over its next few runs. */
export function longestGapMs(expression: string): number {
  const runs = createTask(expression, () => undefined).getNextRuns(20)
  const gaps = runs.slice(1).map((run, at) => run.getTime() - (runs[at]?.getTime() ?? run.getTime()))
  return Math.max(0, ...gaps)
}

export type PollStatus = {
  /** The last poll that read the API to the end; null before the first. */
  readonly lastGoodMs: number | null
  /** Since when, and why, polls fail; null while they do not. */
  readonly failing: { readonly sinceMs: number; readonly why: string } | null
}

export type Schedule = {
  /** Polls now, unless a poll is under way. Answers the failure of the outside world, if there was one. */
  poll(): Promise<OutsideFailure | null>
  /** Polls from now on by the cron expression. */
  start(): void
  /** No further poll; resolves when the one under way is done. */
  stop(): Promise<void>
  status(): PollStatus
}

export function openSchedule(
  ports: { poll: Poll; clock: Clock; journal: Journal; onPolled: () => void },
  options: { readonly cron: string },
): Schedule {
  const { poll, clock, journal, onPolled } = ports
  let underWay: Promise<OutsideFailure | null> | null = null
  let task: ReturnType<typeof cron> | null = null
  let status: PollStatus = { lastGoodMs: null, failing: null }
  let notBeforeMs = 0
  let stopping = false
  /** Bad records of the last poll: they are told when their number changes, not at every poll. */
  let skipped = 0

  async function run(): Promise<OutsideFailure | null> {
    const startedMs = clock.nowMs()
    try {
      const { saved, ...report } = await poll()
      const nowMs = clock.nowMs()
      if (report.skipped > 0 && report.skipped !== skipped) {
        journal.warn('poll:skipped_records', { skipped: report.skipped })
      }
      skipped = report.skipped
      if (status.failing) {
        journal.info('poll:recovered', { blindMs: nowMs - status.failing.sinceMs })
      }
      journal.debug('poll:done', { ...report, saved, tookMs: nowMs - startedMs })
      // What is due after a start waits for the first reading, whether or not it brought anything.
      const isFirst = status.lastGoodMs === null
      status = { lastGoodMs: nowMs, failing: null }
      if (saved || isFirst) onPolled()
      return null
    } catch (error) {
      if (!(error instanceof OutsideFailure)) throw error
      fail(error, startedMs)
      // What was read before the failure may have been written.
      onPolled()
      return error
    }
  }

  function fail(failure: OutsideFailure, startedMs: number): void {
    const nowMs = clock.nowMs()
    if (failure.kind === 'forbidden') notBeforeMs = nowMs + refusedKeyRetryMs
    if (failure.retryAfterMs !== null) notBeforeMs = nowMs + failure.retryAfterMs
    // A poll that is broken off because the bot stops is no failure of the API.
    const isNews = !stopping && (status.failing === null || status.failing.why !== failure.message)
    const facts = { kind: failure.kind, why: failure.message, tookMs: nowMs - startedMs }
    if (isNews) journal.warn('poll:failed', facts)
    else journal.debug('poll:failed', facts)
    const sinceMs = status.failing?.sinceMs ?? nowMs
    status = { ...status, failing: { sinceMs, why: failure.message } }
  }

  function pollOnce(): Promise<OutsideFailure | null> {
    underWay ??= run().finally(() => {
      underWay = null
    })
    return underWay
  }

  return {
    poll: pollOnce,
    start: () => {
      if (task !== null) return
      // Not awaited here: node-cron would catch what it throws, and a bug must end the process, not the polling.
      const tick = () => {
        if (clock.nowMs() < notBeforeMs) journal.debug('poll:held')
        else if (underWay !== null) journal.debug('poll:under_way')
        else void pollOnce()
      }
      task = cron(options.cron, tick, { suppressMissedWarning: true })
      task.on('execution:missed', () => journal.warn('poll:missed'))
    },
    stop: async () => {
      stopping = true
      await task?.destroy()
      await underWay
    },
    status: () => status,
  }
}
