/** The parser of expositions: the two formats, what is broken in them, and what it costs. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import parseWithOracle from 'parse-prometheus-text-format'
import { describe, expect, test } from 'vitest'
import {
  type Exposition,
  expositionLimits,
  openExpositionParser,
  UnreadableExposition,
} from '../../../src/service/scrape/exposition.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'

type Format = 'text' | 'openmetrics'

function parse(
  text: string,
  format: Format = 'text',
  isWanted: (name: string) => boolean = () => true,
): Exposition {
  const parser = openExpositionParser(format, (name) => (isWanted(name) ? 'custom' : null))
  parser.push(text)
  return parser.end()
}

/** `name{a="1"}=value`, counters with a `+`. */
function shown({ samples }: Exposition): string[] {
  return samples.map(({ name, labels, value, isCounter }) => {
    const texts = [...labels].map(([label, text]) => `${label}=${JSON.stringify(text)}`).join(',')
    return `${name}${texts === '' ? '' : `{${texts}}`}${isCounter ? '+' : ''}=${value}`
  })
}

test.each<[string, string, string[]]>([
  ['a gauge', '# HELP a what\n# TYPE a gauge\na 1\n', ['a=1']],
  ['a counter by its TYPE', '# TYPE hits counter\nhits 3\n', ['hits+=3']],
  ['a counter by its name', 'hits_total 3\n', ['hits_total+=3']],
  ['a gauge with the name of a counter', '# TYPE hits_total gauge\nhits_total 3\n', ['hits_total=3']],
  ['a type that belongs to another family', '# TYPE hits counter\nhits_waiting 3\n', ['hits_waiting=3']],
  ['labels with escapes', 'a{b="c\\"d\\\\e\\nf",g="{},="} 1\n', ['a{b="c\\"d\\\\e\\nf",g="{},="}=1']],
  [
    'blanks wherever they may be',
    ' a { b = "c" , d = "e" , }   1e3   1700000000000 \n',
    ['a{b="c",d="e"}=1000'],
  ],
  ['no labels between braces', 'a{} 1\n', ['a=1']],
  [
    'NaN and infinities are no values',
    'a NaN\nb +Inf\nc -Inf\nd 1e999\n',
    ['a=null', 'b=null', 'c=null', 'd=null'],
  ],
  ['small, large, signed', 'a -1.5E-3\nb +.5\nc 5.\n', ['a=-0.0015', 'b=0.5', 'c=5']],
  ['comments and blank lines', '# a word\n\n   \n#\n#TYPE\na 1\n', ['a=1']],
  ['lines that end as on Windows', 'a 1\r\nb{c="d"} 2\r\n', ['a=1', 'b{c="d"}=2']],
  [
    'of a distribution the sum and the count, as counters',
    '# TYPE t histogram\nt_bucket{le="1"} 1\nt_sum 5\nt_count 2\n# TYPE s summary\ns{quantile="0.5"} 1\ns_sum 5\n',
    ['t_sum+=5', 't_count+=2', 's_sum+=5'],
  ],
  ['a name in quotes', '{"my.name",b="c"} 1\n', ['my.name{b="c"}=1']],
  ['a label with the name of a property', 'a{__proto__="x"} 1\n', ['a{__proto__="x"}=1']],
])('%s', (_, text, expected) => {
  expect(shown(parse(text))).toEqual(expected)
})

test('OpenMetrics: counters, exemplars, float timestamps, # EOF', () => {
  const text = [
    '# TYPE shop_orders counter',
    '# UNIT shop_orders orders',
    'shop_orders_total{kind="new"} 17 1700000000.123 # {trace_id="a\\"b"} 0.67 1700000000.1',
    'shop_orders_created{kind="new"} 1600000000',
    '# TYPE shop_state info',
    'shop_state_info{version="2"} 1 # {} 1',
    '# EOF',
  ]
  const expected = ['shop_orders_total{kind="new"}+=17', 'shop_state_info{version="2"}=1']
  expect(shown(parse(`${text.join('\n')}\n`, 'openmetrics'))).toEqual(expected)
  expect(shown(parse(text.join('\n'), 'openmetrics'))).toEqual(expected)
})

