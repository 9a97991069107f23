/** Which card a flap goes on. */
import { expect, test } from 'vitest'
import type { Alert } from '../../src/domain/alert.ts'
import { announce, routeNews } from '../../src/domain/announce.ts'
import { type Earlier, foldInto } from '../../src/domain/fold.ts'
import { anAlert } from '../support/delivery-world.ts'

const minuteMs = 60_000
const startMs = Date.UTC(2026, 10, 21, 3, 0, 0)

function alertAt(minute: number, over: Partial<Alert> = {}): Alert {
  const startedMs = startMs + minute * minuteMs
  return anAlert(`a${minute}`, { hostname: 'web-1', startedMs, ...over })
}

/** An episode that closed two minutes after it opened. */
function episode(minute: number, cardId: string | null = 'alert:a0:C1', over: Partial<Alert> = {}): Earlier {
  const closedMs = startMs + (minute + 2) * minuteMs
  const alert = alertAt(minute, { state: 'closed', closedMs, closedBy: 'record', ...over })
  return { alert, cardId, channel: cardId === null ? null : 'C1' }
}

const twice = [episode(0), episode(5)]

test('a run of flaps stays on one card for an hour', () => {
  const run = [0, 10, 20, 30, 40, 48].map((minute) => episode(minute))
  expect(foldInto(alertAt(55), 'C1', run)).toBe('alert:a0:C1')
})

test('the third time within half an hour goes on the card of the second', () => {
  expect(foldInto(alertAt(10), 'C1', [episode(0, 'alert:a0:C1'), episode(5, 'alert:a5:C1')])).toBe(
    'alert:a5:C1',
  )
})

test.each<[string, Alert, string, readonly Earlier[]]>([
  ['the second time', alertAt(5), 'C1', [episode(0)]],
  ['a time when the first is longer ago', alertAt(31), 'C1', [episode(0), episode(25)]],
  ['one whose last card closed ten minutes ago', alertAt(17), 'C1', twice],
  ['one that belongs to another channel', alertAt(10), 'C2', twice],
  ['one whose last episode a mute hid', alertAt(10), 'C1', [episode(0), episode(5, null)]],
  [
    'one whose last episode is open still',
    alertAt(10),
    'C1',
    [episode(0), episode(5, undefined, { state: 'open', closedMs: null })],
  ],
  [
    'one whose card holds something open',
    alertAt(10),
    'C1',
    [episode(0, undefined, { state: 'open' }), episode(5)],
  ],
  [
    'one that would go on a card that has been flapping for over an hour',
    alertAt(62),
    'C1',
    [0, 10, 20, 30, 40, 50, 56].map((minute) => episode(minute)),
  ],
  ['a one-off', alertAt(10, { state: 'oneoff' }), 'C1', twice],
  ['another metric', alertAt(10, { metric: 'other' }), 'C1', twice],
  ['another server', alertAt(10, { hostname: 'web-2' }), 'C1', twice],
  ['another plugin', alertAt(10, { plugin: 'CPU' }), 'C1', twice],
])('a card of its own gets %s', (_, alert, channel, episodes) => {
  expect(foldInto(alert, channel, episodes)).toBeNull()
})

test('flaps between two polls go on one card in their order, and nothing after one that is open', () => {
  const changes = [
    { kind: 'passed', alert: alertAt(8, { state: 'closed', closedMs: startMs + 9 * minuteMs }), was: null },
    { kind: 'opened', alert: alertAt(10), was: null },
    { kind: 'opened', alert: alertAt(11), was: null },
  ] as const
  const news = routeNews(
    changes.map(({ alert }) => alert),
    { routes: [], defaultChannel: 'C1' },
  )
  const told = announce(changes, news, {
    nowMs: startMs,
    catchingUp: false,
    summaryId: 1,
    carded: new Set(),
    episodes: twice,
    queues: new Map(),
  })
  expect(told.folds.map(({ alertId }) => alertId)).toEqual(['a8', 'a10'])
  expect(told.cards.map(({ cardId }) => cardId)).toEqual(['alert:a11:C1'])
})
