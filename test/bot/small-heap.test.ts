/** Memory that heavy work left behind is given back, once nobody waits. */
import { expect, test } from 'vitest'
import { isWorthCollecting, type MemoryLook } from '../../src/bot/small-heap.ts'

const idle: MemoryLook = { residentBytes: 64_000_000, leftBytes: 40_000_000, busyMs: 0, passedMs: 15_000 }

test.each<[string, Partial<MemoryLook>, boolean]>([
  ['much is left behind, and the process rests', {}, true],
  ['a byte less than is worth it', { residentBytes: 63_999_999 }, false],
  ['nothing is left behind', { residentBytes: 40_000_000 }, false],
  ['less than after the last collection', { residentBytes: 30_000_000 }, false],
  ['the process is at work', { busyMs: 7_500 }, false],
  ['the process is at work a little less', { busyMs: 7_499 }, true],
])('%s', (_, more, is) => {
  expect(isWorthCollecting({ ...idle, ...more })).toBe(is)
})
