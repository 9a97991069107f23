/** When the windows of planned mutes are: by the clock of a zone, over daylight saving, once a day whatever it does. */
import { describe, expect, test } from 'vitest'
import { wallClock } from '../../../src/bot/domain/base/wall-clock.ts'
import { parseEvery } from '../../../src/bot/domain/command/plan-text.ts'
import {
  afterWindow,
  nextWindow,
  type PlannedRule,
  plannedDue,
  windowAfter,
  windowAt,
} from '../../../src/bot/domain/mute/planned.ts'
import { aPlannedMute } from '../../support/acting-rows.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

function rule(every: string): PlannedRule {
  const parsed = parseEvery(every)
  if (parsed === null) throw new Error(`not understood: ${every}`)
  return parsed
}

const utc = (ms: number) => new Date(ms).toISOString().slice(0, 16)

/** The window that begins after this moment in UTC. */
function after(every: string, zone: string, from: string): string {
  const window = windowAfter(rule(every), zone, Date.parse(`${from}Z`))
  return window === null ? 'none' : `${utc(window.startMs)} to ${utc(window.endMs)}`
}

describe('a window is by the clock of its zone', () => {
  test.each([
    ['tue 02:00-04:00', 'Europe/Berlin', '2026-11-21T04:00', '2026-11-24T01:00 to 2026-11-24T03:00'],
    ['tue 02:00-04:00', 'Europe/Berlin', '2026-11-24T00:59', '2026-11-24T01:00 to 2026-11-24T03:00'],
    ['tue 02:00-04:00', 'Europe/Berlin', '2026-11-24T01:00', '2026-12-01T01:00 to 2026-12-01T03:00'],
    ['mon,wed 22:00-02:00', 'America/New_York', '2026-11-24T04:00', '2026-11-26T03:00 to 2026-11-26T07:00'],
    ['day 22:00 for 1h', 'Asia/Kolkata', '2026-11-24T16:30', '2026-11-25T16:30 to 2026-11-25T17:30'],
    ['weekday 09:00-10:00', 'UTC', '2026-11-27T09:00', '2026-11-30T09:00 to 2026-11-30T10:00'],
    ['1st sun 02:00-04:00', 'UTC', '2026-11-21T00:00', '2026-12-06T02:00 to 2026-12-06T04:00'],
    ['1st sun 02:00-04:00', 'UTC', '2026-12-06T02:00', '2027-01-03T02:00 to 2027-01-03T04:00'],
    ['4th mon 02:00-04:00', 'UTC', '2026-11-21T00:00', '2026-11-23T02:00 to 2026-11-23T04:00'],
    ['last fri 02:00-04:00', 'UTC', '2026-11-27T02:00', '2026-12-25T02:00 to 2026-12-25T04:00'],
    // The clock was set back an hour on 2026-10-25 in Berlin: 02:30 came twice, and the first one counts.
    ['day 02:30-03:30', 'Europe/Berlin', '2026-10-24T12:00', '2026-10-25T00:30 to 2026-10-25T02:30'],
    ['day 02:30-02:45', 'Europe/Berlin', '2026-10-24T12:00', '2026-10-25T00:30 to 2026-10-25T00:45'],
    ['day 01:00-02:30', 'Europe/Berlin', '2026-10-24T12:00', '2026-10-24T23:00 to 2026-10-25T00:30'],
    ['day 02:30 for 1h', 'Europe/Berlin', '2026-10-24T12:00', '2026-10-25T00:30 to 2026-10-25T01:30'],
    // It begins once, although the clock shows its beginning again an hour later.
    ['day 02:30-02:45', 'Europe/Berlin', '2026-10-25T00:30', '2026-10-26T01:30 to 2026-10-26T01:45'],
    // On 2027-03-28 it was set forward there: 02:30 never came.
    ['day 02:30-03:30', 'Europe/Berlin', '2027-03-27T12:00', '2027-03-28T01:00 to 2027-03-28T01:30'],
    ['day 02:00-03:00', 'Europe/Berlin', '2027-03-27T12:00', '2027-03-28T01:00 to 2027-03-28T02:00'],
    ['day 02:15-02:45', 'Europe/Berlin', '2027-03-27T12:00', '2027-03-28T01:00 to 2027-03-28T01:30'],
    ['day 01:30-02:30', 'Europe/Berlin', '2027-03-27T12:00', '2027-03-28T00:30 to 2027-03-28T01:00'],
    ['day 22:00-04:00', 'Europe/Berlin', '2027-03-27T12:00', '2027-03-27T21:00 to 2027-03-28T02:00'],
    ['day 01:30-01:45', 'America/New_York', '2026-10-31T12:00', '2026-11-01T05:30 to 2026-11-01T05:45'],
    ['day 02:30-03:30', 'America/New_York', '2027-03-13T12:00', '2027-03-14T07:00 to 2027-03-14T07:30'],
    // Half an hour: back on 2026-04-05, forward on 2026-10-04.
    ['day 01:45-02:30', 'Australia/Lord_Howe', '2026-04-04T01:00', '2026-04-04T14:45 to 2026-04-04T16:00'],
    ['day 02:15-03:00', 'Australia/Lord_Howe', '2026-10-03T01:00', '2026-10-03T15:30 to 2026-10-03T16:00'],
    ['day 00:00-24:00', 'UTC', '2026-11-21T00:00', 'not understood'],
  ])('%s in %s', (every, zone, from, expected) => {
    if (expected === 'not understood') expect(parseEvery(every)).toBeNull()
    else expect(after(every, zone, from)).toBe(expected)
  })

  test.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'])(
    'each day for three years there is one in %s, which begins when a clock shows it, if one does',
    (zone) => {
      const wallOf = wallClock(zone)
      const fromMs = Date.UTC(2026, 0, 1)
      for (const [every, minute] of [
        ['day 02:30-03:15', 150],
        ['day 23:45-00:15', 1_425],
      ] as const) {
        const days: number[] = []
        let window = windowAfter(rule(every), zone, fromMs)
        while (window !== null && window.startMs < fromMs + 1_095 * dayMs) {
          const wallMs = wallOf(window.startMs)
          days.push(Math.floor(wallMs / dayMs))
          const shown = Math.floor((wallMs % dayMs) / minuteMs)
          // Only where the leap skips it.
          if (shown !== minute) expect(wallOf(window.startMs - 1) % dayMs).toBeLessThan(minute * minuteMs)
          expect(window.endMs - window.startMs).toBeGreaterThan(0)
          expect(window.endMs - window.startMs).toBeLessThanOrEqual(2 * hourMs)
          window = windowAfter(rule(every), zone, window.startMs)
        }
        expect(days).toHaveLength(1_095)
        expect(new Set(days).size).toBe(1_095)
      }
    },
  )
})

