/** Schedules polls: one at the start, then by the cron expression; never two at once, and less often after failures. */
import { type Seen, stillUnreadable } from '../../domain/alert/unreadable.ts'
import { backoffAfter } from '../../domain/base/backoff.ts'
import { brokenAt, HistoryUnread, type OutsideFailure } from '../../domain/base/failure.ts'
import { type Reading, slowPollMs } from '../../domain/outage/detect.ts'
import { attempt } from '../attempt.ts'
import { contain, unlessAway } from '../concurrency/contain.ts'
import { awayRestMs, openWatch, type Watch } from '../concurrency/watch.ts'
import type { Logger, SteadyClock } from '../ports/ports.ts'
import { type DueTimes, dueTimes, longestGapMs } from './cron.ts'
import type { Poll, PollReport } from './poll.ts'

/**
 * How often the clock is checked: timers stop while a laptop sleeps, and after a clock was set back the next poll would otherwise
 * wait for the same time to come again.
 */
const lookEveryMs = 5_000
/** A poll that begins later than this after it was due is logged as missed. */
const lateMs = 2_000
/** After a longer sleep a poll is due, whatever the expression says. */
const sleepMaxMs = 60 * 60_000

export type Schedule = {
  /** Polls now, unless a poll is in progress. Returns the failure of the outside world, if there was one. */
  poll(): Promise<OutsideFailure | null>
  /** Polls from now on by the cron expression. */
  start(): void
  /** Stops polling; resolves when the current poll is done. */
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

/** What the parts of one schedule share. */
type State = {
  readonly uptime: Uptime
  readonly gapMs: number
  status: Omit<Reading, 'unreadMs' | 'pollMs'>
  underWay: UnderWay | null
  /** The time of `uptime`, which never goes back, until which polls are held back after failures. */
  heldUntilMs: number
  retryMs: number
  /** Since when a poll has been due or running without having read the open alerts; null if none is. */
  wantedMs: number | null
  /** Unreadable records of the last poll; reported when their number changes, not at every poll. */
  skipped: number
  isStopping: boolean
}

type UnderWay = {
  readonly done: Promise<OutsideFailure | null>
  readonly sinceMs: number
  isSlowTold: boolean
}

export function openSchedule(ports: SchedulePorts, options: { readonly cron: string }): Schedule {
  const { poll, clock, logger, onPolled } = ports
  const due = dueTimes(options.cron)
  const state = openState(clock, longestGapMs(options.cron))
  let watch: Watch | null = null

  async function run(): Promise<OutsideFailure | null> {
    const startedMs = clock.nowMs()
    const polled = await contain(
      { kind: 'poll', logger },
      () => unlessAway(() => attempt(poll)),
      // It is not known what is open, as after any failed poll.
      (errorId) => ({ ok: false as const, failure: brokenAt('what it read', errorId) }),
    )
    if (polled === 'away') return waitForMemory()
    if (polled.ok) succeed(ports, state, polled.value, startedMs)
    else {
      fail(ports, state, polled.failure, startedMs)
      // Called because what was read before the failure may have been written.
      onPolled()
    }
    return polled.ok ? null : polled.failure
  }

  /** The API is not to blame. Nothing of the poll is kept: the next one reads everything again. */
  function waitForMemory(): null {
    state.wantedMs = null
    state.retryMs = state.uptime.read().totalMs + awayRestMs
    return null
  }

  function pollOnce(): Promise<OutsideFailure | null> {
    state.wantedMs ??= state.uptime.read().awakeMs
    state.underWay ??= {
      sinceMs: state.uptime.read().awakeMs,
      isSlowTold: false,
      done: run().finally(() => {
        state.underWay = null
        watch?.wake()
      }),
    }
    return state.underWay.done
  }

  return {
    poll: pollOnce,
    start: () => {
      const check = openClockCheck(ports, state, { due, pollOnce })
      watch ??= openWatch('schedule', { clock, logger }, async () => check())
      watch.start()
    },
    stop: async () => {
      state.isStopping = true
      await watch?.stop()
      await state.underWay?.done
    },
    status: () => ({ ...state.status, ...lengthsOf(state) }),
  }
}

function openState(clock: SteadyClock, gapMs: number): State {
  return {
    uptime: openUptime(clock, lookEveryMs + lateMs),
    gapMs,
    status: {
      lastGoodMs: null,
      lastOpenMs: null,
      failing: null,
      lastOpenCompleteMs: null,
      lastFullyCompleteMs: null,
      coverage: { open: 'complete', past: 'complete' },
      unreadable: null,
      leftOut: 0,
    },
    underWay: null,
    heldUntilMs: 0,
    retryMs: Number.POSITIVE_INFINITY,
    wantedMs: null,
    skipped: 0,
    isStopping: false,
  }
}

function succeed(ports: SchedulePorts, state: State, polled: PollReport, startedMs: number): void {
  const { clock, logger, onPolled } = ports
  const { saved, ...report } = polled
  const nowMs = clock.nowMs()
  if (report.skipped > 0 && report.skipped !== state.skipped) {
    logger.warn('poll:skipped_records', { skipped: report.skipped })
  }
  state.skipped = report.skipped
  const { failing, lastGoodMs } = state.status
  if (failing) logger.info('poll:recovered', { afterMs: nowMs - failing.sinceMs, failures: failing.times })
  logger.debug('poll:done', { ...report, saved, tookMs: nowMs - startedMs })
  note(ports, state, report)
  state.status = {
    ...state.status,
    lastGoodMs: nowMs,
    failing: null,
    ...(isFullyComplete(report) ? { lastFullyCompleteMs: nowMs } : {}),
  }
  state.heldUntilMs = 0
  state.retryMs = Number.POSITIVE_INFINITY
  state.wantedMs = null
  // Also after the first reading, even without news, because work that is due after a start waits for it.
  if (saved || failing !== null || lastGoodMs === null) onPolled()
}

function fail(ports: SchedulePorts, state: State, failure: OutsideFailure, startedMs: number): void {
  const { clock, logger, random } = ports
  const nowMs = clock.nowMs()
  const { kind, message: why, retryAfterMs } = failure
  const isPartial = failure instanceof HistoryUnread
  const facts = { kind, why, tookMs: nowMs - startedMs, ...(isPartial ? { unread: 'history' } : {}) }
  // A poll that is cancelled because the bot stops is no failure of the API.
  if (state.isStopping || state.status.failing?.why === why) logger.debug('poll:failed', facts)
  else logger.warn('poll:failed', facts)
  if (state.isStopping) return
  // Only failures of the same kind count as failures in a row.
  const before = state.status.failing?.isPartial === isPartial ? state.status.failing : null
  const times = (before?.times ?? 0) + 1
  const { totalMs } = state.uptime.read()
  if (isPartial) {
    state.wantedMs = null
    note(ports, state, failure.seen)
  }
  state.status = {
    ...state.status,
    failing: { sinceMs: before?.sinceMs ?? nowMs, why, kind, times, isPartial },
  }
  const backoff = backoffAfter({ kind, retryAfterMs, times, isPartial }, { gapMs: state.gapMs, random })
  state.heldUntilMs = totalMs + backoff.holdMs
  state.retryMs = totalMs + backoff.retryMs
}

/** Notes that the open alerts were read, whether or not the closed ones were. */
function note({ clock, logger }: SchedulePorts, state: State, seen: Seen): void {
  const nowMs = clock.nowMs()
  const { lastOpenMs: lastMs, lastOpenCompleteMs } = state.status
  const unreadable = stillUnreadable(state.status.unreadable, seen.unreadable, { lastMs, nowMs })
  const { leftOut = 0 } = seen
  if (leftOut > 0 && leftOut !== state.status.leftOut) logger.warn('poll:left_out_fields', { leftOut })
  const { doubt = null } = seen
  if (doubt !== null && state.status.doubt == null) logger.warn('poll:in_doubt', { why: doubt })
  const isOpenComplete = seen.coverage.open === 'complete' && seen.unreadable.open === 0
  state.status = {
    ...state.status,
    lastOpenMs: nowMs,
    lastOpenCompleteMs: isOpenComplete ? nowMs : lastOpenCompleteMs,
    coverage: seen.coverage,
    unreadable,
    leftOut,
    doubt,
  }
}

function lengthsOf({ uptime, wantedMs, underWay }: State): Pick<Reading, 'unreadMs' | 'pollMs'> {
  const { awakeMs } = uptime.read()
  const unreadMs = wantedMs === null ? 0 : awakeMs - wantedMs
  return { unreadMs, pollMs: underWay === null ? null : awakeMs - underWay.sinceMs }
}

/** Checks the clock once: begins a poll if one is due, and returns how long there is nothing to check. */
function openClockCheck(
  { clock, logger }: SchedulePorts,
  state: State,
  { due, pollOnce }: { due: DueTimes; pollOnce: Schedule['poll'] },
): () => number {
  let lookedMs = clock.nowMs()
  let expectedMs = lookedMs

  function tellSlow(): void {
    const { pollMs } = lengthsOf(state)
    const { underWay } = state
    if (underWay === null || underWay.isSlowTold || pollMs === null || pollMs <= slowPollMs) return
    underWay.isSlowTold = true
    logger.warn('poll:slow', { tookMs: Math.round(pollMs) })
  }

  return () => {
    const nowMs = clock.nowMs()
    const { totalMs, awakeMs } = state.uptime.read()
    const isDue = nowMs - lookedMs > sleepMaxMs || due.isWithin(lookedMs, nowMs)
    const behindMs = nowMs - expectedMs
    lookedMs = nowMs
    if (isDue) state.wantedMs ??= awakeMs
    tellSlow()
    if (isDue && state.underWay !== null) logger.debug('poll:under_way')
    else if (isDue && totalMs < state.heldUntilMs) logger.debug('poll:held')
    else if (isDue || (state.underWay === null && totalMs >= state.retryMs)) {
      // Only information: nobody has to do anything about a laptop that slept.
      if (behindMs > lateMs) logger.info('poll:missed', { lateMs: behindMs })
      // Not awaited: the clock is checked while a poll is under way, too.
      void pollOnce()
    }
    const waitMs = Math.min(
      due.untilMs(nowMs, lookEveryMs),
      ...(state.underWay === null && state.retryMs > totalMs ? [state.retryMs - totalMs] : []),
    )
    expectedMs = nowMs + waitMs
    return waitMs
  }
}

function isFullyComplete({ coverage, unreadable: { open, past } }: Seen): boolean {
  return coverage.open === 'complete' && coverage.past === 'complete' && open + past === 0
}

/** Measures elapsed time, however the clock is set: it never goes back, and distinguishes sleep from waking. */
type Uptime = {
  /** Milliseconds since it was opened: in total, and while the process was awake. */
  read(): { readonly totalMs: number; readonly awakeMs: number }
}

/** Time between two readings counts as awake up to `stepMaxMs`; so read it at least that often. */
function openUptime(clock: SteadyClock, stepMaxMs: number): Uptime {
  let looked = { wallMs: clock.nowMs(), steadyMs: clock.steadyMs() }
  let totalMs = 0
  let awakeMs = 0
  return {
    read: () => {
      const now = { wallMs: clock.nowMs(), steadyMs: clock.steadyMs() }
      // The wall clock may have been set back; the steady one may stop while a laptop sleeps.
      const passedMs = Math.max(now.wallMs - looked.wallMs, now.steadyMs - looked.steadyMs)
      looked = now
      totalMs += passedMs
      awakeMs += Math.min(passedMs, stepMaxMs)
      return { totalMs, awakeMs }
    },
  }
}