test.each<[string, string, Format, string]>([
  ['a page of HTML', '<!DOCTYPE html>\n<html>a 1</html>\n', 'text', 'line 1 is no line of an exposition'],
  ['a page of words', 'Not found\n', 'text', 'nothing'],
  ['an answer that holds nothing', '', 'text', 'the answer holds no series'],
  ['an answer of comments', '# HELP a b\n', 'text', 'the answer holds no series'],
  ['half of a number', 'a 1\nb 12', 'text', 'the answer ends in the middle of a line'],
  ['half of an OpenMetrics answer', 'a 1\n', 'openmetrics', 'the answer ends before # EOF'],
  ['more after the end', 'a 1\n# EOF\nb 1\n', 'openmetrics', 'line 3 comes after # EOF'],
  ['a picture', '\u0089PNG\r\n', 'text', 'line 1 is no line of an exposition'],
  ['JSON', '{"a": 1}\n', 'text', 'line 1 is no line of an exposition'],
])('%s is no exposition, and says why', (_, text, format, why) => {
  if (why === 'nothing') expect(parse(text, format).samples).toEqual([])
  else expect(() => parse(text, format)).toThrow(why)
})

test.each([
  ['a value that is none', 'a{b="1"} 1\na{b="2"} one\nc 1\n'],
  ['a label without its end', 'a{b="1"} 1\na{b="2} 1\nc 1\n'],
  ['a label twice', 'a{b="1"} 1\na{b="2",b="3"} 1\nc 1\n'],
  ['no value', 'a{b="1"} 1\na\nc 1\n'],
  ['a timestamp that is none', 'a{b="1"} 1\na{b="2"} 1 now\nc 1\n'],
  ['words after the value', 'a{b="1"} 1\na{b="2"} 1 2 3\nc 1\n'],
])('%s: nothing is known of that family, and all of the others', (_, text) => {
  const found = parse(text)
  expect(shown(found)).toEqual(['c=1'])
  expect([...found.unreadable]).toEqual(['a'])
})

test('a line that is longer than a line may be is not kept, and those around it are', () => {
  const long = `a{b="${'x'.repeat(expositionLimits.lineCharsMax)}"} 1\n`
  const parser = openExpositionParser('text', () => 'custom')
  for (const piece of `c 1\n${long}d 1\n`.match(/[\s\S]{1,1000}/g) ?? []) parser.push(piece)
  const found = parser.end()
  expect(shown(found)).toEqual(['c=1', 'd=1'])
  expect([...found.unreadable]).toEqual(['a'])
})

test('a flood of custom series leaves room for the known ones, and a family that was cut is not known', () => {
  const parser = openExpositionParser('text', (name) => (name === 'node_load1' ? 'known' : 'custom'))
  for (let at = 0; at <= expositionLimits.seriesMax.custom; at += 1) parser.push(`shop{n="${at}"} 1\n`)
  parser.push('node_load1 2\n')
  const found = parser.end()
  expect(shown(found)).toEqual(['node_load1=2'])
  expect([...found.unreadable]).toEqual(['shop'])
})

