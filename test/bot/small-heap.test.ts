/** Memory that heavy work left behind is given back, once nobody waits. */
import { expect, test } from 'vitest'
import { type HeapLook, isWorthCollecting } from '../../src/bot/small-heap.ts'

const idle: HeapLook = { heapBytes: 64_000_000, leftBytes: 40_000_000, busyMs: 0, passedMs: 15_000 }

test.each<[string, Partial<HeapLook>, boolean]>([
  ['much is left behind, and the process rests', {}, true],
  ['a byte less than is worth it', { heapBytes: 63_999_999 }, false],
  ['nothing is left behind', { heapBytes: 40_000_000 }, false],
  ['less than after the last collection', { heapBytes: 30_000_000 }, false],
  ['the process is at work', { busyMs: 7_500 }, false],
  ['the process is at work a little less', { busyMs: 7_499 }, true],
])('%s', (_, more, is) => {
  expect(isWorthCollecting({ ...idle, ...more })).toBe(is)
})
