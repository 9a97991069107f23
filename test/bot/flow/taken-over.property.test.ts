/**
 * Whoever leads is stopped before or after any call, for as long as it may be, and another takes over: at rest each card has one
 * message, which shows what the memory says last. `npm run kills -- --replicas 2` holds real processes to the same.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anAlert, closing, letPass, letPassUntil, opening } from '../../support/delivery-world.ts'
import { type Fate, forgetfulChat, stateOf } from '../../support/forgetful-chat.ts'
import { openLeading, type Stop } from '../../support/leading.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'

const minuteMs = 60_000

type Sample = {
  readonly stops: readonly Stop[]
  readonly fates: readonly Fate[]
  readonly lagMs: number
  readonly alerts: number
}

async function atRest({ stops, fates, lagMs, alerts: count }: Sample): Promise<void> {
  const clock = manualClock()
  const queue = [...fates]
  const slack = forgetfulChat({
    nowMs: clock.nowMs,
    fateOf: (call) => (call === 'find' ? 'ok' : (queue.shift() ?? 'ok')),
    historyLagMs: () => lagMs,
    lateMs: () => Math.min(4_000, 55_000 - lagMs),
  })
  const store = await memoryStore()
  const { lead } = openLeading(store, slack, clock)
  const alerts = Array.from({ length: count }, (_, n) => anAlert(String(n)))
  const [first, ...others] = alerts
  await store.commit(opening([...others, ...(first === undefined ? [] : [first])], 'C1', clock.nowMs()))
  for (const [n, stop] of stops.entries()) {
    const leader = lead(stop)
    // So that there is something to update, from each of them.
    const alert = others[n]
    void clock.wait(20_000).then(async () => {
      if (alert !== undefined) await store.commit(closing(alert, clock.nowMs()))
      leader.wake()
    })
    // One that is not stopped for long enough leads on, and is killed later.
    const ended = Promise.race([leader.taken, clock.wait(2 * minuteMs).then(leader.kill)])
    let isEnded = false
    void ended.then(() => {
      isEnded = true
    })
    await letPassUntil(clock, () => isEnded)
  }
  const last = lead()
  for (const alert of others.slice(stops.length)) await store.commit(closing(alert, clock.nowMs()))
  last.wake()
  await letPass(clock, 45 * minuteMs)
  const shown = slack.messages.map((message) => `${message.key} ${stateOf(message)}`).sort()
  expect(shown).toEqual(
    alerts.map(({ alertId }, n) => `alert:${alertId}:C1 ${n === 0 ? 'open' : 'closed'}`).sort(),
  )
  expect((await store.countCards()).behind).toBe(0)
  expect(await store.copies()).toEqual([])
}

const forMs = fc.constantFrom(8_000, 18_000, 25_000, 40_000, 70_000, 110_000, 700_000, null)

test.each([1, 29, 4_711])(
  'one message a card, and it shows what the memory says last (seed %i)',
  async (seed) => {
    const drawn = fc.record({
      stops: fc.array(fc.record({ atStep: fc.integer({ min: 1, max: 60 }), forMs }), {
        minLength: 1,
        maxLength: 3,
      }),
      fates: fc.array(
        fc.constantFrom<Fate>(
          'ok',
          'ok',
          'ok',
          'taken_answer_lost',
          'taken_late',
          'lost',
          'refused_for_now',
          'rate_limited',
        ),
        { maxLength: 20 },
      ),
      lagMs: fc.integer({ min: 0, max: 50_000 }),
      alerts: fc.integer({ min: 1, max: 4 }),
    })
    await fc.assert(fc.asyncProperty(drawn, atRest), { seed, numRuns: 20 })
  },
)

test.each([8_000, 40_000, 110_000, 700_000, null])(
  'stopped for %d ms at each step of a post and of an update, one after the other',
  async (forMs) => {
    for (let atStep = 1; atStep <= 40; atStep += 1)
      await atRest({ stops: [{ atStep, forMs }], fates: [], lagMs: 0, alerts: 2 })
  },
)