test('a window under way is found, and after its end the next one', () => {
  const tuesday = rule('tue 22:00-02:00')
  const at = (text: string) => utc(windowAt(tuesday, 'UTC', Date.parse(`${text}Z`))?.startMs ?? 0)
  expect(at('2026-11-24T21:59')).toBe('2026-11-24T22:00')
  expect(at('2026-11-25T01:59')).toBe('2026-11-24T22:00')
  expect(at('2026-11-25T02:00')).toBe('2026-12-01T22:00')
  expect(windowAt({ is: 'once', startMs: 5, endMs: 9 }, 'UTC', 9)).toBeNull()
  expect(windowAt({ is: 'once', startMs: 5, endMs: 9 }, 'UTC', 8)).toEqual({ startMs: 5, endMs: 9 })
})

describe('what is due', () => {
  const startMs = Date.UTC(2026, 10, 24, 1)
  const endMs = Date.UTC(2026, 10, 24, 3)
  const window = { startMs, endMs }
  const weekMs = 7 * dayMs
  const next = { startMs: startMs + weekMs, endMs: endMs + weekMs }
  const planned = aPlannedMute('p1')

  test.each([
    [startMs - 10 * minuteMs - 1, {}, { do: 'wait', untilMs: startMs - 10 * minuteMs }],
    [startMs - 10 * minuteMs, {}, { do: 'tell', window }],
    [startMs - 10 * minuteMs, { toldMs: startMs }, { do: 'wait', untilMs: startMs }],
    [startMs, {}, { do: 'begin', window }],
    [endMs - minuteMs, {}, { do: 'begin', window }],
    [endMs - minuteMs + 1, {}, { do: 'missed', window, count: 1 }],
    [
      endMs + 3 * weekMs,
      {},
      { do: 'missed', window: { startMs: startMs + 3 * weekMs, endMs: endMs + 3 * weekMs }, count: 4 },
    ],
    [startMs, { doneMs: startMs }, { do: 'wait', untilMs: next.startMs - 10 * minuteMs }],
    [startMs, { skippedMs: startMs }, { do: 'wait', untilMs: next.startMs - 10 * minuteMs }],
    // One that was skipped is not missed.
    [endMs, { skippedMs: startMs }, { do: 'wait', untilMs: next.startMs - 10 * minuteMs }],
    [endMs + weekMs, { skippedMs: startMs }, { do: 'missed', window: next, count: 1 }],
    // Nor is the one before it, which was skipped first.
    [endMs, { skippedMs: next.startMs }, { do: 'wait', untilMs: next.startMs + weekMs - 10 * minuteMs }],
    // Set back into the window after it began, or before it: it does not begin again.
    [startMs + minuteMs, { doneMs: startMs }, { do: 'wait', untilMs: next.startMs - 10 * minuteMs }],
    [startMs - hourMs, { doneMs: startMs }, { do: 'wait', untilMs: next.startMs - 10 * minuteMs }],
    // Years ahead, by a wrong clock: what comes from now on does.
    [startMs - hourMs, { doneMs: startMs + 1_000 * dayMs }, { do: 'wait', untilMs: startMs - 10 * minuteMs }],
  ] as const)('at %d with %j', (nowMs, over, due) => {
    expect(plannedDue({ ...planned, ...over }, nowMs)).toEqual(due)
  })

  test('what was planned once is over after its window; of the policy it stays, so that it is not planned again', () => {
    const once = { ...planned, rule: { is: 'once', startMs, endMs } } as const
    expect(afterWindow(once, window)).toBeNull()
    const kept = afterWindow({ ...once, userId: null }, window)
    expect(kept).toMatchObject({ doneMs: startMs, version: 2 })
    expect(kept === null ? null : plannedDue(kept, endMs)).toEqual({ do: 'over' })
    expect(nextWindow({ ...planned, skippedMs: startMs })).toEqual(next)
  })
})
