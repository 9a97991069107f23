/** The clock by which rates are made: nobody sets it, and it goes on while the machine sleeps. */
import { expect, test } from 'vitest'
import { openUpClock } from '../../src/service/clocks.ts'
import { openRates } from '../../src/service/scrape/rates.ts'

test('what a host counted while this machine slept was told as the growth of one interval', () => {
  const machine = { awakeMs: 50_000, asleepMs: 0 }
  // The system's own is coarse, to ten milliseconds.
  const coarse = (): number => Math.floor((machine.awakeMs + machine.asleepMs) / 10) * 10
  const upMs = openUpClock(() => machine.awakeMs, coarse)
  const rates = openRates(75_000)
  rates.of('bytes', 0, upMs())
  machine.awakeMs += 15_004
  expect(rates.of('bytes', 15_004, upMs())?.perSecond).toBeCloseTo(1_000)
  machine.awakeMs += 15_000
  machine.asleepMs += 8 * 60 * 60_000
  expect(rates.of('bytes', 28_830_004, upMs())).toBeNull()
  machine.awakeMs += 15_000
  expect(rates.of('bytes', 28_845_004, upMs())?.perSecond).toBeCloseTo(1_000)
})

test('it goes on as fast as time', async () => {
  const upMs = openUpClock()
  const [from, fromOwn] = [upMs(), performance.now()]
  await expect.poll(() => performance.now() - fromOwn).toBeGreaterThan(100)
  expect(Math.abs(upMs() - from - (performance.now() - fromOwn))).toBeLessThan(50)
})
