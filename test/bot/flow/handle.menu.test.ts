/**
 * The mute menu of a card can be chosen from again, patterns mean many servers, and what failed is asked for once more by one
 * press.
 */
import { expect, test } from 'vitest'
import type { Change } from '../../../src/bot/domain/request/actions.ts'
import type { Request } from '../../../src/bot/domain/request/intent.ts'
import { renderReply } from '../../../src/bot/slack/render/replies/reply.ts'
import {
  actingOn,
  actingWorld,
  hourMs,
  minuteMs,
  muting,
  mutingAccountOver,
  unmuting,
} from '../../support/acting-world.ts'
import { anAlert, closing, letPass, opening } from '../../support/delivery-world.ts'

test('a pattern for 120 servers is asked about, muted once it is confirmed, and asked about again if one more has come', async () => {
  const alerts = Array.from({ length: 120 }, (_, n) => anAlert(`w${n}`, { hostname: `web-${n}` }))
  const world = await actingOn(...alerts)
  const asked = await world.does(muting('web-*'))
  expect(asked).toMatchObject({ kind: 'confirm', receipt: { open: 120 } })
  const late = anAlert('late', { hostname: 'web-late' })
  await world.store.commit(opening([late], 'C0OPS', world.clock.nowMs()))
  const again = await world.confirms(asked)
  expect(again).toMatchObject({ kind: 'confirm', difference: { joined: ['web-late'], left: [] } })
  expect(world.calls).toEqual([])
  const came = await world.confirms(again)
  expect(came.kind === 'muted' ? came.results.filter(({ mute }) => mute !== null) : []).toHaveLength(121)
  expect(await world.mutes()).toHaveLength(121)
})

test('a menu comes back to be chosen from again after a question, a form and a refusal, whatever becomes of them', async () => {
  const world = await actingWorld({ isRunning: true })
  await world.store.commit(opening([anAlert('1', { hostname: 'web-1' })], 'C0OPS', world.clock.nowMs()))
  const [card] = await world.store.cardsOf(['1'])
  const cardId = card?.cardId ?? ''
  const version = async () => (await world.store.cardById(cardId))?.version ?? 0
  const pressed = async () => ({ via: 'select', card: { cardId, version: await version() } }) as const
  const server = { by: 'alert', alertId: '1' } as const
  const choices = [
    [{ ...muting([]), servers: [server], end: { kind: 'unmuted' } }, 'confirm'],
    [{ kind: 'open_form', form: 'mute_server', alertId: '1', given: null }, 'form'],
    [{ ...muting([]), servers: [server], end: { kind: 'for', ms: 40 * 24 * hourMs } }, 'refused'],
  ] as const
  for (const [intent, kind] of choices) {
    const before = await version()
    await letPass(world.clock, 0)
    const looks = world.looks()
    expect(await world.does(intent, await pressed())).toMatchObject({ kind })
    await letPass(world.clock, 0)
    expect([await version(), world.looks() > looks]).toEqual([before + 1, true])
  }
  // Any other menu keeps no choice, and a form opened by a button needs none back.
  const before = await version()
  await world.does({ kind: 'open_form', form: 'add_note', alertId: '1', given: null }, await pressed())
  await world.does({ ...choices[1][0] }, { ...(await pressed()), via: 'button' })
  expect(await version()).toBe(before)
})

test('an end by the clock is by the clock of whoever typed it, and names its zone where the channels have another', async () => {
  const world = await actingWorld()
  // It is 04:00 in Berlin, the zone of whoever asks.
  const at = { kind: 'at', hour: 15, minute: 0 } as const
  const muted = await world.does(muting('web-1', { end: at }))
  expect(muted).toMatchObject({ kind: 'muted', receipt: { zone: 'Europe/Berlin' } })
  expect(renderReply(muted)?.text).toMatch(
    /^🔕 web-1 is muted until 2026-11-21 14:00 UTC \(Europe\/Berlin\) — deploying\n/,
  )
  const same = await actingWorld({ zone: 'Europe/Rome' })
  const asked = await same.does(muting(['web-1', 'web-2'], { end: at }))
  expect(asked.kind === 'confirm' && asked.receipt.zone).toBeUndefined()
  const lasting = await world.does(muting('web-2'))
  expect(lasting.kind === 'muted' && lasting.receipt.zone).toBeUndefined()
})

const ben = { userId: 'U0BEN' }
const alert = anAlert('1')
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

test.each<Change>([unmuting('web-1'), { kind: 'unmute_account' }])(
  'of an unmute ended the mute that a colleague made meanwhile: $kind',
  async (unmute) => {
    const { confirmsAgain, ...world } = await withFailure(unmute)
    world.clock.advance(minuteMs)
    await world.does(unmute.kind === 'unmute_account' ? mutingAccountOver(1) : muting('web-1'), ben)
    expect(await confirmsAgain()).toMatchObject({ kind: 'stale', changed: { what: 'extended' } })
    expect(await world.mutes()).toMatchObject([{ userId: 'U0BEN', state: 'active' }])
  },
)

/** Nothing was done of it, and it is offered once more; from then on the API is well. */
async function withFailure(change: Change, over: Partial<Request> = {}) {
  const world = await actingOn(alert)
  // An API that is away is no failure: what was decided stays, and is said once it is back.
  world.script.next = 401
  const reply = await world.does(change, over)
  world.script.next = 200
  if (reply.kind !== 'failed') throw new Error(`It was to fail; came ${JSON.stringify(reply)}`)
  const confirmsAgain = () => world.does({ kind: 'confirm', pendingId: reply.pendingId ?? '' })
  return { ...world, confirmsAgain }
}
