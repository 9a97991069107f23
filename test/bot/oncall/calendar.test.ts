/** Shifts as calendars have them: every night right, whoever exported it and whatever was moved. */
import { expect, test } from 'vitest'
import { shiftsOf } from '../../../src/bot/oncall/calendar.ts'
import { event, fileOf, google, outlook, pagerDuty } from './calendars.ts'

const span = { fromMs: Date.UTC(2026, 2, 20), toMs: Date.UTC(2026, 3, 20) }
const known = ['ana@example.com', 'ben']

function read(text: string, zone = 'UTC') {
  const read = shiftsOf({ text, zone, known, ...span })
  if (typeof read === 'string') return read
  return { ...read, shifts: undefined, lines: read.shifts.map(line) }
}

function lines(text: string, zone = 'UTC'): readonly string[] {
  const found = read(text, zone)
  if (typeof found === 'string') throw new Error(found)
  expect(found.skipped).toBe(0)
  return found.lines
}

const line = ({ startMs, endMs, who }: { startMs: number; endMs: number; who: { name: string } }) =>
  `${stamp(startMs)} to ${stamp(endMs)} ${who.name}`
const stamp = (ms: number) => new Date(ms).toISOString().slice(5, 16).replace('T', ' ')

const night = (rule: string, title = 'Ben') => `DTSTART;TZID=Europe/Berlin:20260328T200000
DTEND;TZID=Europe/Berlin:20260329T080000
${rule}
SUMMARY:${title}`

test('a night from 20:00 to 08:00 is one in every night, also in that of daylight saving', () => {
  expect(lines(google([event(night('RRULE:FREQ=DAILY;COUNT=3'))]))).toEqual([
    '03-28 19:00 to 03-29 06:00 Ben',
    '03-29 18:00 to 03-30 06:00 Ben',
    '03-30 18:00 to 03-31 06:00 Ben',
  ])
})

test('in autumn the hour that comes twice belongs to the night', () => {
  const text = google([
    event(
      'DTSTART;TZID=Europe/Berlin:20261024T200000\nDTEND;TZID=Europe/Berlin:20261025T080000\nSUMMARY:Ben',
    ),
  ])
  const autumn = { fromMs: Date.UTC(2026, 9, 1), toMs: Date.UTC(2026, 10, 1) }
  const found = shiftsOf({ text, zone: 'UTC', known, ...autumn })
  expect(found).toMatchObject({
    shifts: [{ startMs: Date.UTC(2026, 9, 24, 18), endMs: Date.UTC(2026, 9, 25, 7) }],
  })
})

test('hours of a duration are exact: twelve hours over daylight saving end at another time', () => {
  const twelve = 'DTSTART;TZID=Europe/Berlin:20260328T200000\nDURATION:PT12H\nSUMMARY:Ben'
  expect(lines(google([event(twelve)]))).toEqual(['03-28 19:00 to 03-29 07:00 Ben'])
  expect(lines(google([event(twelve.replace('PT12H', 'P1D'))]))).toEqual(['03-28 19:00 to 03-29 18:00 Ben'])
})

test.each(['W. Europe Standard Time', '(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna'])(
  'the zone %s of Outlook is as the file defines it',
  (tzid) => {
    const at = (name: string, time: string) => `${name};TZID="${tzid}":${time}`
    const text = outlook(
      [
        event(`${at('DTSTART', '20260328T200000')}
${at('DTEND', '20260329T080000')}
RRULE:FREQ=WEEKLY;UNTIL=20260412T180000Z;INTERVAL=1;BYDAY=SA;WKST=MO
SUMMARY;LANGUAGE=en-US:Ben (on call)
X-MICROSOFT-CDO-BUSYSTATUS:FREE`),
      ],
      tzid,
    )
    expect(lines(text)).toEqual([
      '03-28 19:00 to 03-29 06:00 Ben',
      '04-04 18:00 to 04-05 06:00 Ben',
      '04-11 18:00 to 04-12 06:00 Ben',
    ])
  },
)

test.each([
  ['W. Europe Standard Time', '03-28 19:00 to 03-29 06:00 Ben'],
  ['Pacific Standard Time', '03-29 03:00 to 03-29 15:00 Ben'],
])('the zone %s that the file does not define is what Windows calls so', (tzid, shift) => {
  const named = event(night('RRULE:FREQ=DAILY;COUNT=1').replaceAll('Europe/Berlin', tzid))
  expect(lines(google([named]))).toEqual([shift])
  const own = event('DTSTART:20260328T200000\nDTEND:20260329T080000\nSUMMARY:Ben')
  expect(lines(google([own], tzid))).toEqual([shift])
})

