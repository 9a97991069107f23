/** What is said in the journal is counted, what stands in the store is read when it is asked for. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import type { Request } from '../../../src/bot/domain/request/intent.ts'
import type { Reply } from '../../../src/bot/domain/request/reply.ts'
import type { Monitor } from '../../../src/bot/flow/ports/ports.ts'
import { type Count, countsOf } from '../../../src/bot/ops/count-event.ts'
import { openMetrics } from '../../../src/bot/ops/metrics.ts'
import { observeHandle, observeMonitor } from '../../../src/bot/ops/observe.ts'
import { version } from '../../../src/shared/version.ts'
import { aMute } from '../../support/acting-rows.ts'
import { awayStore } from '../../support/away-store.ts'
import { anAlert, calm, opening } from '../../support/delivery-world.ts'
import { keptJournal } from '../../support/journal.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'

const nowMs = 1_000_000
const seeing = { startedMs: 0, outageSinceMs: () => null }

/** `metric{label=value} by`, one for each. */
function counted(event: string, facts: Record<string, unknown> = {}): string[] {
  return countsOf(event, facts).map(
    ({ metric, labels, by }: Count) => `${metric}{${Object.values(labels).join(',')}} ${by}`,
  )
}

test.each<[string, Record<string, unknown>, string[]]>([
  ['poll:done', { tookMs: 250 }, ['polls{done} 1', 'pollSeconds{} 0.25']],
  ['poll:failed', { kind: 'forbidden', tookMs: 0 }, ['polls{forbidden} 1', 'pollSeconds{} 0']],
  ['poll:failed', { kind: 'web-1.example' }, ['polls{other} 1', 'pollSeconds{} 0']],
  ['poll:slow', { tookMs: 300_001 }, ['pollsSlow{} 1']],
  ['blind:began', { outageId: 'b1', why: 'web-1.example is away' }, ['outages{} 1']],
  ['blind:ended', { outageId: 'b1', outageMs: 45_000 }, ['outageTotal{} 45']],
  ['storm:began', { channel: 'C1', alerts: 30 }, ['storms{} 1', 'stormAlerts{} 30']],
  ['storm:grew', { channel: 'C1', alerts: 4 }, ['stormAlerts{} 4']],
  ['poll:held', {}, ['pollsSkipped{held} 1']],
  ['card:shown', { by: 'post' }, ['cardCalls{post,shown} 1']],
  [
    'card:later',
    { by: 'post', why: 'ratelimited' },
    ['cardCalls{post,later} 1', 'retries{card,rate_limited} 1'],
  ],
  [
    'card:later',
    { by: 'update', why: 'ENOTFOUND' },
    ['cardCalls{update,later} 1', 'retries{card,not_sent} 1'],
  ],
  ['card:unknown', { by: 'post', why: 'http_500' }, ['cardCalls{post,unknown} 1', 'unknownOutcomes{card} 1']],
  ['card:unknown', { by: 'update' }, ['cardCalls{update,unknown} 1', 'retries{card,unknown} 1']],
  ['card:bad_payload', { by: 'post' }, ['cardCalls{post,bad_payload} 1']],
  ['card:checked', { found: null }, ['cardLooks{nothing} 1']],
  ['card:checked', { found: '1.1' }, ['cardLooks{message} 1']],
  ['card:web-1', { by: 'post' }, []],
  ['card:tidied', { deleted: 2 }, ['cardLooks{copies} 1', 'copiesDeleted{} 2']],
  ['copy:deleted', { cardId: 'alert:1:C1', channel: 'C1', ts: '1.1' }, ['copiesDeleted{} 1']],
  ['cards:interrupted', { count: 3 }, ['unknownOutcomes{card} 3']],
  ['marker:not_dropped', { now: 'unknown' }, ['unknownOutcomes{marker} 1']],
  ['marker:not_dropped', { now: 'failed' }, []],
  ['request:answered', { act: 'status', outcome: 'repeat' }, ['requests{status,repeat} 1']],
  ['request:answered', { act: 'web-1', outcome: 'done' }, ['requests{other,done} 1', 'answerSeconds{} 0']],
  ['request:not_understood', { why: 'unknown_command' }, ['requests{unknown,refused} 1']],
  ['alert:opened', { hostname: 'web-1' }, []],
])('%s with %o', (event, facts, counts) => {
  expect(counted(event, facts)).toEqual(counts)
})

/** The lines of the page with these beginnings. */
async function lines(page: Promise<{ text: string }>, ...beginnings: string[]): Promise<string[]> {
  const { text } = await page
  return text.split('\n').filter((line) => beginnings.some((beginning) => line.startsWith(beginning)))
}

