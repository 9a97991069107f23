/** What an alert or a person calls a metric, and what the API calls it. */
import { expect, test } from 'vitest'
import {
  durationCovering,
  type MetricDuration,
  metricDurations,
  metricsNamed,
  metricsOfAlert,
} from '../../src/domain/chart/question.ts'
import { extremes, within } from '../../src/domain/chart/series.ts'
import { finest, withoutEmptyStart } from '../../src/domain/chart/window.ts'

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
