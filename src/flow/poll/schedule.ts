/** When to poll: once at start, then by the cron expression; never two at once, and less often while it makes no sense. */
import { createTask } from 'node-cron'
import { type Seen, stillUnreadable } from '../../domain/alert/unreadable.ts'
import { backoffAfter } from '../../domain/base/backoff.ts'
import { brokenAt, HistoryUnread, type OutsideFailure } from '../../domain/base/failure.ts'
import { type Reading, slowPollMs } from '../../domain/outage/detect.ts'
import { attempt } from '../attempt.ts'
import { contain } from '../concurrency/contain.ts'
import { openUptime } from '../concurrency/uptime.ts'
import { openWatch, type Watch } from '../concurrency/watch.ts'
import type { Logger, SteadyClock } from '../ports/ports.ts'
import type { Poll, PollReport } from './poll.ts'

/**
 * Looks at the clock at least so often: timers stand still while a laptop sleeps, and a clock that is set back would
 * else make the next poll wait for the same time to come again.
 */
const lookEveryMs = 5_000
const secondMs = 1_000
/** A poll that is begun later than this after it was due is told as missed. */
const lateMs = 2_000
/** After a longer sleep a poll is due, whatever the expression says. */
const sleepMaxMs = 60 * 60_000

/** The longest time between two polls that the expression means to leave, seen over its next few runs. */
export function longestGapMs(expression: string): number {
  const runs = createTask(expression, () => undefined).getNextRuns(20)
  const gaps = runs.slice(1).map((run, at) => run.getTime() - (runs[at]?.getTime() ?? run.getTime()))
  return Math.max(0, ...gaps)
}

export type Schedule = {
  /** Polls now, unless a poll is under way. Answers the failure of the outside world, if there was one. */
  poll(): Promise<OutsideFailure | null>
  /** Polls from now on by the cron expression. */
  start(): void
  /** No further poll; resolves when the one under way is done. */
  stop(): Promise<void>
  status(): Reading
}

export type SchedulePorts = {
  readonly poll: Poll
  readonly clock: SteadyClock
  readonly logger: Logger
  /** From 0 up to 1, for the jitter. */
  readonly random: () => number
  /** Called after the first poll, one that wrote something or failed, and the first good one after failures. */
  readonly onPolled: () => void
}

