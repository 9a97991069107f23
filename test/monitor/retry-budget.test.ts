/** All reads together repeat only so often: a dead API is not asked three times for each question. */
import { describe, expect, test } from 'vitest'
import { openRetryBudget } from '../../src/monitor/repeat.ts'
import { apiWorld } from '../support/api-world.ts'
import { manualClock } from '../support/manual-clock.ts'

describe('a budget of repetitions', () => {
  const takeAll = (budget: { take(): boolean }) => {
    let taken = 0
    while (budget.take()) taken += 1
    return taken
  }

  test('is full at first, empty after that, and full again within a minute, never more', () => {
    const clock = manualClock()
    const budget = openRetryBudget(clock, 12)
    expect(takeAll(budget)).toBe(12)
    clock.advance(10_000)
    expect(takeAll(budget)).toBe(2)
    clock.advance(3_600_000)
    expect(takeAll(budget)).toBe(12)
  })

  test('grows with what succeeds: one repetition for four answers', () => {
    const budget = openRetryBudget(manualClock(), 12)
    takeAll(budget)
    for (let n = 0; n < 8; n += 1) budget.earn()
    expect(takeAll(budget)).toBe(2)
  })

  test('is not filled by a clock that is set back', () => {
    let nowMs = 100_000
    const budget = openRetryBudget({ nowMs: () => nowMs, wait: async () => undefined }, 12)
    takeAll(budget)
    nowMs = 0
    expect(takeAll(budget)).toBe(0)
    nowMs = 5_000
    expect(takeAll(budget)).toBe(1)
  })
})

describe('requests to an API that is down', () => {
  /** With a poll every second, which no backoff slows down here. */
  async function requestsPerMinute(fault: Parameters<typeof apiWorld>[0] & object, order: object) {
    const town = await apiWorld(fault)
    await town.tick()
    town.service.orderFault({ times: 10_000, path: 'alerts.json', ...order })
    // What was saved up before is spent in the first minute.
    const minute = async () => {
      const [before, untilMs] = [town.alertRequests(), town.clock.nowMs() + 60_000]
      let polls = 0
      while (town.clock.nowMs() < untilMs) {
        town.clock.advance(1_000)
        polls += 1
        await expect(town.poll()).rejects.toThrow('the monitoring API')
      }
      return { polls, requests: town.alertRequests() - before }
    }
    return [await minute(), await minute()]
  }

  test.each([503, 500, 429])(
    'answering %i are one a poll, and no more than two dozen repetitions in the first minute, a dozen in the next',
    async (status) => {
      const [first, second] = await requestsPerMinute({ limits: { retriesMax: 2 } }, { status })
      expect(first?.requests).toBeGreaterThan(first?.polls ?? 0)
      expect(first?.requests).toBeLessThanOrEqual((first?.polls ?? 0) + 24)
      expect(second?.requests).toBeLessThanOrEqual((second?.polls ?? 0) + 13)
    },
  )

  test('are one a poll where an answer would only be the same again', async () => {
    const [first] = await requestsPerMinute({}, { status: 422 })
    expect(first?.requests).toBe(first?.polls)
  })
})
