/** Occurrences of a series that were moved, changed or taken out: wherever they stand now, and however their place is told. */
import { expect, test } from 'vitest'
import { shiftsOf } from '../../../src/bot/oncall/calendar.ts'
import { event, google, outlook, outlookZone } from './calendars.ts'

const dayMs = 24 * 3_600_000
const weekMs = 7 * dayMs

/** What a reading at this time sees, in the order of the list: from a day before to a month ahead. */
function readAt(text: string, ms: number) {
  const span = { fromMs: ms - dayMs, toMs: ms + 31 * dayMs }
  const read = shiftsOf({ text, zone: 'UTC', known: ['ana', 'ben'], ...span })
  if (typeof read === 'string') throw new Error(read)
  return read
}

/** Whose shifts cover this time, as it is read then. */
function namesAt(text: string, ms: number): readonly string[] {
  const { shifts, skipped } = readAt(text, ms)
  expect(skipped).toBe(0)
  return shifts.filter(({ startMs, endMs }) => startMs <= ms && ms < endMs).map(({ who }) => who.name)
}

/** By their begin. */
function lines(text: string): readonly string[] {
  const { shifts, skipped } = readAt(text, Date.UTC(2026, 2, 28))
  expect(skipped).toBe(0)
  return shifts
    .map(({ startMs, endMs, who }) => `${stamp(startMs)} to ${stamp(endMs)} ${who.name}`)
    .toSorted()
}

const stamp = (ms: number) => new Date(ms).toISOString().slice(5, 16).replace('T', ' ')
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')

const berlin = (name: string, date: string, time = '090000') => `${name};TZID=Europe/Berlin:${date}T${time}`
/** Monday 09:00 to Monday 09:00, from this Monday on. */
const weeks = (mondayMs: number, rule: string) =>
  event(`UID:weeks@google.com
${berlin('DTSTART', dateOf(mondayMs))}
${berlin('DTEND', dateOf(mondayMs + weekMs))}
RRULE:FREQ=WEEKLY;${rule}BYDAY=MO
SUMMARY:Ana`)
const movedWeek = (recurrence: string, fromMs: number, toMs = fromMs + weekMs) =>
  event(`UID:weeks@google.com
${recurrence}
${berlin('DTSTART', dateOf(fromMs))}
${berlin('DTEND', dateOf(toMs))}
SUMMARY:Ana`)

const march16Ms = Date.UTC(2026, 2, 16)
const nineMs = 8 * 3_600_000

test.each([1, 2, 3, 6, 30, -1, -2, -6, -30])('a week moved by %i weeks is one until its end', (by) => {
  const placeMs = march16Ms - by * weekMs
  const recurrence = berlin('RECURRENCE-ID', dateOf(placeMs))
  const text = google([
    weeks(placeMs - 80 * weekMs, 'INTERVAL=40;'),
    movedWeek(recurrence, march16Ms),
    movedWeek(berlin('RECURRENCE-ID', dateOf(placeMs + 40 * weekMs)), placeMs + 41 * weekMs),
  ])
  const startMs = march16Ms + nineMs
  const endMs = startMs + weekMs
  expect(namesAt(text, startMs - 1)).toEqual([])
  for (const ms of [startMs, startMs + 2 * dayMs, startMs + 4 * dayMs, endMs - 1])
    expect(namesAt(text, ms)).toEqual(['Ana'])
  expect(namesAt(text, endMs)).toEqual([])
  expect(namesAt(text, placeMs + 3 * dayMs)).toEqual([])
})

test('a week that was made shorter is over for the rest of it, too', () => {
  const recurrence = berlin('RECURRENCE-ID', dateOf(march16Ms))
  const text = google([
    weeks(march16Ms, 'INTERVAL=4;'),
    movedWeek(recurrence, march16Ms, march16Ms + 2 * dayMs),
  ])
  expect(namesAt(text, march16Ms + 2 * dayMs)).toEqual(['Ana'])
  for (const days of [2, 4, 5, 6, 7])
    expect(namesAt(text, march16Ms + nineMs + days * dayMs - 1)).toEqual(days === 2 ? ['Ana'] : [])
})

