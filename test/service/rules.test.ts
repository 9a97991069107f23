/** What a card says of real rules: server, name, value, unit, limit, title, picture. The rules and the cards are data. */
import { describe, expect, test } from 'vitest'
import { foundOf } from '../../src/service/prometheus/found.ts'
import { rulesOf } from '../../src/service/prometheus/look.ts'
import { Naming } from '../../src/service/prometheus/naming.ts'
import { readExpression, withMatchers } from '../../src/service/prometheus/promql.ts'
import { files, rulesIn, told } from './worlds/rules.ts'

/** What is scraped: exporters of their own in a cluster, hosts, a probe. */
const monitoring = { namespace: 'monitoring', endpoint: 'http' }
const up = [
  {
    job: 'kube-state-metrics',
    instance: '10.0.0.9:8080',
    pod: 'kube-state-metrics-7c9d8b6f5-x2x4z',
    ...monitoring,
  },
  { job: 'node-exporter', instance: '10.0.0.5:9100', pod: 'node-exporter-x2x4z', ...monitoring },
  { job: 'node', instance: 'web-1:9100' },
  {
    job: 'blackbox',
    instance: 'https://shop.example.com/health',
    pod: 'blackbox-7c9d8b6f5-x2x4z',
    ...monitoring,
  },
]
const naming = new Naming([])
naming.learn(up, '')

describe.each(files)('rules of %s', (name) => {
  test.each(rulesIn(name))('$alert $rule.severity: $card', (row) => {
    const { alert, rule: labels, expr: query, summary, labels: own, value, card } = row
    const all = { alertname: alert, ...labels, ...own }
    const annotations = summary === undefined ? {} : { summary }
    const firing = {
      labels: all,
      annotations,
      state: 'firing',
      activeAt: '2026-03-01T12:00:00Z',
      value: String(value),
    }
    const rules = [
      { type: 'alerting', name: alert, query, duration: 60, labels, annotations, alerts: [firing] },
    ]
    const [rule] = rulesOf('x', { data: { groups: [{ rules }] } }).rules
    const { host } = naming.nameOf(all)
    const fired = { key: '[]', labels: all, startedMs: 0, copies: [], own: rule?.alerts[0] ?? null }
    const found = foundOf({ ...fired, rule: rule ?? null }, host ?? 'everywhere', true)
    const condition = card.silence ? `${card.server} sends no data` : `${query} for 1 min`
    const { metric, severity, units, limit, side } = found
    expect({ server: found.host, metric, severity, units, limit, side }).toEqual(told(row))
    expect(found).toMatchObject({ plugin: alert, value: card.value === 'none' ? null : value })
    expect(found.title.slice(0, 270)).toBe((summary ?? condition).slice(0, 270))
    expect(readExpression(query)?.drawn).toHaveLength(Number(card.drawn ?? 1))
    expect(readExpression(withMatchers(query, 'a="b"'))?.limit?.value).toBe(found.limit)
  })
})
