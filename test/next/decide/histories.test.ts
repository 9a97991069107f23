/** The laws of announcing over seeded histories, and that they notice when a rule is broken. */
import { expect, test } from 'vitest'
import { playHistory } from './driver.ts'

const first = Number(process.env.SEED ?? 1)
const count = process.env.SEED === undefined ? 60 : 1

test('every audible alert is heard, once, and its calls end', () => {
  for (let seed = first; seed < first + count; seed += 1) expect(playHistory(seed)).toEqual([])
})
