/** The two nights in which the clocks change: polls go on in their own time, whatever the zone shows twice or skips. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { longestGapMs } from '../../../src/bot/flow/poll/cron.ts'
import { letPass } from '../../support/delivery-world.ts'
import { scheduleWorld } from '../../support/schedule-world.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const zone = process.env.TZ

// A cron expression is read in the machine's own zone.
beforeEach(() => {
  process.env.TZ = 'Europe/Berlin'
})
afterEach(() => {
  vi.useRealTimers()
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

/** How many seconds passed between polls, from then on for so long. */
async function gaps(cron: string, from: string, forMs: number): Promise<number[]> {
  const { schedule, clock, seconds } = scheduleWorld({ cron })
  clock.set(Date.parse(from) - clock.nowMs())
  schedule.start()
  await letPass(clock, forMs)
  const times = seconds()
  return times.slice(1).map((time, at) => time - (times[at] ?? 0))
}

test.each([
  ['are set back', '2026-10-25T00:50:00Z'],
  ['are set ahead', '2026-03-29T00:50:00Z'],
])('while the clocks %s, a poll every quarter of a minute stays one', async (_, from) => {
  expect(new Set(await gaps('*/15 * * * * *', from, 80 * minuteMs))).toEqual(new Set([15]))
})

test('a poll at half past two is made twice in the night in which that comes twice', async () => {
  expect(await gaps('0 30 2 * * *', '2026-10-25T00:29:00Z', 2 * hourMs)).toEqual([3_600])
})

test.each([
  ['* * * * * *', 1],
  ['*/15 * * * * *', 15],
  ['0,20 * * * * *', 40],
  ['* */7 * * * *', 6 * 60 + 1],
  ['*/15 * * * *', 15 * 60],
  ['@hourly', 3_600],
  ['0 5,50 * * * *', 45 * 60],
  ['* * 9-17 * * *', 15 * 3_600 + 1],
  ['0 30 2 * * *', 24 * 3_600],
  ['@daily', 24 * 3_600],
  // At least this long: a whole day is left out, or more.
  ['*/15 * * * * MON', 24 * 3_600 + 15],
  ['* * * 1-30,L * *', 24 * 3_600 + 1],
  ['0 0 0 1 1 *', 48 * 3_600],
])('%s leaves up to %i s between two polls', (cron, seconds) => {
  expect(longestGapMs(cron)).toBe(seconds * 1_000)
})
