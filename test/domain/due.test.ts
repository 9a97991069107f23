/** When a mute is due, as a table. */
import { describe, expect, test } from 'vitest'
import { type Due, dueOf } from '../../src/domain/mute/due.ts'
import type { Mute } from '../../src/domain/mute/mute.ts'
import { askMute, confirmMute, endedMute, endingMute, handedBack } from '../../src/domain/mute/transitions.ts'

const minuteMs = 60_000
/** The mute begins at minute 1,000. */
const startMs = 1_000 * minuteMs

function at(minute: number): number {
  return startMs + minute * minuteMs
}

function aMute(minutes: number | null, mode: Mute['mode'] = 'timed'): Mute {
  const untilMs = minutes === null ? null : at(minutes)
  const terms = { mode, untilMs, userId: 'U1', reason: '' }
  const place = { channel: 'C1', cardId: null }
  return confirmMute(askMute({ muteId: 'm1', hostname: 'web-1', terms, place, nowMs: startMs }))
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
