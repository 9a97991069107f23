/** When a mute ends: limits, the clocks of three zones also when those change, and durations as people type them, written so that they read back. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  durationTextMaxMs,
  formatDurationText,
  leadingDuration,
  parseDurationText,
} from '../../../src/bot/domain/command/time-text.ts'
import { nextClock, untilOf } from '../../../src/bot/domain/mute/until.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const nowMs = Date.parse('2026-11-21T12:00:00Z')
const options = { nowMs, zone: 'Europe/Berlin', defaultMs: hourMs, maxMs: 2 * dayMs }

test('nothing said takes the default, a duration is taken as it is', () => {
  expect(untilOf({ kind: 'default' }, options)).toEqual({ mode: 'timed', untilMs: nowMs + hourMs })
  expect(untilOf({ kind: 'for', ms: minuteMs }, options)).toEqual({
    mode: 'timed',
    untilMs: nowMs + minuteMs,
  })
  expect(untilOf({ kind: 'for', ms: 2 * dayMs }, options)).toMatchObject({ untilMs: nowMs + 2 * dayMs })
})

test('until healthy ends at the longest mute at the latest, until unmuted never by itself', () => {
  expect(untilOf({ kind: 'healthy' }, options)).toEqual({ mode: 'healthy', untilMs: nowMs + 2 * dayMs })
  expect(untilOf({ kind: 'unmuted' }, options)).toEqual({ mode: 'open', untilMs: null })
})

test('longer than the policy allows and shorter than a minute are refused', () => {
  expect(untilOf({ kind: 'for', ms: 2 * dayMs + 1 }, options)).toEqual({ why: 'too_long', maxMs: 2 * dayMs })
  expect(untilOf({ kind: 'for', ms: minuteMs - 1 }, options)).toEqual({ why: 'too_short', minMs: minuteMs })
  expect(untilOf({ kind: 'at', hour: 12, minute: 0 }, { ...options, maxMs: 4 * hourMs })).toMatchObject({
    why: 'too_long',
  })
  const late = { ...options, nowMs: nowMs + 30_000 }
  expect(untilOf({ kind: 'at', hour: 13, minute: 1 }, late)).toMatchObject({ why: 'too_short' })
})

// In 2026 Berlin changes on 29 March and 25 October, New York on 8 March and 1 November, Lord Howe (half an hour) on
// 4 October and 5 April.
test.each([
  ['Europe/Berlin', '15:00', '2026-11-21T12:00:00Z', '2026-11-21T14:00:00Z', 'later today'],
  ['Europe/Berlin', '09:30', '2026-11-21T12:00:00Z', '2026-11-22T08:30:00Z', 'tomorrow'],
  ['Europe/Berlin', '15:00', '2026-11-21T14:00:00Z', '2026-11-22T14:00:00Z', 'it shows it now: tomorrow'],
  ['Europe/Berlin', '15:00', '2026-11-21T13:59:59.999Z', '2026-11-21T14:00:00Z', 'a moment before'],
  ['Europe/Berlin', '02:30', '2026-03-28T22:00:00Z', '2026-03-29T01:00:00Z', 'it is skipped: the leap'],
  ['Europe/Berlin', '03:00', '2026-03-28T22:00:00Z', '2026-03-29T01:00:00Z', 'the first after the leap'],
  ['Europe/Berlin', '02:30', '2026-03-29T01:10:00Z', '2026-03-30T00:30:00Z', 'skipped before: tomorrow'],
  ['Europe/Berlin', '02:30', '2026-10-24T22:00:00Z', '2026-10-25T00:30:00Z', 'it comes twice: the first'],
  ['Europe/Berlin', '02:30', '2026-10-25T00:40:00Z', '2026-10-25T01:30:00Z', 'it comes twice: the second'],
  ['Europe/Berlin', '02:30', '2026-10-25T01:30:00Z', '2026-10-26T01:30:00Z', 'both are over'],
  ['America/New_York', '23:00', '2026-11-21T03:59:00Z', '2026-11-21T04:00:00Z', 'the day before, in UTC'],
  ['America/New_York', '02:15', '2026-03-08T05:00:00Z', '2026-03-08T07:00:00Z', 'it is skipped: the leap'],
  ['America/New_York', '01:30', '2026-11-01T05:31:00Z', '2026-11-01T06:30:00Z', 'it comes twice: the second'],
  ['America/New_York', '08:00', '2026-10-31T20:00:00Z', '2026-11-01T13:00:00Z', 'over a night of 25 hours'],
  ['Australia/Lord_Howe', '02:15', '2026-10-03T12:00:00Z', '2026-10-03T15:30:00Z', 'half an hour is skipped'],
  [
    'Australia/Lord_Howe',
    '01:45',
    '2026-04-04T14:50:00Z',
    '2026-04-04T15:15:00Z',
    'half an hour comes twice',
  ],
  [
    'Asia/Kathmandu',
    '00:00',
    '2026-11-21T12:00:00Z',
    '2026-11-21T18:15:00Z',
    'midnight, by quarters of an hour',
  ],
  ['Pacific/Kiritimati', '00:00', '2026-11-21T12:00:00Z', '2026-11-22T10:00:00Z', 'far to the east'],
  ['Etc/UTC', '12:00', '2026-11-21T12:00:00Z', '2026-11-22T12:00:00Z', 'without any change'],
])('in %s the next %s after %s is %s (%s)', (zone, time, from, expected) => {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  expect(new Date(nextClock(hour, minute, Date.parse(from), zone)).toISOString()).toBe(
    new Date(expected).toISOString(),
  )
})

test('at any time of the year it is at most a day and an hour ahead', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu']
  const time = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  const span = { min: Date.parse('2026-01-01'), max: Date.parse('2027-12-31') }
  fc.assert(
    fc.property(fc.constantFrom(...zones), time, fc.integer(span), (zone, [hour, minute], from) => {
      const ahead = nextClock(hour, minute, from, zone) - from
      expect(ahead).toBeGreaterThan(0)
      expect(ahead).toBeLessThanOrEqual(dayMs + hourMs)
    }),
    { numRuns: 300 },
  )
})

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
