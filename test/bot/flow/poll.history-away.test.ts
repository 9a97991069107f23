/** What is history and what is news, also where what is over cannot be read: nothing that is open is late for that, and nothing old becomes news. */
import { describe, expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import type { Monitor } from '../../../src/bot/flow/ports/ports.ts'
import type { Order } from '../../support/model-service.ts'
import { cards, polledWorld, pollWorld, states } from '../../support/poll-world.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const away = new OutsideFailure('unreachable', 'the history is away')
const busy = new OutsideFailure('rate_limited', 'too many requests', { retryAfterMs: 10 * 60_000 })

/** The list of everything fails from this offset on, until the test fixes it. */
async function withoutHistory(
  setting: { fromOffset?: number; order?: Order; failure?: OutsideFailure } = {},
) {
  const { fromOffset = 0, order = 'newest', failure = away } = setting
  let isAway = true
  let asked = 0
  const world = await pollWorld({
    order,
    over: ({ alerts }) => ({
      alerts: (ask) => {
        if (ask.lifecycle !== 'all') return alerts(ask)
        asked += 1
        return isAway && ask.offset >= fromOffset ? Promise.reject(failure) : alerts(ask)
      },
    }),
  })
  return {
    ...world,
    asked: () => asked,
    mend: () => {
      isAway = false
    },
    /** Answers what the poll failed with; null where it read everything. */
    tick: (): Promise<unknown> =>
      world.tick().then(
        () => null,
        (error: unknown) => error,
      ),
  }
}

test('while the history cannot be read after a first start, a storm is one card and not one a poll', async () => {
  const world = await withoutHistory()
  const before = world.service.open({ hostname: 'before' })
  await world.tick()
  expect(states(await cards(world))).toEqual([`post ${before} open`])
  for (let n = 0; n < 10; n += 1) {
    for (let k = 0; k < 10; k += 1) world.service.open({ hostname: `h-${n}-${k}` })
    await world.tick()
  }
  const heads = states(await cards(world)).filter((job) => !job.includes('page'))
  expect(heads).toEqual(['post storm 100'])
})

test.each<Order>(['newest', 'oldest', 'shuffled'])(
  'a first page alone, of a list whose rest fails at a first start, makes no news of old alerts: %s',
  async (order) => {
    const world = await withoutHistory({ fromOffset: 1, order })
    for (let n = 0; n < 300; n += 1) {
      world.service.close(world.service.open({ hostname: `h-${n}` }))
      world.clock.advance(1_000)
    }
    await world.tick()
    await world.tick()
    world.mend()
    for (let n = 0; n < 6; n += 1) await world.tick()
    expect(states(await cards(world))).toEqual([])
  },
)

test('a list of everything whose second page always fails is not read again and again in between', async () => {
  const world = await withoutHistory({ fromOffset: 1 })
  for (let n = 0; n < 80; n += 1) world.service.close(world.service.open())
  const came = new Set<unknown>()
  for (let n = 0; n < 12; n += 1) came.add(`${await world.tick()}`)
  expect([...came]).toEqual([expect.stringContaining(away.message)])
  world.mend()
  for (let n = 0; n < 4; n += 1) await world.tick()
  expect(await world.tick()).toBeNull()
})

test('an API that asks for a rest from its history is not asked for it, and still for what is open', async () => {
  const world = await withoutHistory({ failure: busy })
  await world.tick()
  expect(world.asked()).toBe(1)
  for (let n = 0; n < 20; n += 1) {
    const alertId = world.service.open({ hostname: `h-${n}` })
    expect(await world.tick()).toMatchObject({ kind: 'rate_limited' })
    expect((await world.store.recall()).alerts.has(alertId)).toBe(true)
  }
  expect(world.asked()).toBe(1)
  world.mend()
  for (let n = 0; n < 20; n += 1) await world.tick()
  expect(await world.tick()).toBeNull()
})

test('a long list whose pages were answered out of order was taken for unordered, and read whole at every poll', async () => {
  const { service, clock, poll, tick } = await pollWorld({
    over: (monitor) => ({
      alerts: async (ask) => {
        const page = await monitor.alerts(ask)
        // Of four that are asked together the last one is answered first.
        const turns = 40 - 10 * (Math.floor(ask.offset / 45) % 4)
        for (let n = 0; n < turns; n += 1) await new Promise(setImmediate)
        return page
      },
    }),
  })
  for (let n = 0; n < 900; n += 1) {
    clock.advance(1_000)
    service.close(service.open({ hostname: `web-${n % 9}` }))
  }
  await poll()
  expect(await tick()).toMatchObject({ requests: 2 })
})

describe('what is news is not taken for history', () => {
  test('with more records than are listed, after a quiet hour', async () => {
    const town = await pollWorld()
    for (let n = 0; n < 9_100; n += 1) {
      town.clock.advance(1_000)
      town.service.close(town.service.open({ hostname: `h-${n}` }))
    }
    await town.poll()
    await town.saidAfter(1)
    for (let n = 0; n < 4 * 60; n += 1) await town.tick()
    const alertId = town.service.oneoff()
    expect(await town.saidAfter(1)).toEqual([`post ${alertId} oneoff`])
  })

  test('with a poll once an hour', async () => {
    const town = await polledWorld({ pollCron: '0 0 * * * *' })
    town.clock.advance(30 * minuteMs)
    const alertId = town.service.oneoff()
    town.clock.advance(30 * minuteMs)
    await town.poll()
    expect(await town.said()).toEqual([`post ${alertId} oneoff`])
  })

  test('after an absence of less than half an hour', async () => {
    const town = await polledWorld()
    await town.tick(59)
    town.clock.advance(5 * minuteMs)
    const alertId = town.service.oneoff()
    town.clock.advance(24 * minuteMs)
    town.restart()
    await town.poll()
    expect(await town.said()).toEqual([`post ${alertId} oneoff`])
  })

  test('in the same moment as the newest record of the first start', async () => {
    const town = await pollWorld()
    town.service.open({ hostname: 'web-1' })
    await town.poll()
    await town.said()
    const alertId = town.service.oneoff()
    await town.poll()
    expect(await town.said()).toEqual([`post ${alertId} oneoff`])
  })

  test('after a first start that showed a record from the future', async () => {
    const town = await pollWorld()
    town.service.open({ hostname: 'web-1', timeMs: town.clock.nowMs() + 3 * dayMs })
    await town.poll()
    await town.said()
    const told: string[] = []
    for (const hostname of ['web-2', 'web-3', 'web-4']) {
      await town.tick()
      town.service.oneoff()
      town.service.close(town.service.open({ hostname }))
      await town.tick(2)
      told.push(...(await town.said()))
    }
    expect(told).toHaveLength(6)
  })
})

test('an absence of more than half an hour is one, and what passed is not told', async () => {
  const town = await polledWorld()
  town.clock.advance(36 * minuteMs)
  town.service.oneoff()
  town.restart()
  await town.poll()
  expect(await town.said()).toEqual([])
})

describe('a history that cannot be read', () => {
  const deepPagesFail = (monitor: Monitor): Partial<Monitor> => ({
    alerts: async (ask) => {
      if (ask.lifecycle === 'all' && ask.offset >= 100)
        throw new OutsideFailure('unreachable', 'no answer within 10 s')
      return monitor.alerts(ask)
    },
  })

  test('keeps no open alert from being told, and the failure is not hidden', async () => {
    const town = await pollWorld({ over: deepPagesFail })
    for (let n = 0; n < 300; n += 1) {
      town.clock.advance(1_000)
      town.service.close(town.service.open({ hostname: `h-${n}` }))
    }
    const alertId = town.service.open({ hostname: 'db-1' })
    await expect(town.poll()).rejects.toThrow('no answer within 10 s')
    expect(await town.said()).toEqual([`post ${alertId} open`])
    const before = town.service.requests()
    for (let n = 0; n < 3; n += 1) await town.tick().catch(() => null)
    // Held back: the first page only, until the whole is tried again after a minute.
    expect(town.service.requests() - before).toBeLessThanOrEqual(6)
  })

  test('tells no history when it can be read again', async () => {
    const down = { now: true }
    const town = await pollWorld({
      over: (monitor) => ({
        alerts: async (ask) => {
          if (down.now && ask.lifecycle === 'all') throw new OutsideFailure('unreachable', 'down')
          return monitor.alerts(ask)
        },
      }),
    })
    for (let n = 0; n < 60; n += 1) town.service.close(town.service.open({ hostname: `h-${n}` }))
    town.service.oneoff()
    await expect(town.poll()).rejects.toThrow('down')
    town.clock.advance(minuteMs)
    down.now = false
    expect(await town.saidAfter(6)).toEqual([])
  })
})
