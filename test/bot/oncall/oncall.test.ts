/** Calendars as teams keep them, and that what cannot be read is never "nobody". */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import { describe, expect, test } from 'vitest'
import { day } from '../../../src/bot/clock.ts'
import { Secret } from '../../../src/bot/config/settings.ts'
import { readCalendar } from '../../../src/bot/oncall/ical.ts'
import { onCallSourceOf, oneAfterTheOther, readOnCall } from '../../../src/bot/oncall/read.ts'

const span = {
  fromMs: Date.UTC(2026, 9, 20),
  untilMs: Date.UTC(2026, 10, 20),
  zone: 'Europe/Berlin',
  known: new Set(['ben', 'cleo@example.com']),
}
const calendar = (...events: string[][]) =>
  [
    'BEGIN:VCALENDAR',
    ...events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']),
    'END:VCALENDAR',
  ].join('\r\n')
const night = [
  'UID:n',
  'SUMMARY:Ben',
  'DTSTART;TZID=Europe/Berlin:20261024T200000',
  'DTEND;TZID=Europe/Berlin:20261025T080000',
]
const read = (...events: string[][]) => readCalendar(calendar(...events), span)
const told = (...events: string[][]) =>
  read(...events).shifts.map(({ fromMs, untilMs, who }) => `${iso(fromMs)} ${iso(untilMs)} ${who.name}`)
const iso = (ms: number) => new Date(ms).toISOString().slice(5, 16)

