/** The life of a mute's row, step by step, and when it is due, as a table. */
import { describe, expect, test } from 'vitest'
import { type Due, dueOf } from '../../../src/bot/domain/mute/due.ts'
import type { Mute, MuteTerms } from '../../../src/bot/domain/mute/mute.ts'
import {
  askAgain,
  askMute,
  confirmMute,
  endedMute,
  endingMute,
  extendTerms,
  failMute,
  handedBack,
  isUndoable,
  replaceTerms,
  restoreTerms,
  retryEnding,
  strayMs,
  undoMs,
} from '../../../src/bot/domain/mute/transitions.ts'

const startMs = Date.UTC(2026, 10, 21, 4, 0, 0)
const terms: MuteTerms = { mode: 'timed', untilMs: startMs + 3_600_000, userId: 'U0ANA', reason: 'deploying' }
const longer: MuteTerms = { mode: 'open', untilMs: null, userId: 'U0BEN', reason: '' }
const place = { channel: 'C0OPS', cardId: 'alert:1:C0OPS' }
const elsewhere = { channel: 'C0DB', cardId: null }

const asked = askMute({ muteId: 'm1', hostname: 'web-1', terms, place, nowMs: startMs })
const active = confirmMute(asked)
const ending = endingMute(active, { by: 'person', userId: 'U0BEN', nowMs: startMs + 5 })

describe('every step makes the next version, and the plan made on the old one stale', () => {
  const steps: [string, Mute, Mute][] = [
    ['askAgain', ending, askAgain(ending, longer, place, startMs + 9)],
    ['confirmMute', asked, active],
    ['failMute', asked, failMute(asked, { was: null, mayBeMuted: false, nowMs: startMs })],
    ['endingMute', active, ending],
    ['retryEnding', ending, retryEnding(ending, { notBeforeMs: startMs + 1_000, goneMs: null })],
    ['endedMute', ending, endedMute(ending, startMs + 9)],
    ['handedBack', active, handedBack(active, startMs + 9)],
    ['replaceTerms', active, replaceTerms(active, longer, place, startMs + 9)],
    ['extendTerms', active, extendTerms(active, startMs + 9)],
  ]
  test.each(steps)('%s', (_, before, after) => {
    expect(after.version).toBe(before.version + 1)
    expect(after.muteId).toBe(before.muteId)
  })
})

test('a mute is asked for, confirmed and ended', () => {
  expect(asked).toMatchObject({ ...terms, ...place, state: 'asked', startedMs: startMs, previous: null })
  expect(active.state).toBe('active')
  expect(ending).toMatchObject({ state: 'ending', endedBy: 'person', endedByUserId: 'U0BEN', endedMs: null })
  expect(ending.notBeforeMs).toBe(startMs + 5)
  expect(endedMute(ending, startMs + 9)).toMatchObject({ state: 'ended', endedMs: startMs + 9 })
})

test('one that surely never was is history, and one that may be is to be ended', () => {
  const nowMs = startMs + 9
  expect(failMute(asked, { was: null, mayBeMuted: false, nowMs })).toMatchObject({
    state: 'ended',
    endedBy: 'interrupted',
    endedMs: nowMs,
  })
  expect(failMute(asked, { was: null, mayBeMuted: true, nowMs })).toMatchObject({
    state: 'ending',
    endedBy: 'interrupted',
    endedMs: null,
    notBeforeMs: nowMs,
  })
})

test('one that had no answer is not ended before a request that is still under way has come', () => {
  const nowMs = startMs + 9
  expect(failMute(asked, { was: null, mayBeMuted: true, mayComeLate: true, nowMs })).toMatchObject({
    state: 'ending',
    notBeforeMs: nowMs + strayMs,
  })
})

test('one that was being ended goes on with that, for its new terms never were in force', () => {
  const again = askAgain(ending, longer, elsewhere, startMs + 9)
  expect(failMute(again, { was: ending, mayBeMuted: true, nowMs: startMs + 20 })).toMatchObject({
    ...terms,
    ...place,
    state: 'ending',
    endedBy: 'person',
    endedByUserId: 'U0BEN',
    version: again.version + 1,
  })
})

test('failed attempts to end it are counted, and begin anew when it is asked for again', () => {
  const tried = [1_000, 3_000].reduce(
    (mute, ms) => retryEnding(mute, { notBeforeMs: startMs + ms, goneMs: null }),
    ending,
  )
  expect(tried).toMatchObject({ state: 'ending', attempts: 2, notBeforeMs: startMs + 3_000 })
  const again = askAgain(tried, longer, elsewhere, startMs + 9)
  expect(again).toMatchObject({ ...longer, ...elsewhere, state: 'asked', attempts: 0, endedBy: null })
  // It hid all the time.
  expect(again.startedMs).toBe(startMs)
})

