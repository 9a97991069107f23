/** When polls happen: on the real cron, never two at once, and slowly where the key is refused. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../src/domain/failure.ts'
import type { Poll, PollReport } from '../../src/flow/poll.ts'
import { openSchedule } from '../../src/flow/schedule.ts'
import { keptJournal } from '../support/journal.ts'
import { manualClock } from '../support/manual-clock.ts'

const report: PollReport = { requests: 2, skipped: 0, changes: 0, saved: false }

function scheduleOf(poll: Poll, clock = manualClock()) {
  const journal = keptJournal()
  let polled = 0
  const schedule = openSchedule(
    { poll, clock, journal, onPolled: () => (polled += 1) },
    { cron: '* * * * * *' },
  )
  return { schedule, journal, clock, told: () => polled }
}

test('cron asks every second, and while one poll takes long no second one begins', async () => {
  let underWay = 0
  let most = 0
  let begun = 0
  const finish: (() => void)[] = []
  const poll: Poll = async () => {
    begun += 1
    underWay += 1
    most = Math.max(most, underWay)
    await new Promise<void>((resolve) => finish.push(resolve))
    underWay -= 1
    return report
  }
  const { schedule, journal } = scheduleOf(poll)
  schedule.start()
  await expect.poll(() => begun, { timeout: 5_000 }).toBe(1)
  const first = schedule.poll()
  expect(begun).toBe(1)
  const ticks = () => journal.events().filter((event) => event === 'poll:under_way').length
  await expect.poll(ticks, { timeout: 5_000 }).toBeGreaterThanOrEqual(2)
  expect(begun).toBe(1)
  finish.shift()?.()
  expect(await first).toBeNull()
  await expect.poll(() => begun, { timeout: 5_000 }).toBe(2)
  finish.shift()?.()
  await schedule.stop()
  expect(most).toBe(1)
})

test('a failure is told once, and its end with how long it lasted', async () => {
  const failures = [1, 2, 3].map(() => new OutsideFailure('unreachable', 'the monitoring API is not there'))
  const { schedule, journal, clock } = scheduleOf(async () => {
    const failure = failures.shift()
    if (failure) throw failure
    return report
  })
  for (let n = 0; n < 4; n += 1) {
    await schedule.poll()
    clock.advance(15_000)
  }
  const news = journal.entries.filter((entry) => entry.level !== 'debug')
  expect(news).toEqual([
    {
      level: 'warn',
      event: 'poll:failed',
      facts: { kind: 'unreachable', why: 'the monitoring API is not there', tookMs: 0 },
    },
    { level: 'info', event: 'poll:recovered', facts: { blindMs: 45_000 } },
  ])
  expect(schedule.status()).toMatchObject({ failing: null })
})

test('after a refused key cron asks only every five minutes', async () => {
  let polls = 0
  const clock = manualClock()
  const { schedule, journal } = scheduleOf(async () => {
    polls += 1
    throw new OutsideFailure('forbidden', 'the API key was refused', { status: 401 })
  }, clock)
  expect(await schedule.poll()).toMatchObject({ kind: 'forbidden' })
  schedule.start()
  const held = () => journal.events().filter((event) => event === 'poll:held').length
  await expect.poll(held, { timeout: 5_000 }).toBeGreaterThanOrEqual(2)
  expect(polls).toBe(1)
  clock.advance(5 * 60_000)
  await expect.poll(() => polls, { timeout: 5_000 }).toBe(2)
  await schedule.stop()
})

test('whoever shows cards is woken by the first poll and by those that wrote something, and records that were bad are told', async () => {
  const reports = [report, report, { ...report, saved: true, skipped: 2 }]
  const { schedule, told, journal } = scheduleOf(async () => reports.shift() ?? report)
  await schedule.poll()
  expect(told()).toBe(1)
  await schedule.poll()
  expect(told()).toBe(1)
  await schedule.poll()
  expect(told()).toBe(2)
  expect(journal.entries).toContainEqual({
    level: 'warn',
    event: 'poll:skipped_records',
    facts: { skipped: 2 },
  })
})

test('a bug in a poll is not taken for a failure of the world', async () => {
  const { schedule } = scheduleOf(async () => {
    throw new TypeError('a bug')
  })
  await expect(schedule.poll()).rejects.toThrow(TypeError)
})
