/** Matchers are read, written and applied as the real Alertmanager and its amtool do it. */
import fc from 'fast-check'
import { request } from 'undici'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { matcherOfAll, matcherText, parseMatchers } from '../../../src/service/prometheus/matchers.ts'
import type { Matcher } from '../../../src/service/prometheus/naming.ts'
import { Refusal } from '../../../src/service/refusal.ts'
import { patienceMs } from '../../support/patience.ts'
import { type Alertmanager, isAlertmanagerMissing, openAlertmanager } from './alertmanager.ts'

const matcher = (name: string, operator: '=' | '!=' | '=~' | '!~', value: string): Matcher => ({
  name,
  value,
  isRegex: operator.endsWith('~'),
  isEqual: !operator.startsWith('!'),
})

const refusalOf = (text: string): string => {
  try {
    parseMatchers(text)
  } catch (error) {
    if (error instanceof Refusal && error.status === 422) return error.message
    throw error
  }
  return 'taken'
}

test.each<[string, readonly Matcher[]]>([
  ['a="b"', [matcher('a', '=', 'b')]],
  ['a = "b"\n\n  c!="d"  ', [matcher('a', '=', 'b'), matcher('c', '!=', 'd')]],
  [
    '{a="b",c=~"d|e",f!~"g.*",}',
    [matcher('a', '=', 'b'), matcher('c', '=~', 'd|e'), matcher('f', '!~', 'g.*')],
  ],
  ['a=b', [matcher('a', '=', 'b')]],
  ['a=~b.+', [matcher('a', '=~', 'b.+')]],
  ['a="b",c=""', [matcher('a', '=', 'b'), matcher('c', '=', '')]],
  ['a="x,y"\r\nb="{z}"', [matcher('a', '=', 'x,y'), matcher('b', '=', '{z}')]],
  [String.raw`a="say \"hi\"\\\n\d"`, [matcher('a', '=', 'say "hi"\\\n\\d')]],
  ['"foo.bar"="b", "with space"="c"', [matcher('foo.bar', '=', 'b'), matcher('with space', '=', 'c')]],
  ['foo.bar="b"', [matcher('foo.bar', '=', 'b')]],
  ['wéb="☃"', [matcher('wéb', '=', '☃')]],
  ['a="=~"', [matcher('a', '=', '=~')]],
  ['a=~"(?i)web-[0-9]+"', [matcher('a', '=~', '(?i)web-[0-9]+')]],
])('%j is read', (text, expected) => {
  expect(parseMatchers(text)).toEqual(expected)
})

test.each([
  ['', /expected at least one; came none/],
  [' {} ', /expected at least one; came none/],
  ['a', /expected label="value", .*; came "a"/],
  ['="b"', /expected label="value"/],
  ['a=="b"', /expected quotes that end/],
  ['a="b"\nx', /expected label="value".*came "x"/],
  ['a="b', /expected quotes that end/],
  ['"a=b', /expected label="value"/],
  ['{a="b"', /expected label="value"/],
  ['a b="c"', /expected label="value"/],
  ['a="b"c', /expected quotes that end/],
  ['""="b"', /expected quotes that end/],
  ['a=~"("', /expected a regular expression \(.*missing closing.*came "a=~\\"\(\\""/],
  ['a=~"x{1001}"', /expected a regular expression/],
  ['a=""', /at least one that does not match an absent label/],
  ['a=~".*"\nb!="c"', /at least one that does not match an absent label/],
  [`a="${'b'.repeat(16_000)}"`, /expected at most 16000 characters; came 16004/],
  [Array.from({ length: 101 }, (_, n) => `a${n}="b"`).join('\n'), /expected at most 100; came 101/],
])('%# %.40j is refused with a sentence', (text, sentence) => {
  expect(refusalOf(text)).toMatch(sentence)
})

const value = fc.oneof(
  fc.constantFrom('', 'pay', 'web-1', 'web-1\n', '(x', 'a"b\\c', 'wéb ☃', '{a,b}', '\\d', ' lead', "it's"),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)

test('whatever is written is read again as it was', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ name: value, value, isRegex: fc.constant(false), isEqual: fc.boolean() }), {
        minLength: 1,
        maxLength: 5,
      }),
      (given) => {
        const all = [...given.filter(({ name }) => name !== ''), matcher('alertname', '=', 'A')]
        expect(parseMatchers(all.map(matcherText).join('\n'))).toEqual(all)
        expect(parseMatchers(`{${all.map(matcherText).join(', ')}}`)).toEqual(all)
      },
    ),
  )
})

