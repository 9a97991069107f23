/** Globs mean what people think, and take no time: by the words of a linear engine, which they are held against. */
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import type { Alert } from '../../src/domain/alert/alert.ts'
import { type Route, route } from '../../src/domain/alert/route.ts'
import { globMatcher } from '../../src/domain/base/glob.ts'
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
  const beganMs = performance.now()
  for (const alert of alerts) expect(route(alert, routes, 'C0')?.channel).toBe('C0')
  expect(performance.now() - beganMs).toBeLessThan(5_000)
})
