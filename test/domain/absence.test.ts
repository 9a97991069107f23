/** For how long an alert has to be missing until nobody calls it open. */
import { expect, test } from 'vitest'
import { isLongMissing } from '../../src/domain/alert/absence.ts'

const nowMs = Date.UTC(2026, 10, 21, 4)
const minuteMs = 60_000

test.each([
  ['just now', 0, false],
  ['just below five minutes', 5 * minuteMs - 1, false],
  ['five minutes', 5 * minuteMs, true],
  // How long it really is, nobody knows.
  ['since before a clock was set back', -60 * minuteMs, true],
])('missing: %s', (_name, forMs, expected) => {
  expect(isLongMissing(nowMs - forMs, nowMs)).toBe(expected)
})