const silencesOf = z.array(
  z.object({
    id: z.string(),
    status: z.object({ state: z.string() }),
    matchers: z.array(
      z.object({ name: z.string(), value: z.string(), isRegex: z.boolean(), isEqual: z.boolean() }),
    ),
  }),
)

async function silences({ url }: Alertmanager) {
  return silencesOf.parse(await (await request(`${url}/api/v2/silences`)).body.json())
}

const when = test.skipIf(isAlertmanagerMissing)

when('amtool reads the same as we do', async () => {
  const real = await openAlertmanager()
  const texts = [
    'a="b"',
    'a = "b"',
    'a!="b"',
    'a=~"b|c"',
    'a!~"b.*"',
    'a=b',
    'a=~b.+',
    'a="x,y"',
    'a="{z}"',
    String.raw`a="say \"hi\"\\\n\d"`,
    'a="wéb ☃"',
    'a=""',
  ]
  for (const text of texts) {
    const id = await real.amtool('silence', 'add', '--comment=x', '--duration=1h', 'z="z"', text)
    const made = (await silences(real)).find((one) => one.id === id.trim())
    const byName = (all: readonly Matcher[]) => all.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    expect([text, byName(made?.matchers ?? [])]).toEqual([text, byName(parseMatchers(`z="z"\n${text}`))])
  }
})

const labelsListed = z.array(
  z.object({
    labels: z.record(z.string(), z.string()),
    status: z.object({ silencedBy: z.array(z.string()) }),
  }),
)

when(
  'what matchers hide at a real Alertmanager is what they match here, by any operator and with absent labels',
  async () => {
    const real = await openAlertmanager()
    const texts = [
      '',
      'pay',
      'payment',
      'web-1',
      'web-10',
      'a.b',
      'axb',
      'wéb ☃',
      'a"b\\c',
      'line\nbreak',
      'b',
    ]
    const patterns = [
      ...texts.filter((text) => !text.includes('\\')),
      '.*',
      '.+',
      'pay|web-1',
      'web-[0-9]',
      '(?i)PAY',
      '^pay$',
      'a.b',
      'a||b',
      '[^p].*',
      '\\S+',
      'line.break',
      '(?s)line.break',
    ]
    const label = fc.constantFrom('namespace', 'pod', 'job')
    const operator = fc.constantFrom('=', '!=', '=~', '!~')
    const alerts = fc.sample(
      fc.record({ namespace: fc.constantFrom(...texts), pod: fc.constantFrom(...texts) }),
      {
        numRuns: 60,
        seed: 4,
      },
    )
    const wanted = fc
      .sample(
        fc.array(fc.tuple(label, operator, fc.constantFrom(...texts), fc.constantFrom(...patterns)), {
          minLength: 1,
          maxLength: 3,
        }),
        { numRuns: 150, seed: 7 },
      )
      .map((all) => [
        matcher('alertname', '=', 'A'),
        ...all.map(([name, how, text, pattern]) =>
          matcher(name, how as '=', how.endsWith('~') ? pattern : text),
        ),
      ])
    await real.post(
      alerts.map(({ namespace, pod }, n) => ({
        labels: Object.fromEntries(
          Object.entries({ alertname: 'A', n: String(n), namespace, pod }).filter(([, text]) => text !== ''),
        ),
      })),
    )
    const ids = new Map<string, readonly Matcher[]>()
    for (const matchers of wanted) {
      const { statusCode, body } = await request(`${real.url}/api/v2/silences`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          matchers,
          startsAt: new Date().toISOString(),
          endsAt: new Date(Date.now() + 3_600_000).toISOString(),
          createdBy: 'ana',
          comment: 'x',
        }),
      })
      const said = await body.text()
      if (statusCode !== 200) throw new Error(`${JSON.stringify(matchers)}: ${said}`)
      ids.set(z.object({ silenceID: z.string() }).parse(JSON.parse(said)).silenceID, matchers)
    }
    await vi.waitFor(
      async () => {
        const listed = labelsListed.parse(await (await request(`${real.url}/api/v2/alerts`)).body.json())
        expect(listed).toHaveLength(60)
        for (const { labels, status } of listed) {
          const expected = [...ids].filter(([, matchers]) => matcherOfAll(matchers)(labels)).map(([id]) => id)
          expect([labels, status.silencedBy.toSorted()]).toEqual([labels, expected.sort()])
        }
        const hidden = listed.filter(({ status }) => status.silencedBy.length > 0).length
        expect(hidden).toBeGreaterThan(10)
      },
      { timeout: patienceMs },
    )
  },
)