describe('terms', () => {
  const replaced = replaceTerms(handedBack(active, startMs + 5), longer, elsewhere, startMs + 9)

  test('that are replaced are kept for the undo, and handed back anew', () => {
    expect(replaced).toMatchObject({ ...longer, ...elsewhere, previous: terms, termsMs: startMs + 9 })
    expect(replaced).toMatchObject({ state: 'active', startedMs: startMs, handbackMs: null })
  })

  test('are as before after an undo, which is not undone', () => {
    const restored = restoreTerms(replaced, startMs + 20)
    expect(restored).toMatchObject({ ...terms, previous: null })
    expect(isUndoable(restored, 'U0ANA', startMs + 20)).toBe(false)
    expect(() => restoreTerms(restored, startMs + 30)).toThrow('m1 has no terms before')
  })

  test.each([
    ['who gave them, at once', 'U0BEN', 0, true],
    ['who gave them, just in time', 'U0BEN', undoMs - 1, true],
    ['who gave them, too late', 'U0BEN', undoMs, false],
    ['somebody else', 'U0ANA', 0, false],
  ])('are taken back by %s: %s after %i ms: %s', (_, userId, afterMs, isPossible) => {
    expect(isUndoable(replaced, userId, startMs + 9 + afterMs)).toBe(isPossible)
  })

  test('that are extended stay those of who gave them, and are handed back anew', () => {
    const extended = extendTerms(handedBack(active, startMs + 5), startMs + 7_200_000)
    expect(extended).toMatchObject({ userId: 'U0ANA', untilMs: startMs + 7_200_000, handbackMs: null })
  })
})

const minuteMs = 60_000
/** The mute begins at minute 1,000. */
const begunMs = 1_000 * minuteMs

function at(minute: number): number {
  return begunMs + minute * minuteMs
}

function aMute(minutes: number | null, mode: Mute['mode'] = 'timed'): Mute {
  const untilMs = minutes === null ? null : at(minutes)
  const terms = { mode, untilMs, userId: 'U1', reason: '' }
  const place = { channel: 'C1', cardId: null }
  return confirmMute(askMute({ muteId: 'm1', hostname: 'web-1', terms, place, nowMs: begunMs }))
}

const calm = { wellSinceMs: null, lookedMs: null }

const waitUntil = (minute: number): Due => ({ do: 'wait', untilMs: at(minute) })

describe('a timed mute', () => {
  const cases: [string, Mute, number, Due][] = [
    ['waits for its hand-back', aMute(60), 49.9, waitUntil(50)],
    ['is handed back ten minutes before its end', aMute(60), 50, { do: 'hand_back' }],
    ['waits for its end after that', handedBack(aMute(60), at(50)), 51, waitUntil(60)],
    ['ends at its deadline', handedBack(aMute(60), at(50)), 60, { do: 'end', by: 'deadline' }],
    ['is not handed back any more once its time is over', aMute(60), 61, { do: 'end', by: 'deadline' }],
    ['shorter than twenty minutes is not handed back', aMute(19), 10, waitUntil(19)],
    ['of twenty minutes is', aMute(20), 10, { do: 'hand_back' }],
    [
      'is handed back again after it was extended',
      { ...handedBack(aMute(60), at(50)), untilMs: at(120) },
      110,
      { do: 'hand_back' },
    ],
    [
      'that was extended waits for that',
      { ...handedBack(aMute(60), at(50)), untilMs: at(120) },
      60,
      waitUntil(110),
    ],
    ['without an end waits for somebody', aMute(null, 'open'), 100_000, { do: 'wait', untilMs: null }],
  ]
  test.each(cases)('%s', (_, mute, minute, due) => {
    expect(dueOf(mute, calm, at(minute))).toEqual(due)
  })
})

describe('a mute until healthy', () => {
  const mute = aMute(60, 'healthy')
  const cases: [string, { wellSinceMs: number | null; lookedMs: number | null }, number, Due][] = [
    ['waits while something is open', { wellSinceMs: null, lookedMs: at(40) }, 40, waitUntil(50)],
    [
      'waits for a quarter of an hour of silence',
      { wellSinceMs: at(2), lookedMs: at(10) },
      10,
      waitUntil(17),
    ],
    ['ends after it', { wellSinceMs: at(2), lookedMs: at(17) }, 17, { do: 'end', by: 'healthy' }],
    [
      'does not take the silence of an API that cannot be read for health',
      { wellSinceMs: at(2), lookedMs: at(5) },
      30,
      waitUntil(50),
    ],
    ['is handed back before its cap', { wellSinceMs: null, lookedMs: at(50) }, 50, { do: 'hand_back' }],
    ['ends at its cap', { wellSinceMs: null, lookedMs: at(60) }, 60, { do: 'end', by: 'deadline' }],
  ]
  test.each(cases)('%s', (_, wellness, minute, due) => {
    expect(dueOf(mute, wellness, at(minute))).toEqual(due)
  })
})

test('what was interrupted is taken back, what is ending is tried again when its time comes, what ended is left', () => {
  const active = aMute(60)
  const ending = endingMute(active, { by: 'person', userId: 'U1', nowMs: at(5) })
  // Not at once: what the crashed process asked for may still be carried out.
  expect(dueOf({ ...active, state: 'asked' }, calm, at(0.2))).toEqual(waitUntil(0.25))
  expect(dueOf({ ...active, state: 'asked' }, calm, at(1))).toEqual({ do: 'interrupt' })
  expect(dueOf(ending, calm, at(4))).toEqual(waitUntil(5))
  expect(dueOf(ending, calm, at(5))).toEqual({ do: 'try_again' })
  expect(dueOf(endedMute(ending, at(6)), calm, at(999))).toEqual({ do: 'wait', untilMs: null })
})
