/** When polls happen: by the cron expression, never two at once, and slowly where they fail; the clock is moved by hand. */
import { expect, test } from 'vitest'
import { HistoryUnread, OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { outageStateOf } from '../../../src/bot/domain/outage/detect.ts'
import { longestGapMs } from '../../../src/bot/flow/poll/cron.ts'
import { letPass } from '../../support/delivery-world.ts'
import { away, refused, report, scheduleWorld } from '../../support/schedule-world.ts'

const minuteMs = 60_000

function waits(times: readonly number[]): number[] {
  return times.slice(1).map((time, at) => time - (times[at] ?? 0))
}

/** Started; a poll lasts until `finish`. */
function lastingPolls() {
  let finish = () => {}
  const world = scheduleWorld({
    answer: () =>
      new Promise((resolve) => {
        finish = () => resolve(report)
      }),
  })
  world.schedule.start()
  return { ...world, finish: () => finish() }
}

test('polls begin when the expression says so', async () => {
  const { schedule, clock, seconds } = scheduleWorld()
  schedule.start()
  await letPass(clock, minuteMs)
  expect(seconds()).toEqual([15, 30, 45, 60])
})

test('while one poll takes long no second one begins, and what is left out is counted', async () => {
  const world = lastingPolls()
  await letPass(world.clock, 50_000)
  const first = world.schedule.poll()
  expect(world.seconds()).toEqual([15])
  expect(world.count('poll:under_way')).toBe(2)
  world.finish()
  expect(await first).toBeNull()
  await letPass(world.clock, 15_000)
  expect(world.seconds()).toEqual([15, 60])
  world.finish()
})

test('a poll that takes longer than five minutes is told once, and is seen to take long', async () => {
  const world = lastingPolls()
  await letPass(world.clock, 10 * minuteMs)
  expect(world.count('poll:slow')).toBe(1)
  expect(world.schedule.status().pollMs).toBeGreaterThan(9 * minuteMs)
  world.finish()
  await letPass(world.clock, 0)
  expect(world.schedule.status()).toMatchObject({ pollMs: null, unreadMs: 0 })
})

test('a failure is told once, and its end with how long it lasted', async () => {
  const failures = [away, away, away]
  const { schedule, logger, clock } = scheduleWorld({ answer: () => failures.shift() ?? report })
  for (let n = 0; n < 4; n += 1) {
    await schedule.poll()
    clock.advance(15_000)
  }
  const news = logger.entries.filter((entry) => entry.level !== 'debug')
  expect(news).toEqual([
    {
      level: 'warn',
      event: 'poll:failed',
      facts: { kind: 'unreachable', why: 'the monitoring API is not there', tookMs: 0 },
    },
    { level: 'info', event: 'poll:recovered', facts: { afterMs: 45_000, failures: 3 } },
  ])
  expect(schedule.status()).toMatchObject({ failing: null })
})

test('after failures in a row polls come less often, within a minute always, and at full speed after a good one', async () => {
  const world = scheduleWorld({ answer: () => away })
  world.schedule.start()
  await letPass(world.clock, 5 * minuteMs)
  // The next one when it is due, then twice, four times the gap, times three quarters; a minute at most.
  expect(waits(world.seconds())).toEqual([15, 22.5, 45, 45, 45, 45, 45])
  expect(world.count('poll:held')).toBeGreaterThan(5)
  world.answers(() => report)
  await letPass(world.clock, minuteMs)
  const before = world.seconds().length
  await letPass(world.clock, minuteMs)
  expect(world.seconds().length - before).toBe(4)
})

test('a good poll that somebody asked for while others were held ends the wait', async () => {
  const world = scheduleWorld({ answer: () => refused })
  await world.schedule.poll()
  world.schedule.start()
  world.answers(() => report)
  await world.schedule.poll()
  await letPass(world.clock, 30_000)
  expect(world.seconds()).toEqual([0, 0, 15, 30])
})

test('polled once an hour, a failure is tried again within a minute', async () => {
  const failures = [away, away, away]
  const world = scheduleWorld({ cron: '0 0 * * * *', answer: () => failures.shift() ?? report })
  await world.schedule.poll()
  world.schedule.start()
  await letPass(world.clock, 50 * minuteMs)
  expect(world.seconds()).toEqual([0, 45, 90, 135])
})

test('a refused key is told once and asked with every few minutes, not at every turn', async () => {
  const world = scheduleWorld({ answer: () => refused })
  expect(await world.schedule.poll()).toMatchObject({ kind: 'forbidden' })
  world.schedule.start()
  await letPass(world.clock, 60 * minuteMs)
  expect(new Set(waits(world.seconds()))).toEqual(new Set([225]))
  expect(world.logger.entries.filter(({ level }) => level === 'warn')).toHaveLength(1)
})

test('an API that says when to come back is asked no earlier, for ten minutes at most', async () => {
  const busy = (retryAfterMs: number) =>
    new OutsideFailure('rate_limited', 'the monitoring API returned HTTP 429: too many requests', {
      retryAfterMs,
    })
  const failures = [busy(90_000), busy(60 * minuteMs)]
  const world = scheduleWorld({ answer: () => failures.shift() ?? report })
  await world.schedule.poll()
  world.schedule.start()
  await letPass(world.clock, 15 * minuteMs)
  expect(world.seconds().slice(0, 4)).toEqual([0, 90, 690, 705])
})

test('where only the history cannot be read, new alerts do not wait for it', async () => {
  const world = scheduleWorld({ answer: () => new HistoryUnread(away, report) })
  world.schedule.start()
  await letPass(world.clock, 5 * minuteMs)
  expect(world.seconds()).toHaveLength(20)
  expect(world.schedule.status()).toMatchObject({ lastGoodMs: null, failing: { isPartial: true } })
  expect(world.schedule.status().unreadMs).toBeLessThan(15_001)
})

test('whoever shows cards is woken by the first poll, by those that wrote something, and by the end of failures', async () => {
  const answers = [report, report, { ...report, saved: true, skipped: 2 }, away, report, report]
  const { schedule, told, logger } = scheduleWorld({ answer: () => answers.shift() ?? report })
  const counts: number[] = []
  for (let n = 0; n < 6; n += 1) {
    await schedule.poll()
    counts.push(told())
  }
  expect(counts).toEqual([1, 1, 2, 3, 4, 4])
  expect(logger.entries).toContainEqual({
    level: 'warn',
    event: 'poll:skipped_records',
    facts: { skipped: 2 },
  })
})

test('fields that were left out are told once for each change of their number, and counted', async () => {
  const answers = [0, 2, 2, 3, 0, 3].map((leftOut) => ({ ...report, leftOut }))
  const { schedule, logger } = scheduleWorld({ answer: () => answers.shift() ?? report })
  const counts: (number | undefined)[] = []
  for (let n = 0; n < 6; n += 1) {
    await schedule.poll()
    counts.push(schedule.status().leftOut)
  }
  expect(counts).toEqual([0, 2, 2, 3, 0, 3])
  const told = logger.entries.filter(({ event }) => event === 'poll:left_out_fields')
  expect(told.map(({ level, facts }) => [level, facts?.leftOut])).toEqual([
    ['warn', 2],
    ['warn', 3],
    ['warn', 3],
  ])
})

test('what the service doubts itself is told once while it lasts, and kept', async () => {
  const why = 'rules: a ruler is away'
  const answers = [
    { ...report, doubt: why },
    { ...report, doubt: `${why} still` },
    report,
    { ...report, doubt: why },
  ]
  const { schedule, logger } = scheduleWorld({ answer: () => answers.shift() ?? report })
  const doubts: (string | null | undefined)[] = []
  for (let n = 0; n < 4; n += 1) {
    await schedule.poll()
    doubts.push(schedule.status().doubt)
  }
  expect(doubts).toEqual([why, `${why} still`, null, why])
  const told = logger.entries.filter(({ event }) => event === 'poll:in_doubt')
  expect(told.map(({ level, facts }) => [level, facts?.why])).toEqual([
    ['warn', why],
    ['warn', why],
  ])
})

test('that the open list is too long is kept in mind while polls fail', async () => {
  const answers = [{ ...report, coverage: { open: 'partial', past: 'complete' } as const }, away, report]
  const { schedule } = scheduleWorld({ answer: () => answers.shift() ?? report })
  const whole: boolean[] = []
  for (let n = 0; n < 3; n += 1) {
    await schedule.poll()
    whole.push(schedule.status().coverage.open === 'complete')
  }
  expect(whole).toEqual([false, false, true])
})

test('a bug in a poll is not taken for a failure of the world', async () => {
  const { schedule } = scheduleWorld({ answer: () => new TypeError('a bug') })
  await expect(schedule.poll()).rejects.toThrow(TypeError)
})

test('what a poll could not read is told by the schedule, also where only the history fails', async () => {
  const illegible = { ...report, unreadable: { open: 1, listed: 2, past: 0 } }
  const answers = [
    report,
    illegible,
    new HistoryUnread(away, illegible),
    { ...report, coverage: { open: 'complete', past: 'partial' } as const },
  ]
  const { schedule, clock } = scheduleWorld({ answer: () => answers.shift() ?? report })
  const startMs = clock.nowMs()
  const after = async () => {
    await schedule.poll()
    clock.advance(15_000)
    const { unreadable, lastOpenMs, lastOpenCompleteMs, lastFullyCompleteMs } = schedule.status()
    const seconds = [lastOpenMs, lastOpenCompleteMs, lastFullyCompleteMs].map(
      (ms) => ((ms ?? 0) - startMs) / 1_000,
    )
    return [unreadable?.manyTimes ?? null, ...seconds]
  }
  expect(await after()).toEqual([null, 0, 0, 0])
  expect(await after()).toEqual([1, 15, 0, 0])
  expect(await after()).toEqual([2, 30, 0, 0])
  expect(await after()).toEqual([null, 45, 45, 0])
  expect(await after()).toEqual([null, 60, 60, 60])
})

test('an API that asks for a rest from its history is no outage, and new alerts wait for nothing', async () => {
  const busy = new OutsideFailure('rate_limited', 'too many requests', { retryAfterMs: 10 * minuteMs })
  const { schedule, clock, seconds } = scheduleWorld({ answer: () => new HistoryUnread(busy, report) })
  schedule.start()
  await letPass(clock, 5 * minuteMs)
  expect(seconds()).toHaveLength(20)
  expect(outageStateOf(schedule.status(), { nowMs: clock.nowMs(), gapMs: 15_000 })).toBeNull()
})

test('polled in some hours of the day only, the others are no outage', async () => {
  const nowMs = scheduleWorld().clock.nowMs()
  const cron = `*/15 * ${new Date(nowMs).getHours()} * * *`
  const { schedule, clock, seconds } = scheduleWorld({ cron })
  const isOutage = () =>
    outageStateOf(schedule.status(), { nowMs: clock.nowMs(), gapMs: longestGapMs(cron) }) !== null
  await schedule.poll()
  schedule.start()
  for (let hours = 0; hours < 23; hours += 1) {
    await letPass(clock, 60 * minuteMs)
    expect(isOutage()).toBe(false)
  }
  expect(seconds().length).toBeLessThanOrEqual(241)
})

test('a laptop that slept polls once when it wakes, and says that it was late', async () => {
  const world = scheduleWorld()
  world.schedule.start()
  await letPass(world.clock, 20_000)
  world.clock.set(3 * 24 * 60 * minuteMs + 1_000)
  await letPass(world.clock, 5_000)
  expect(world.seconds()).toEqual([15, 259_226])
  expect(world.logger.entries).toContainEqual({
    level: 'info',
    event: 'poll:missed',
    facts: { lateMs: expect.any(Number) },
  })
  expect(world.count('poll:missed')).toBe(1)
  // Asleep, there was no outage: nobody looked.
  expect(world.schedule.status().unreadMs).toBe(0)
  await letPass(world.clock, minuteMs)
  expect(world.seconds()).toHaveLength(6)
})

test('a sleep is no time in which nothing could be read, also where the poll on waking fails', async () => {
  const world = scheduleWorld()
  world.schedule.start()
  await letPass(world.clock, 20_000)
  world.answers(() => away)
  world.clock.set(3 * 24 * 60 * minuteMs)
  await letPass(world.clock, 10_000)
  expect(world.schedule.status().failing).not.toBeNull()
  expect(world.schedule.status().unreadMs).toBeLessThan(30_000)
})

test('after a sleep of hours it polls when it wakes, also where the next poll is days away', async () => {
  const world = scheduleWorld({ cron: '0 0 9 1 * *' })
  world.schedule.start()
  world.clock.set(2 * 60 * minuteMs)
  await letPass(world.clock, 5_000)
  expect(world.seconds()).toHaveLength(1)
  await letPass(world.clock, 60 * minuteMs)
  expect(world.seconds()).toHaveLength(1)
})

test('a clock that is set back by an hour holds no poll back', async () => {
  const world = scheduleWorld()
  world.schedule.start()
  await letPass(world.clock, minuteMs)
  world.clock.set(-60 * minuteMs)
  const before = world.seconds().length
  await letPass(world.clock, minuteMs)
  expect(world.seconds().length - before).toBeGreaterThanOrEqual(4)
})

test('a clock that is set back while a refused key is waited for makes it no longer than the wait was', async () => {
  const world = scheduleWorld({ answer: () => refused })
  await world.schedule.poll()
  world.schedule.start()
  await letPass(world.clock, minuteMs)
  world.clock.set(-60 * minuteMs)
  await letPass(world.clock, 4 * minuteMs)
  expect(world.seconds()).toHaveLength(2)
})
