/** Points of the API made of what an engine answers to a question for a range. */
import { expect, test } from 'vitest'
import type { EngineSeries } from '../../../src/service/prometheus/engine.ts'
import { withoutPort } from '../../../src/service/prometheus/naming.ts'
import { pointsByServer, rangeOf, silenceByServer } from '../../../src/service/prometheus/points.ts'
import { resolutionOf } from '../../../src/service/prometheus/queries.ts'

const window = { fromMs: 600_000, stepMs: 60_000, count: 4 }
const hostnameOf = ({ instance = '' }: Readonly<Record<string, string>>): string => withoutPort(instance)
const series = (instance: string, ...values: [seconds: number, value: string][]): EngineSeries => ({
  metric: { instance },
  values,
})

test('a step is asked for at its end', () => {
  expect(rangeOf(window)).toEqual({ fromMs: 660_000, untilMs: 840_000, stepMs: 60_000 })
})

test('NaN and the infinities are no values, and a point has all three or is none', () => {
  const all = [series('a:1', [660, '1'], [720, 'NaN'], [780, '+Inf'], [840, '4'], [900, '9'])]
  const few = [series('a:1', [660, '2'], [720, '2'])]
  const points = pointsByServer({ min: all, avg: all, max: few }, window, { hostnameOf, merge: 'highest' })
  expect([...points]).toEqual([['a', [[1, 1, 2], null, null, null]]])
})

test.each([
  ['highest', 5],
  ['lowest', 3],
  ['sum', 8],
] as const)('two ports of one host are one server: %s', (merge, expected) => {
  const both = [series('a:1', [660, '3']), series('a:2', [660, '5']), series('b:1', [660, '1'])]
  const points = pointsByServer({ min: both, avg: both, max: both }, window, { hostnameOf, merge })
  expect(points.get('a')?.[0]).toEqual([expected, expected, expected])
  expect(points.get('b')?.[0]).toEqual([1, 1, 1])
})

test('silence begins when a host was last seen on any of its ports, grows, and ends with the next time', () => {
  const seen = [series('a:1', [720, '700']), series('a:2', [720, '710'], [840, '835'])]
  const points = silenceByServer(seen, window, { hostnameOf, nowMs: 838_000 })
  expect(points.get('a')).toEqual([null, [10, 10, 10], [10, 40, 70], [3, 36.5, 70]])
  const still = silenceByServer(seen.slice(0, 1), window, { hostnameOf, nowMs: 790_000 })
  expect(still.get('a')).toEqual([null, [20, 20, 20], [20, 50, 80], [80, 85, 90]])
})

test('no step of any duration is looked into so often that the engine has more points than it gives', () => {
  const minute = 60_000
  for (const stepMs of [minute, 3 * minute, 5 * minute, 30 * minute, 60 * minute, 1_440 * minute]) {
    expect(resolutionOf(stepMs)).toBeGreaterThanOrEqual(15_000)
    expect(stepMs / resolutionOf(stepMs)).toBeLessThanOrEqual(12)
  }
})
