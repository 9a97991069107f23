/**
 * Patterns that people write, and texts that they are held against: whatever they are, matching takes time in proportion to
 * both. A backtracking engine needs longer than the universe has for the first of them; the figures are in `bench/`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseCommand } from '../../src/bot/domain/command/commands.ts'
import { matching } from '../../src/bot/domain/request/nearest.ts'
import { parseServerPattern, patternCharsMax } from '../../src/service/metrics/server-pattern.ts'
import { globMatcher } from '../../src/shared/glob.ts'
import { nearest } from '../../src/shared/nearest.ts'
import { cpuMsOf } from '../support/cpu-time.ts'

/** What takes milliseconds may take this long on a machine that does much else; what backtracks takes for ever. */
const boundMs = 5_000

function within(work: () => void): void {
  expect(cpuMsOf(work)).toBeLessThan(boundMs)
}

const longText = 'a'.repeat(10_000)

test.each([
  '(a+)+$',
  '^(a|a)*$',
  '(a|aa)+$',
  '(.*)*b',
  '((a*)*)*b',
  '(a?){50}a{50}$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
])('the service’s filter %s against 10,000 characters', (source) => {
  const filter = parseServerPattern(`/${source}/`)
  if (filter.kind !== 'pattern') throw new Error('it was not taken for a pattern')
  within(() => expect(filter.matches(`${longText}!`)).toBe(false))
})

test('a longer pattern than a name can be is refused, and so is one that is no pattern or would be made very large', () => {
  expect(() => parseServerPattern(`/${'a'.repeat(patternCharsMax)}/`)).toThrow(
    /at most 300 characters; came 302/,
  )
  for (const source of ['(', '(?=a)', '(a)\\1', '[']) {
    expect(() => parseServerPattern(`/${source}/`), source).toThrow(/a regular expression/)
  }
  for (const source of ['a{1001}', '((a{100}){100}){100}']) {
    expect(() => parseServerPattern(`/${source}/`), source).toThrow(/at most 300 steps/)
  }
})

test.each([
  ['*a'.repeat(126), false],
  ['*a?'.repeat(84), true],
  [`${'*'.repeat(252)}b`, false],
  ['?*'.repeat(126), true],
  ['(a+)+$*', false],
  [`${'[a-'.repeat(80)}*`, false],
  [`*${'a'.repeat(251)}b`, false],
  [`*${'?'.repeat(251)}b*`, false],
])('a glob of 253 characters against titles of 10,000 (%#)', (glob, isMatch) => {
  within(() => expect(globMatcher(glob)(`${longText}!`)).toBe(isMatch))
  within(() => expect(matching(glob, [`${longText}!`])).toHaveLength(isMatch ? 1 : 0))
})

test('a name of 10,000 characters is compared with ten thousand servers by its beginning', () => {
  const servers = Array.from({ length: 10_000 }, (_, n) => `${'a'.repeat(250)}${n}`)
  within(() => expect(nearest(longText, servers)).toBeInstanceOf(Array))
})

const pieces = [
  'a ',
  'a,',
  '1m',
  '1h ',
  '1 m ',
  '"',
  '" ',
  '"a" ',
  '<http://a|b> ',
  '<<',
  '&lt;',
  'page 1 ',
  ' ',
  ', ',
  '\u2014',
  'until ',
  'web-* ',
  '*?',
  'an hour ',
  'one ',
  '15:00 ',
  'the 1st of ',
  '9999999999',
  '#1 ',
  '\n',
  '(a+)+$',
]
const heads = [
  '',
  'mute ',
  'mute web-1 ',
  'mute web-1 1h ',
  'mute account ',
  'mute web-1 from ',
  'mute web-1 every ',
  'mute web-1 every tue ',
  'note #1 ',
  'role add ',
  'alerts ',
  'chart ',
]

test.each(heads)('the command %j, with anything as long as Slack takes it after it', (recent) => {
  within(() => {
    for (const piece of pieces) {
      for (const length of [2_900, 10_000, 40_000]) {
        const parsed = parseCommand(recent + piece.repeat(length / piece.length))
        if (length > 2_900 && piece.trim() !== '') expect(parsed.ok).toBe(false)
      }
    }
  })
})

/** Where a pattern is made of a text while the bot runs, and why nobody outside can choose it. */
const made: Readonly<Record<string, string>> = {
  'bot/domain/command/time-text.ts': 'of words of ours',
  'shared/glob.ts': 'of pieces of a glob, of which every mark is escaped and nothing repeats',
  'bot/domain/command/mute-text.ts': 'of words of ours',
  'bot/domain/command/words.ts': 'of words of ours',
  'bot/domain/command/plan-text.ts': 'of words of ours',
  'bot/domain/command/plan-shapes.ts': 'of words of ours',
  'bot/oncall/components.ts': 'of names of properties of ours',
  'bot/config/shapes.ts': 'of words of ours',
  'bot/domain/base/storable.ts': 'of words of ours',
  'demo/night-town.ts': 'of words of ours, for what the demo itself has posted',
  'bot/monitor/instant.ts': 'of words of ours',
  'service/metrics/machine.ts': 'of words of ours',
  'service/metrics/server-pattern.ts':
    'it is not: a token of ours walks through what goes to the linear engine',
  'service/prometheus/ways.ts': 'of those of workloads.ts, or of a name of which every mark is escaped',
  'service/prometheus/workloads.ts':
    'of names of which every mark is escaped, before endings of ours of a limited length',
  'bot/monitor/redact.ts': 'of the address and the key, of which every mark is escaped',
}

test('no other pattern is made of a text: what people write goes to the linear engine', () => {
  const root = new URL('../../src/', import.meta.url).pathname
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const found = files.filter(
    (file) =>
      !file.startsWith('workspace/') &&
      /\bRegExp\(|\.match(?:All)?\((?!\/|new Date\()/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(found.sort()).toEqual(Object.keys(made).sort())
})
