/** What people may call a metric, and how the API is then asked for it. */
import { describe, expect, test } from 'vitest'
import { type KnownMetric, knownMetrics, metricMeant } from '../../../src/bot/acts/chart.ts'

const cpu: KnownMetric = { plugin: 'CPU', metric: 'cpu_busy' }
const disk: KnownMetric = { plugin: 'Disk /data1', metric: 'disk_used_percent' }
const plugin: KnownMetric = { plugin: 'Load Average', metric: 'last_minute' }
const known = [cpu, disk, plugin]

describe('the first guess', () => {
  test.each([
    ['cpu_busy', { name: 'cpu_busy', type: 'cpu', source: null }, 'the key of an alert'],
    ['CPU busy', { name: 'cpu_busy', type: 'cpu', source: null }, 'its words'],
    ['busy', { name: 'cpu_busy', type: 'cpu', source: null }, 'not ambiguous: only one is busy'],
    ['disk used', { name: 'disk_used_percent', type: 'disk', source: '/data1' }, 'words without the volume'],
    ['load average', { name: 'last_minute', type: 'plugin', source: 'Load Average' }, 'the plugin alone'],
    ['disk:/ disk_used_percent', { name: 'disk_used_percent', type: 'disk', source: '/' }, 'written out'],
    ['cpu: cpu_steal', { name: 'cpu_steal', type: 'cpu', source: null }, 'written out, without a source'],
    [
      'plugin:Load Average last_minute',
      { name: 'last_minute', type: 'plugin', source: 'Load Average' },
      'a source with a space',
    ],
    [
      'disk_inodes',
      { name: 'disk_inodes', type: 'disk', source: '/data1' },
      'never alerted: the disk that alerts named',
    ],
    ['swap_used', { name: 'swap_used', type: 'memory', source: null }, 'swap belongs to memory'],
    [
      'orders',
      { name: 'orders', type: 'custom_metric', source: 'orders' },
      'a custom one is among the guesses',
    ],
  ])('%s', (text, wanted, _why) => {
    const meant = metricMeant(text, known)
    const guesses = meant.kind === 'one' ? meant.guesses : []
    expect(text === 'orders' ? guesses : guesses.slice(0, 1)).toContainEqual(wanted)
  })
})

test('A name that fits several is not guessed', () => {
  const second: KnownMetric = { plugin: 'Disk /', metric: 'disk_used_percent' }
  expect(metricMeant('disk_used_percent', [disk, second])).toEqual({
    kind: 'several',
    metrics: [disk, second],
  })
})

test('A metric that an alert and a trigger name is one', () => {
  expect(knownMetrics([cpu, cpu], [{ metric: 'cpu_busy' }, { metric: 'mem_used' }])).toEqual([
    cpu,
    { plugin: '', metric: 'mem_used' },
  ])
})
