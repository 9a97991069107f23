/** When a trigger opens and closes: tables of values over time, with no service around them. */
import { describe, expect, test } from 'vitest'
import {
  calm,
  limitMet,
  outOfReach,
  type Standing,
  step,
  type TriggerRule,
  titleOf,
  triggerOf,
} from '../../src/service/alerts/triggers.ts'

const rule: TriggerRule = {
  type: 'plugin',
  source: 'Load Average',
  metric: 'last_minute',
  servers: 'all',
  maxValue: 3,
  lowValue: null,
  durationMs: 4_000,
}

/** One value every two seconds; answers what happened at which second. */
function run(one: TriggerRule, values: readonly (number | null)[]): string[] {
  let standing: Standing = calm
  return values.flatMap((value, at) => {
    const { next, happens } = step(one, standing, value, at * 2_000, 4_000)
    standing = next
    return happens === null ? [] : [`${happens} at ${at * 2}`]
  })
}

test.each<[string, readonly (number | null)[], string[]]>([
  ['nothing while it is below', [1, 2, 2.99, 1], []],
  ['opens once it has held for the duration', [1, 3, 3, 3, 3], ['opens at 6']],
  ['the limit itself counts', [3, 3, 3], ['opens at 4']],
  ['a value below starts the time again', [4, 4, 1, 4, 4, 4], ['opens at 10']],
  ['closes once it has been over for the duration', [4, 4, 4, 1, 1, 1, 1], ['opens at 4', 'closes at 10']],
  ['a relapse keeps it open', [4, 4, 4, 1, 1, 4, 1, 1, 1], ['opens at 4', 'closes at 16']],
  ['opens again after it closed', [4, 4, 4, 1, 1, 1, 4, 4, 4], ['opens at 4', 'closes at 10', 'opens at 16']],
  ['silence does not open', [4, 4, null, null], []],
  ['a missed value does not begin the time again', [4, null, 4, 4], ['opens at 4']],
  ['a long silence does', [4, 4, null, null, 4, 4, 4, 4], ['opens at 12']],
  ['silence does not close', [4, 4, 4, null, null, null, null], ['opens at 4']],
  ['nor a long silence', [4, 4, 4, 1, null, null, 1, 1, 1], ['opens at 4', 'closes at 16']],
  ['a missed value does not keep it open longer', [4, 4, 4, 1, null, 1], ['opens at 4', 'closes at 10']],
  ['flapping around the limit is no alert', [4, 1, 4, 1, 4, 1, 4, 1], []],
])('%s', (_, values, expected) => {
  expect(run(rule, values)).toEqual(expected)
})

test('without a duration it opens and closes at once', () => {
  expect(run({ ...rule, durationMs: 0 }, [1, 3, 1, 3])).toEqual(['opens at 2', 'closes at 4', 'opens at 6'])
})

test('a low value opens too', () => {
  const low = { ...rule, maxValue: 1_000, lowValue: 500, durationMs: 0 }
  expect(run(low, [800, 500, 400, 501, 1_000, 999])).toEqual([
    'opens at 2',
    'closes at 6',
    'opens at 8',
    'closes at 10',
  ])
})

test('two values eight hours apart are not eight hours of holding', () => {
  const { next } = step({ ...rule, durationMs: 60_000 }, calm, 9, 0, 45_000)
  const eightHoursMs = 8 * 60 * 60_000
  expect(step({ ...rule, durationMs: 60_000 }, next, 9, eightHoursMs, 45_000)).toMatchObject({
    happens: null,
  })
})

test('a clock that was set back begins the time again, and the alert still opens', () => {
  const { next } = step(rule, calm, 9, 1_000_000, 4_000)
  const back = step(rule, next, 9, 0, 4_000)
  expect(back.happens).toBeNull()
  expect(step(rule, back.next, 9, 4_000, 4_000).happens).toBe('opens')
})

test('a trigger with a low limit alone never opens for a value that is high', () => {
  expect(limitMet({ ...rule, maxValue: outOfReach, lowValue: 1 }, 1e18)).toBeNull()
})

describe('words', () => {
  const key = { type: 'plugin', source: 'Load Average', metric: 'last_minute' } as const
  test('of a title', () => {
    expect(titleOf(key, 'max', 3, 3.5)).toBe('Last minute met or exceeded 3.00, increasing to 3.50')
    expect(titleOf({ type: 'cpu', source: '', metric: 'cpu_busy' }, 'max', 85, 97.214)).toBe(
      'CPU busy met or exceeded 85.00%, increasing to 97.21%',
    )
    expect(titleOf({ type: 'disk', source: '/', metric: 'disk_free' }, 'low', 500, 310)).toBe(
      'Disk free met or fell below 500.00 MB, decreasing to 310.00 MB',
    )
  })

  test.each([
    [rule, 'Last minute meets or exceeds 3.00 for 4 seconds'],
    [{ ...rule, durationMs: 0 }, 'Last minute meets or exceeds 3.00'],
    [
      { ...rule, lowValue: 1 },
      'Last minute meets or exceeds 3.00 or meets or falls below 1.00 for 4 seconds',
    ],
    [{ ...rule, maxValue: outOfReach, lowValue: 1 }, 'Last minute meets or falls below 1.00 for 4 seconds'],
  ])('of a condition', (one, condition) => {
    expect(triggerOf(one).condition).toBe(condition)
  })
})
