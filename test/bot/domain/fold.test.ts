/** Which card a flap goes on. */
import { expect, test } from 'vitest'
import type { Alert } from '../../../src/bot/domain/alert/alert.ts'
import type { Earlier } from '../../../src/bot/domain/card/fold.ts'
import { openFolds } from '../../../src/bot/domain/card/fold.ts'
import { announce, routeNews } from '../../support/at-once.ts'
import { anAlert, someDetails } from '../../support/delivery-world.ts'

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
  return { alert, card: cardId === null ? null : { cardId, channel: 'C1', mention: null } }
}

function foldInto(
  alert: Alert,
  channel: string,
  episodes: readonly Earlier[],
  mention: string | null = null,
) {
  return openFolds(episodes)({ alert, mention }, channel)
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
  ['what is critical for the first time', alertAt(10, { severity: 'critical' }), 'C1', twice],
  ['a one-off', alertAt(10, { state: 'oneoff' }), 'C1', twice],
  ['another metric', alertAt(10, { metric: 'other' }), 'C1', twice],
  ['another server', alertAt(10, { hostname: 'web-2' }), 'C1', twice],
  ['another plugin', alertAt(10, { plugin: 'CPU' }), 'C1', twice],
])('a card of its own gets %s', (_, alert, channel, episodes) => {
  expect(foldInto(alert, channel, episodes)).toBeNull()
})

const titled = (minute: number, title: string, value: number | null, over: Partial<Alert> = {}) =>
  alertAt(minute, { title, value, ...over })
const twiceTitled = (title: string, value: number | null, over: Partial<Alert> = {}) => [
  episode(0, undefined, { title, value, ...over }),
  episode(5, undefined, { title, value, ...over }),
]

test.each<[string, readonly Earlier[], Alert]>([
  [
    'a critical one after warnings',
    twiceTitled('WARNING: /tmp 91 %', 91),
    titled(10, 'CRITICAL: /tmp 91 %', 91),
  ],
  ['another path', twiceTitled('/tmp is 91 % full', 91), titled(10, '/var is 91 % full', 91)],
  ['a path with another number', twiceTitled('/mnt/1 is full', 1), titled(10, '/mnt/2 is full', 2)],
  ['another disk', twiceTitled('sda1 fails', 1), titled(10, 'sda2 fails', 2)],
  ['another worker', twiceTitled('worker-1 is down', 1), titled(10, 'worker-2 is down', 2)],
  ['another port', twiceTitled('port 80 is closed', null), titled(10, 'port 443 is closed', null)],
  [
    'a higher limit of the same metric',
    twiceTitled('Usage met or exceeded 80.00%, increasing to 96.00%', 96),
    titled(10, 'Usage met or exceeded 95.00%, increasing to 96.00%', 96),
  ],
  [
    'a higher limit, where no title has the value',
    twiceTitled('Usage is over 80 %', 80.4),
    titled(10, 'Usage is over 95 %', 95.4),
  ],
  [
    'the other side of a limit',
    twiceTitled('Load met or exceeded 3.00, increasing to 3.50', 3.5),
    titled(10, 'Load met or fell below 3.00, decreasing to 2.50', 2.5),
  ],
  [
    'another trigger',
    twiceTitled('full', 1, { triggerId: 't1' }),
    titled(10, 'full', 1, { triggerId: 't2' }),
  ],
  ['one whose trigger nobody named', twiceTitled('full', 1, { triggerId: 't1' }), titled(10, 'full', 1)],
])('%s is another trouble, and gets a card of its own', (_, episodes, alert) => {
  expect(foldInto(alert, 'C1', episodes)).toBeNull()
})

test.each<[string, readonly Earlier[], Alert]>([
  ['a worse value', twiceTitled('/tmp at 91 %', 91), titled(10, '/tmp at 97 %', 97)],
  ['a value that the title rounds', twiceTitled('/tmp at 91.3 %', 91.26), titled(10, '/tmp at 97 %', 96.51)],
  ['a share as per cent', twiceTitled('/tmp at 91 %', 0.911), titled(10, '/tmp at 97 %', 0.97)],
  ['thousands', twiceTitled('1,204.5 requests', 1204.5), titled(10, '88,020 requests', 88_020)],
  [
    'a value in other units, in the words of the API',
    twiceTitled('Memory met or exceeded 1.00 GB, increasing to 1.10 GB', 1_181_116_006),
    titled(10, 'Memory met or exceeded 1.00 GB, increasing to 1.20 GB', 1_288_490_189),
  ],
  [
    'a value that is its limit',
    twiceTitled('Usage met or exceeded 90.00%, increasing to 90.00%', 90),
    titled(10, 'Usage met or exceeded 90.00%, increasing to 95.00%', 95),
  ],
])('%s is the same trouble', (_, episodes, alert) => {
  expect(foldInto(alert, 'C1', episodes)).toBe('alert:a0:C1')
})

const volume = (trouble: string | null) => ({ details: someDetails({ trouble }) })

test.each<[string, readonly Earlier[], Alert]>([
  [
    'another volume of the same words',
    twiceTitled('full', 1, volume('v1')),
    titled(10, 'full', 1, volume('v2')),
  ],
  [
    'another volume, although its title has the same value',
    twiceTitled('91 % full', 91, volume('v1')),
    titled(10, '91 % full', 91, volume('v2')),
  ],
  ['one that its service names only now', twiceTitled('full', 1), titled(10, 'full', 1, volume('v1'))],
  [
    'one that its service does not name now',
    twiceTitled('full', 1, volume('v1')),
    titled(10, 'full', 1, volume(null)),
  ],
])('%s is not known to be the same, and gets a card of its own', (_, episodes, alert) => {
  expect(foldInto(alert, 'C1', episodes)).toBeNull()
})

test.each<[string, readonly Earlier[], Alert]>([
  ['in the same words', twiceTitled('full', 1, volume('v1')), titled(10, 'full', 1, volume('v1'))],
  [
    'in other words, by another rule and on another pod',
    twiceTitled('91 % full', 91, { ...volume('v1'), triggerId: 't1' }),
    titled(10, 'nearly full', 97, { ...volume('v1'), triggerId: 't2', hostname: 'pay/web-7f' }),
  ],
  [
    'without a name, beside labels',
    twiceTitled('full', 1, volume(null)),
    titled(10, 'full', 1, volume(null)),
  ],
])('what the service calls the same trouble folds %s', (_, episodes, alert) => {
  expect(foldInto(alert, 'C1', episodes)).toBe('alert:a0:C1')
})

test('an alert that calls somebody else gets a card of its own: an edit notifies nobody', () => {
  expect(foldInto(alertAt(10), 'C1', twice, '<!subteam^S1>')).toBeNull()
})

test('a card that holds another trouble that is open takes no flap', () => {
  const other = episode(6, undefined, { state: 'open', closedMs: null, title: 'CRITICAL' })
  expect(foldInto(alertAt(10), 'C1', [...twice, other])).toBeNull()
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
