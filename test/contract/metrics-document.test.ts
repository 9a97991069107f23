/** docs/metrics.md tells the metrics as they are: every one, with its type, its labels and its meaning. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type MetricSpec, metricTable } from '../../src/ops/metric-table.ts'

const document = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')

function rowOf({ name, type, labels, help }: MetricSpec): string {
  const words = labels.map((label) => `\`${label}\``).join(', ')
  return `| \`${name}\` | ${type} | ${words || 'none'} | ${help} |`
}

const rows = Object.values<MetricSpec>(metricTable).map(rowOf)

test('the table has a row for every metric', () => {
  const table = /<!-- metrics -->\n([\s\S]*?)<!-- \/metrics -->/.exec(document)?.[1] ?? ''
  expect(table.trim().split('\n').slice(2)).toEqual(rows)
})

test('a counter ends as counters do, and a name says its unit', () => {
  for (const { name, type } of Object.values<MetricSpec>(metricTable)) {
    expect(name.endsWith('_total')).toBe(type === 'counter')
    if (type === 'histogram') expect(name).toMatch(/_seconds$/)
  }
})
