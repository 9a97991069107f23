/** What failed is asked for once more by one press, later on: what has changed meanwhile was never shown, and is not obeyed. */
import { expect, test } from 'vitest'
import type { Change } from '../../src/domain/request/actions.ts'
import type { Request } from '../../src/domain/request/intent.ts'
import { actingWorld, hourMs, minuteMs, muting, showing } from '../support/acting-world.ts'
import { anAlert, closing, opening } from '../support/delivery-world.ts'

const ben = { userId: 'U0BEN' }
const alert = anAlert('1')
const account = {
  kind: 'mute_account',
  end: { kind: 'for', ms: hourMs },
  reason: 'moving',
  shown: showing(),
} as const

const ofAlert: Change = { ...muting('web-1'), servers: [{ by: 'alert', alertId: '1' }] }
const onCard = { via: 'select', card: { cardId: 'alert:1:C0OPS', version: 1 } } as const

test('Try again of a mute from a card whose alert has closed meanwhile muted the healthy server', async () => {
  const { confirmsAgain, ...world } = await withFailure(ofAlert, onCard)
  world.clock.advance(5 * minuteMs)
  await world.store.commit(closing(alert, world.clock.nowMs()))
  const calls = world.calls.length
  expect(await confirmsAgain()).toMatchObject({ kind: 'stale', changed: { what: 'closed' } })
  expect(world.calls).toHaveLength(calls)
})

test('Try again of a mute whose alert is still open mutes it', async () => {
  const { confirmsAgain, mutes } = await withFailure(ofAlert, onCard)
  expect(await confirmsAgain()).toMatchObject({ kind: 'muted' })
  expect(await mutes()).toMatchObject([{ state: 'active' }])
})

test.each<Change>([
  { kind: 'unmute_server', server: { by: 'name', name: 'web-1' } },
  { kind: 'unmute_account' },
])('of an unmute ended the mute that a colleague made meanwhile: $kind', async (unmute) => {
  const { confirmsAgain, ...world } = await withFailure(unmute)
  world.clock.advance(minuteMs)
  await world.does(unmute.kind === 'unmute_account' ? account : muting('web-1'), ben)
  expect(await confirmsAgain()).toMatchObject({ kind: 'stale', changed: { what: 'extended' } })
  expect(await world.mutes()).toMatchObject([{ userId: 'U0BEN', state: 'active' }])
})

/** Nothing was done of it, and it is offered once more; from then on the API is well. */
async function withFailure(change: Change, over: Partial<Request> = {}) {
  const world = await actingWorld()
  await world.store.commit(opening([alert], 'C0OPS', world.clock.nowMs()))
  world.script.next = 'refused'
  const reply = await world.does(change, over)
  world.script.next = 200
  if (reply.kind !== 'failed') throw new Error(`It was to fail; came ${JSON.stringify(reply)}`)
  const confirmsAgain = () => world.does({ kind: 'confirm', pendingId: reply.pendingId ?? '' })
  return { ...world, confirmsAgain }
}
