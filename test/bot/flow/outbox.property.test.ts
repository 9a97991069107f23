/**
 * The promises of delivery as properties: one message per card, whatever Slack does and however often the bot dies, and no more
 * updates than Slack takes. `npm run kills` holds a bot that is killed for real to the same, for as long as it is told.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deliverTo, deliveryTown } from '../../support/delivery-town.ts'
import { anAlert, closing, letPass, opening } from '../../support/delivery-world.ts'
import { type Fate, forgetfulChat, stateOf } from '../../support/forgetful-chat.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { alertsOf, closingAll, mostInAMinute, storming, watched } from '../../support/storm-delivery.ts'

const minuteMs = 60_000

describe('under any faults', () => {
  const fates = fc.array(
    fc.constantFrom<Fate>(
      'ok',
      'ok',
      'taken_answer_lost',
      'taken_late',
      'lost',
      'refused_for_now',
      'rate_limited',
      'image_refused',
    ),
    { maxLength: 40 },
  )
  const drawn = fc.record({
    fates,
    finds: fc.array(fc.boolean(), { maxLength: 20 }),
    lagMs: fc.integer({ min: 0, max: 55_000 }),
    alerts: fc.integer({ min: 1, max: 6 }),
    crashes: fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 4 }),
  })

  test.each([3, 99, 2_026, 40_404])(
    'every alert has exactly one message, and it shows the newest state (seed %i)',
    async (seed) => {
      await fc.assert(
        fc.asyncProperty(drawn, async (sample) => {
          const queue = [...sample.fates]
          const finds = [...sample.finds]
          const clock = manualClock()
          const chat = forgetfulChat({
            nowMs: clock.nowMs,
            fateOf: (call) => {
              if (call === 'find') return finds.shift() === false ? 'lost' : 'ok'
              return queue.shift() ?? 'ok'
            },
            historyLagMs: () => sample.lagMs,
            lateMs: () => Math.min(4_000, 55_000 - sample.lagMs),
          })
          const store = await memoryStore()
          let { deliver } = deliverTo(chat, store, clock)
          const alerts = Array.from({ length: sample.alerts }, (_, n) => anAlert(String(n)))
          await store.commit(opening(alerts, 'C1', clock.nowMs(), true))
          deliver.wake()
          for (const afterMs of sample.crashes) {
            await letPass(clock, afterMs)
            // What a restart does: nothing is carried over but the disk.
            await deliver.stop()
            await store.recoverSending()
            deliver = deliverTo(chat, store, clock).deliver
          }
          for (const alert of alerts.slice(1)) await store.commit(closing(alert, clock.nowMs()))
          deliver.wake()
          await letPass(clock, 90 * minuteMs)
          const shown = chat.messages.map((message) => `${message.key} ${stateOf(message)}`).sort()
          expect(shown).toEqual(
            alerts.map(({ alertId }, n) => `alert:${alertId}:C1 ${n === 0 ? 'open' : 'closed'}`).sort(),
          )
          await deliver.stop()
        }),
        { seed, numRuns: 25 },
      )
    },
  )
})

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
)
