/** When polls happen, and what they are taken for: every sentence here was once not true. */
import { expect, test } from 'vitest'
import { HistoryUnread, OutsideFailure } from '../../src/domain/base/failure.ts'
import { outageStateOf } from '../../src/domain/outage/detect.ts'
import { longestGapMs } from '../../src/flow/poll/schedule.ts'
import { letPass } from '../support/delivery-world.ts'
import { report, scheduleWorld } from '../support/schedule-world.ts'

const minuteMs = 60_000

test('an API that asks for a rest from its history makes nobody blind, and new alerts wait for nothing', async () => {
  const busy = new OutsideFailure('rate_limited', 'too many requests', { retryAfterMs: 10 * minuteMs })
  const { schedule, clock, seconds } = scheduleWorld({ answer: () => new HistoryUnread(busy, report) })
  schedule.start()
  await letPass(clock, 5 * minuteMs)
  expect(seconds()).toHaveLength(20)
  expect(outageStateOf(schedule.status(), { nowMs: clock.nowMs(), gapMs: 15_000 })).toBeNull()
})

test('polled in some hours of the day only, it is not blind in the others', async () => {
  const nowMs = scheduleWorld().clock.nowMs()
  const cron = `*/15 * ${new Date(nowMs).getHours()} * * *`
  const { schedule, clock, seconds } = scheduleWorld({ cron })
  const isBlind = () =>
    outageStateOf(schedule.status(), { nowMs: clock.nowMs(), gapMs: longestGapMs(cron) }) !== null
  await schedule.poll()
  schedule.start()
  for (let hours = 0; hours < 23; hours += 1) {
    await letPass(clock, 60 * minuteMs)
    expect(isBlind()).toBe(false)
  }
  expect(seconds().length).toBeLessThanOrEqual(241)
})