describe('beside another parser', () => {
  const word = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,8}$/)
  const labels = fc.uniqueArray(fc.tuple(word, fc.string({ unit: 'grapheme', maxLength: 8 })), {
    selector: ([name]) => name,
    maxLength: 4,
  })
  const value = fc.oneof(fc.integer(), fc.double({ noDefaultInfinity: true, noNaN: true }))
  const family = fc.record({
    name: word.map((name) => `m_${name}`),
    type: fc.constantFrom('gauge', 'counter'),
    series: fc.uniqueArray(fc.tuple(labels, value), {
      selector: ([own]) => JSON.stringify(own.toSorted()),
      minLength: 1,
      maxLength: 4,
    }),
  })
  const families = fc.uniqueArray(family, { selector: ({ name }) => name, minLength: 1, maxLength: 5 })

  const escaped = (text: string): string =>
    text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')

  test('any exposition, cut anywhere, is read as it reads it', () => {
    fc.assert(
      fc.property(families, fc.integer({ min: 1, max: 50 }), (all, cut) => {
        const text = all
          .map(({ name, type, series }) => {
            const lines = series.map(([own, number]) => {
              const inside = own.map(([label, words]) => `${label}="${escaped(words)}"`).join(',')
              return `${name}${inside === '' ? '' : `{${inside}}`} ${number}\n`
            })
            return `# HELP ${name} words\n# TYPE ${name} ${type}\n${lines.join('')}`
          })
          .join('')
        // It splits at what Unicode calls a line end too, which the format does not.
        fc.pre(!/[\r\u2028\u2029\u0085\v\f]/.test(text))
        const parser = openExpositionParser('text', () => 'custom')
        for (let at = 0; at < text.length; at += cut) parser.push(text.slice(at, at + cut))
        const ours = parser.end().samples.map(({ name, labels: own, value: number, isCounter }) => {
          return [name, isCounter ? 'COUNTER' : 'GAUGE', [...own].toSorted(), number]
        })
        const theirs = parseWithOracle(text).flatMap(({ name, type, metrics }) =>
          metrics.map(({ labels: own = {}, value: number }) => {
            return [name, type, Object.entries(own).toSorted(), Number(number)]
          }),
        )
        const bySeries = (one: unknown, other: unknown) =>
          JSON.stringify(one) < JSON.stringify(other) ? -1 : 1
        expect(ours.toSorted(bySeries)).toEqual(theirs.toSorted(bySeries))
      }),
      { numRuns: 300 },
    )
  })

  test('a real node_exporter says the same to both', () => {
    const text = readFileSync(new URL('node-exporter.txt', import.meta.url), 'utf8')
    const theirs = parseWithOracle(text)
      .filter(({ type }) => type === 'GAUGE' || type === 'COUNTER')
      .flatMap(({ name, metrics }) => metrics.map((one) => `${name} ${Number(one.value)}`))
    const names = new Set(theirs.map((line) => line.split(' ')[0]))
    const ours = parse(text, 'text', (name) => names.has(name)).samples
    expect(ours.map(({ name, value }) => `${name} ${value}`).toSorted()).toEqual(theirs.toSorted())
    expect(ours.length).toBeGreaterThan(400)
  })
})

test('whatever comes, it ends soon and says so in one way', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        parse(`${Buffer.from(bytes).toString('latin1')}\n`)
      } catch (error) {
        if (!(error instanceof UnreadableExposition)) throw error
      }
    }),
  )
})

test.each([
  ['digits', `a ${'1'.repeat(60_000)}x\n`],
  ['blanks', `a 1${' '.repeat(60_000)}x\n`],
  ['digits of a timestamp', `a 1 ${'1'.repeat(60_000)}x\n`],
  ['backslashes', `a{b="${'\\'.repeat(60_001)}"} 1\n`],
  ['labels', `a{${'b="c",'.repeat(10_000)}} 1\n`],
  ['braces', `a${'{'.repeat(60_000)} 1\n`],
])('time is linear in a line of %s', (_, line) => {
  // Far above what it takes, and far below what a quadratic one takes.
  expect(cpuMsOf(() => parse(`ok 1\n${line.repeat(20)}`))).toBeLessThan(5_000)
})

test('ten mebibytes are read in a moment, of which only what is asked for is kept', () => {
  const line = 'shop_orders_total{shop="somewhere",kind="new",region="eu"} 1.5e+06 1700000000000\n'
  const piece = line.repeat(800)
  const parser = openExpositionParser('text', (name) => (name === 'asked' ? 'custom' : null))
  const tookMs = cpuMsOf(() => {
    for (let bytes = 0; bytes < 10 * 1_048_576; bytes += piece.length) parser.push(piece)
  })
  parser.push('asked 1\n')
  expect(parser.end().samples).toHaveLength(1)
  expect(tookMs).toBeLessThan(10_000)
})
