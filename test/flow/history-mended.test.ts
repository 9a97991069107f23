/** What is over cannot be read, and what is open can: nothing that is open is late for it, and nothing old becomes news. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../src/domain/base/failure.ts'
import type { Order } from '../support/model-service.ts'
import { cards, pollWorld, states } from '../support/poll-world.ts'

const away = new OutsideFailure('unreachable', 'the history is away')
const busy = new OutsideFailure('rate_limited', 'too many requests', { retryAfterMs: 10 * 60_000 })

/** The list of everything fails from this offset on until it is mended. */
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