test('all later weeks moved by two are where they were moved to', () => {
  const startMs = Date.UTC(2026, 2, 2)
  const text = google([
    weeks(startMs, 'INTERVAL=4;'),
    movedWeek(berlin('RECURRENCE-ID;RANGE=THISANDFUTURE', dateOf(startMs)), march16Ms),
  ])
  for (const after of [0, 4, 8]) {
    const movedMs = march16Ms + after * weekMs
    expect(namesAt(text, movedMs + nineMs)).toEqual(['Ana'])
    expect(namesAt(text, movedMs + 6 * dayMs)).toEqual(['Ana'])
    expect(namesAt(text, movedMs + weekMs + nineMs)).toEqual([])
    expect(namesAt(text, movedMs - 13 * dayMs)).toEqual([])
  }
})

const nightly = (more = 'RRULE:FREQ=DAILY;COUNT=3') =>
  event(`UID:nights@google.com
${berlin('DTSTART', '20260328', '200000')}
${berlin('DTEND', '20260329', '080000')}
${more}
SUMMARY:Ben`)
const other = (recurrence: string, more = '', date = '20260329') =>
  event(
    `UID:nights@google.com
${recurrence}
${berlin('DTSTART', date, '220000')}
${berlin('DTEND', date, '230000')}
${more}
SUMMARY:Ana`.replace('\n\n', '\n'),
  )

const usual = [
  '03-28 19:00 to 03-29 06:00 Ben',
  '03-29 18:00 to 03-30 06:00 Ben',
  '03-30 18:00 to 03-31 06:00 Ben',
] as const
const anas = '03-29 20:00 to 03-29 21:00 Ana'
const told = [
  ['in its own zone', berlin('', '20260329', '200000')],
  ['in UTC', ':20260329T180000Z'],
  ['in another zone', ';TZID=America/New_York:20260329T140000'],
  ['in a zone of Windows', ';TZID=Eastern Standard Time:20260329T140000'],
  ['without a zone', ':20260329T200000'],
  ['as a day', ';VALUE=DATE:20260329'],
] as const

test.each(told)('a night whose place is told %s is replaced, cancelled or taken out', (_, place) => {
  expect(lines(google([nightly(), other(`RECURRENCE-ID${place}`)]))).toEqual([usual[0], anas, usual[2]])
  expect(lines(google([nightly(), other(`RECURRENCE-ID${place}`, 'STATUS:CANCELLED')]))).toEqual([
    usual[0],
    usual[2],
  ])
  expect(lines(google([nightly(`RRULE:FREQ=DAILY;COUNT=3\nEXDATE${place}`)]))).toEqual([usual[0], usual[2]])
})

test.each(told)('this and all later nights are replaced, or cancelled, where that is told %s', (_, place) => {
  const range = `RECURRENCE-ID;RANGE=THISANDFUTURE${place}`
  expect(lines(google([nightly(), other(range)]))).toEqual([usual[0], anas, '03-30 20:00 to 03-30 21:00 Ana'])
  expect(lines(google([nightly(), other(range, 'STATUS:CANCELLED')]))).toEqual([usual[0]])
})

test('this and all later days of a series have hours, or those of nights none, as from then on', () => {
  const days = 'DTSTART;VALUE=DATE:20260328\nRRULE:FREQ=DAILY;COUNT=3\nSUMMARY:Ben'
  const hours = other('RECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20260329')
  expect(lines(google([event(`UID:nights@google.com\n${days}`), hours]))).toEqual([
    '03-27 23:00 to 03-28 23:00 Ben',
    anas,
    '03-30 20:00 to 03-30 21:00 Ana',
  ])
  const range = `UID:nights@google.com\n${berlin('RECURRENCE-ID;RANGE=THISANDFUTURE', '20260329', '200000')}`
  const day = event(`${range}\nDTSTART;VALUE=DATE:20260330\nSUMMARY:Ana`)
  expect(lines(google([nightly(), day]))).toEqual([
    usual[0],
    '03-29 22:00 to 03-30 22:00 Ana',
    '03-30 22:00 to 03-31 22:00 Ana',
  ])
})