export function openSchedule(ports: SchedulePorts, options: { readonly cron: string }): Schedule {
  const { poll, clock, logger, random, onPolled } = ports
  const isDueAt = dueBy(options.cron)
  const gapMs = longestGapMs(options.cron)
  const uptime = openUptime(clock, lookEveryMs + lateMs)
  let status: Omit<Reading, 'unreadMs' | 'pollMs'> = {
    lastGoodMs: null,
    lastOpenMs: null,
    failing: null,
    lastClearMs: null,
    lastSureMs: null,
    isWhole: true,
    unreadable: null,
  }
  let underWay: { readonly done: Promise<OutsideFailure | null>; readonly sinceMs: number } | null = null
  let isSlowTold = false
  // By `elapsed`, whose time never goes back. Nothing is held, and nothing is tried again, before the first failure.
  let heldUntilMs = 0
  let retryMs = Number.POSITIVE_INFINITY
  /** Since when a poll is due, or under way, and nothing that is open was read; null while none is wanted. */
  let wantedMs: number | null = null
  let watch: Watch | null = null
  let stopping = false
  /** Bad records of the last poll: they are told when their number changes, not at every poll. */
  let skipped = 0

  async function run(): Promise<OutsideFailure | null> {
    const startedMs = clock.nowMs()
    const polled = await contain(
      { kind: 'poll', logger },
      () => attempt(poll),
      // What is open is not known, as after any poll that fails.
      (errorId) => ({ ok: false as const, failure: brokenAt('what it read', errorId) }),
    )
    if (polled.ok) succeed(polled.value, startedMs)
    else {
      fail(polled.failure, startedMs)
      // What was read before the failure may have been written.
      onPolled()
    }
    return polled.ok ? null : polled.failure
  }

  function succeed({ saved, ...report }: PollReport, startedMs: number): void {
    const nowMs = clock.nowMs()
    if (report.skipped > 0 && report.skipped !== skipped) {
      logger.warn('poll:skipped_records', { skipped: report.skipped })
    }
    skipped = report.skipped
    const { failing, lastGoodMs } = status
    if (failing) logger.info('poll:recovered', { afterMs: nowMs - failing.sinceMs, failures: failing.times })
    logger.debug('poll:done', { ...report, saved, tookMs: nowMs - startedMs })
    note(report, nowMs)
    status = {
      ...status,
      lastGoodMs: nowMs,
      failing: null,
      ...(isSure(report) ? { lastSureMs: nowMs } : {}),
    }
    heldUntilMs = 0
    retryMs = Number.POSITIVE_INFINITY
    wantedMs = null
    // What is due after a start waits for the first reading, whether or not it brought anything.
    if (saved || failing !== null || lastGoodMs === null) onPolled()
  }

  function fail(failure: OutsideFailure, startedMs: number): void {
    const nowMs = clock.nowMs()
    const { kind, message: why, retryAfterMs } = failure
    const isPartial = failure instanceof HistoryUnread
    const facts = { kind, why, tookMs: nowMs - startedMs, ...(isPartial ? { unread: 'history' } : {}) }
    // A poll that is broken off because the bot stops is no failure of the API.
    if (stopping || status.failing?.why === why) logger.debug('poll:failed', facts)
    else logger.warn('poll:failed', facts)
    if (stopping) return
    // What can be read again is read again: only failures of one sort are failures in a row.
    const before = status.failing?.isPartial === isPartial ? status.failing : null
    const times = (before?.times ?? 0) + 1
    const { totalMs } = uptime.read()
    if (isPartial) {
      wantedMs = null
      note(failure.seen, nowMs)
    }
    status = { ...status, failing: { sinceMs: before?.sinceMs ?? nowMs, why, kind, times, isPartial } }
    const backoff = backoffAfter({ kind, retryAfterMs, times, isPartial }, { gapMs, random })
    heldUntilMs = totalMs + backoff.holdMs
    retryMs = totalMs + backoff.retryMs
  }

  /** What is open was read, whether or not what is over was. */
  function note(seen: Seen, nowMs: number): void {
    const { lastOpenMs: lastMs, lastClearMs } = status
    const unreadable = stillUnreadable(status.unreadable, seen.unreadable, { lastMs, nowMs })
    const isClear = seen.isWhole && seen.unreadable.open === 0
    status = {
      ...status,
      lastOpenMs: nowMs,
      lastClearMs: isClear ? nowMs : lastClearMs,
      isWhole: seen.isWhole,
      unreadable,
    }
  }

  function pollOnce(): Promise<OutsideFailure | null> {
    wantedMs ??= uptime.read().awakeMs
    underWay ??= {
      sinceMs: uptime.read().awakeMs,
      done: run().finally(() => {
        underWay = null
        isSlowTold = false
        watch?.wake()
      }),
    }
    return underWay.done
  }

  /** One look at the clock: begins a poll if one is due, and answers how long there is nothing to look for. */
  function openLook(): () => number {
    let lookedMs = clock.nowMs()
    let expectedMs = lookedMs
    return () => {
      const nowMs = clock.nowMs()
      const { totalMs, awakeMs } = uptime.read()
      const isDue = nowMs - lookedMs > sleepMaxMs || isDueWithin(lookedMs, nowMs)
      const behindMs = nowMs - expectedMs
      lookedMs = nowMs
      if (isDue) wantedMs ??= awakeMs
      tellSlow()
      if (isDue && underWay !== null) logger.debug('poll:under_way')
      else if (isDue && totalMs < heldUntilMs) logger.debug('poll:held')
      else if (isDue || (underWay === null && totalMs >= retryMs)) {
        // Nobody has to do anything about a laptop that slept.
        if (behindMs > lateMs) logger.info('poll:missed', { lateMs: behindMs })
        // Not awaited: a look goes on while a poll is under way.
        void pollOnce()
      }
      const waitMs = Math.min(
        untilDue(nowMs),
        ...(underWay === null && retryMs > totalMs ? [retryMs - totalMs] : []),
      )
      expectedMs = nowMs + waitMs
      return waitMs
    }
  }

  function tellSlow(): void {
    const { pollMs } = lengths()
    if (isSlowTold || pollMs === null || pollMs <= slowPollMs) return
    isSlowTold = true
    logger.warn('poll:slow', { tookMs: Math.round(pollMs) })
  }

  function lengths(): Pick<Reading, 'unreadMs' | 'pollMs'> {
    const { awakeMs } = uptime.read()
    const unreadMs = wantedMs === null ? 0 : awakeMs - wantedMs
    return { unreadMs, pollMs: underWay === null ? null : awakeMs - underWay.sinceMs }
  }

  /** Is a second after the first time, and not after the other, one in which a poll is due? */
  function isDueWithin(fromMs: number, toMs: number): boolean {
    for (let ms = secondAfter(fromMs); ms <= toMs; ms += secondMs) if (isDueAt(ms)) return true
    return false
  }

  function untilDue(nowMs: number): number {
    for (let ms = secondAfter(nowMs); ms < nowMs + lookEveryMs; ms += secondMs) {
      if (isDueAt(ms)) return ms - nowMs
    }
    return lookEveryMs
  }

  return {
    poll: pollOnce,
    start: () => {
      const snapshot = openLook()
      watch ??= openWatch('schedule', { clock, logger }, async () => snapshot())
      watch.start()
    },
    stop: async () => {
      stopping = true
      await watch?.stop()
      await underWay?.done
    },
    status: () => ({ ...status, ...lengths() }),
  }
}

function isSure({ isWhole, isPastWhole, unreadable: { open, past } }: Seen): boolean {
  return isWhole && isPastWhole && open + past === 0
}

/** The first full second after a time. */
function secondAfter(ms: number): number {
  return (Math.floor(ms / secondMs) + 1) * secondMs
}

/** Node-cron reads the expression, in the machine's own time zone; it keeps no time for us. */
function dueBy(expression: string): (ms: number) => boolean {
  const task = createTask(expression, () => undefined)
  return (ms) => task.match(new Date(ms))
}
