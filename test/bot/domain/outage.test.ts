/** When there is an outage, what else is wrong with reading, and what follows for the card. */
import { expect, test } from 'vitest'
import { isMany, type StillUnreadable, stillUnreadable } from '../../../src/bot/domain/alert/unreadable.ts'
import {
  type Failing,
  isSettled,
  nextOutage,
  outageStateOf,
  type Reading,
  readingTrouble,
} from '../../../src/bot/domain/outage/detect.ts'
import type { Outage } from '../../../src/bot/domain/outage/outage.ts'

const minuteMs = 60_000
const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)
const now = { nowMs, gapMs: 15_000 }
const goodMs = nowMs - 10_000
const well: Reading = {
  lastGoodMs: goodMs,
  lastOpenMs: goodMs,
  lastOpenCompleteMs: goodMs,
  lastFullyCompleteMs: goodMs,
  failing: null,
  coverage: { open: 'complete', past: 'complete' },
  unreadable: null,
  unreadMs: 10_000,
  pollMs: null,
}

function failing(over: Partial<Failing> = {}): Reading {
  const one: Failing = {
    sinceMs: nowMs - 5_000,
    why: 'away',
    kind: 'unreachable',
    times: 1,
    isPartial: false,
  }
  return { ...well, failing: { ...one, ...over } }
}

test.each<[string, Reading, number | null]>([
  ['all is well', well, null],
  ['nothing was ever tried', { ...well, lastGoodMs: null, lastOpenMs: null, unreadMs: 0 }, null],
  ['one failure', failing(), null],
  ['two failures', failing({ times: 2 }), null],
  ['three failures', failing({ times: 3 }), goodMs],
  ['a refused key', failing({ kind: 'forbidden' }), goodMs],
  ['three failures of the history alone', failing({ times: 3, isPartial: true }), null],
  ['a refusal of the history alone', failing({ kind: 'forbidden', isPartial: true }), null],
  ['three failures since the start', { ...failing({ times: 3 }), lastOpenMs: null }, nowMs - 5_000],
  ['three minutes without a reading', { ...well, unreadMs: 3 * minuteMs }, null],
  ['more than three minutes without a reading', { ...well, unreadMs: 3 * minuteMs + 1 }, goodMs],
  ['a last reading that lies in the future', { ...failing({ times: 3 }), lastOpenMs: nowMs + 1 }, nowMs],
])('%s', (_, reading, sinceMs) => {
  expect(outageStateOf(reading, now)?.sinceMs ?? null).toBe(sinceMs)
})

test('where polls are rare, four of their gaps must pass without a reading', () => {
  const hourly = { nowMs, gapMs: 60 * minuteMs }
  expect(outageStateOf({ ...well, unreadMs: 4 * 60 * minuteMs }, hourly)).toBeNull()
  expect(outageStateOf({ ...well, unreadMs: 4 * 60 * minuteMs + 1 }, hourly)).not.toBeNull()
})

test('from the first failure on there is trouble, and where a poll hangs as well', () => {
  expect(readingTrouble(well, now)).toBeNull()
  expect(readingTrouble(failing(), now)).toEqual({ sinceMs: goodMs, why: 'away', isPartial: false })
  expect(readingTrouble(failing({ isPartial: true }), now)).toMatchObject({ isPartial: true })
  expect(readingTrouble({ ...well, unreadMs: 4 * minuteMs, pollMs: 4 * minuteMs }, now)).toEqual({
    sinceMs: goodMs,
    why: 'a poll of the monitoring API does not come to its end',
    isPartial: false,
  })
  const ahead = { ...failing(), lastOpenMs: nowMs + minuteMs }
  expect(readingTrouble(ahead, now)).toMatchObject({ sinceMs: nowMs })
})

function illegible(over: Partial<StillUnreadable> = {}): Reading {
  const unreadable = { open: 3, listed: 5, past: 0, sinceMs: goodMs - minuteMs, manyTimes: 3, ...over }
  return { ...well, unreadable }
}

test('half of what is open, or ten of it, that cannot be read for three polls are an outage', () => {
  expect(outageStateOf(illegible(), now)).toEqual({
    sinceMs: goodMs - minuteMs,
    why: '3 of 5 open alerts cannot be read: their records have no usable id',
  })
  expect(outageStateOf(illegible({ manyTimes: 2 }), now)).toBeNull()
  const counts = (open: number, listed: number) => isMany({ open, listed, past: 9 })
  expect([counts(1, 1), counts(1, 2), counts(10, 500)]).toEqual([true, true, true])
  expect([counts(0, 0), counts(1, 3), counts(9, 20)]).toEqual([false, false, false])
})

test('how long records are unreadable begins with the poll before, and anew where they become many', () => {
  const few = { open: 1, listed: 5, past: 0 }
  const many = { open: 4, listed: 5, past: 0 }
  const first = stillUnreadable(null, few, { lastMs: 10, nowMs: 20 })
  expect(first).toEqual({ ...few, sinceMs: 10, manyTimes: 0 })
  const second = stillUnreadable(first, many, { lastMs: 20, nowMs: 30 })
  expect(second).toEqual({ ...many, sinceMs: 20, manyTimes: 1 })
  expect(stillUnreadable(second, many, { lastMs: 30, nowMs: 40 })).toEqual({
    ...many,
    sinceMs: 20,
    manyTimes: 2,
  })
  expect(stillUnreadable(second, few, { lastMs: 30, nowMs: 40 })).toEqual({
    ...few,
    sinceMs: 30,
    manyTimes: 0,
  })
  expect(stillUnreadable(null, many, { lastMs: null, nowMs: 40 })).toMatchObject({ sinceMs: 40 })
  expect(stillUnreadable(second, { ...few, open: 0 }, { lastMs: 30, nowMs: 40 })).toBeNull()
})

