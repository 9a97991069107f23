/** A world for the schedule of polls: polls that return what a test says, and a manual clock that can also be set. */
import { onTestFinished } from 'vitest'
import { OutsideFailure } from '../../src/bot/domain/base/failure.ts'
import type { Poll, PollReport } from '../../src/bot/flow/poll/poll.ts'
import { openSchedule } from '../../src/bot/flow/poll/schedule.ts'
import { keptJournal } from './journal.ts'
import { manualClock } from './manual-clock.ts'

export const report: PollReport = {
  requests: 2,
  skipped: 0,
  changes: 0,
  saved: false,
  coverage: { open: 'complete', past: 'complete' },
  unreadable: { open: 0, listed: 0, past: 0 },
}
export const away = new OutsideFailure('unreachable', 'the monitoring API is not there')
export const refused = new OutsideFailure('forbidden', 'the API key was refused', { status: 401 })

/** `answer` is a report, a failure that is thrown, or work that takes its time. */
export function scheduleWorld(
  setting: { cron?: string; answer?: () => PollReport | Error | Promise<PollReport> } = {},
) {
  const clock = manualClock()
  const logger = keptJournal()
  const begun: number[] = []
  let answer = setting.answer ?? (() => report)
  let told = 0
  const poll: Poll = async () => {
    begun.push(clock.nowMs())
    const came = await answer()
    if (came instanceof Error) throw came
    return came
  }
  const schedule = openSchedule(
    { poll, clock, logger, random: () => 0.5, onPolled: () => (told += 1) },
    { cron: setting.cron ?? '*/15 * * * * *' },
  )
  onTestFinished(schedule.stop)
  const startedMs = clock.nowMs()
  return {
    schedule,
    logger,
    clock,
    told: () => told,
    answers: (next: typeof answer) => {
      answer = next
    },
    /** Seconds after the start at which polls were begun. */
    seconds: () => begun.map((ms) => (ms - startedMs) / 1000),
    count: (event: string) => logger.events().filter((one) => one === event).length,
  }
}
