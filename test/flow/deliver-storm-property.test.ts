/** The pace of updates as a property: whatever closes when, Slack is asked for no more than it takes, and ends up right. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deliveryTown } from '../support/delivery-town.ts'
import { letPass } from '../support/delivery-world.ts'
import { alertsOf, closingAll, mostInAMinute, storming, watched } from '../support/storm-delivery.ts'

const minuteMs = 60_000

test.each([1, 77])(
  'whatever closes when, updates stay within fifty a minute, and the last state is shown (seed %i)',
  async (seed) => {
    const drawn = fc.record({
      storms: fc.array(fc.integer({ min: 4, max: 300 }), { minLength: 1, maxLength: 3 }),
      singles: fc.integer({ min: 20, max: 80 }),
      /** How many close at once, and how long it is quiet after that. */
      closings: fc.array(fc.tuple(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 10, max: 6_000 })), {
        minLength: 1,
        maxLength: 25,
      }),
    })
    await fc.assert(
      fc.asyncProperty(drawn, async ({ storms, singles, closings }) => {
        const { over, times } = watched()
        const { clock, chat, store, openIn, commit, deliver } = await deliveryTown({ over })
        const groups = storms.map((count, n) => alertsOf(count, `s${n}-`))
        for (const [n, alerts] of groups.entries()) {
          await store.commit(storming(alerts, clock.nowMs(), `C${n}`))
        }
        const single = alertsOf(singles, 'single-')
        await openIn('C9', ...single.map(({ alertId }) => alertId))
        // Mixed as they came: one of each in turn.
        const left = [...groups, single].flat().toSorted((a, b) => a.alertId.localeCompare(b.alertId))
        for (const [count, quietMs] of closings) {
          await letPass(clock, quietMs)
          await commit(closingAll(left.splice(0, count), clock.nowMs()))
        }
        await letPass(clock, 10 * minuteMs)
        expect(mostInAMinute(times('update'))).toBeLessThanOrEqual(50)
        const stillOpen = left.length
        const cards = chat.messages.flatMap(({ view }) =>
          view.kind === 'storm' ? view.alerts : view.kind === 'alert' ? [view.alert] : [],
        )
        expect(cards.filter(({ state }) => state === 'open')).toHaveLength(stillOpen)
        expect((await store.countCards()).behind).toBe(0)
        await deliver.stop()
      }),
      { seed, numRuns: 6 },
    )
  },
  120_000,
)
