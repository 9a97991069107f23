/** The demo's options: what is not one is refused with what was expected. */
import { expect, test } from 'vitest'
import { readOptions } from '../../src/demo/options.ts'

test('without options nothing but the demo', () => {
  expect(readOptions([])).toEqual({ prometheus: false, night: null })
})

test('the night takes ten minutes unless it is told otherwise', () => {
  expect(readOptions(['--script', 'night'])).toEqual({ prometheus: false, night: { minutes: 10 } })
  expect(readOptions(['--script=night', '--minutes', '2.5'])).toMatchObject({ night: { minutes: 2.5 } })
  expect(readOptions(['--help'])).toBe('help')
})

const wrong = [
  [['--nihgt'], /Unknown option '--nihgt'/],
  [['night'], /Unexpected argument 'night'/],
  [['--script', 'day'], /--script: expected night; came "day"/],
  [['--script', 'night', '--minutes', '1'], /--minutes: expected 2 to 60; came "1"/],
  [['--script', 'night', '--minutes', 'ten'], /--minutes: expected 2 to 60; came "ten"/],
  [['--minutes', '5'], /only with --script night/],
  [['--script', 'night', '--prometheus'], /without --prometheus/],
] as const

test.each(wrong)('%j is refused', (words, expected) => {
  expect(() => readOptions(words)).toThrow(expected)
})
