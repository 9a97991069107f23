/** One rule that cannot be read takes no other with it, and proves nothing. */
import { expect, test } from 'vitest'
import { readRules } from '../../../src/service/prometheus/engine-rules.ts'
import { firingOf, viewOf } from '../../../src/service/prometheus/firing.ts'
import { settings } from './made.ts'

const alert = {
  labels: { alertname: 'A' },
  annotations: {},
  state: 'firing',
  activeAt: '2026-11-22T10:00:00Z',
  value: '1',
}
const good = {
  type: 'alerting',
  name: 'A',
  query: 'up == 0',
  duration: 0,
  labels: {},
  alerts: [alert],
  health: 'ok',
}
const read = (...rules: readonly unknown[]) => readRules({ groups: [{ rules: [...rules] }] })

test.each([
  ['an alert without labels', { ...good, name: 'B', alerts: [{ ...alert, labels: undefined }, alert] }],
  ['labels that are no texts', { ...good, name: 'B', labels: { a: 1 } }],
  ['no expression', { ...good, name: 'B', query: undefined }],
  ['a duration that is none', { ...good, name: 'B', duration: 'long' }],
])('a rule with %s stands beside the good one, as one that proves nothing', (_, odd) => {
  const rules = read(odd, good)
  expect(rules.map(({ name, health }) => [name, health])).toEqual([
    ['B', 'unreadable'],
    ['A', 'ok'],
  ])
  const view = viewOf(rules, settings)
  expect(view.evidence({ alertname: 'B', instance: 'web-1' }, true)).toBe('there')
  // Where these rules are all that is known of what fires, that is not known.
  const whatFires = () => firingOf({ view, alerts: null, ruleOf: () => null, isOurs: () => false, nowMs: 0 })
  expect(whatFires).toThrow('Prometheus lists a rule that cannot be read, so that what fires is not known')
})

test('a rule without a name is an error, and one that records is none of these', () => {
  expect(() => read({ query: 'up' })).toThrow('a rule without a name')
  expect(read({ type: 'recording', name: 'job:up', query: 'up' }, good)).toHaveLength(1)
})
