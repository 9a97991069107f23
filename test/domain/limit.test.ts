/** The line on a chart: the limit that the alert has met, on the side where it has met it. */
import { expect, test } from 'vitest'
import { ticksOf } from '../../src/charts/axes.ts'
import { subjectWords } from '../../src/domain/alert/subject-words.ts'
import { limitOf, limitsOfMetric } from '../../src/domain/chart/limit.ts'
import { wordsOf } from '../../src/domain/chart/metric-meant.ts'

const trigger = (triggerId: string, maxValue: number | null, lowValue: number | null = null) => ({
  triggerId,
  metric: 'load',
  maxValue,
  lowValue,
})
const alert = { metric: 'load', triggerId: null, title: 'Last minute was above 3', value: 3.5 }
const low = { ...alert, title: 'Disk free dropped to 480, limit 500', value: 480 }
const [three, eight] = [trigger('1', 3), trigger('2', 8)]

test('a limit is drawn where there is no doubt about it', () => {
  expect(limitOf({ ...alert, metric: 'other' }, [three])).toBeNull()
  expect(limitOf({ ...alert, value: 8.5 }, [eight])).toEqual({ value: 8, side: 'high' })
  expect(limitOf(alert, [eight, three])).toEqual({ value: 3, side: 'high' })
  expect(limitOf({ ...alert, title: 'too much' }, [eight, three])).toBeNull()
  expect(limitOf({ ...alert, triggerId: '2', value: 8.5 }, [eight, three])).toEqual({
    value: 8,
    side: 'high',
  })
  expect(limitOf(alert, [])).toBeNull()
})

test('the card and its picture have one limit: the one of the title, in the units of the metric', () => {
  const said = {
    ...alert,
    title: 'Disk free met or fell below 500.00 MB, decreasing to 480.00 MB',
    value: 480,
  }
  expect(limitOf(said, [trigger('3', null, 400)], 'MB')).toEqual({ value: 500, side: 'low' })
  expect(limitOf(said, [trigger('3', null, 600)], 'B')).toEqual({ value: 600, side: 'low' })
})

test("a limit that the value does not meet is another alert's, or a later one", () => {
  expect(limitOf(alert, [eight])).toBeNull()
  expect(limitOf({ ...alert, value: null }, [eight])).toEqual({ value: 8, side: 'high' })
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
    ['cpu_busy', 'last_minute', 'disk_used_percent', 'Signups today', 'http.5xx'].map((metric) =>
      subjectWords({ plugin: '', metric }),
    ),
  ).toEqual(['CPU busy', 'Last minute', 'Disk used', 'Signups today', 'HTTP 5xx'])
  expect(subjectWords({ plugin: 'CPU', metric: 'cpu_busy' })).toBe('CPU busy')
  expect(subjectWords({ plugin: 'Signups', metric: 'signups' })).toBe('Signups')
  expect(subjectWords({ plugin: 'Load Average', metric: 'last_minute' })).toBe('Load Average: last minute')
})

test('two metrics that would be called the same are told apart by their keys', () => {
  const of = (metric: string) => ({ plugin: 'Disk /', metric })
  expect(wordsOf([of('disk_used'), of('disk_used_percent'), of('disk_free')])).toEqual([
    'Disk / disk_used',
    'Disk / disk_used_percent',
    'Disk /: free',
  ])
})

test('no two ticks of an axis are called the same', () => {
  const axis = ticksOf([1_000_010], '')
  expect([1_000_000, 1_000_005].map((value) => axis.write(value, 5))).toEqual(['1,000,000', '1,000,005'])
  expect([0, 200_000, 400_000].map((value) => ticksOf([400_000], '').write(value, 200_000))).toEqual([
    '0',
    '200K',
    '400K',
  ])
  expect([0.001, 0.002].map((value) => ticksOf([0.002], '').write(value, 0.001))).toEqual(['0.001', '0.002'])
  const disk = ticksOf([40e9], 'B')
  expect([disk.units, disk.write(20e9, 10e9)]).toEqual(['GB', '20'])
})