test('what is said in the journal is counted and goes on to the log', async () => {
  const metrics = openMetrics()
  const log = keptJournal()
  const logger = metrics.counting(log)
  logger.debug('poll:done', { tookMs: 20 })
  logger.warn('poll:failed', { kind: 'unreachable', tookMs: 4_000 })
  logger.error('alert:unrouted', { alertId: '1' })
  expect(log.entries.map(({ level, event }) => `${level} ${event}`)).toEqual([
    'debug poll:done',
    'warn poll:failed',
    'error alert:unrouted',
  ])
  const page = metrics.page({ store: await memoryStore(), health: () => calm(nowMs), ...seeing })
  expect(await lines(page, 'monbot_polls_total', 'monbot_poll_duration_seconds_sum', 'monbot_log')).toEqual([
    'monbot_polls_total{outcome="done"} 1',
    'monbot_polls_total{outcome="unreachable"} 1',
    'monbot_polls_total{outcome="rate_limited"} 0',
    'monbot_polls_total{outcome="rejected"} 0',
    'monbot_polls_total{outcome="forbidden"} 0',
    'monbot_polls_total{outcome="missing"} 0',
    'monbot_polls_total{outcome="broken"} 0',
    'monbot_poll_duration_seconds_sum 4.02',
    'monbot_log_lines_total{level="warn"} 1',
    'monbot_log_lines_total{level="error"} 1',
  ])
})

test('how it is now is read when somebody asks', async () => {
  const store = await memoryStore()
  const alerts = ['1', '2', '3'].map((id) => anAlert(id))
  await store.commit(opening(alerts, 'C1', nowMs))
  const ignored = [anAlert('4', { state: 'ignored' }), anAlert('5', { state: 'ignored', closedMs: nowMs })]
  await store.commit({ ...emptyPlan(nowMs), alerts: ignored.map((alert) => ({ alert, was: null })) })
  await store.commit({ ...emptyPlan(nowMs), mutes: [{ mute: aMute('m1'), was: null }] })
  await store.settle('alert:1:C1', { state: 'shown', ts: '1.1', shown: 1 })
  await store.settle('alert:2:C1', { state: 'dead' })
  const metrics = openMetrics()
  const health = () => ({
    nowMs,
    lastPollMs: nowMs - 90_000,
    failing: { sinceMs: nowMs - 75_000, why: 'the monitoring API is not there' },
    coverage: { open: 'complete', past: 'complete' } as const,
    leftOut: 7,
    slack: { ready: true, sinceMs: 0, sockets: 2 },
    troubles: [],
    unexpectedErrors: [],
  })
  const gauges = [
    'monbot_poll_lag',
    'monbot_blind_seconds ',
    'monbot_open',
    'monbot_ignored',
    'monbot_left_out',
    'monbot_live',
    'monbot_cards',
    'monbot_dead',
    'monbot_slack',
  ]
  const outage = metrics.page({ store, health, startedMs: 0, outageSinceMs: () => nowMs - 80_000 })
  expect(await lines(outage, ...gauges)).toEqual([
    'monbot_poll_lag_seconds 90',
    'monbot_blind_seconds 80',
    'monbot_open_alerts 3',
    'monbot_ignored_alerts 1',
    'monbot_left_out_fields 7',
    'monbot_live_mutes{state="asked"} 0',
    'monbot_live_mutes{state="active"} 1',
    'monbot_live_mutes{state="ending"} 0',
    'monbot_cards{state="wanted"} 1',
    'monbot_cards{state="sending"} 0',
    'monbot_cards{state="unknown"} 0',
    'monbot_cards{state="shown"} 1',
    'monbot_cards{state="dead"} 1',
    'monbot_cards_behind 1',
    'monbot_cards_stopped_seconds 0',
    'monbot_dead_letters 1',
    'monbot_slack_sockets 2',
    'monbot_slack_ready 1',
  ])
  await store.settle('alert:3:C1', { state: 'shown', ts: '1.3', shown: 1 })
  const later = metrics.page({ store, health: () => ({ ...calm(nowMs), lastPollMs: null }), ...seeing })
  expect(await lines(later, 'monbot_cards_behind', 'monbot_poll_lag', 'monbot_blind_seconds ')).toEqual([
    'monbot_poll_lag_seconds 1000',
    'monbot_blind_seconds 0',
    'monbot_cards_behind 0',
  ])
})