test('a zone of Windows that the file defines is as it says', () => {
  const named = event(night('RRULE:FREQ=DAILY;COUNT=1').replaceAll('Europe/Berlin', 'Pacific Standard Time'))
  expect(lines(outlook([named], 'Pacific Standard Time'))).toEqual(['03-28 19:00 to 03-29 06:00 Ben'])
})

test('a zone that nobody defines is not guessed: the event counts as unreadable', () => {
  const text = google([
    event('DTSTART;TZID=Nowhere Time:20260328T200000\nDTEND;TZID=Nowhere Time:20260329T080000\nSUMMARY:Ben'),
  ])
  expect(read(text)).toMatchObject({ skipped: 1, skippedWhy: 'unknown time zone Nowhere Time', lines: [] })
})

test('a zone of its name needs no definition', () => {
  const text = fileOf(
    `BEGIN:VCALENDAR\nVERSION:2.0\n${event(night('RRULE:FREQ=DAILY;COUNT=1'))}\nEND:VCALENDAR`,
  )
  expect(lines(text)).toEqual(['03-28 19:00 to 03-29 06:00 Ben'])
})

test.each([
  ['in its own zone', 'EXDATE;TZID=Europe/Berlin:20260329T200000'],
  ['in UTC', 'EXDATE:20260329T180000Z'],
  ['of several', 'EXDATE;TZID=Europe/Berlin:20260329T200000,20260401T200000'],
])('a night taken out, %s, is empty', (_, exdate) => {
  expect(lines(google([event(night(`RRULE:FREQ=DAILY;COUNT=3\n${exdate}`))]))).toEqual([
    '03-28 19:00 to 03-29 06:00 Ben',
    '03-30 18:00 to 03-31 06:00 Ben',
  ])
})

const moved = (recurrence: string, more = 'SUMMARY:ana@example.com') => `UID:series@google.com
${recurrence}
DTSTART;TZID=Europe/Berlin:20260329T220000
DTEND;TZID=Europe/Berlin:20260330T070000
${more}`
const series = (count: number) => event(`UID:series@google.com\n${night(`RRULE:FREQ=DAILY;COUNT=${count}`)}`)

test.each([
  [
    'after its series',
    (one: string) => [series(3), event(one)],
    'RECURRENCE-ID;TZID=Europe/Berlin:20260329T200000',
  ],
  ['before it', (one: string) => [event(one), series(3)], 'RECURRENCE-ID:20260329T180000Z'],
])('a night that was moved to somebody else, %s, stands in place of its own', (_, events, recurrence) => {
  expect(lines(google(events(moved(recurrence)))).toSorted()).toEqual([
    '03-28 19:00 to 03-29 06:00 Ben',
    '03-29 20:00 to 03-30 05:00 ana@example.com',
    '03-30 18:00 to 03-31 06:00 Ben',
  ])
})

test('one that is moved out of sight leaves its night empty', () => {
  const far = moved('RECURRENCE-ID;TZID=Europe/Berlin:20260329T200000').replaceAll('202603', '202703')
  const text = google([
    series(3),
    event(far.replace('RECURRENCE-ID;TZID=Europe/Berlin:202703', 'RECURRENCE-ID;TZID=Europe/Berlin:202603')),
  ])
  expect(lines(text)).toEqual(['03-28 19:00 to 03-29 06:00 Ben', '03-30 18:00 to 03-31 06:00 Ben'])
})

test('this and all later nights are somebody else’s', () => {
  const text = google([
    series(4),
    event(
      moved('RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20260330T200000')
        .replaceAll('20260330T07', '20260331T07')
        .replaceAll('20260329T22', '20260330T22'),
    ),
  ])
  expect(lines(text).toSorted()).toEqual([
    '03-28 19:00 to 03-29 06:00 Ben',
    '03-29 18:00 to 03-30 06:00 Ben',
    '03-30 20:00 to 03-31 05:00 ana@example.com',
    '03-31 20:00 to 04-01 05:00 ana@example.com',
  ])
})

test('what is cancelled is no shift, be it one night or all', () => {
  const one = moved('RECURRENCE-ID;TZID=Europe/Berlin:20260329T200000', 'STATUS:CANCELLED\nSUMMARY:Ben')
  expect(lines(google([series(2), event(one)]))).toEqual(['03-28 19:00 to 03-29 06:00 Ben'])
  expect(lines(google([event(night('RRULE:FREQ=DAILY;COUNT=3\nSTATUS:CANCELLED'))]))).toEqual([])
})

