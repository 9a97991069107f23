/** Over random failures, lengths and jumps of the clock: one poll at a time, and never a long silence. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { apiRestMaxMs, backoffAfter, refusedKeyRetryMs } from '../../../src/bot/domain/base/backoff.ts'
import { type FailureKind, OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { openSchedule } from '../../../src/bot/flow/poll/schedule.ts'
import { letPass } from '../../support/delivery-world.ts'
import { keptJournal } from '../../support/journal.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { report } from '../../support/schedule-world.ts'

const crons = {
  '* * * * * *': 1_000,
  '*/15 * * * * *': 15_000,
  '0 * * * * *': 60_000,
  '0 0 * * * *': 3_600_000,
}
const trackedMs = 6 * 60_000

const answer = fc.record({ fails: fc.boolean(), tookMs: fc.integer({ min: 0, max: 40_000 }) })
const setting = fc.record({
  cron: fc.constantFrom(...(Object.keys(crons) as (keyof typeof crons)[])),
  answers: fc.array(answer, { minLength: 1, maxLength: 40 }),
  jumps: fc.array(fc.integer({ min: -7_200_000, max: 7_200_000 }), { minLength: 6, maxLength: 6 }),
  random: fc.double({ min: 0, max: 0.999, noNaN: true }),
})

test('whatever fails and however the clock jumps, never two polls at once, and after a failure one within 61 seconds', async () => {
  await fc.assert(
    fc.asyncProperty(setting, async ({ cron, answers, jumps, random }) => {
      const clock = manualClock()
      let at = 0
      let underWay = 0
      const most = { underWay: 0, silenceMs: 0 }
      let failedMs: number | null = null
      const poll = async () => {
        underWay += 1
        most.underWay = Math.max(most.underWay, underWay)
        if (failedMs !== null) most.silenceMs = Math.max(most.silenceMs, clock.steadyMs() - failedMs)
        const { fails, tookMs } = answers[at % answers.length] ?? { fails: false, tookMs: 0 }
        at += 1
        await clock.wait(tookMs)
        underWay -= 1
        failedMs = fails ? clock.steadyMs() : null
        if (fails) throw new OutsideFailure('unreachable', 'away')
        return report
      }
      const schedule = openSchedule(
        { poll, clock, logger: keptJournal(), random: () => random, onPolled: () => undefined },
        { cron },
      )
      schedule.start()
      for (const jump of jumps) {
        await letPass(clock, trackedMs / jumps.length)
        clock.set(jump)
      }
      const silentMs = failedMs === null || underWay > 0 ? 0 : clock.steadyMs() - failedMs
      const stopped = schedule.stop()
      await letPass(clock, 60_000)
      await stopped
      expect(most.underWay).toBeLessThanOrEqual(1)
      expect(Math.max(most.silenceMs, silentMs)).toBeLessThanOrEqual(61_000)
      // One in two minutes: a clock that is set back at the very minute takes that minute's poll with it.
      if (crons[cron] <= 60_000) expect(at).toBeGreaterThanOrEqual(trackedMs / 120_000)
    }),
    { numRuns: 50 },
  )
})

const failed = fc.record({
  kind: fc.constantFrom<FailureKind>('unreachable', 'rate_limited', 'rejected', 'forbidden', 'missing'),
  retryAfterMs: fc.option(fc.integer({ min: 0, max: 100 * 3_600_000 })),
  times: fc.integer({ min: 1, max: 1_000_000 }),
  isPartial: fc.boolean(),
})

test('a rest is never above its maximum, never below the gap from the second failure on, and no retry comes before its end', () => {
  fc.assert(
    fc.property(
      failed,
      fc.integer({ min: 1_000, max: 7 * 24 * 3_600_000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (failure, gapMs, random) => {
        const { holdMs, retryMs } = backoffAfter(failure, { gapMs, random: () => random })
        const { kind, retryAfterMs, times, isPartial } = failure
        const askedMs = isPartial ? 0 : Math.min(retryAfterMs ?? 0, apiRestMaxMs)
        const mostMs = kind === 'forbidden' ? refusedKeyRetryMs : 60_000
        expect(retryMs).toBeGreaterThanOrEqual(holdMs)
        expect(retryMs).toBeGreaterThanOrEqual(askedMs)
        expect(retryMs).toBeLessThanOrEqual(Math.max(askedMs, mostMs))
        if (times > 1 && !isPartial) expect(holdMs).toBeGreaterThanOrEqual(Math.min(gapMs, 30_000))
      },
    ),
  )
})
