/**
 * Globs mean what people think, and take no time: by the words of a linear engine, which they are held against; and what was
 * meant by a name that is none.
 */
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import type { Alert } from '../../src/bot/domain/alert/alert.ts'
import { type Route, route } from '../../src/bot/domain/alert/match.ts'
import { matching } from '../../src/bot/domain/request/nearest.ts'
import { globMatcher } from '../../src/shared/glob.ts'
import { nearest } from '../../src/shared/nearest.ts'
import { cpuMsOf, leastCpuMsOf } from '../support/cpu-time.ts'
import { anAlert } from '../support/delivery-world.ts'

function matchesByEngine(glob: string, text: string): boolean {
  const source = [...glob]
    .map((char) => (char === '*' ? '.*' : char === '?' ? '.' : RE2JS.quote(char)))
    .join('')
  return RE2JS.compile(`^(?:${source})$`, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL).matches(text)
}

test.each([
  ['', '', true],
  ['*', '', true],
  ['', 'a', false],
  ['web-*', 'WEB-1', true],
  ['web-*', 'my-web-1', false],
  ['*-1', 'web-1-1', true],
  ['*-1', '-', false],
  ['a*a', 'a', false],
  ['ab*ba', 'aba', false],
  ['?', 'ä', true],
  ['?', '\u{1F525}', true],
  ['??', '\u{1F525}', false],
  ['*?', '\u{1F525}', true],
  ['*\u{1F525}', 'on \u{1F525}', true],
  ['a.c', 'abc', false],
  ['(a|b)[c]{1}^$\\/+', '(A|B)[C]{1}^$\\/+', true],
  ['line*', 'line 1\nline 2', true],
])('%j against %j', (glob, text, isMatch) => {
  expect(globMatcher(glob)(text)).toBe(isMatch)
})

test('any glob against any text says what a linear engine says', () => {
  const chars = fc.constantFrom('a', 'b', 'A', '*', '?', '.', '-', '\\', '\n', 'ß', 'É', 'é', '\u{1F525}')
  const texts = fc.array(chars, { maxLength: 12 }).map((all) => all.join(''))
  fc.assert(
    fc.property(texts, texts, (glob, text) => {
      expect(globMatcher(glob)(text)).toBe(matchesByEngine(glob, text))
    }),
    { seed: 7, numRuns: 3_000 },
  )
})

test('two hundred routes and a thousand alerts are no work', () => {
  const routes = Array.from(
    { length: 200 },
    (_, n): Route => ({
      match: { server: `rack-${n}-*-db?`, title: `*disk*full*${n}%*` },
      channel: `C${n}`,
      mention: null,
    }),
  )
  const alerts = Array.from(
    { length: 1_000 },
    (_, n): Alert =>
      anAlert(String(n), { hostname: `rack-${n % 200}-web-${n}`, title: 'Disk is nearly full '.repeat(10) }),
  )
  const tookMs = cpuMsOf(() => {
    for (const alert of alerts) expect(route(alert, routes, 'C0')?.channel).toBe('C0')
  })
  expect(tookMs).toBeLessThan(5_000)
})

const servers = ['web-1', 'web-2', 'web-10', 'db-1', 'db-1.example', 'cache.internal', 'mail']

test.each([
  ['WEB-1', ['web-1', 'web-10', 'web-2'], 'the same but for case, then its beginning, then one wrong letter'],
  ['web1', ['web-1'], 'a letter missing'],
  ['wbe-1', ['web-1', 'web-10', 'web-2'], 'two letters swapped'],
  ['mial', ['mail'], 'two letters swapped in a short name'],
  ['db', ['db-1', 'db-1.example'], 'a beginning'],
  ['cache', ['cache.internal'], 'a beginning'],
  ['internal', ['cache.internal'], 'a part'],
  ['cahce.intrnal', ['cache.internal'], 'two slips in a long name'],
  ['kubernetes', [], 'nothing like it'],
  ['x', [], 'too short to say anything'],
  ['', [], 'nothing'],
])('%s is close to %j (%s)', (name, expected) => {
  expect(nearest(name, servers)).toEqual(expected)
})

test('as many as are wanted, and each once', () => {
  expect(nearest('web', [...servers, 'web-1'], 2)).toEqual(['web-1', 'web-10'])
  expect(nearest('web', servers, 0)).toEqual([])
})

test('ten thousand long names take no longer than a blink', () => {
  const names = Array.from({ length: 10_000 }, (_, index) =>
    `web-${index}.prod.example.internal`.padEnd(60, 'x'),
  )
  const wanted = 'web-5001.prdo.example.internal'.padEnd(60, 'x')
  const tookMs = leastCpuMsOf(() => expect(nearest(wanted, names)[0]).toBe(names[5001]), 15)
  expect(tookMs).toBeLessThan(50)
})

test('names without end are compared by their beginning', () => {
  expect(nearest(`${'a'.repeat(200)}b`, [`${'a'.repeat(200)}c`, 'a'.repeat(1_000_000)])).toHaveLength(2)
})

test('a glob means all that it matches, in their order; a name only itself', () => {
  expect(matching('web-*', servers)).toEqual(['web-1', 'web-2', 'web-10'])
  expect(matching('WEB-?', servers)).toEqual(['web-1', 'web-2'])
  expect(matching('db-1', servers)).toEqual(['db-1'])
  expect(matching('DB-1', servers)).toEqual(['db-1'])
  expect(matching('d.-1', servers)).toEqual([])
})