describe('an event', () => {
  test.each([
    [
      'repeats on the clock of its zone, over the end of summer time',
      [[...night, 'RRULE:FREQ=DAILY;COUNT=2']],
      ['10-24T18:00 10-25T07:00 Ben', '10-25T19:00 10-26T07:00 Ben'],
    ],
    [
      'repeats in UTC where it begins in UTC',
      [
        [
          ...['UID:u', 'SUMMARY:Ben', 'DTSTART:20261024T090000Z', 'DTEND:20261024T170000Z'],
          'RRULE:FREQ=DAILY;COUNT=2',
        ],
      ],
      ['10-24T09:00 10-24T17:00 Ben', '10-25T09:00 10-25T17:00 Ben'],
    ],
    [
      'ends with the last that begins before an end in UTC',
      [[...night, 'RRULE:FREQ=DAILY;UNTIL=20261025T190000Z']],
      ['10-24T18:00 10-25T07:00 Ben', '10-25T19:00 10-26T07:00 Ben'],
    ],
    [
      'leaves out its EXDATE, told in UTC',
      [[...night, 'RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20261025T190000Z']],
      ['10-24T18:00 10-25T07:00 Ben'],
    ],
    [
      'is replaced by its exception',
      [
        [...night, 'RRULE:FREQ=DAILY;COUNT=2'],
        [
          'UID:n',
          'RECURRENCE-ID;TZID=Europe/Berlin:20261025T200000',
          'SUMMARY:Cleo cleo@example.com',
          'DTSTART:20261025T210000Z',
          'DTEND:20261026T070000Z',
        ],
      ],
      ['10-24T18:00 10-25T07:00 Ben', '10-25T21:00 10-26T07:00 cleo@example.com'],
    ],
    [
      'has no place where its exception is cancelled',
      [
        [...night, 'RRULE:FREQ=DAILY;COUNT=2'],
        [...night, 'RECURRENCE-ID:20261024T180000Z', 'STATUS:CANCELLED'],
      ],
      ['10-25T19:00 10-26T07:00 Ben'],
    ],
    [
      'lasts whole days',
      [['UID:d', 'SUMMARY:Ben', 'DTSTART;VALUE=DATE:20261026', 'DTEND;VALUE=DATE:20261028']],
      ['10-25T23:00 10-27T23:00 Ben'],
    ],
    [
      'is in a zone of Windows',
      [['UID:w', 'SUMMARY:Ben', 'DTSTART;TZID=W. Europe Standard Time:20261101T090000', 'DURATION:PT8H']],
      ['11-01T08:00 11-01T16:00 Ben'],
    ],
    [
      'without a zone is in the calendar’s',
      [['UID:f', 'SUMMARY:Ben', 'DTSTART:20261101T090000', 'DTEND:20261101T170000']],
      ['11-01T08:00 11-01T16:00 Ben'],
    ],
    [
      'is in a series that began long ago',
      [
        [
          'UID:s',
          'SUMMARY:Ben',
          'DTSTART;TZID=Europe/Berlin:20160101T090000',
          'DTEND;TZID=Europe/Berlin:20160101T170000',
          'RRULE:FREQ=DAILY;UNTIL=20261021T120000Z',
        ],
      ],
      ['10-20T07:00 10-20T15:00 Ben', '10-21T07:00 10-21T15:00 Ben'],
    ],
    ['is long over', [['UID:o', 'SUMMARY:Ben', 'DTSTART:20250101T090000', 'DTEND:20250101T170000']], []],
    ['that is cancelled does not count', [[...night, 'STATUS:CANCELLED']], []],
  ])('%s', (_, events, shifts) => {
    expect(told(...events)).toEqual(shifts)
  })

  test.each([
    [
      'an unknown zone',
      [
        'UID:x',
        'SUMMARY:Ben',
        'DTSTART;TZID=Mars/Base:20261101T090000',
        'DTEND;TZID=Mars/Base:20261101T170000',
      ],
      'the unknown time zone Mars/Base',
    ],
    ['no begin', ['UID:x', 'SUMMARY:Ben'], 'an event without a begin'],
    [
      'a rule that repeats by the second',
      [...night, 'RRULE:FREQ=SECONDLY'],
      'a rule that cannot be followed',
    ],
  ])('with %s is counted as unread, and the others are read', (_, event, why) => {
    expect(read(event, night)).toMatchObject({ unread: 1, why, shifts: [{ who: { name: 'Ben' } }] })
  })

  test.each(['', '<html>', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT'])(
    'is nowhere in %j, which is no calendar',
    (text) => {
      expect(() => readCalendar(text, span)).toThrow('it is no calendar, or not all of one')
    },
  )
})

describe('it names', () => {
  const ana = 'ATTENDEE;CN=Ana Costa:mailto:ana@example.com'
  const ben = 'ATTENDEE;CN=Ben Okafor:mailto:ben@example.com'
  test.each([
    ['its first guest', ['SUMMARY:On call', 'ATTENDEE:mailto:zoe@example.com', ana], 'zoe@example.com'],
    [
      'the guest in the title first',
      ['SUMMARY:Ana Costa (backup: Zoe)', 'ATTENDEE;CN=Zoe:mailto:zoe@example.com', ana],
      'Ana Costa',
    ],
    [
      'a guest whom the policy knows before others',
      ['SUMMARY:On call', ana, 'ATTENDEE;CN=C:mailto:cleo@example.com'],
      'C',
    ],
    [
      'nobody who declined, and no room',
      [
        'SUMMARY:On call',
        'ATTENDEE;PARTSTAT=DECLINED:mailto:ana@example.com',
        'ATTENDEE;CUTYPE=ROOM:mailto:r@example.com',
        ben,
      ],
      'Ben Okafor',
    ],
    [
      'nobody who declined, though the title names them',
      ['SUMMARY:Ana on call', 'ATTENDEE;CN=Ana Costa;PARTSTAT=DECLINED:mailto:ana@example.com', ben],
      'Ben Okafor',
    ],
    [
      'not the keeper of the calendar',
      ['SUMMARY:On call', 'ORGANIZER:mailto:ana@example.com', ana, ben],
      'Ben Okafor',
    ],
    [
      'the keeper where nobody else is',
      ['SUMMARY:On call', 'ORGANIZER:mailto:ana@example.com', ana],
      'Ana Costa',
    ],
    ['a known name in the title', ['SUMMARY:Week of ben (backup: Ana)'], 'ben'],
    ['whom PagerDuty names', ['SUMMARY:On Call - Ana Costa - Primary'], 'Ana Costa'],
    ['else its title', ['SUMMARY:Benedict'], 'Benedict'],
  ])('%s', (_, lines, name) => {
    expect(
      read(['UID:1', 'DTSTART:20261101T090000Z', 'DTEND:20261101T170000Z', ...lines]).shifts[0]?.who.name,
    ).toBe(name)
  })
})

test('of shifts that overlap the one that began last counts, and one that names nobody only where no other does', () => {
  const shift = (fromMs: number, untilMs: number, name: string, isUnclear = false) => ({
    fromMs,
    untilMs,
    who: { email: null, name, isUnclear },
  })
  const listed = [
    shift(0, 100, 'ana'),
    shift(20, 30, 'ben'),
    shift(20, 25, 'cleo'),
    shift(90, 120, 'Holiday', true),
  ]
  expect(oneAfterTheOther(listed).map(({ fromMs, untilMs, who }) => [fromMs, untilMs, who.name])).toEqual([
    [0, 20, 'ana'],
    [20, 25, 'cleo'],
    [25, 30, 'ben'],
    [30, 100, 'ana'],
    [100, 120, 'Holiday'],
  ])
})

describe('reading', () => {
  const who = { email: 'ana@example.com', name: 'Ana', isUnclear: false }
  const parts = { people: { Ben: 'U0BEN' }, personByEmail: async () => null, before: null, nowMs: 5 * day }
  const source = async () => ({ shifts: [{ fromMs: 1, untilMs: 2, who }], unread: 0, why: null })

  test.each([
    ['by the policy', { people: { 'ANA@example.com': 'U0ANA' } }, 'U0ANA'],
    ['by e-mail in Slack', { personByEmail: async (email: string) => `U0${email.length}` }, 'U015'],
    [
      'as before, where Slack does not answer',
      {
        before: {
          atMs: 1,
          unread: 0,
          why: null,
          shifts: [{ fromMs: 0, untilMs: 1, person: 'U0OLD', name: 'Ana' }],
        },
      },
      'U0OLD',
    ],
    ['by name where nobody knows them', {}, 'name:Ana'],
  ])('finds people %s', async (_, more, person) => {
    expect((await readOnCall({ ...parts, source, ...more })).shifts[0]?.person).toBe(person)
  })

  test('that fails keeps what was said last, for a month', async () => {
    const before = {
      atMs: 4 * day,
      unread: 0,
      why: null,
      shifts: [{ fromMs: 0, untilMs: 9 * day, person: 'U0ANA', name: 'Ana' }],
    }
    const failing = async () => {
      throw new Error('the calendar returned HTTP 500')
    }
    const why = 'the calendar returned HTTP 500'
    expect(await readOnCall({ ...parts, source: failing, before })).toEqual({ ...before, why })
    expect(await readOnCall({ ...parts, source: failing, before, nowMs: 36 * day })).toEqual({
      atMs: 4 * day,
      unread: 0,
      why,
      shifts: [],
    })
  })

  test('takes a schedule of PagerDuty, page by page, and says what it refuses', async () => {
    let status = 200
    const server = createServer((request, response) => {
      const isSecond = request.url?.includes('offset=100')
      const entry = {
        user: { name: isSecond ? 'Ben' : 'Ana' },
        start: '2026-11-01T00:00:00Z',
        end: '2026-11-02T00:00:00Z',
      }
      response.writeHead(request.headers.authorization === 'Token token=t0ken' ? status : 401)
      response.end(JSON.stringify({ oncalls: [entry], more: !isSecond }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const policy = { onCall: { ical: null, pagerduty: 'P1', people: {}, handoff: false }, timezone: 'UTC' }
    const settings = { onCallIcalUrl: null, pagerdutyApi: { token: new Secret('t0ken'), url } }
    const schedule = onCallSourceOf(settings, policy, new Agent())
    expect((await schedule?.(span))?.shifts.map((shift) => shift.who.name)).toEqual(['Ana', 'Ben'])
    status = 404
    await expect(schedule?.(span)).rejects.toThrow('PagerDuty knows no schedule P1')
    server.closeAllConnections()
    server.close()
  })
})
