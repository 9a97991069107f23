/** How a mute is asked for in words: which server, until when, by the clock of which zone, for how long, and why. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCommand } from '../../src/domain/command/commands.ts'
import {
  durationTextMaxMs,
  formatDurationText,
  leadingDuration,
  parseDurationText,
} from '../../src/domain/command/duration-text.ts'
import { parseAskedMute } from '../../src/domain/command/mute-text.ts'
import { nextClock, untilOf } from '../../src/domain/mute/until.ts'
import type { MuteEnd } from '../../src/domain/request/named.ts'

const hourMs = 3_600_000
const lasting = (ms: number): MuteEnd => ({ kind: 'for', ms })

const intentOf = (text: string) => {
  const parsed = parseCommand(text)
  return parsed.ok ? parsed.intent : parsed.refusal
}

test.each<[string, string[], MuteEnd, string]>([
  ['mute web-1', ['web-1'], { kind: 'default' }, ''],
  ['mute host web-1', ['web-1'], { kind: 'default' }, ''],
  ['mute host', ['host'], { kind: 'default' }, ''],
  ['Mute web-1 2h deploying', ['web-1'], lasting(2 * hourMs), 'deploying'],
  ['mute web-1 for 30 min the new disk', ['web-1'], lasting(hourMs / 2), 'the new disk'],
  ['mute web-1 2 hours: ana’s deploy', ['web-1'], lasting(2 * hourMs), 'ana’s deploy'],
  ['mute web-1 1h 30m', ['web-1'], lasting(1.5 * hourMs), ''],
  ['mute web-1 2h — 3 disks', ['web-1'], lasting(2 * hourMs), '3 disks'],
  ['mute web-1 deploying for 2h', ['web-1'], { kind: 'default' }, 'deploying for 2h'],
  ['mute web-1 until 15:00', ['web-1'], { kind: 'at', hour: 15, minute: 0 }, ''],
  ['mute web-1 Until 9:05, backup', ['web-1'], { kind: 'at', hour: 9, minute: 5 }, 'backup'],
  ['mute web-1 until healthy new kernel', ['web-1'], { kind: 'healthy' }, 'new kernel'],
  ['mute web-1 until unmuted', ['web-1'], { kind: 'unmuted' }, ''],
  ['mute web-1,web-2 , db-* 2h', ['web-1', 'web-2', 'db-*'], lasting(2 * hourMs), ''],
  ['mute web-1,web-1 2h', ['web-1'], lasting(2 * hourMs), ''],
  ['mute <http://a.example|a.example>, “b c” 2h', ['a.example', 'b c'], lasting(2 * hourMs), ''],
])('%s', (text, servers, end, reason) => {
  expect(intentOf(text)).toEqual({
    kind: 'mute_server',
    servers: servers.map((name) => ({ by: 'name', name })),
    end,
    reason,
    shown: null,
  })
})

const duration = 'a duration with a unit, such as 90s, 1h30m or 30d'
const until = 'until 15:00 (in your time zone), until healthy or until unmuted'

test.each([
  ['mute web-1 30', duration, '30 (a number without a unit)'],
  ['mute web-1 30 deploying', duration, '30 deploying (a number without a unit)'],
  ['mute web-1 1h 30', duration, '30 without a unit'],
  ['mute web-1 1h30', duration, '1h30'],
  ['mute web-1 -1h', duration, '-1h'],
  ['mute web-1 –1h', duration, '–1h'],
  ['mute web-1 0m', duration, '0m'],
  ['mute web-1 30mn', duration, '30mn'],
  ['mute web-1 5xx errors', duration, '5xx errors'],
  ['mute web-1 for ever', duration, 'ever'],
  ['mute web-1 for', duration, ''],
  ['mute web-1 until', until, 'until'],
  ['mute web-1 until 25:00', until, 'until 25:00'],
  ['mute web-1 until further notice', until, 'until further notice'],
  [
    'mute account until healthy',
    'a duration or a time: the account is never muted without an end',
    'until healthy',
  ],
  ['mute account 30 network', duration, '30 network (a number without a unit)'],
])('%s is refused, and nothing is muted for another time than was meant', (text, expected, came) => {
  expect(intentOf(text)).toEqual({ why: 'invalid', expected, came, topic: expect.stringMatching(/^mute/) })
})

test('a mute of the account that says for how long and why is asked for as it is', () => {
  expect(intentOf('mute account for 2h network work')).toEqual({
    kind: 'mute_account',
    end: lasting(2 * hourMs),
    reason: 'network work',
    shown: null,
  })
  expect(intentOf('mute account until 15:00 network work')).toMatchObject({
    kind: 'mute_account',
    end: { kind: 'at', hour: 15, minute: 0 },
  })
})

test.each([
  ['mute account', null],
  ['mute account 2h', '2h'],
  ['mute account network work', 'network work'],
  ['mute account until 15:00', 'until 15:00'],
])('%s opens the form, which is given what was said', (text, given) => {
  expect(intentOf(text)).toEqual({ kind: 'open_form', form: 'mute_account', alertId: null, given })
})

test('a field of a form is read in the same way', () => {
  expect(parseAskedMute('2h network work')).toEqual({ end: lasting(2 * hourMs), reason: 'network work' })
  expect(parseAskedMute('until 15:00')).toEqual({ end: { kind: 'at', hour: 15, minute: 0 }, reason: '' })
  expect(parseAskedMute('')).toEqual({ end: { kind: 'default' }, reason: '' })
  expect(parseAskedMute('2')).toMatchObject({ why: 'invalid' })
})

const minuteMs = 60_000
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
