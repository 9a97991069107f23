/** What is made of rules is PromQL for those who wrote the language. */
import { describe, expect, test } from 'vitest'
import { type Matcher, matchersOf } from '../../../src/service/prometheus/naming.ts'
import { filtered, readExpression } from '../../../src/service/prometheus/promql.ts'
import { expressionOf, knownRules } from './known-rules.ts'
import { lacks } from './programs.ts'
import { checkRules } from './real.ts'

const odd = 'a"b\\c\n😀 {x="y"}$`\u0007'
const matchers: readonly Matcher[] = [
  ...matchersOf({ hostname: odd, by: 'server' }, { serverLabel: 'instance', serviceless: 'job' }),
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
