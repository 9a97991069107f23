/** Durations as people type them, and written so that they read back. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  durationTextMaxMs,
  formatDurationText,
  leadingDuration,
  parseDurationText,
} from '../../src/domain/command/duration-text.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

test.each([
  ['90s', 90_000],
  ['30m', 30 * minuteMs],
  ['1h30m', 90 * minuteMs],
  ['1h 30m', 90 * minuteMs],
  ['2d', 2 * dayMs],
  ['1w', 7 * dayMs],
  ['30 min', 30 * minuteMs],
  ['2 hours', 2 * hourMs],
  ['1.5h', 90 * minuteMs],
  ['250ms', 250],
  ['366d', 366 * dayMs],
])('%s is %i ms', (text, ms) => {
  expect(parseDurationText(text)).toBe(ms)
})

test.each([
  ['', 'nothing'],
  ['30', 'a number without a unit'],
  ['1h30', 'the second unit is missing'],
  ['-1h', 'negative'],
  ['0m', 'no time at all'],
  ['0.4ms', 'nothing, once it is whole milliseconds'],
  ['1M', 'a month to its writer, a minute to the library'],
  ['367d', 'more than a year'],
  ['2 fortnights', 'no unit'],
  ['h', 'a unit without a number'],
  ['1h and a bit', 'words'],
  [`${'1m '.repeat(20)}1m`, 'longer than anybody types'],
])('%s is no duration (%s)', (text) => {
  expect(parseDurationText(text)).toBeNull()
})

test.each([
  ['2h deploying', 2 * hourMs, 'deploying'],
  ['30 min outage', 30 * minuteMs, 'outage'],
  ['1h 30m', 90 * minuteMs, ''],
  ['2h 3 disks', 2 * hourMs, '3 disks'],
  ['2h, deploying', 2 * hourMs, ', deploying'],
])('%s begins with a duration', (text, ms, rest) => {
  const found = leadingDuration(text)
  expect(found?.ms).toBe(ms)
  expect(text.slice(found?.end).trim()).toBe(rest)
})

test.each(['deploying', '30', '5xx errors', '2ndary', '1h30', '30mn', 'h2'])(
  '%s does not begin with a duration',
  (text) => {
    expect(leadingDuration(text)).toBeNull()
  },
)

test('it is short when written', () => {
  expect([90 * minuteMs, 1_500, 8 * dayMs, 24 * hourMs].map(formatDurationText)).toEqual([
    '1h30m',
    '1s500ms',
    '1w1d',
    '1d',
  ])
})

test('whatever is written reads back as the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: durationTextMaxMs }), (ms) => {
      expect(parseDurationText(formatDurationText(ms))).toBe(ms)
    }),
  )
})
