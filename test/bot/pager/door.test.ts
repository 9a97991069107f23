/** What the pager says to the bot: taken once if it is signed, new enough and understood; else a clear answer, and nothing is done. */
import { expect, test } from 'vitest'
import { Secret } from '../../../src/bot/config/secret.ts'
import type { HeardAcknowledgement, HeardOutcome } from '../../../src/bot/flow/pager/acknowledged.ts'
import { openPagerDoor } from '../../../src/bot/pager/door.ts'
import { headersFor } from '../../../src/bot/pager/signature.ts'
import { keptJournal } from '../../support/journal.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { pagerSecret } from '../../support/pagers.ts'

function openDoor(outcome: HeardOutcome = 'acknowledged') {
  const clock = manualClock()
  const logger = keptJournal()
  const heard: HeardAcknowledgement[] = []
  const take = openPagerDoor({
    secret: new Secret(pagerSecret),
    clock,
    logger,
    heard: async (one) => {
      heard.push(one)
      return outcome
    },
  })
  const send = (body: string, { aheadMs = 0, secret = pagerSecret, headers = {} } = {}) => {
    const signed = headersFor(secret, { id: 'msg_1', body, nowMs: clock.nowMs() + aheadMs })
    return take(new Request('http://bot/pager', { method: 'POST', body, headers: { ...signed, ...headers } }))
  }
  return { clock, logger, heard, send }
}

const message = (data: unknown = { key: 'monbot:1', by: 'Ana' }, type = 'alert.acknowledged') =>
  JSON.stringify({ type, data })

test('an acknowledgement is heard, with the id of its message', async () => {
  const door = openDoor()
  const answer = await door.send(message())
  expect([answer.status, await answer.json()]).toEqual([200, { outcome: 'acknowledged' }])
  expect(door.heard).toEqual([{ id: 'msg_1', key: 'monbot:1', by: 'Ana' }])
})

const minute = 60_000
const refused: readonly [string, string, Parameters<ReturnType<typeof openDoor>['send']>[1], number][] = [
  ['signed with another secret', message(), { secret: `whsec_${'A'.repeat(32)}` }, 401],
  ['without a signature', message(), { headers: { 'webhook-signature': '' } }, 401],
  ['of another version', message(), { headers: { 'webhook-signature': 'v2,AAAA' } }, 401],
  ['without an id', message(), { headers: { 'webhook-id': '' } }, 401],
  ['with another id', message(), { headers: { 'webhook-id': 'msg_2' } }, 401],
  ['with another time', message(), { headers: { 'webhook-timestamp': '1' } }, 401],
  ['too old', message(), { aheadMs: -5 * minute - 1_000 }, 401],
  ['too far ahead', message(), { aheadMs: 5 * minute + 1_000 }, 401],
  ['not JSON', 'Ana has it', {}, 400],
  ['empty', '', {}, 400],
  ['of another type', message(undefined, 'alert.triggered'), {}, 400],
  ['without a key', message({ by: 'Ana' }), {}, 400],
  ['without a name', message({ key: 'monbot:1', by: ' ' }), {}, 400],
  ['with a name that is none', message({ key: 'monbot:1', by: { a: 1 } }), {}, 400],
  ['too long', message({ key: 'monbot:1', by: 'a'.repeat(100_000) }), {}, 413],
]

test.each(refused)('%s: refused with a reason', async (_, body, how, status) => {
  const door = openDoor()
  const answer = await door.send(body, how)
  expect(answer.status).toBe(status)
  expect(await answer.json()).toEqual({ error: expect.stringMatching(/./) })
  expect(door.heard).toEqual([])
})

test('just new enough, and with a second signature of an old secret', async () => {
  const door = openDoor()
  for (const aheadMs of [-5 * minute, 5 * minute])
    expect((await door.send(message(), { aheadMs })).status).toBe(200)
  const { 'webhook-signature': own = '' } = headersFor(pagerSecret, {
    id: 'msg_1',
    body: message(),
    nowMs: door.clock.nowMs(),
  })
  const both = { 'webhook-signature': `v1,AAAA ${own}` }
  expect((await door.send(message(), { headers: both })).status).toBe(200)
})

test.each([
  ['nothing', 200],
  ['repeat', 200],
  ['unknown', 404],
  ['stale', 503],
] as const)('%s is answered with %i', async (outcome, status) => {
  expect((await openDoor(outcome).send(message())).status).toBe(status)
})

test('what is refused again and again fills no log', async () => {
  const door = openDoor()
  for (let n = 0; n < 50; n += 1) await door.send('x')
  expect(door.logger.events().filter((event) => event === 'page:not_heard')).toHaveLength(1)
})
