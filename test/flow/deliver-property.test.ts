/**
 * The promise of delivery as a property: one message per card, whatever Slack does and however often the bot dies. `npm run
 * kills` holds a bot that is killed for real to the same, for as long as it is told.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anAlert, closing, deliverTo, letPass, opening } from '../support/delivery-world.ts'
import { type Fate, forgetfulChat, stateOf } from '../support/forgetful-chat.ts'
import { manualClock } from '../support/manual-clock.ts'
import { memoryStore } from '../support/memory-store.ts'

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
    60_000,
  )
})
