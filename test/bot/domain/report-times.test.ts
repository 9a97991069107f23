/** When a report is due: once a day at most, by the clock of its zone, whatever that clock does. */
import { expect, test } from 'vitest'
import { lastOccurrence, parseReportTimes } from '../../../src/bot/domain/request/report-times.ts'

const hourMs = 3_600_000
const everyDay = [0, 1, 2, 3, 4, 5, 6]

test.each([
  ['mon 09:00', { days: [1], hour: 9, minute: 0 }],
  ['Monday at 9:05', { days: [1], hour: 9, minute: 5 }],
  ['mon, thu 09:00', { days: [1, 4], hour: 9, minute: 0 }],
  ['thu,mon,mon 23:59', { days: [1, 4], hour: 23, minute: 59 }],
  ['mon and fri 00:00', { days: [1, 5], hour: 0, minute: 0 }],
  ['every tue 08:00', { days: [2], hour: 8, minute: 0 }],
  ['every day 08:00', { days: everyDay, hour: 8, minute: 0 }],
  ['daily 08:00', { days: everyDay, hour: 8, minute: 0 }],
  ['09:00', null],
  ['mon 24:00', null],
  ['mon 9', null],
  ['moon 09:00', null],
  ['mon, 09:00', null],
  ['', null],
])('%s is read', (text, expected) => {
  expect(parseReportTimes(text)).toEqual(expected)
})

const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16)

function timesOf(text: string, now: string, zone: string) {
  const times = parseReportTimes(text)
  if (times === null) throw new Error(`${text} is no time`)
  const { fromMs, atMs, nextMs } = lastOccurrence(times, Date.parse(`${now}Z`), zone)
  return [iso(fromMs), iso(atMs), iso(nextMs)]
}

test.each([
  [
    'before its time on its day',
    '2026-11-23T07:59',
    ['2026-11-09T08:00', '2026-11-16T08:00', '2026-11-23T08:00'],
  ],
  ['at its time', '2026-11-23T08:00', ['2026-11-16T08:00', '2026-11-23T08:00', '2026-11-30T08:00']],
  ['the day after', '2026-11-24T12:00', ['2026-11-16T08:00', '2026-11-23T08:00', '2026-11-30T08:00']],
])('a weekly report, %s', (_, now, expected) => {
  expect(timesOf('mon 09:00', now, 'Europe/Berlin')).toEqual(expected)
})

test('of several days the one before counts, so that no hour is in two reports or in none', () => {
  const [from, at, next] = timesOf('mon, thu 09:00', '2026-11-24T12:00', 'UTC')
  expect([from, at, next]).toEqual(['2026-11-19T09:00', '2026-11-23T09:00', '2026-11-26T09:00'])
})

test('where the clock skips the time, it is due at the leap; where it shows it twice, at the first', () => {
  // Berlin: 29 March 2026, 02:00 becomes 03:00; 25 October 2026, 03:00 becomes 02:00.
  expect(timesOf('every day 02:30', '2026-03-29T12:00', 'Europe/Berlin')[1]).toBe('2026-03-29T01:00')
  expect(timesOf('every day 02:30', '2026-10-25T12:00', 'Europe/Berlin')[1]).toBe('2026-10-25T00:30')
  // Not once more an hour later.
  expect(timesOf('every day 02:30', '2026-10-25T01:45', 'Europe/Berlin')[2]).toBe('2026-10-26T01:30')
})

test.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'])(
  'in a year of %s each day has one, and each begins where the one before ended',
  (zone) => {
    const times = { days: everyDay, hour: 2, minute: 30 }
    let due = lastOccurrence(times, Date.UTC(2026, 0, 3), zone)
    for (let day = 0; day < 366; day += 1) {
      const next = lastOccurrence(times, due.nextMs, zone)
      expect(next.atMs).toBe(due.nextMs)
      expect(next.fromMs).toBe(due.atMs)
      expect(next.nextMs - next.atMs).toBeGreaterThanOrEqual(22.5 * hourMs)
      expect(next.nextMs - next.atMs).toBeLessThanOrEqual(25.5 * hourMs)
      expect(lastOccurrence(times, due.nextMs - 1, zone).atMs).toBe(due.atMs)
      due = next
    }
  },
)
