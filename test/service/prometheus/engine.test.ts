/** What engines answer, Debian's Prometheus and others: their rules as triggers, their points, and what of it cannot be read. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { outOfReach } from '../../../src/service/alerts/triggers.ts'
import { type EngineSeries, openEngine, readRules } from '../../../src/service/prometheus/engine.ts'
import { firingOf, viewOf } from '../../../src/service/prometheus/firing.ts'
import { withoutPort } from '../../../src/service/prometheus/naming.ts'
import { pointsByServer, rangeOf, silenceByServer } from '../../../src/service/prometheus/points.ts'
import { resolutionOf } from '../../../src/service/prometheus/queries.ts'
import { rulesOf } from '../../../src/service/prometheus/rules.ts'
import { exporter } from '../scrape/exporters.ts'
import { openGateway, success } from './gateway.ts'
import { engineRule, expressionOf, knownRules } from './known-rules.ts'
import { settings } from './made.ts'

/** The rules of an engine that says this. */
async function rulesAnswered(status: number, answer: object) {
  const url = new URL(
    await exporter((_, response) => {
      response.statusCode = status
      response.end(JSON.stringify(answer))
    }),
  ).origin
  const reported: string[] = []
  const engine = openEngine({ url, authorization: null }, 5_000, { report: (line) => reported.push(line) })
  const { rules } = await engine.rules()
  return { rules, said: [...reported, ...engine.doubts().map(({ said }) => said)].join(' ') }
}

const listing = async (groups: unknown) =>
  (await rulesAnswered(200, { status: 'success', data: { groups } })).rules

test('lists that are null are empty, as engines in Go mean them', async () => {
  expect(await listing(null)).toEqual([])
  expect(await listing([{ name: 'town', rules: null }])).toEqual([])
  const bare = {
    type: 'alerting',
    name: 'Down',
    query: 'up == 0',
    alerts: null,
    labels: null,
    annotations: null,
  }
  expect(await listing([{ rules: [bare] }])).toMatchObject([
    { name: 'Down', alerts: [], labels: {}, health: 'ok' },
  ])
})

test.each([
  [500, { status: 'error', error: 'Get "http://reader:s3cr3t@store-1/": away' }],
  [422, { status: 'error', error: 'not with Authorization: Bearer s3cr3t' }],
  [200, { status: 'success', data: {}, warnings: ['https://reader:s3c/r3t:s3cr3t@store-1/ is away'] }],
])('what an engine says with a %d is told without user, password and token', async (status, answer) => {
  const told = await rulesAnswered(status, answer).then(
    ({ said }) => said,
    (error: Error) => error.message,
  )
  expect(told).toContain('[secret]')
  expect(told).not.toMatch(/s3c|reader/)
})

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
  const whatFires = () => firingOf({ view, alerts: null, ruleOf: () => null, mutesOf: () => [], nowMs: 0 })
  expect(whatFires).toThrow('Prometheus lists a rule that cannot be read, so that what fires is not known')
})

test('a rule without a name is an error, and one that records is none of these', () => {
  expect(() => read({ query: 'up' })).toThrow('a rule without a name')
  expect(read({ type: 'recording', name: 'job:up', query: 'up' }, good)).toHaveLength(1)
})

const one = (name: string, query: string, given = {}) => {
  const [rule] = rulesOf([engineRule(name, query, given)])
  if (rule === undefined) throw new Error('there is no rule')
  return rule
}

