/** The line on a chart: the limit that the alert has met, on the side where it has met it. */
import { expect, test } from 'vitest'
import { amountsOf } from '../../src/domain/chart/amount.ts'
import { limitOf, limitsOfMetric } from '../../src/domain/chart/limit.ts'
import { chartWords, metricWords } from '../../src/domain/chart/metric-words.ts'

const trigger = (triggerId: string, maxValue: number | null, lowValue: number | null = null) => ({
  triggerId,
  metric: 'load',
  maxValue,
  lowValue,
})
const alert = { metric: 'load', triggerId: null, title: 'Last minute met or exceeded 3.00', value: 3.5 }
const low = { ...alert, title: 'Disk free met or fell below 500.00 MB, decreasing to 480.00 MB', value: 480 }
const [three, eight] = [trigger('1', 3), trigger('2', 8)]

test('a limit is drawn where there is no doubt about it', () => {
  expect(limitOf({ ...alert, metric: 'other' }, [three])).toBeNull()
  expect(limitOf(alert, [eight])).toEqual({ value: 8, side: 'high' })
  expect(limitOf(alert, [eight, three])).toEqual({ value: 3, side: 'high' })
  expect(limitOf({ ...alert, title: 'too much' }, [eight, three])).toBeNull()
  expect(limitOf({ ...alert, triggerId: '2' }, [eight, three])).toEqual({ value: 8, side: 'high' })
  expect(limitOf(alert, [])).toBeNull()
})

test('an alert of the low side has the low limit, and no number that stands for none', () => {
  for (const none of [1e9, 1e12, 1e15]) {
    expect(limitOf(low, [trigger('3', none, 500)])).toEqual({ value: 500, side: 'low' })
    expect(limitsOfMetric('load', [trigger('3', none, 500)])).toEqual([{ value: 500, side: 'low' }])
  }
  expect(limitOf(low, [trigger('3', 900, 500)])).toEqual({ value: 500, side: 'low' })
  expect(limitOf({ ...alert, value: 950 }, [trigger('3', 900, 500)])).toEqual({ value: 900, side: 'high' })
})

test('a title that tells no side leaves it to the value, and the value only to its own trigger', () => {
  const silent = { ...alert, title: 'Disk free', triggerId: '3' }
  const both = [trigger('3', 900, 500)]
  expect(limitOf({ ...silent, value: 480 }, both)).toEqual({ value: 500, side: 'low' })
  expect(limitOf({ ...silent, value: 950 }, both)).toEqual({ value: 900, side: 'high' })
  expect(limitOf({ ...silent, value: 700 }, both)).toBeNull()
  expect(limitOf({ ...silent, value: null }, both)).toBeNull()
  expect(limitOf({ ...silent, triggerId: null, value: 480 }, both)).toBeNull()
})

test('bytes by the billion are a limit where no lower one says that they stand for none', () => {
  expect(limitsOfMetric('load', [trigger('1', 8e9)])).toEqual([{ value: 8e9, side: 'high' }])
  expect(limitsOfMetric('load', [three, eight, trigger('3', null, 1)])).toEqual([{ value: 1, side: 'low' }])
})

test('a metric is called as people call it', () => {
  expect(
    ['cpu_busy', 'last_minute', 'disk_used_percent', 'Signups today', 'http.5xx'].map(metricWords),
  ).toEqual(['CPU busy', 'Last minute', 'Disk used percent', 'Signups today', 'HTTP 5xx'])
  expect(chartWords('CPU', 'cpu_busy')).toBe('CPU busy')
  expect(chartWords('Signups', 'signups')).toBe('Signups')
  expect(chartWords('Load Average', 'last_minute')).toBe('Load Average · Last minute')
})

test.each<[values: number[], units: string, of: number, words: string]>([
  [[97.234], '%', 97.234, '97.2 %'],
  [[1_500_000_000], 'B', 1_500_000_000, '1.5 GB'],
  [[12_400], 'MB', 12_400, '12.4 GB'],
  [[480], 'MB', 480, '480 MB'],
  [[1e7], 'KB/s', 2_500_000, '2.5 GB/s'],
  [[0.0034], '', 0.0034, '0.0034'],
  [[1e-320], 's', 1e-320, '1.0e-320 s'],
  [[3e17], '', 3e17, '3.0e+17'],
  [[-1_200], '', -1_200, '-1,200'],
])('of %j %s, %d is written %s', (values, units, of, words) => {
  expect(amountsOf(values, units).with(of)).toBe(words)
})

test('no two ticks of an axis are called the same', () => {
  const amounts = amountsOf([1_000_010], '')
  expect([1_000_000, 1_000_005].map((value) => amounts.tick(value, 5))).toEqual(['1,000,000', '1,000,005'])
  expect([0, 200_000, 400_000].map((value) => amountsOf([400_000], '').tick(value, 200_000))).toEqual([
    '0',
    '200K',
    '400K',
  ])
  expect([0.001, 0.002].map((value) => amountsOf([0.002], '').tick(value, 0.001))).toEqual(['0.001', '0.002'])
})