test('an exception without its series stands alone', () => {
  const text = google([event(moved('RECURRENCE-ID;TZID=Europe/Berlin:20260329T200000'))])
  expect(lines(text)).toEqual(['03-29 20:00 to 03-30 05:00 ana@example.com'])
})

const display = '"(UTC+01:00) Amsterdam, Berlin"'
const shown = (tzid: string, start: string, rule = '') => {
  const times = `DTSTART;TZID=${tzid}:${start}T200000\nDTEND;TZID=${tzid}:${start}T230000`
  return event(`UID:series@google.com\n${times}\n${rule}\nSUMMARY:ana@example.com`.replace('\n\n', '\n'))
}

test.each([
  ['that is over', shown(display, '20200101')],
  ['that is over, in a zone without its quotes', shown('(UTC+01:00) Berlin', '20200101')],
  ['in a series that has ended', shown(display, '20200101', 'RRULE:FREQ=WEEKLY;UNTIL=20200601T000000Z')],
  ['in a series of so many', shown(display, '20200101', 'RRULE:FREQ=WEEKLY;COUNT=10')],
  ['on dates that are over', shown(display, '20200101', `RDATE;TZID=${display}:20200301T200000`)],
  ['that is cancelled', shown(display, '20260328', 'STATUS:CANCELLED')],
])('an event in a zone that nobody defines, %s, is no doubt for ever', (_, over) => {
  expect(read(google([over]))).toMatchObject({ skipped: 0, skippedWhy: null, lines: [] })
})

test.each([
  ['in a series without an end', shown(display, '20200101', 'RRULE:FREQ=DAILY')],
  ['in a series of many', shown(display, '20200101', 'RRULE:FREQ=DAILY;COUNT=3000')],
  ['on the edge of the time, wherever it is', shown(display, '20260319')],
  [
    'that takes a night out',
    event(moved(`RECURRENCE-ID;TZID=${display}:20260328T200000`, 'STATUS:CANCELLED')),
  ],
])('an event in a zone that nobody defines, %s, may be a shift', (_, open) => {
  const skippedWhy = 'unknown time zone (UTC+01:00) Amsterdam, Berlin'
  expect(read(google([open]))).toMatchObject({ skipped: 1, skippedWhy, lines: [] })
})

test('a night that was moved, in a zone that nobody defines, leaves its series and is counted', () => {
  const one = moved('RECURRENCE-ID;TZID=Nowhere Time:20260328T200000')
  expect(read(google([series(1), event(one)]))).toMatchObject({
    skipped: 1,
    lines: ['03-28 19:00 to 03-29 06:00 Ben'],
  })
})

test('days are those of the calendar’s zone, else of the policy’s, and end before the last', () => {
  const week = event('DTSTART;VALUE=DATE:20260327\nDTEND;VALUE=DATE:20260330\nSUMMARY:Ben')
  expect(lines(google([week]))).toEqual(['03-26 23:00 to 03-29 22:00 Ben'])
  expect(lines(pagerDuty([week]), 'America/New_York')).toEqual(['03-27 04:00 to 03-30 04:00 Ben'])
  const day = event(
    'DTSTART;VALUE=DATE:20260328\nRRULE:FREQ=DAILY;COUNT=3\nEXDATE;VALUE=DATE:20260329\nSUMMARY:Ben',
  )
  expect(lines(google([day]))).toEqual(['03-27 23:00 to 03-28 23:00 Ben', '03-29 22:00 to 03-30 22:00 Ben'])
})

test('more dates belong to it, and its first one does too', () => {
  const text = google([event(night('RDATE;TZID=Europe/Berlin:20260402T200000'))])
  expect(lines(text)).toEqual(['03-28 19:00 to 03-29 06:00 Ben', '04-02 18:00 to 04-03 06:00 Ben'])
})