test.each(knownRules)('$name is about $metric in $units', (rule) => {
  const { key, units } = one(rule.name, expressionOf(rule))
  const { type, source, metric } = key
  expect(units).toBe(rule.units)
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
    expect(low).toMatchObject({ metric: 'Low', maxValue: outOfReach, lowValue: 0.05 })
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

const window = { fromMs: 600_000, stepMs: 60_000, count: 4 }
const hostnameOf = ({ instance = '' }: Readonly<Record<string, string>>): string => withoutPort(instance)
const series = (instance: string, ...values: [seconds: number, value: string][]): EngineSeries => ({
  metric: { instance },
  values,
})

test('a step is asked for at its end', () => {
  expect(rangeOf(window)).toEqual({ fromMs: 660_000, untilMs: 840_000, stepMs: 60_000 })
})

test('NaN and the infinities are no values, and a point has all three or is none', () => {
  const all = [series('a:1', [660, '1'], [720, 'NaN'], [780, '+Inf'], [840, '4'], [900, '9'])]
  const few = [series('a:1', [660, '2'], [720, '2'])]
  const points = pointsByServer({ min: all, avg: all, max: few }, window, { hostnameOf, merge: 'highest' })
  expect([...points]).toEqual([['a', [[1, 1, 2], null, null, null]]])
})

test.each([
  ['the highest was read before a higher value came', [1, 4, 3], [1, 4, 4]],
  ['the lowest was read before a lower value came', [5, 4, 6], [4, 4, 6]],
  ['nothing came in between', [4, 4, 4], [4, 4, 4]],
] as const)('a point holds its mean: %s', (_, [min, avg, max], expected) => {
  const one = (value: number) => [series('a:1', [660, String(value)])]
  const points = pointsByServer({ min: one(min), avg: one(avg), max: one(max) }, window, {
    hostnameOf,
    merge: 'highest',
  })
  expect(points.get('a')?.[0]).toEqual(expected)
})

test.each([
  ['highest', 5],
  ['lowest', 3],
  ['sum', 8],
] as const)('two ports of one host are one server: %s', (merge, expected) => {
  const both = [series('a:1', [660, '3']), series('a:2', [660, '5']), series('b:1', [660, '1'])]
  const points = pointsByServer({ min: both, avg: both, max: both }, window, { hostnameOf, merge })
  expect(points.get('a')?.[0]).toEqual([expected, expected, expected])
  expect(points.get('b')?.[0]).toEqual([1, 1, 1])
})

test('silence begins when a host was last seen on any of its ports, grows, and ends with the next time', () => {
  const seen = [series('a:1', [720, '700']), series('a:2', [720, '710'], [840, '835'])]
  const points = silenceByServer(seen, window, { hostnameOf, nowMs: 838_000 })
  expect(points.get('a')).toEqual([null, [10, 10, 10], [10, 40, 70], [3, 36.5, 70]])
  const still = silenceByServer(seen.slice(0, 1), window, { hostnameOf, nowMs: 790_000 })
  expect(still.get('a')).toEqual([null, [20, 20, 20], [20, 50, 80], [80, 85, 90]])
})

test('no step of any duration is looked into so often that the engine has more points than it gives', () => {
  const minute = 60_000
  for (const stepMs of [minute, 3 * minute, 5 * minute, 30 * minute, 60 * minute, 1_440 * minute]) {
    expect(resolutionOf(stepMs)).toBeGreaterThanOrEqual(15_000)
    expect(stepMs / resolutionOf(stepMs)).toBeLessThanOrEqual(12)
  }
})

describe('several rulers', () => {
  const at = '2026-11-22T10:00:00Z'
  const ruleIn = (alerts: readonly object[], given: object = {}) => ({
    ...good,
    lastEvaluation: at,
    alerts,
    ...given,
  })
  const alertIn = (shop: string, state: string) => ({ ...alert, state, labels: { alertname: 'A', shop } })

  async function openRulers(count: number) {
    const reported: string[] = []
    const rulers = await Promise.all(
      Array.from({ length: count }, () => openGateway({ onTestFinished }, null)),
    )
    const engine = openEngine({ url: 'http://127.0.0.1:1', authorization: null }, 2_000, {
      rules: rulers.map(({ url }) => ({ url, authorization: null })),
      report: (line) => reported.push(line),
    })
    onTestFinished(() => engine.close())
    return { engine, rulers, reported }
  }

  test('with rules of their own are one list; with the same rule it is one, with the alerts of all', async () => {
    const { engine, rulers } = await openRulers(2)
    const lists = [
      [ruleIn([alertIn('one', 'pending'), alertIn('two', 'firing')])],
      [ruleIn([alertIn('one', 'firing'), alertIn('three', 'pending')]), ruleIn([], { name: 'B' })],
    ]
    for (const [n, ruler] of rulers.entries())
      ruler.answers = () => success({ groups: [{ rules: lists[n] }] })
    const { rules, isPartial } = await engine.rules()
    expect(isPartial).toBe(false)
    expect(
      rules.map(({ name, alerts }) => [name, alerts.map(({ labels, state }) => `${labels.shop} ${state}`)]),
    ).toEqual([
      ['A', ['two firing', 'one firing', 'three pending']],
      ['B', []],
    ])
    // Evaluated successfully is what all of them have evaluated successfully.
    lists[1] = [ruleIn([], { health: 'err', lastEvaluation: '0001-01-01T00:00:00Z' })]
    expect((await engine.rules()).rules).toMatchObject([
      { health: 'err', lastEvaluation: '0001-01-01T00:00:00Z' },
    ])
  })

  test('of which one is away or answers in part: the others are taken, and what is missing proves nothing', async () => {
    const { engine, rulers, reported } = await openRulers(2)
    const [first, second] = rulers
    if (first === undefined || second === undefined) throw new Error('two were asked for')
    first.answers = () => success({ groups: [{ rules: [ruleIn([])] }] })
    second.answers = () => success({ groups: [{ rules: [ruleIn([alertIn('one', 'firing')])] }] })
    expect(await engine.rules()).toMatchObject({ isPartial: false })
    second.answers = () => ({ status: 503, text: '' })
    const { rules, isPartial } = await engine.rules()
    expect([rules.length, isPartial]).toEqual([1, true])
    expect(engine.doubts()).toEqual([
      { about: 'rules', said: '1 of 2 rulers did not answer; the log says why' },
    ])
    const view = viewOf(rules, settings, isPartial)
    expect(view.evidence({ alertname: 'A', shop: 'one' }, true)).toBe('there')
    expect(view.evidence({ alertname: 'Gone', shop: 'one' }, true)).toBe('there')
    // Of another sender's alert no ruler knows anything.
    expect(view.evidence({ alertname: 'Other' }, false)).toBe('unknown')
    expect(reported).toEqual([expect.stringMatching(/answered 503; what the others say is taken$/)])
    second.answers = () => success({ groups: [] }, { warnings: ['receive rules: a ruler is away'] })
    expect(await engine.rules()).toMatchObject({ isPartial: true })
    expect(engine.doubts()).toEqual([{ about: 'rules', said: 'receive rules: a ruler is away' }])
    second.answers = () => success({ groups: [] })
    expect(await engine.rules()).toMatchObject({ isPartial: false })
    expect(engine.doubts()).toEqual([])
    first.answers = () => ({ status: 503, text: '' })
    second.answers = () => ({ status: 503, text: '' })
    await expect(engine.rules()).rejects.toThrow('answered 503')
  })
})
