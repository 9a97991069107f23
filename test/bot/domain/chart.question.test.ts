/**
 * What a chart shows: what an alert or a person calls a metric and what the API calls it, and the limit that the alert has met.
 */
import { expect, test } from 'vitest'
import { ticksOf } from '../../../src/bot/charts/axes.ts'
import { subjectWords } from '../../../src/bot/domain/alert/subject-words.ts'
import { limitOf, limitsOfMetric } from '../../../src/bot/domain/chart/limit.ts'
import { wordsOf } from '../../../src/bot/domain/chart/metric-meant.ts'
import {
  durationCovering,
  type MetricDuration,
  metricDurations,
  metricsNamed,
  metricsOfAlert,
} from '../../../src/bot/domain/chart/question.ts'
import { extremes, within } from '../../../src/bot/domain/chart/series.ts'
import { finest, withoutEmptyStart } from '../../../src/bot/domain/chart/window.ts'
import { someDetails } from '../../support/delivery-world.ts'

const minuteMs = 60_000

test.each([
  ['CPU', 'cpu_busy', 'cpu', undefined],
  ['Memory', 'memory_used', 'memory', undefined],
  ['Disk /', 'disk_used_percent', 'disk', '/'],
  ['Network eth0', 'network_in', 'network', 'eth0'],
  ['Process nginx', 'process_count', 'process', 'nginx'],
  ['Load Average', 'last_minute', 'plugin', 'Load Average'],
])('an alert of %s about %s is first asked for as %s', (plugin, metric, type, source) => {
  expect(metricsOfAlert({ plugin, metric })[0]).toEqual({
    metric,
    type,
    ...(source === undefined ? {} : { source }),
  })
})

test('a custom metric is tried after a plugin of its name; an alert without a metric asks for nothing', () => {
  expect(metricsOfAlert({ plugin: 'Signups', metric: 'signups' })).toEqual([
    { metric: 'signups', type: 'plugin', source: 'Signups' },
    { metric: 'signups', type: 'custom_metric', source: 'signups' },
  ])
  expect(metricsOfAlert({ plugin: 'Backup', metric: null })).toEqual([])
})

test('a metric named by a person is first what an alert of the server has shown it to be', () => {
  const alerts = [
    { plugin: 'Load Average', metric: 'last_minute' },
    { plugin: 'Disk /data', metric: 'disk_used_percent' },
  ]
  expect(metricsNamed('last_minute', alerts)[0]).toEqual({
    metric: 'last_minute',
    type: 'plugin',
    source: 'Load Average',
  })
  expect(metricsNamed('disk_used_percent', alerts)[0]).toMatchObject({ type: 'disk', source: '/data' })
  expect(metricsNamed('disk_used_percent', [])[0]).toMatchObject({ type: 'disk', source: '/' })
  expect(metricsNamed('cpu_busy', alerts)[0]).toMatchObject({ type: 'cpu' })
  expect(metricsNamed('swap_used_percent', [])[0]).toMatchObject({ type: 'memory' })
  const many = Array.from({ length: 60 }, (_, at) => ({ plugin: `Plugin ${at}`, metric: `m${at}` }))
  expect(metricsNamed('unheard', many)).toHaveLength(12)
})

test('the shortest duration of the API that reaches back far enough', () => {
  const hourMs = 60 * minuteMs
  expect(
    [1, 5, 6, 12.1, 25, 24 * 8, 24 * 20, 24 * 80, 24 * 170, 24 * 300, 24 * 900].map((h) =>
      durationCovering(h * hourMs),
    ),
  ).toEqual([
    '5 hours',
    '5 hours',
    '12 hours',
    '1 day',
    '1 week',
    '2 weeks',
    '1 month',
    '3 months',
    '6 months',
    '1 year',
    '1 year',
  ])
  const known: readonly MetricDuration[] = metricDurations
  expect(known).toContain(durationCovering(1))
})

test('only what is within the time is kept, and a time that the API left out is a gap', () => {
  const timesMs = [0, 1, 2, 3, 9, 10].map((n) => n * minuteMs)
  const points = timesMs.map((ms) => [ms, ms, ms] as const)
  const cropped = within({ timesMs, points }, minuteMs, 10 * minuteMs)
  expect(cropped.timesMs.map((ms) => ms / minuteMs)).toEqual([1, 2, 3, 4, 9, 10])
  expect(cropped.points.map((point) => point === null)).toEqual([false, false, false, true, false, false])
})

test('extremes are of what is there', () => {
  expect(extremes([[1, 2, 3], null, [0, 5, 9], null])).toEqual({ min: 0, max: 9, last: 5 })
  expect(extremes([null])).toBeNull()
})

test('around an alert the window begins later if the API has finer points for what is left', () => {
  const hourMs = 60 * minuteMs
  const nowMs = 100 * hourMs
  // 4 h 40 min ago: its own hour before it would need the next coarser duration.
  const startedMs = nowMs - 4 * hourMs - 40 * minuteMs
  const window = { fromMs: startedMs - hourMs, toMs: nowMs }
  expect(finest(window, startedMs, nowMs)).toEqual({ fromMs: nowMs - 5 * hourMs, toMs: nowMs })
  expect(durationCovering(nowMs - finest(window, startedMs, nowMs).fromMs)).toBe('5 hours')
  const early = { fromMs: nowMs - 2 * hourMs, toMs: nowMs }
  expect(finest(early, nowMs - hourMs, nowMs)).toEqual(early)
  // Ten minutes before the start are always shown.
  const late = nowMs - 4 * hourMs - 55 * minuteMs
  const wide = { fromMs: late - hourMs, toMs: nowMs }
  expect(finest(wide, late, nowMs)).toEqual(wide)
})

test('a window that would be mostly empty begins with the first point, and never shows less than a quarter of an hour', () => {
  const window = { fromMs: 0, toMs: 60 * 60_000 }
  const from = (minute: number) => withoutEmptyStart(window, minute * 60_000).fromMs / 60_000
  expect([0, 29, 31, 40, 59].map(from)).toEqual([0, 0, 31, 40, 45])
})

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
  const told = { details: someDetails({ limit: { value: 4, side: 'low' }, units: 'MB' }) }
  expect(limitOf({ ...alert, ...told }, [eight, three])).toEqual({ value: 4, side: 'low' })
  expect(limitOf({ ...alert, ...told }, [eight, three], 'MB')).toEqual({ value: 4, side: 'low' })
  expect(limitOf({ ...alert, ...told }, [eight, three], 'GB')).toBeNull()
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
  // A rule without a limit, and one below two petabytes.
  expect(limitsOfMetric('load', [trigger('1', 1e15)])).toEqual([])
  expect(limitsOfMetric('load', [trigger('1', 1e15, 2e15)])).toEqual([{ value: 2e15, side: 'low' }])
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