const outage: Outage = {
  outageId: 'b1',
  cardOf: 'b1',
  cardSinceMs: goodMs,
  sinceMs: goodMs,
  why: 'away',
  untilMs: null,
  sureMs: null,
  version: 4,
}
const fresh = { ...now, newId: () => 'b2' }

test('one that a restart finds unfinished lasts until something is read', () => {
  const unread: Reading = { ...well, lastGoodMs: null, lastOpenMs: null }
  expect(nextOutage(outage, unread, fresh)).toBeNull()
  expect(nextOutage(outage, { ...failing({ why: 'busy' }), lastOpenMs: null }, fresh)).toEqual({
    ...outage,
    why: 'busy',
    version: 5,
  })
  expect(nextOutage(outage, { ...well, lastOpenMs: nowMs }, fresh)).toEqual({
    ...outage,
    untilMs: nowMs,
    version: 5,
  })
})

test('what was read where the history still fails ends it', () => {
  const partly = { ...failing({ isPartial: true }), lastOpenMs: nowMs }
  expect(nextOutage(outage, partly, fresh)).toMatchObject({ untilMs: nowMs })
})

test('it ends no earlier than it began, whatever the clock says', () => {
  const back = { ...well, lastOpenMs: goodMs - 60 * minuteMs }
  expect(nextOutage(outage, back, fresh)).toMatchObject({ sinceMs: goodMs, untilMs: goodMs })
})

test('lists of which most cannot be read do not end it', () => {
  expect(nextOutage(outage, illegible({ manyTimes: 1 }), fresh)).toBeNull()
})

test('while all stands as it is, nothing is written', () => {
  const away = failing({ times: 9 })
  expect(nextOutage(outage, away, fresh)).toBeNull()
  expect(nextOutage({ ...outage, untilMs: nowMs }, well, fresh)).toBeNull()
  expect(nextOutage(null, well, fresh)).toBeNull()
})

test('one that a clock told of in the future, and that is set back since, is not gone on with', () => {
  const ahead = { ...outage, sinceMs: nowMs + 23 * 60 * minuteMs, untilMs: nowMs + 24 * 60 * minuteMs }
  expect(nextOutage(ahead, failing({ times: 3 }), fresh)).toMatchObject({ outageId: 'b2', cardOf: 'b2' })
})

test('the next one is a time of its own, on the same card while that is in sight', () => {
  const away = failing({ times: 3 })
  const over = (sinceMs: number, untilMs: number) => ({ ...outage, cardSinceMs: sinceMs, sinceMs, untilMs })
  const lately = over(nowMs - 20 * minuteMs, nowMs - minuteMs)
  expect(nextOutage(lately, away, fresh)).toEqual({
    outageId: 'b2',
    cardOf: 'b1',
    cardSinceMs: lately.cardSinceMs,
    sinceMs: goodMs,
    why: 'away',
    untilMs: null,
    sureMs: null,
    version: 1,
  })
  const never = { ...away, lastOpenMs: nowMs - 5 * minuteMs }
  expect(nextOutage(lately, never, fresh)).toMatchObject({ sinceMs: lately.untilMs })
  expect(nextOutage(over(nowMs - 20 * minuteMs, nowMs - 11 * minuteMs), away, fresh)).toMatchObject({
    cardOf: 'b2',
  })
  expect(nextOutage(over(nowMs - 61 * minuteMs, nowMs - minuteMs), away, fresh)).toMatchObject({
    cardOf: 'b2',
  })
})

test('one whose card has said that it is over, or that another before it was, is not gone on with', () => {
  const away = failing({ times: 3 })
  const over = { ...outage, untilMs: nowMs - minuteMs }
  expect(nextOutage({ ...over, isTold: true }, away, fresh)).toMatchObject({ cardOf: 'b2', untilMs: null })
  expect(nextOutage(over, away, fresh)).toMatchObject({ cardOf: 'b1', untilMs: null })
  const lasting = { ...outage, outageId: 'b2', sinceMs: nowMs - minuteMs }
  expect(nextOutage(lasting, away, fresh)).toBeNull()
  expect(nextOutage({ ...lasting, isTold: true }, away, fresh)).toEqual({
    ...lasting,
    cardOf: 'b2',
    cardSinceMs: lasting.sinceMs,
    version: lasting.version + 1,
  })
})

test('all is known of one only by a later poll that left nothing unknown', () => {
  const over = { ...outage, untilMs: goodMs }
  expect(isSettled(over, well)).toBe(false)
  expect(isSettled(over, { ...well, lastFullyCompleteMs: goodMs + 1 })).toBe(true)
  expect(isSettled(over, { ...well, lastOpenMs: goodMs + 1, lastFullyCompleteMs: null })).toBe(false)
  expect(isSettled(outage, { ...well, lastFullyCompleteMs: goodMs + 1 })).toBe(false)
})
