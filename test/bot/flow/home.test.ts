/** Home tabs: shown when opened, kept for an hour, and never more often than Slack and people can take. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import type { HomeView } from '../../../src/bot/domain/request/answer.ts'
import { openHomes } from '../../../src/bot/flow/outbox/home.ts'
import { bareWorld } from '../../support/bare-world.ts'
import { anAlert, calm, letPass, opening } from '../../support/delivery-world.ts'
import { startPart } from '../../support/start-part.ts'

const minuteMs = 60_000

/** `fails`: failures of the first calls, in their order. The API is not polled: what is shown changes by alerts alone. */
async function world(fails: readonly OutsideFailure[] = []) {
  const { clock, store, logger, chat: slack } = await bareWorld()
  const published: { userId: string; atMs: number; open: number }[] = []
  const places: HomeView['places'][] = []
  const polledMs = clock.nowMs()
  const failures = [...fails]
  let count = 0
  const chat = {
    ...slack,
    publishHome: async (userId: string, { open, places: shown }: HomeView) => {
      places.push(shown)
      published.push({ userId, atMs: clock.nowMs(), open: open.length })
      const failure = failures.shift()
      if (failure !== undefined) throw failure
    },
  }
  const health = () => ({ ...calm(polledMs), nowMs: clock.nowMs() })
  const homes = startPart(openHomes({ store, chat, clock, logger, health }))
  return {
    clock,
    store,
    logger,
    homes,
    published,
    places,
    /** One more alert, and the bell. */
    change: async () => {
      count += 1
      await store.commit(opening([anAlert(String(count))], 'C1', clock.nowMs()))
      homes.wake()
    },
  }
}

test('a tab is shown at once when it is opened, and again when something changed', async () => {
  const town = await world()
  await town.change()
  await letPass(town.clock, minuteMs)
  expect(town.published).toEqual([])
  await town.homes.opened('U1')
  await letPass(town.clock, 0)
  expect(town.published).toMatchObject([{ userId: 'U1', open: 1 }])
  await letPass(town.clock, minuteMs)
  await town.change()
  await letPass(town.clock, 0)
  expect(town.published).toMatchObject([{ open: 1 }, { userId: 'U1', open: 2 }])
})

test('what is the same is not shown again', async () => {
  const town = await world()
  await town.homes.opened('U1')
  for (let n = 0; n < 30; n += 1) {
    town.homes.wake()
    await letPass(town.clock, minuteMs)
  }
  expect(town.published).toHaveLength(1)
})

test('a storm shows it once in three seconds to each, and the last state in the end', async () => {
  const town = await world()
  await town.homes.opened('U1')
  for (let n = 0; n < 60; n += 1) {
    await town.change()
    await letPass(town.clock, 1_000)
  }
  await letPass(town.clock, 15_000)
  const times = town.published.map(({ atMs }) => atMs)
  expect(times.length).toBeGreaterThan(5)
  expect(Math.min(...times.slice(1).map((atMs, n) => atMs - (times[n] ?? 0)))).toBeGreaterThanOrEqual(3_000)
  expect(town.published.at(-1)?.open).toBe(60)
})

test('however many look, at most thirty a minute are shown, and nobody is left out', async () => {
  const town = await world()
  const users = Array.from({ length: 40 }, (_, n) => `U${n}`)
  for (const userId of users) await town.homes.opened(userId)
  for (let n = 0; n < 180; n += 1) {
    await town.change()
    await letPass(town.clock, 1_000)
  }
  const times = town.published.map(({ atMs }) => atMs)
  const most = Math.max(...times.map((atMs) => times.filter((t) => t >= atMs && t < atMs + minuteMs).length))
  expect(most).toBeLessThanOrEqual(30)
  expect(new Set(town.published.map(({ userId }) => userId)).size).toBe(40)
})

test('who has not looked for an hour is left alone', async () => {
  const town = await world()
  await town.homes.opened('U1')
  await letPass(town.clock, 61 * minuteMs)
  const before = town.published.length
  await town.change()
  await letPass(town.clock, 5 * minuteMs)
  expect(town.published).toHaveLength(before)
})

test('a tab that could not be shown is shown a little later, or when Slack says', async () => {
  const limited = new OutsideFailure('rate_limited', 'too many', { retryAfterMs: 45_000 })
  const town = await world([new OutsideFailure('unreachable', 'Slack did not answer'), limited])
  await town.homes.opened('U1')
  await letPass(town.clock, 2 * minuteMs)
  const [first = 0, second = 0, third = 0, ...none] = town.published.map(({ atMs }) => atMs)
  expect(none).toEqual([])
  expect([second - first, third - second]).toEqual([3_000, 45_000])
  expect(town.logger.events()).toEqual(['home:not_shown', 'home:not_shown'])
})

test('a tab that always fails was tried every ten seconds for an hour', async () => {
  const fails = Array.from({ length: 1_000 }, () => new OutsideFailure('rejected', 'not_enabled'))
  const { clock, homes, published } = await world(fails)
  await homes.opened('U1')
  await letPass(clock, 61 * minuteMs)
  expect(published.length).toBeGreaterThan(5)
  expect(published.length).toBeLessThan(15)
})

test('an alert has the way to its card as soon as Slack shows it, and the tab follows', async () => {
  const town = await world()
  await town.change()
  await town.homes.opened('U1')
  await letPass(town.clock, 0)
  expect(town.places).toEqual([[]])
  await town.store.settle('alert:1:C1', { state: 'shown', ts: '5.5' })
  town.homes.wake()
  await letPass(town.clock, minuteMs)
  expect(town.places.at(-1)).toEqual([{ alertId: '1', cardId: 'alert:1:C1', channel: 'C1', ts: '5.5' }])
})