test('a month of PagerDuty names people in its titles', () => {
  const shifts = Array.from({ length: 60 }, (_, n) => {
    const at = (hours: number) =>
      new Date(Date.UTC(2026, 2, 1) + hours * 3_600_000).toISOString().replace(/[-:]|\.\d+/g, '')
    return event(`UID:Q${n}
URL:https://acme.pagerduty.com/schedules#PABC123
DTSTART;VALUE=DATE-TIME:${at(12 * n)}
DTEND;VALUE=DATE-TIME:${at(12 * (n + 1))}
SUMMARY:On Call - ${n % 2 === 0 ? 'Ana - Maria Costa' : 'Ben Okafor'} - Primary`)
  })
  const found = lines(pagerDuty(shifts))
  expect(found).toHaveLength(22)
  expect(found.slice(0, 2)).toEqual([
    '03-20 00:00 to 03-20 12:00 Ana',
    '03-20 12:00 to 03-21 00:00 Ben Okafor',
  ])
})

test.each([
  [
    'a guest',
    'ATTENDEE;CN=Ana Costa;PARTSTAT=ACCEPTED:mailto:Ana@Example.com\nSUMMARY:Ben',
    'ana@example.com',
    false,
  ],
  [
    'the guest whom the policy knows',
    'ATTENDEE:mailto:x@example.com\nATTENDEE:MAILTO:ana@example.com\nSUMMARY:x',
    'ana@example.com',
    false,
  ],
  [
    'not who declined, nor a room',
    'ATTENDEE;PARTSTAT=DECLINED:mailto:ana@example.com\nATTENDEE;CUTYPE=RESOURCE:mailto:room@example.com\nSUMMARY:Ben on call',
    null,
    false,
  ],
  ['an e-mail in the title', 'SUMMARY:On call: cleo@example.com (week 13)', 'cleo@example.com', false],
  ['a name of the policy in the title', 'SUMMARY:Oncall / BEN', null, false],
  ['not a part of a word', 'SUMMARY:Benjamin', null, true],
  ['nobody: the organizer is not asked', 'ORGANIZER:mailto:boss@example.com\nSUMMARY:Lunch', null, true],
])('an event names %s', (_, words, email, isUnclear) => {
  const text = google([event(`DTSTART:20260328T200000Z\nDTEND:20260329T080000Z\n${words}`)])
  const found = shiftsOf({ text, zone: 'UTC', known, ...span })
  expect(found).toMatchObject({ shifts: [{ who: { email }, isUnclear }] })
})

test('of two that begin at once the one that was created later comes last', () => {
  const at = 'DTSTART:20260328T200000Z\nDTEND:20260329T080000Z'
  const text = google([
    event(`${at}\nCREATED:20260302T080000Z\nSUMMARY:late@example.com`),
    event(`${at}\nCREATED:20260301T080000Z\nSUMMARY:early@example.com`),
  ])
  expect(lines(text).map((one) => one.split(' ').at(-1))).toEqual(['early@example.com', 'late@example.com'])
})

test('an event that cannot be read is counted, and the others are read', () => {
  const bad = event('DTSTART:20260328T2000\nDTEND:banana\nSUMMARY:Ben')
  expect(read(google([bad, event(night('RRULE:FREQ=DAILY;COUNT=1'))]))).toMatchObject({
    skipped: 1,
    skippedWhy: 'no begin or no end',
    lines: ['03-28 19:00 to 03-29 06:00 Ben'],
  })
})

test('a rule that repeats by the second for years ends with itself', () => {
  const text = google([
    event('DTSTART:20200101T000000Z\nDTEND:20200101T000001Z\nRRULE:FREQ=SECONDLY\nSUMMARY:Ben'),
  ])
  expect(read(text)).toMatchObject({ skipped: 1, skippedWhy: 'a rule that cannot be followed', lines: [] })
})

test.each([
  ['nothing', ''],
  ['a page', '<!doctype html><title>Sign in</title>'],
  ['half a calendar', google([series(3)]).slice(0, -40)],
  ['an event alone', fileOf(event(night('')))],
  ['something before it', `x\r\n${google([])}`],
])('%s is no calendar, and never nobody', (_, text) => {
  expect(read(text)).toBe('it is no calendar, or not all of one')
})

test('an empty calendar is one: nobody is on call', () => {
  expect(read(google([]))).toMatchObject({ skipped: 0, lines: [] })
})

test('twenty thousand old shifts cost one pass over their lines', () => {
  const old = Array.from({ length: 20_000 }, (_, n) => {
    const day = new Date(Date.UTC(1970, 0, 1 + n)).toISOString().slice(0, 10).replaceAll('-', '')
    return event(`DTSTART:${day}T080000Z\nDTEND:${day}T200000Z\nSUMMARY:On Call - Ben - Primary`)
  })
  expect(lines(google([...old, event(night('RRULE:FREQ=DAILY;COUNT=1'))]))).toHaveLength(1)
})
