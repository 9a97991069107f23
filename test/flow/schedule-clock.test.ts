/** When polls happen while the clock is set, or the machine sleeps: timers stand still, and what the clock says jumps. */
import { expect, test } from 'vitest'
import { letPass } from '../support/delivery-world.ts'
import { away, refused, scheduleWorld } from '../support/schedule-world.ts'

const minuteMs = 60_000

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
  // Asleep, it was not blind: nobody looked.
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
