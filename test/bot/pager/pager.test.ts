/** Both kinds of pagers over real HTTP: what they are told, how what they answer is understood, and that nothing secret is said. */
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../../src/bot/config/secret.ts'
import type { PageCall } from '../../../src/bot/domain/page/call.ts'
import { attempt } from '../../../src/bot/flow/attempt.ts'
import { openPagerDuty } from '../../../src/bot/pager/pagerduty.ts'
import { openWebhook } from '../../../src/bot/pager/webhook.ts'
import { realClock } from '../../../src/shared/clock.ts'
import {
  openPagerDutyLike,
  openWebhookLike,
  type PagerFault,
  pagerSecret,
  routingKey,
} from '../../support/pagers.ts'

const call: PageCall = {
  eventId: 'e1',
  type: 'triggered',
  by: null,
  atMs: Date.UTC(2026, 10, 21, 3, 12),
  key: 'monbot:4711',
  headline: 'Critical: CPU busy on web-2',
  severity: 'critical',
  server: 'web-2',
  labels: { namespace: 'pay' },
  alerts: 1,
  openedMs: Date.UTC(2026, 10, 21, 3, 11, 30),
  link: 'https://example.slack.com/archives/C0ALERTS/p1763694720000100',
}

async function pagerDuty() {
  const duty = await openPagerDutyLike(onTestFinished)
  return { ...duty, ...openPagerDuty({ url: duty.url, routingKey: new Secret(routingKey) }) }
}

async function webhook(clock = realClock) {
  const hook = await openWebhookLike(onTestFinished)
  const url = new Secret(hook.settings.PAGER_URL)
  return { ...hook, ...openWebhook({ url, secret: new Secret(pagerSecret), clock }) }
}

test('PagerDuty has one incident a key, through all that it is told', async () => {
  const duty = await pagerDuty()
  for (const type of ['triggered', 'triggered', 'acknowledged', 'resolved'] as const)
    expect(await duty.tell({ ...call, type })).toEqual({ acknowledgedBy: null })
  expect(duty.incidents()).toEqual([
    { key: call.key, status: 'resolved', triggers: 2, summary: 'Critical: CPU busy on web-2' },
  ])
  expect(duty.events()[0]).toMatchObject({
    dedup_key: call.key,
    client_url: call.link,
    payload: { source: 'web-2', severity: 'critical', timestamp: '2026-11-21T03:11:30.000Z' },
  })
})

test.each([
  ['one character', 'x'],
  ['at the limit', 'x'.repeat(1024)],
  ['beyond it', 'x'.repeat(1025)],
  ['a surrogate pair over the limit', `${'x'.repeat(1023)}😀`],
])('PagerDuty takes a headline and a key of any length: %s', async (_, text) => {
  const duty = await pagerDuty()
  await duty.tell({ ...call, headline: text, key: text, server: null, link: null, labels: {} })
  await duty.tell({ ...call, type: 'resolved', key: text })
  expect(duty.incidents()).toMatchObject([{ status: 'resolved' }])
})

test('PagerDuty takes an alert with more labels than an event may have', async () => {
  const duty = await pagerDuty()
  const labels = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`label_${n}`, 'y'.repeat(300)]))
  await duty.tell({ ...call, labels })
  expect(duty.incidents()).toHaveLength(1)
})

const faults: readonly [string, PagerFault, object][] = [
  [
    '429 with a time',
    { status: 429, headers: { 'retry-after': '7' } },
    { kind: 'rate_limited', retryAfterMs: 7_000 },
  ],
  ['429 without one', { status: 429 }, { kind: 'rate_limited', retryAfterMs: null }],
  [
    '429 with a date',
    { status: 429, headers: { 'retry-after': 'Wed, 25 Nov 2026 03:00:00 GMT' } },
    { retryAfterMs: null },
  ],
  ['500', { status: 500, body: 'oops' }, { kind: 'unreachable', status: 500 }],
  ['503', { status: 503 }, { kind: 'unreachable' }],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1/' } }, { kind: 'unreachable' }],
  ['404', { status: 404 }, { kind: 'unreachable' }],
  ['401', { status: 401 }, { kind: 'unreachable' }],
  ['400', { status: 400, body: 'no' }, { kind: 'rejected' }],
  ['400 that is cut off', { status: 400, end: 'cut' }, { kind: 'rejected' }],
  ['503 that is cut off', { status: 503, end: 'cut' }, { kind: 'unreachable', status: 503 }],
  ['a reset', 'reset', { kind: 'unreachable' }],
  ['a lost answer', 'lost', { kind: 'unreachable' }],
]

