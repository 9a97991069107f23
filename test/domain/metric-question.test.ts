/** What an alert or a person calls a metric, and what the API calls it. */
import { expect, test } from 'vitest'
import {
  durationCovering,
  type MetricDuration,
  metricDurations,
  metricsNamed,
  metricsOfAlert,
} from '../../src/domain/chart/question.ts'
import { extremes, thresholdOf, within } from '../../src/domain/chart/series.ts'

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

test('a threshold is drawn where there is no doubt about it', () => {
  const trigger = (triggerId: string, metric: string, maxValue: number | null) => ({
    triggerId,
    metric,
    maxValue,
    condition: '',
  })
  const alert = { metric: 'load', triggerId: null, title: 'Last minute met or exceeded 3.00' }
  const three = trigger('1', 'load', 3)
  const eight = trigger('2', 'load', 8)
  expect(thresholdOf(alert, [trigger('9', 'other', 1)])).toBeNull()
  expect(thresholdOf(alert, [eight])).toBe(8)
  expect(thresholdOf(alert, [eight, three])).toBe(3)
  expect(thresholdOf({ ...alert, title: 'too much' }, [eight, three])).toBeNull()
  expect(thresholdOf({ ...alert, triggerId: '2' }, [eight, three])).toBe(8)
})