test('the same clock in another zone is another night', () => {
  const text = google([nightly(), other('RECURRENCE-ID;TZID=America/New_York:20260329T200000')])
  expect(lines(text)).toEqual([usual[0], usual[1], anas, usual[2]])
})

test.each([
  ['as a day', ';VALUE=DATE:20260329'],
  ['as its midnight', ';TZID=Europe/Berlin:20260329T000000'],
  ['as that in UTC', ':20260328T230000Z'],
])('a day of a series of days is replaced, or taken out, where that is told %s', (_, place) => {
  const day = (more: string, date: string, who: string) =>
    event(`UID:days@outlook\n${more}\nDTSTART;VALUE=DATE:${date}\nSUMMARY:${who}`)
  const rule = 'RRULE:FREQ=DAILY;COUNT=2'
  const usual = '03-27 23:00 to 03-28 23:00 Ben'
  const replaced = [day(rule, '20260328', 'Ben'), day(`RECURRENCE-ID${place}`, '20260402', 'Ana')]
  expect(lines(google(replaced))).toEqual([usual, '04-01 22:00 to 04-02 22:00 Ana'])
  expect(lines(google([day(`${rule}\nEXDATE${place}`, '20260328', 'Ben')]))).toEqual([usual])
})

test('a series without a zone is as the calendar: its places may be told in UTC', () => {
  const floating = 'DTSTART:20260328T200000\nDTEND:20260328T230000\nRRULE:FREQ=DAILY;COUNT=2\nSUMMARY:Ben'
  const text = google([event(`UID:nights@google.com\n${floating}`), other('RECURRENCE-ID:20260329T180000Z')])
  expect(lines(text)).toEqual(['03-28 19:00 to 03-28 22:00 Ben', anas])
})

test('a place in a zone of Outlook is as the file defines it', () => {
  const zone = 'W. Europe Standard Time'
  const text = outlook(
    [nightly().replaceAll('Europe/Berlin', zone), other(`RECURRENCE-ID;TZID=${zone}:20260329T200000`)],
    zone,
  )
  expect(lines(text)).toEqual([usual[0], anas, usual[2]])
})

test.each([
  ['beyond the end of its series', 'RRULE:FREQ=DAILY;COUNT=1', '20260405'],
  [
    'on a date that was taken out',
    `RRULE:FREQ=DAILY;COUNT=1\n${berlin('EXDATE', '20260329', '200000')}`,
    '20260329',
  ],
  ['before its series', 'RRULE:FREQ=DAILY;COUNT=1', '20260327'],
])('an exception %s is an event like any other, unless it is cancelled', (_, rule, place) => {
  const recurrence = berlin('RECURRENCE-ID', place, '200000')
  expect(lines(google([nightly(rule), other(recurrence)]))).toEqual([usual[0], anas])
  expect(lines(google([nightly(rule), other(recurrence, 'STATUS:CANCELLED')]))).toEqual([usual[0]])
})

test.each([
  ['later', (one: string, two: string) => [nightly(), one, two]],
  ['first', (one: string, two: string) => [two, one, nightly()]],
])('of two revisions of an exception the last counts, also where it stands %s', (_, events) => {
  const recurrence = berlin('RECURRENCE-ID', '20260329', '200000')
  const one = other(recurrence, 'SEQUENCE:9', '20260401')
  const again = other('RECURRENCE-ID:20260329T180000Z', 'SEQUENCE:10')
  expect(lines(google(events(one, again)))).toEqual([usual[0], anas, usual[2]])
  const cancelled = other(recurrence, 'SEQUENCE:10\nSTATUS:CANCELLED')
  expect(lines(google(events(one, cancelled)))).toEqual([usual[0], usual[2]])
})