test.each(faults)('%s is understood by both, and says nothing that is secret', async (_, fault, wanted) => {
  for (const pager of [await pagerDuty(), await webhook()]) {
    pager.orders(fault)
    const came = await attempt(() => pager.tell(call))
    expect(came).toMatchObject({ ok: false, failure: wanted })
    const said = came.ok ? '' : `${came.failure.message} ${came.failure.code} ${came.failure.stack}`
    expect(said).not.toMatch(/hunter2|c4n4ry|127\.0\.0\.1|whsec/)
    expect((await attempt(() => pager.tell(call))).ok).toBe(true)
  }
})

const ends: readonly [number, boolean][] = [
  ...[400, 404, 409, 410, 422, 499].map((status): [number, boolean] => [status, true]),
  ...[302, 401, 403, 408, 429, 500].map((status): [number, boolean] => [status, false]),
]

test.each(ends)('an end that is answered with %i: no other try helps: %s', async (status, isMissing) => {
  const hook = await webhook()
  for (const type of ['acknowledged', 'resolved'] as const) {
    hook.orders({ status })
    const came = await attempt(() => hook.tell({ ...call, type }))
    expect(came).toMatchObject({ ok: false, failure: { status } })
    expect(!came.ok && came.failure.kind === 'missing').toBe(isMissing)
  }
})

test('PagerDuty refuses an end for its key alone, as it would a call', async () => {
  const duty = await pagerDuty()
  duty.orders({ status: 400 })
  const came = await attempt(() => duty.tell({ ...call, type: 'resolved' }))
  expect(came).toMatchObject({ ok: false, failure: { kind: 'rejected' } })
})

test('nobody listens: that is said by its code', async () => {
  const duty = openPagerDuty({ url: 'http://127.0.0.1:9', routingKey: new Secret(routingKey) })
  const came = await attempt(() => duty.tell(call))
  expect(came).toMatchObject({ ok: false, failure: { kind: 'unreachable' } })
  expect(came.ok ? '' : came.failure.message).toMatch(/^PagerDuty cannot be reached \(\w+\)$/)
})

test('what PagerDuty refuses is told with its reason, without the key', async () => {
  const duty = await openPagerDutyLike(onTestFinished)
  const wrong = 'd'.repeat(32)
  const other = openPagerDuty({ url: duty.url, routingKey: new Secret(wrong) })
  expect(await attempt(() => other.tell(call))).toMatchObject({
    failure: {
      kind: 'rejected',
      message: 'PagerDuty refused it: Event object is invalid: Invalid routing key',
    },
  })
  duty.orders({ status: 400, body: JSON.stringify({ message: `no ${wrong}` }) })
  expect(await attempt(() => other.tell(call))).toMatchObject({
    failure: { message: 'PagerDuty refused it: no [key]' },
  })
})

test('a message is signed, has the id of its event at each try, and is what the document shows', async () => {
  const hook = await webhook()
  hook.orders('lost')
  await attempt(() => hook.tell(call))
  await hook.tell(call)
  expect(hook.repeats()).toBe(1)
  const document = readFileSync(new URL('../../../docs/pager.md', import.meta.url), 'utf8')
  const [, shown = ''] = /<!-- message -->\n```json\n([^`]+)```/.exec(document) ?? []
  expect(hook.messages()).toEqual([JSON.parse(shown)])
  await hook.tell({ ...call, eventId: 'e2', type: 'acknowledged', by: 'U0ANA' })
  expect(hook.messages()[1]).toMatchObject({
    type: 'alert.acknowledged',
    data: { by: 'U0ANA', key: call.key },
  })
})

test('a message of another time than the receiver’s is refused, and told again', async () => {
  const hook = await webhook({ ...realClock, nowMs: () => realClock.nowMs() - 6 * 60_000 })
  expect(await attempt(() => hook.tell(call))).toMatchObject({
    failure: { kind: 'unreachable', status: 401 },
  })
})

test.each([
  ['{"acknowledged_by":"Ana"}', 'Ana'],
  ['{"acknowledged_by":"  "}', null],
  ['{"acknowledged_by":7}', null],
  ['["acknowledged_by"]', null],
  ['not JSON', null],
  ['', null],
  [`{"acknowledged_by":"${'a'.repeat(300)}"}`, 'a'.repeat(200)],
])('an answer %s names %s', async (body, by) => {
  const hook = await webhook()
  hook.orders({ status: 200, body })
  expect(await hook.tell(call)).toEqual({ acknowledgedBy: by })
})

test.each([
  ['is cut off', 'cut'],
  ['does not end', 'never'],
] as const)('an answer of 2xx that %s takes the event', async (_, end) => {
  const duty = await pagerDuty()
  const hook = await webhook()
  for (const pager of [duty, hook]) pager.orders({ status: 202, end })
  const came = await Promise.all([duty, hook].map((pager) => attempt(() => pager.tell(call))))
  expect(came).toEqual([
    { ok: true, value: { acknowledgedBy: null } },
    { ok: true, value: { acknowledgedBy: null, isCut: true } },
  ])
})
