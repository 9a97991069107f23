/** Alerts by rule: how many, how long, and which rules are noise. */
import { expect, test } from 'vitest'
import { firstOfRules, ruleFactsOf, ruleOf, verdictsOf } from '../../../src/bot/domain/alert/rule.ts'
import { type CountedAlert, countRules, noiseOf } from '../../../src/bot/domain/request/rule-counts.ts'
import { anAlert, someDetails } from '../../support/delivery-world.ts'
import { aRule } from '../../support/happened.ts'

const minuteMs = 60_000
const toMs = 1_000 * minuteMs

function opened(over: Partial<CountedAlert> = {}): CountedAlert {
  return {
    plugin: 'Disk',
    metric: 'used',
    alertname: null,
    hostname: 'web-1',
    state: 'closed',
    startedMs: 0,
    closedMs: 10 * minuteMs,
    closedAfterMs: null,
    ackedMs: null,
    isHidden: false,
    ...over,
  }
}

const counted = (
  alerts: readonly CountedAlert[],
  before: ReadonlyMap<string, number> | null = null,
  verdicts: Parameters<typeof countRules>[1]['verdicts'] = [],
) => countRules(alerts, { fromMs: 0, toMs, before, verdicts })

test('the noisiest rule first, with servers, lengths, who cared and what was muted', () => {
  const happened = counted(
    [
      opened(),
      opened({ hostname: 'web-2', closedMs: 30 * minuteMs, ackedMs: 5 }),
      opened({ state: 'open', closedMs: null, startedMs: toMs - minuteMs, isHidden: true }),
      opened({ plugin: 'CPU', metric: null }),
    ],
    new Map([
      ['Disk: used', 5],
      ['gone', 2],
    ]),
    [{ rule: 'Disk: used', useful: 1, noise: 2 }],
  )
  expect(happened).toMatchObject({ opened: 4, before: 7, count: 2 })
  expect(happened.rules).toEqual([
    {
      rule: 'Disk: used',
      opened: 3,
      before: 5,
      servers: 2,
      closed: 2,
      alone: 1,
      openMs: 41 * minuteMs,
      isAtLeast: false,
      medianMs: 20 * minuteMs,
      acknowledged: 1,
      hidden: 1,
      useful: 1,
      noise: 2,
    },
    expect.objectContaining({ rule: 'CPU', opened: 1, before: 0, useful: 0, noise: 0 }),
  ])
})

test.each<[string, Partial<CountedAlert>]>([
  ['closed at a time that nobody saw', { closedMs: null }],
  ['closed between two times', { closedAfterMs: 5 }],
  ['was not seen to end', { state: 'unreported', closedMs: null }],
])('what %s has no length, and the sum is at least the others', (_, over) => {
  const [rule] = counted([opened(), opened(over)]).rules
  expect(rule).toMatchObject({ opened: 2, openMs: 10 * minuteMs, isAtLeast: true, medianMs: 10 * minuteMs })
})

test('what only happened has no length either, and that is no doubt', () => {
  const [rule] = counted([opened({ state: 'oneoff', closedMs: null })]).rules
  expect(rule).toMatchObject({ opened: 1, openMs: 0, isAtLeast: false, medianMs: null })
})

test('nothing is compared with a time of which nothing is known', () => {
  expect(counted([opened()])).toMatchObject({ before: null, rules: [{ before: null }] })
})

test('a rule is named by its label, else by what it measures; on any server it is the same', () => {
  const labelled = anAlert('1', { details: someDetails({ labels: { alertname: 'NodeDown' } }) })
  expect(ruleOf(ruleFactsOf(labelled))).toBe('NodeDown')
  expect(ruleOf(ruleFactsOf(anAlert('2')))).toBe('Load Average: last minute')
  expect(ruleOf({ plugin: ' ', metric: null, alertname: '' })).toBe('(no name)')
  const alerts = [anAlert('2'), labelled, anAlert('3'), anAlert('4', { plugin: 'CPU' })]
  expect(firstOfRules(alerts).map(({ alertId }) => alertId)).toEqual(['2', '1', '4'])
})

test('a person counts once, with what they said last', () => {
  const vote = (userId: string, verdict: 'useful' | 'noise', atMs: number) => ({ userId, verdict, atMs })
  expect(verdictsOf([vote('U1', 'noise', 2), vote('U1', 'useful', 1), vote('U2', 'useful', 3)])).toEqual({
    useful: ['U2'],
    noise: ['U1'],
  })
})

test.each([
  ['called noise by more than useful', { noise: 2, useful: 1 }, 'called'],
  ['called both', { opened: 2, closed: 2, alone: 2, noise: 1, useful: 1 }, null],
  ['useful, however often alone', { opened: 9, closed: 9, alone: 9, useful: 1 }, null],
  ['alone four times', { opened: 4, closed: 4, alone: 4 }, null],
  ['alone five times', { opened: 5, closed: 5, alone: 5 }, 'alone'],
  ['four of five alone', { opened: 5, closed: 5, alone: 4 }, 'alone'],
  ['three of five alone', { opened: 5, closed: 5, alone: 3 }, null],
  ['still open', { opened: 9, closed: 4, alone: 4 }, null],
] as const)('a rule that is %s', (_, over, expected) => {
  expect(noiseOf(aRule(over))).toBe(expected)
})