test('while the memory is away the page shows that, and nothing that stands in it', async () => {
  const memory = awayStore(await memoryStore())
  const metrics = openMetrics()
  const sources = { store: memory.store, health: () => calm(nowMs), ...seeing }
  const lead = { leads: true, term: 7, standbys: 1, nowMs }
  const gauges = [
    'monbot_leads',
    'monbot_term',
    'monbot_standbys',
    'monbot_memory',
    'monbot_open_alerts ',
    'monbot_cards{',
    'monbot_slack_ready',
  ]
  const led = ['monbot_leads 1', 'monbot_term 7', 'monbot_standbys 1']
  const there = [
    'monbot_open_alerts 0',
    ...['wanted', 'sending', 'unknown', 'shown', 'dead'].map((state) => `monbot_cards{state="${state}"} 0`),
  ]
  const seen = async (awaySinceMs: number | null) =>
    (await lines(metrics.page(sources, { ...lead, awaySinceMs }), ...gauges)).toSorted()
  expect(await seen(null)).toEqual(
    [...led, ...there, 'monbot_memory_away_seconds 0', 'monbot_slack_ready 1'].toSorted(),
  )
  memory.goAway('before')
  expect(await seen(nowMs - 4_000)).toEqual(
    [...led, 'monbot_memory_away_seconds 4', 'monbot_slack_ready 1'].toSorted(),
  )
  memory.comeBack()
  expect(await seen(null)).toEqual(
    [...led, ...there, 'monbot_memory_away_seconds 0', 'monbot_slack_ready 1'].toSorted(),
  )
})

test('a bot that stands by shows who leads and no other gauge of its own, so that sums are true', async () => {
  const { text } = await openMetrics().page(null, {
    leads: false,
    term: 7,
    standbys: 1,
    nowMs,
    awaySinceMs: null,
  })
  const gauges = text
    .split('# TYPE ')
    .flatMap((part) => /^(monbot_\S+) gauge\n([^#]*)/.exec(part)?.slice(2) ?? [])
  expect(
    gauges
      .join('')
      .split('\n')
      .filter((line) => line !== '')
      .toSorted(),
  ).toEqual([
    `monbot_build_info{version="${version}",node="${process.versions.node}"} 1`,
    'monbot_leads 0',
    'monbot_memory_away_seconds 0',
    'monbot_standbys 1',
    'monbot_term 7',
  ])
})

test('an operation of the API is told by its name and outcome, and goes through unchanged', async () => {
  const clock = manualClock()
  const logger = keptJournal()
  const failure = new OutsideFailure('unreachable', 'the monitoring API timed out')
  const api = {
    roles: async () => {
      clock.advance(30)
      return { roles: new Map([['db', ['web-1']]]), skipped: 0 }
    },
    deleteServer: async () => {
      throw failure
    },
    addMarker: async () => {
      throw new Error('a bug')
    },
  } as unknown as Monitor
  const monitor = observeMonitor(api, { clock, logger })
  expect(await monitor.roles()).toEqual({ roles: new Map([['db', ['web-1']]]), skipped: 0 })
  await expect(monitor.deleteServer('web-1')).rejects.toBe(failure)
  await expect(monitor.addMarker('x')).rejects.toThrow('a bug')
  expect(logger.entries.map(({ facts }) => facts)).toEqual([
    { operation: 'roles', outcome: 'ok', tookMs: 30 },
    { operation: 'deleteServer', outcome: 'unreachable', tookMs: 0 },
    { operation: 'addMarker', outcome: 'broken', tookMs: 0 },
  ])
})

test('a request of a person is told by its act and what came of it', async () => {
  const clock = manualClock()
  const logger = keptJournal()
  const replies: Reply[] = [
    { kind: 'cancelled' },
    { kind: 'failed', doing: 'mute_server', words: 'no', isUnknown: true },
    { kind: 'refused', refusal: { why: 'reason_missing' } },
  ]
  const request = { intent: { kind: 'mute_server' } } as unknown as Request
  for (const reply of replies) {
    const handle = observeHandle(async () => reply, { clock, logger })
    expect(await handle(request)).toBe(reply)
  }
  expect(logger.entries.map(({ facts }) => facts.outcome)).toEqual(['cancelled', 'unknown', 'refused'])
  expect(logger.entries.map(({ facts }) => facts.act)).toEqual(Array(3).fill('mute_server'))
})

test('of who is on call: how old what was read is, and whether it says anything of now; nothing without a calendar', async () => {
  const store = await memoryStore()
  const duties = [{ startMs: 0, endMs: nowMs, person: { key: 'ana', name: 'Ana', userId: 'U1' } }]
  const read = { readMs: nowMs - 60_000, knownUntilMs: nowMs + 1, duties, skipped: 0 }
  const onCall = { from: 'the calendar', ...read, failing: null, lookUpFailed: null }
  const page = (over: Partial<typeof onCall> | null) => {
    const health = { ...calm(nowMs), onCall: over === null ? null : { ...onCall, ...over } }
    return lines(openMetrics().page({ store, health: () => health, ...seeing }), 'monbot_oncall')
  }
  expect(await page(null)).toEqual([])
  expect(await page({})).toEqual(['monbot_oncall_read_age_seconds 60', 'monbot_oncall_known 1'])
  expect(await page({ knownUntilMs: nowMs })).toEqual([
    'monbot_oncall_read_age_seconds 60',
    'monbot_oncall_known 0',
  ])
})
