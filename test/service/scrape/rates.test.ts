/** Rates of a host: by a clock that nobody sets and that goes on in its sleep, also where the host began anew or was looked at late. */
import { expect, test } from 'vitest'
import { openUpClock } from '../../../src/service/clocks.ts'
import { openRates } from '../../../src/service/scrape/rates.ts'
import { cpu, gapMaxMs, intervalMs, open, read, readTwo } from './read-metrics.ts'

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
  // Both are read one after the other, and other work may come between.
  const before = performance.now() - fromOwn
  const upFor = upMs() - from
  expect(upFor).toBeGreaterThan(before - 50)
  expect(upFor).toBeLessThan(performance.now() - fromOwn + 50)
})

test('CPU is what is not idle, over all CPUs', () => {
  expect(readTwo(cpu(300, 100, 200), cpu(315, 103, 215, 6))).toMatchObject({
    'cpu cpu_busy': expect.closeTo(40),
    'cpu cpu_user': expect.closeTo(20),
    'cpu cpu_system': expect.closeTo(20),
  })
})

test('a first answer has no rates, and says nothing of them', () => {
  expect(read(open(), cpu(300, 100, 200), 0)).toEqual({})
})

test('a CPU of which the modes make no whole says nothing', () => {
  expect(readTwo(cpu(300, 100, 100), cpu(315, 900, 103))).toMatchObject({
    'cpu cpu_busy': expect.closeTo(80),
  })
})

test('a host that began anew was told to be busy for all the time in which it was away', () => {
  // Up for five seconds of fifteen, and idle in them.
  expect(readTwo(cpu(100_000, 90_000, 90_000), cpu(5, 5, 5))).toEqual({})
  // It had not been up for long before, so that no counter is below what it was.
  const metrics = open()
  read(metrics, cpu(10, 9, 9), 0)
  expect(read(metrics, cpu(20, 19, 19), 60_000)).toEqual({})
  expect(read(metrics, cpu(35, 34, 31), 75_000)).toMatchObject({ 'cpu cpu_busy': expect.closeTo(10) })
})

test('one mode of one CPU that began anew takes its CPU out, and no other', () => {
  expect(readTwo(cpu(300, 100, 200, 50), cpu(315, 105, 209, 1))).toMatchObject({
    'cpu cpu_busy': expect.closeTo(40),
    'cpu cpu_user': 0,
  })
})

test('a host that slept was told to be busy in that time', () => {
  const metrics = open()
  read(metrics, cpu(1_000, 500, 500), 0)
  expect(read(metrics, cpu(1_015, 515, 515), 60_000)).toEqual({})
})

test('when the exporter looked a little late, its CPUs are not busier', () => {
  const metrics = open()
  read(metrics, cpu(1_000, 500, 500), 0)
  expect(read(metrics, cpu(1_001.3, 501.3, 501.3), 1_000)).toMatchObject({
    'cpu cpu_busy': expect.closeTo(0),
  })
  expect(read(metrics, cpu(1_002, 502, 502), 2_000)).toMatchObject({ 'cpu cpu_busy': expect.closeTo(0) })
})

test('two answers that are too far apart make no rate', () => {
  const metrics = open()
  read(metrics, cpu(0, 0, 0), 0)
  expect(read(metrics, cpu(100, 100, 100), gapMaxMs + 1)).toEqual({})
  const after = read(metrics, cpu(115, 115, 100), gapMaxMs + 1 + intervalMs)
  expect(after).toMatchObject({ 'cpu cpu_busy': expect.closeTo(50) })
})
