/** The life of a mute's row, step by step, and when it is due, as a table. */
import { describe, expect, test } from 'vitest'
import { type Due, dueOf } from '../../../src/bot/domain/mute/due.ts'
import type { Mute, MuteTerms } from '../../../src/bot/domain/mute/mute.ts'
import {
  confirmMute,
  endMute,
  extendTerms,
  isInForce,
  isUndoable,
  newMute,
  replaceTerms,
  restoreTerms,
  standingOf,
  stuckMute,
  undoMs,
  wasConfirmed,
  withExpiryNotice,
} from '../../../src/bot/domain/mute/mute.ts'

const startMs = Date.UTC(2026, 10, 21, 4, 0, 0)
const terms: MuteTerms = { mode: 'timed', untilMs: startMs + 3_600_000, userId: 'U0ANA', reason: 'deploying' }
const longer: MuteTerms = { mode: 'open', untilMs: null, userId: 'U0BEN', reason: '' }
const place = { channel: 'C0OPS', cardId: 'alert:1:C0OPS' }
const elsewhere = { channel: 'C0DB', cardId: null }

const decided = newMute({ muteId: 'm1', subject: 'web-1', terms, place, nowMs: startMs })
const active = confirmMute(decided)
const ended = endMute(active, { by: 'person', userId: 'U0BEN', nowMs: startMs + 5 })

describe('every step makes the next version, and the plan made on the old one stale', () => {
  const steps: [string, Mute, Mute][] = [
    ['confirmMute', decided, active],
    ['endMute', active, ended],
    ['stuckMute', ended, stuckMute(ended)],
    ['handedBack', active, withExpiryNotice(active, startMs + 9)],
    ['replaceTerms', active, replaceTerms(active, longer, place, startMs + 9)],
    ['extendTerms', active, extendTerms(active, startMs + 9)],
  ]
  test.each(steps)('%s', (_, before, after) => {
    expect(after.version).toBe(before.version + 1)
    expect(after.muteId).toBe(before.muteId)
  })
})

test('a mute is asked for, confirmed and ended', () => {
  expect(decided).toMatchObject({ ...terms, ...place, state: 'active', startedMs: startMs, previous: null })
  expect([decided, active, ended].map(standingOf)).toEqual(['asked', 'active', 'ending'])
  expect(ended).toMatchObject({
    state: 'ended',
    endedBy: 'person',
    endedByUserId: 'U0BEN',
    endedMs: startMs + 5,
  })
  expect(confirmMute(ended)).toMatchObject({ state: 'ended', confirmation: 'confirmed' })
})

test('one whose time comes while the API never confirmed it was interrupted, and is in force no more', () => {
  const end = { by: 'deadline', userId: null, nowMs: startMs + 9 } as const
  const over = endMute(decided, end)
  expect(over).toMatchObject({ state: 'ended', endedBy: 'interrupted' })
  expect(isInForce(over)).toBe(false)
  // Its earlier terms were confirmed.
  expect(endMute(replaceTerms(active, longer, place, startMs + 5), end)).toMatchObject({
    endedBy: 'deadline',
  })
})

test('terms that the API never confirmed are what an undo goes back to, and not a refusal', () => {
  const twice = replaceTerms(decided, longer, place, startMs + 5)
  expect(twice.previous).toEqual({ ...terms, isUnconfirmed: true })
  expect(wasConfirmed(twice)).toBe(false)
  expect(wasConfirmed(replaceTerms(active, longer, place, startMs + 5))).toBe(true)
  // The undo brings them back, as somebody decided them.
  expect(restoreTerms(twice, startMs + 6)).toMatchObject({
    ...terms,
    confirmation: 'waiting',
    previous: null,
  })
})

describe('terms', () => {
  const replaced = replaceTerms(withExpiryNotice(active, startMs + 5), longer, elsewhere, startMs + 9)

  test('that are replaced are kept for the undo, and handed back anew', () => {
    expect(replaced).toMatchObject({ ...longer, ...elsewhere, previous: terms, termsMs: startMs + 9 })
    expect(replaced).toMatchObject({ state: 'active', startedMs: startMs, expiryNoticeMs: null })
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
    const extended = extendTerms(withExpiryNotice(active, startMs + 5), startMs + 7_200_000)
    expect(extended).toMatchObject({ userId: 'U0ANA', untilMs: startMs + 7_200_000, expiryNoticeMs: null })
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
  return confirmMute(newMute({ muteId: 'm1', subject: 'web-1', terms, place, nowMs: begunMs }))
}

const calm = { wellSinceMs: null, lookedMs: null }

const waitUntil = (minute: number): Due => ({ do: 'wait', untilMs: at(minute) })

describe('a timed mute', () => {
  const cases: [string, Mute, number, Due][] = [
    ['waits for its hand-back', aMute(60), 49.9, waitUntil(50)],
    ['is handed back ten minutes before its end', aMute(60), 50, { do: 'mute_expiring' }],
    ['waits for its end after that', withExpiryNotice(aMute(60), at(50)), 51, waitUntil(60)],
    ['ends at its deadline', withExpiryNotice(aMute(60), at(50)), 60, { do: 'end', by: 'deadline' }],
    ['is not handed back any more once its time is over', aMute(60), 61, { do: 'end', by: 'deadline' }],
    ['shorter than twenty minutes is not handed back', aMute(19), 10, waitUntil(19)],
    ['of twenty minutes is', aMute(20), 10, { do: 'mute_expiring' }],
    [
      'is handed back again after it was extended',
      { ...withExpiryNotice(aMute(60), at(50)), untilMs: at(120) },
      110,
      { do: 'mute_expiring' },
    ],
    [
      'that was extended waits for that',
      { ...withExpiryNotice(aMute(60), at(50)), untilMs: at(120) },
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
    ['is handed back before its cap', { wellSinceMs: null, lookedMs: at(50) }, 50, { do: 'mute_expiring' }],
    ['ends at its cap', { wellSinceMs: null, lookedMs: at(60) }, 60, { do: 'end', by: 'deadline' }],
  ]
  test.each(cases)('%s', (_, wellness, minute, due) => {
    expect(dueOf(mute, wellness, at(minute))).toEqual(due)
  })
})

test('what ended is left, whether the API has confirmed it or not', () => {
  const over = endMute(aMute(60), { by: 'person', userId: 'U1', nowMs: at(5) })
  for (const mute of [over, confirmMute(over)])
    expect(dueOf(mute, calm, at(999))).toEqual({ do: 'wait', untilMs: null })
})
