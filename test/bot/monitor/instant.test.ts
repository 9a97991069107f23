/** Times as APIs write them are read where they can mean one moment only. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseInstant } from '../../../src/bot/monitor/instant.ts'

describe('a time', () => {
  test.each([
    ['1970-01-01T00:00:00.000-00:00', 0],
    ['1970-01-01T00:00:00Z', 0],
    ['1970-01-01t00:00:00z', 0],
    ['1970-01-01T01:00:00+01:00', 0],
    ['1970-01-01T01:00:00+0100', 0],
    ['1970-01-01T01:00:00+01', 0],
    ['1969-12-31T14:30:00-09:30', 0],
    ['1970-01-01 00:00:01', 1_000],
    ['1970-01-01T00:00:00', 0],
    ['1970-01-01T00:01Z', 60_000],
    ['1970-01-01T00:00:00.285Z', 285],
    ['1970-01-01T00:00:00,5Z', 500],
    ['1970-01-01T00:00:00.123456789Z', 123],
    ['1970-01-01T00:00:00.1234567890123456789Z', 123],
    ['2024-02-29T12:00:00Z', Date.UTC(2024, 1, 29, 12)],
  ])('%s is %i', (text, ms) => {
    expect(parseInstant(text)).toBe(ms)
  })

  const written = Date.UTC(2026, 2, 7, 3, 20, 0)
  test.each([
    1_772_853_600,
    1_772_853_600_000,
    1_772_853_600.25,
    '1772853600',
    '1772853600.5',
    '1772853600000',
    '1772853600000000',
    '1772853600000000000',
    '2026-03-07 03:20:00 UTC',
    '2026-03-07 03:20:00 GMT',
    '2026-03-07 03:20:00 +0000',
    '2026-03-07 03:20:00 +0000 UTC',
    '2026-03-07 04:20:00 +0100 CET',
    ' 2026-03-07T03:20:00Z\n',
    '2026-03-07T04:20:00+01:00[Europe/Berlin]',
    '2026-03-07T03:20:00Z[UTC]',
    '2026-03-07T02:20:00−01:00',
    '20260307T032000Z',
    '20260307T0320Z',
    '2026/03/07 03:20:00',
    '2026-066T03:20:00Z',
    '2026066T032000Z',
    '2026-W10-6T03:20:00Z',
    '2026W106T032000Z',
    'Sat, 07 Mar 2026 03:20:00 GMT',
    'Sat, 7 Mar 2026 03:20:00 +0000',
    'Fri, 06 Mar 2026 22:20:00 -0500 (EST)',
    'Saturday, 07-Mar-2026 03:20:00 GMT',
    'Sat Mar  7 03:20:00 2026',
    'Sat Mar  7 03:20:00 UTC 2026',
    'March 7, 2026 03:20:00 UTC',
  ])('%s is one moment', (value) => {
    expect(Math.floor((parseInstant(value) ?? 0) / 1_000) * 1_000).toBe(written)
  })

  test.each([
    '',
    'soon',
    '03/04/2026 03:20:00',
    '03/04/2026',
    '07.03.2026 03:20',
    '2026-03-07 03:20:00 EST',
    '2026-03-07T03:20:00[Europe/Berlin]',
    '2026-366T00:00:00Z',
    '2026-000T00:00:00Z',
    '2026-W54-1T00:00:00Z',
    '2026-W00-1T00:00:00Z',
    'Feb 30, 2026 00:00:00 UTC',
    '20260307',
    '1',
    '9'.repeat(100),
    0,
    -1_772_853_600,
    20_260_307,
    Number.NaN,
    null,
    true,
    {},
    '2026-01-02',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-01-01T00:61:00Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+01:60',
    '2026-01-01T00:00:00 Zebra',
  ])('%j is none', (text) => {
    expect(parseInstant(text)).toBeNull()
  })

  test('of any offset comes back to the instant it was written for', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: Date.UTC(2100, 0) }),
        fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }),
        (ms, offsetMinutes) => {
          const wall = new Date(ms + offsetMinutes * 60_000).toISOString().slice(0, -1)
          const size = Math.abs(offsetMinutes)
          const offset = `${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`
          fc.pre(wall.length === 23)
          expect(parseInstant(`${wall}${offsetMinutes < 0 ? '-' : '+'}${offset}`)).toBe(ms)
        },
      ),
      { seed: 5, numRuns: 300 },
    )
  })
})