test.each([
  ['later', (one: string, two: string) => [nightly(), one, two]],
  ['first', (one: string, two: string) => [two, one, nightly()]],
])('a revision that is of one night alone moves no later one, also where it stands %s', (_, events) => {
  const range = other('RECURRENCE-ID;RANGE=THISANDFUTURE:20260329T180000Z', 'SEQUENCE:9')
  const again = other(berlin('RECURRENCE-ID', '20260329', '200000'), 'SEQUENCE:10')
  expect(lines(google(events(range, again)))).toEqual([usual[0], anas, usual[2]])
})

test('an exception that begins with a usual shift of its series lies over it', () => {
  const later = other(berlin('RECURRENCE-ID', '20260329', '200000'), '', '20260330').replace(
    'T220000',
    'T200000',
  )
  const text = google([nightly(), later])
  expect(lines(text)).toEqual([usual[0], '03-30 18:00 to 03-30 21:00 Ana', usual[2]])
  expect(namesAt(text, Date.UTC(2026, 2, 30, 20))).toEqual(['Ben', 'Ana'])
})

test('the first of some dates without a rule may be moved, too', () => {
  const dates = nightly(berlin('RDATE', '20260330', '200000'))
  const place = berlin('RECURRENCE-ID', '20260328', '200000')
  expect(lines(google([dates]))).toEqual([usual[0], usual[2]])
  expect(lines(google([dates, other(place)]))).toEqual([anas, usual[2]])
})

test('a date taken out that is none of the series keeps no other in it', () => {
  const dates = `EXDATE:20260329T120000Z\n${berlin('EXDATE', '20260329', '200000')}`
  expect(lines(google([nightly(`RRULE:FREQ=DAILY;COUNT=3\n${dates}`)]))).toEqual([usual[0], usual[2]])
})

test.each(['banana', '20260329', '20260329T2000', ''])('a place that is no time (%o) is counted', (place) => {
  const text = google([nightly(), other(`RECURRENCE-ID:${place}`)])
  const { shifts, skipped } = readAt(text, Date.UTC(2026, 2, 28))
  expect(skipped).toBe(1)
  expect(shifts).toHaveLength(3)
})

test.each([
  ['begin', 'DTSTART:16010101T030000', 'DTSTART:garbage'],
  ['offset', 'TZOFFSETFROM:+0200', 'TZOFFSETFROM:x'],
  ['date', 'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10', 'RDATE:foo'],
  ['end', 'BYDAY=-1SU;BYMONTH=10', 'BYDAY=-1SU;BYMONTH=10;UNTIL=zzz'],
])('a place in a zone of which a %s cannot be read is counted, and the others are read', (_, good, bad) => {
  const text = google([
    outlookZone('Cust').replace(good, bad),
    nightly(),
    other('RECURRENCE-ID;TZID=Cust:20260329T200000'),
    other('RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Cust:20260330T200000'),
  ])
  const { shifts, skipped } = readAt(text, Date.UTC(2026, 2, 28))
  expect(skipped).toBe(2)
  expect(shifts.map(({ who }) => who.name)).toEqual(['Ben', 'Ben', 'Ben'])
  const all = [
    nightly().replaceAll('Europe/Berlin', 'Cust'),
    other('RECURRENCE-ID;RANGE=THISANDFUTURE:20260329T180000Z'),
  ]
  const own = google([outlookZone('Cust').replace(good, bad), ...all, weeks(march16Ms, '')])
  expect(readAt(own, march16Ms)).toMatchObject({ skipped: 1, shifts: { length: 5 } })
})
