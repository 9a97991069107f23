/**
 * What is read of the expression of a rule, and how it is asked for some servers only: in PromQL for those who wrote the
 * language.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Matcher, namingByLabel } from '../../../src/service/prometheus/naming.ts'
import { filtered, readableCondition, readExpression } from '../../../src/service/prometheus/promql.ts'
import { parse, selectorsIn } from '../../../src/service/prometheus/syntax.ts'
import { unitsOf } from '../../../src/service/prometheus/units.ts'
import { clusterRules } from './cluster-rules.ts'
import { expressionOf, knownRules } from './known-rules.ts'
import { lacks } from './programs.ts'
import { checkRules } from './real.ts'

const equals = (name: string, value: string): Matcher => ({ name, value, isRegex: false, isEqual: true })

const limitText = (text: string): string | null => {
  const reading = readExpression(text)
  if (reading === null) return null
  return reading.limit === null ? '' : `${reading.limit.side} ${reading.limit.value}`
}

test.each(knownRules)('$name draws what its limit is about', (rule) => {
  const reading = readExpression(expressionOf(rule))
  expect(reading?.drawn).toBe(rule.drawn)
  expect(limitText(expressionOf(rule))).toBe(rule.limit)
})

test.each(clusterRules)('$name draws what its picture is to show', ({ expression, drawn, limit, units }) => {
  expect(readExpression(expression)?.drawn).toBe(drawn)
  expect(limitText(expression)?.replace('max', 'high')).toBe(limit)
  expect(unitsOf(readExpression(expression)?.drawn ?? '')).toBe(units)
})

const limits: readonly (readonly [expression: string, limit: string | null])[] = [
  ['a > 1e9', 'max 1000000000'],
  ['a > +0x1F', 'max 31'],
  ['a>-.5', 'max -0.5'],
  ['a > 1_000', 'max 1000'],
  ['a > 1h30m', 'max 5400'],
  ['a < 2 ^ 3 - 1', 'low 7'],
  ['a > 3 > 5', 'max 5'],
  ['a > 5 > 3', 'max 5'],
  ['a > Inf', ''],
  ['a > NaN', ''],
  ['a > 1 / 0', ''],
  ['a == 1', ''],
  ['a > 1 == 2', 'max 1'],
  ['(a > bool 1) == 1', ''],
  // The value of such an alert is 0 or 1.
  ['a > bool 5', ''],
  ['a > 0.9 < 1', ''],
  ['(a > 0) < 10', 'low 10'],
  ['a < 10 > 0', 'low 10'],
  ['(a > 5) * on (x) group_left (y) b_info', 'max 5'],
  ['(a > 5) * on (x) group_left (y) b', ''],
  ['(a > 5) * b_info', ''],
  // The value of such an alert is a's or b's, and above 1 in any case.
  ['a > 1 or b > 1', 'max 1'],
  ['a > 1 or b > 2', ''],
  ['a > 1 or b < 1', ''],
  ['a > 1 or b', ''],
  ['a > 5 and b or a > 3', 'max 3'],
  ['a < 5 or a < 3', 'low 5'],
  ['a > 5 or a < -5', ''],
  ['a != b > 0', ''],
  ['0 < (a != b)', ''],
  ['a != b > 1', 'max 1'],
  ['(a + b) > 0', 'max 0'],
  ['b_info * on (x) group_right (y) (a > 5)', 'max 5'],
  ['(a > 5) * on (x) group_left (y) topk by (x) (1, max by (x, y) (kube_pod_info))', 'max 5'],
  ['(a > 5) * on (x) group_left (y) sum by (x, y) (kube_pod_info)', ''],
  ['(a > 5) * on (x) group_left (y) kube_pod_labels{y="z"}', 'max 5'],
  ['a > 1 and b > 2', 'max 1'],
  // The value of such an alert is a's, and b's limit says nothing about it.
  ['a and b > 2', ''],
  ['a == 0 and b > 2', ''],
  ['a unless b > 2', ''],
  ['sum(a > 1)', ''],
  ['-a > 1', 'max 1'],
  ['', null],
  ['# nothing', null],
  ['a >', null],
  ['a > 5 keep_metric_names', null],
  ['a}', null],
]

test.each(limits)('the limit of %j is %j', (expression, limit) => {
  expect(limitText(expression)).toBe(limit)
})

test('the names of the metrics are found wherever they stand', () => {
  const names = (text: string) => readExpression(text)?.metricNames
  expect(names('a + rate(b[5m]) > on(x) sum({__name__="c"}) or a unless {"d.e", x="1"}')).toEqual([
    'a',
    'b',
    'c',
    'd.e',
  ])
  expect(names('{__name__=~"a|b"} > 1')).toEqual([])
  expect(names('{"__name__"=`a\\d`} > 1')).toEqual(['a\\d'])
})

test('a thousand brackets are read, ten thousand refused, and never too deep', () => {
  expect(readExpression(`${'('.repeat(1_000)}a${')'.repeat(1_000)} > 1`)?.limit).toEqual({
    side: 'max',
    value: 1,
  })
  expect(readExpression(`${'('.repeat(90_000)}a${')'.repeat(90_000)}`)).toBeNull()
})

describe('filtered', () => {
  const web = [equals('instance', 'web-1')]
  const rows: readonly (readonly [text: string, expected: string])[] = [
    ['a', 'a{instance="web-1"}'],
    ['a{}', 'a{instance="web-1"}'],
    ['a{x="1",} > 3', 'a{instance="web-1",x="1",} > 3'],
    ['{__name__="a"}', '{instance="web-1",__name__="a"}'],
    ['rate(a[5m] offset 1h)', 'rate(a{instance="web-1"}[5m] offset 1h)'],
    [
      'max_over_time(rate(a{x="}"}[5m])[1h:1m] @ end())',
      'max_over_time(rate(a{instance="web-1",x="}"}[5m])[1h:1m] @ end())',
    ],
    [
      'sum by (x) (a) / on(x) group_left b',
      'sum by (x) (a{instance="web-1"}) / on(x) group_left b{instance="web-1"}',
    ],
    ['a { # }\n x="1" }', 'a {instance="web-1", # }\n x="1" }'],
    ['time() - a @ 1603774568', 'time() - a{instance="web-1"} @ 1603774568'],
    ['a{instance="db-1"}', 'a{instance="web-1",instance="db-1"}'],
    ['vector(1)', 'vector(1)'],
    ['not PromQL', 'not PromQL'],
  ]
  test.each(rows)('%j', (text, expected) => {
    expect(filtered(text, web)).toBe(expected)
  })

  test('the four kinds of matchers are written as PromQL has them', () => {
    const matchers = [true, false].flatMap((isRegex) =>
      [true, false].map((isEqual) => ({ name: 'x', value: 'v', isRegex, isEqual })),
    )
    expect(filtered('a', matchers)).toBe('a{x=~"v",x!~"v",x="v",x!="v"}')
    expect(filtered('a', [equals('my.label', 'v')])).toBe('a{"my.label"="v"}')
    expect(filtered('a', [])).toBe('a')
  })

  test('whatever the rule and the value are, it can be parsed, and every selector has got the matcher', () => {
    fc.assert(
      fc.property(fc.constantFrom(...knownRules), fc.string({ unit: 'binary' }), (rule, value) => {
        const before = parse(expressionOf(rule))
        const after = parse(filtered(expressionOf(rule), [equals('instance', value)]))
        if (before === null || after === null) throw new Error('it cannot be parsed')
        const [was, is] = [selectorsIn(before), selectorsIn(after)]
        expect(is.map(({ metric }) => metric)).toEqual(was.map(({ metric }) => metric))
        for (const [at, { matchers }] of is.entries()) {
          expect(matchers).toEqual([equals('instance', value), ...(was[at]?.matchers ?? [])])
        }
      }),
      { numRuns: 150 },
    )
  })
})

describe('the condition of a rule', () => {
  test('is one line with its time', () => {
    expect(readableCondition('a\n  > 5 # too many\n', 300)).toBe('a > 5 for 5 minutes')
    expect(readableCondition('# top\na{x="# no comment"} > 5', 60)).toBe(
      'a{x="# no comment"} > 5 for 1 minute',
    )
    expect(readableCondition('a > 5', 0)).toBe('a > 5')
    expect(readableCondition('a > 5', 90)).toBe('a > 5 for 90 seconds')
    expect(readableCondition('a > 5', 1)).toBe('a > 5 for 1 second')
    expect(readableCondition('no [ PromQL\t# x', 0)).toBe('no [ PromQL # x')
  })

  test('is cut at 300 characters, and never through the middle of one', () => {
    for (const length of [299, 300, 301, 400]) {
      const text = readableCondition(`a{x="${'😀'.repeat(length)}"} > 5`, 300)
      expect(text.length).toBeLessThanOrEqual(300)
      expect(text).toMatch(/… for 5 minutes$/)
      expect(text.isWellFormed()).toBe(true)
    }
  })
})

const odd = 'a"b\\c\n😀 {x="y"}$`\u0007'
const matchers: readonly Matcher[] = [
  ...namingByLabel({ serverLabel: 'instance', serviceless: 'job' }).matchersOf({
    hostname: odd,
    by: 'server',
    used: [],
  }),
  { name: 'odd', value: odd, isRegex: false, isEqual: false },
]

describe.skipIf(lacks('promtool'))('promtool', () => {
  const checked = (change: (expression: string) => string) =>
    knownRules.map((rule) => ({ alert: rule.name, expr: change(expressionOf(rule)) }))

  test('knows every rule of the table, and takes what is drawn of each', async (t) => {
    const count = `${knownRules.length} rules found`
    expect(
      await checkRules(
        t,
        checked((text) => text),
      ),
    ).toContain(count)
    expect(
      await checkRules(
        t,
        checked((text) => readExpression(text)?.drawn ?? ''),
      ),
    ).toContain(count)
  })

  test('takes each of them for one server only, whatever its name is', async (t) => {
    expect(
      await checkRules(
        t,
        checked((text) => filtered(text, matchers)),
      ),
    ).toContain('rules found')
    expect(
      await checkRules(
        t,
        checked((text) => `max by (x) (${filtered(readExpression(text)?.drawn ?? '', matchers)})`),
      ),
    ).toContain('rules found')
  })
})
