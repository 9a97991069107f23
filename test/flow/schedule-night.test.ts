/** The two nights in which the clocks change: polls go on in their own time, whatever the zone shows twice or skips. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { longestGapMs } from '../../src/flow/poll/cron.ts'
import { letPass } from '../support/delivery-world.ts'
import { scheduleWorld } from '../support/schedule-world.ts'

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

test('a poll at half past two is left out in the night in which that does not come, and is no absence', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-27T12:00:00Z') })
  const longestMs = longestGapMs('0 30 2 * * *')
  expect(longestMs).toBe(47 * hourMs)
  expect(longestGapMs('*/15 * * * * *')).toBe(15_000)
})
