/** The rules of an engine as triggers, and the metrics that they are about. */
import { describe, expect, test } from 'vitest'
import { outOfReach } from '../../../src/service/alerts/triggers.ts'
import { keyOf, rulesOf } from '../../../src/service/prometheus/rules.ts'
import { engineRule, expressionOf, knownRules } from './known-rules.ts'

const one = (name: string, query: string, given = {}) => {
  const [rule] = rulesOf([engineRule(name, query, given)])
  if (rule === undefined) throw new Error('there is no rule')
  return rule
}

test.each(knownRules)('$name is about $metric', (rule) => {
  const { type, source, metric } = one(rule.name, expressionOf(rule)).key
  expect(`${type} ${source} ${metric}`).toBe(
    rule.metric === '' ? `plugin ${rule.name} ${rule.name}` : rule.metric,
  )
})

describe('a rule as a trigger', () => {
  test('has its own limit on the side of its comparison, in its own unit', () => {
    expect(one('High', 'node_load1 > 4').trigger).toMatchObject({
      type: 'plugin',
      source: 'Load Average',
      metric: 'last_minute',
      servers: 'all',
      maxValue: 4,
      lowValue: null,
      durationMs: 300_000,
      condition: 'node_load1 > 4 for 5 minutes',
    })
    const low = one('Low', 'node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes < 0.05').trigger
    expect(low).toMatchObject({ metric: 'memory_used_percent', maxValue: outOfReach, lowValue: 0.05 })
    expect(one('Other', 'what [ is').trigger).toMatchObject({
      maxValue: outOfReach,
      lowValue: null,
      metric: 'Other',
    })
  })

  test('keeps its id whatever stands beside it, and no two have the same', () => {
    const [warning, critical] = ['warning', 'critical'].map((severity) =>
      engineRule('Disk', 'a < 1', { labels: { severity, team: 'x' } }),
    )
    const same = engineRule('Disk', 'a < 1', { labels: { team: 'x', severity: 'warning' } })
    if (warning === undefined || critical === undefined) throw new Error('there is no rule')
    const ids = rulesOf([warning, critical, same]).map(({ trigger }) => trigger.id)
    expect(ids[2]).toBe((ids[0] ?? 0) + 1)
    expect(new Set(ids).size).toBe(3)
    expect(rulesOf([critical, engineRule('New', 'b'), warning]).map(({ trigger }) => trigger.id)).toEqual([
      ids[1],
      expect.any(Number),
      ids[0],
    ])
    for (const id of ids) {
      expect(id).toBeGreaterThan(2 ** 40)
      expect(Number.isSafeInteger(id)).toBe(true)
    }
    expect(one('Disk', 'a < 1', { duration: 60 }).trigger.id).not.toBe(one('Disk', 'a < 1').trigger.id)
    expect(one('Disk', 'a < 1').trigger.id).not.toBe(one('Disk', 'a < 2').trigger.id)
    // On disk, and in the URLs of people.
    expect(one('Disk', 'a < 1').trigger.id).toBe(1_212_985_210_686_899)
  })
})

describe('the metric of an alert', () => {
  test('has the source that the labels of the alert name', () => {
    const disk = one('Disk', 'node_filesystem_avail_bytes / node_filesystem_size_bytes < 0.1')
    const key = { type: 'disk', metric: 'disk_used_percent' }
    expect(keyOf(disk, { mountpoint: '/data', device: 'sda1' })).toEqual({ ...key, source: '/data' })
    expect(keyOf(disk, {})).toEqual({ type: 'plugin', source: 'Disk', metric: 'Disk' })
    const root = one('Root', 'node_filesystem_avail_bytes{mountpoint="/"} < 1e9')
    expect(keyOf(root, {})).toEqual({ ...key, source: '/' })
    const io = one('Io', 'rate(node_disk_io_time_seconds_total[5m]) > 0.9')
    expect(keyOf(io, { device: 'nvme0n1' })).toEqual({ type: 'disk', source: 'nvme0n1', metric: 'disk_busy' })
    const cpu = one('Cpu', '1 - rate(node_cpu_seconds_total{mode="idle"}[5m]) > 0.9')
    expect(keyOf(cpu, { cpu: '3', device: 'x' })).toEqual({ type: 'cpu', source: '', metric: 'cpu_busy' })
  })
})
