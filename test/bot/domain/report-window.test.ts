/** Reports begin with a whole day or hour of the zone, and their bars are called by its days, also when clocks change. */
import { describe, expect, test } from 'vitest'
import type { Report } from '../../../src/bot/domain/request/report.ts'
import { barsInWords, reportBars, reportWindow } from '../../../src/bot/domain/request/report-window.ts'
import { aHappened } from '../../support/happened.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const zones = ['Etc/UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia']
/** All year round, at odd times. */
const moments = Array.from(
  { length: 120 },
  (_, n) => Date.UTC(2026, 0, 1, 3, 17) + n * (3 * dayMs + 7 * hourMs),
)

describe.each(zones)('in %s', (zone) => {
  test('a week begins with a day, and holds at least a week and at most nine days', () => {
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'short', hourCycle: 'h23' })
    for (const nowMs of moments) {
      const { fromMs, toMs, partMs } = reportWindow({ nowMs, ms: 7 * dayMs, zone })
      expect(clock.format(fromMs)).toBe('00:00')
      expect(toMs).toBe(nowMs)
      expect(partMs).toBe(dayMs)
      expect(nowMs - fromMs).toBeGreaterThanOrEqual(7 * dayMs)
      expect(nowMs - fromMs).toBeLessThan(8 * dayMs + 2 * hourMs)
    }
  })

  test('every bar has a day of its own name', () => {
    for (const nowMs of moments) {
      const { fromMs, toMs, partMs } = reportWindow({ nowMs, ms: 7 * dayMs, zone })
      const labels = reportBars(reportOf(fromMs, toMs, partMs), partMs, zone).bars.map(({ label }) => label)
      expect(new Set(labels).size).toBe(labels.length)
    }
  })
})

test.each([
  ['of 23 hours', 'Europe/Berlin', '2026-03-31T12:00:00Z', [24, 24, 24, 24, 24, 23, 24, 14]],
  ['of 25 hours', 'Europe/Berlin', '2026-10-27T12:00:00Z', [24, 24, 24, 24, 24, 25, 24, 13]],
  ['of 24 and a half', 'Australia/Lord_Howe', '2026-04-07T12:00:00Z', [24, 24, 24, 24, 24, 24.5, 24, 22.5]],
  // Midnight comes twice there.
  [
    'whose clock goes back at midnight',
    'America/Havana',
    '2026-11-03T12:00:00Z',
    [24, 24, 24, 24, 24, 25, 24, 7],
  ],
])('a day %s is one part, and every other part is a whole day of its own', (_, zone, now, hours) => {
  const { startsMs, toMs } = reportWindow({ nowMs: Date.parse(now), ms: 7 * dayMs, zone })
  const lengths = startsMs.map((startMs, at) => ((startsMs[at + 1] ?? toMs) - startMs) / hourMs)
  expect(lengths).toEqual(hours)
})

test('below two days a report begins with an hour', () => {
  const nowMs = Date.UTC(2026, 10, 21, 4, 17)
  const { fromMs, partMs } = reportWindow({ nowMs, ms: 2 * dayMs - 1, zone: 'Etc/UTC' })
  expect(new Date(fromMs).toISOString()).toBe('2026-11-19T04:00:00.000Z')
  expect(partMs).toBe(hourMs)
})

test('bars are told in words', () => {
  const fromMs = Date.UTC(2026, 10, 20)
  const chart = reportBars(reportOf(fromMs, fromMs + 2 * dayMs, dayMs), dayMs, 'Etc/UTC')
  expect(barsInWords(chart)).toBe('Alerts by day, Etc/UTC: Fri 20 1, Sat 21 2')
})

function reportOf(fromMs: number, toMs: number, partMs: number): Report {
  const parts = Array.from({ length: Math.ceil((toMs - fromMs) / partMs) }, (_, part) => ({
    fromMs: fromMs + part * partMs,
    opened: part + 1,
  }))
  const none = {
    opened: 0,
    closed: 0,
    stillOpen: 0,
    openBefore: 0,
    lost: 0,
    oneoffs: 0,
    servers: [],
    happened: aHappened(toMs),
    acknowledged: 0,
  }
  return { fromMs, toMs, ...none, parts, toAcknowledgeMs: null, toCloseMs: null }
}
