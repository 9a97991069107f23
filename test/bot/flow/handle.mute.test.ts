/** Mutes: what is on disk when, what is told, and how terms are replaced, extended and taken back. */
import { expect, test, vi } from 'vitest'
import { isHidden } from '../../../src/bot/domain/mute/mute.ts'
import type { Reply } from '../../../src/bot/domain/request/reply.ts'
import { renderReply } from '../../../src/bot/slack/render/replies/reply.ts'
import { muteLine } from '../../../src/bot/slack/render/text/list-lines.ts'
import {
  actingWorld,
  answers,
  hourMs,
  minuteMs,
  muting,
  showing,
  undoing,
  unmuting,
} from '../../support/acting-world.ts'
import { anAlert, opening } from '../../support/delivery-world.ts'

function as<Kind extends Reply['kind']>(reply: Reply, kind: Kind): Extract<Reply, { kind: Kind }> {
  expect(reply.kind).toBe(kind)
  return reply as Extract<Reply, { kind: Kind }>
}

test('the deadline is on disk before the API is called', async () => {
  const world = await actingWorld()
  const seen = vi.fn()
  world.script.meanwhile = async () => seen(await world.mutes())
  await world.does(muting('web-1'))
  const untilMs = world.clock.nowMs() + hourMs
  expect(seen).toHaveBeenCalledExactlyOnceWith([
    expect.objectContaining({
      subject: 'web-1',
      state: 'active',
      confirmation: 'waiting',
      untilMs,
      reason: 'deploying',
    }),
  ])
  expect(await world.mutes()).toMatchObject([{ state: 'active', untilMs, userId: 'U0ANA' }])
})

test('a mute is told in the channel it was asked in, with a marker that links to it', async () => {
  const world = await actingWorld()
  await world.does(muting('web-1'), { channel: 'C0DB' })
  const [told] = await world.store.noticesOf('change_notice')
  expect(told).toMatchObject({ channel: 'C0DB', parentId: null })
  const marker = async () => (await world.store.nextMarker(world.clock.nowMs())).job
  // The message is not there yet, so the marker waits.
  expect(await marker()).toBeNull()
  await world.store.settle(told?.cardId ?? '', { state: 'shown', shown: 1, ts: '1.1' })
  const text = 'muted web-1 until 2026-11-21 05:00 UTC by U0ANA — deploying'
  expect(await marker()).toMatchObject({ text, card: { cardId: told?.cardId } })
  const [mute] = await world.mutes()
  expect(mute).toMatchObject({ channel: 'C0DB', cardId: told?.cardId })
})

test('a mute that was asked for where no alerts go is told in the default channel', async () => {
  const world = await actingWorld()
  await world.does(muting('web-1'), { channel: 'D0ANA' })
  expect(await world.store.noticesOf('change_notice')).toMatchObject([{ channel: 'C0OPS' }])
})

test('one click on a card mutes at once, in its thread, and says what is hidden', async () => {
  const world = await actingWorld()
  const alerts = [anAlert('1', { hostname: 'web-1' }), anAlert('2', { hostname: 'web-1' })]
  await world.store.commit(opening(alerts, 'C0DB', world.clock.nowMs()))
  const change = muting('web-1', { servers: [{ by: 'alert', alertId: '1' }], end: { kind: 'healthy' } })
  const card = { cardId: 'alert:1:C0DB', version: 1 }
  const reply = as(await world.does(change, { via: 'select', card }), 'muted')
  expect(reply.receipt).toMatchObject({ open: 2, lastWeek: 2, servers: ['web-1'], mode: 'healthy' })
  expect(await world.store.noticesOf('change_notice')).toMatchObject([
    { channel: 'C0DB', parentId: card.cardId },
  ])
  expect(await world.audit()).toMatchObject([{ hostname: 'web-1', alertId: '1', via: 'select' }])
})

test('muting again replaces the terms in the one row; the undo brings the old ones back without the API', async () => {
  const world = await actingWorld()
  await world.does(muting('web-1'))
  world.clock.advance(minuteMs)
  const again = muting('web-1', { end: { kind: 'for', ms: 2 * hourMs }, reason: 'still' })
  const { results } = as(await world.does(again, { userId: 'U0BEN' }), 'muted')
  const [mute] = await world.mutes()
  expect(mute).toMatchObject({ userId: 'U0BEN', reason: 'still', previous: { userId: 'U0ANA' } })
  expect(results).toEqual([{ hostname: 'web-1', mute, failure: null }])
  expect(world.calls).toEqual(['server web-1 off', 'server web-1 off'])

  const undo = undoing(mute)
  expect(await world.does(undo)).toMatchObject({ kind: 'refused', refusal: { why: 'undo_too_late' } })
  const undone = as(await world.does(undo, { userId: 'U0BEN' }), 'undone')
  expect(undone.restored).toMatchObject({ userId: 'U0ANA', reason: 'deploying', state: 'active' })
  expect(world.calls).toHaveLength(2)
  const last = (await world.audit()).findLast(({ act }) => act === 'undo_mute')
  expect(last).toMatchObject({ outcome: 'done', detail: { mode: 'timed', reason: 'deploying' } })
})

test.each([404, 422, 401] as const)('where muting again fails (%s), the old terms stand', async (answer) => {
  const world = await actingWorld()
  await world.does(muting('web-1'))
  const [before] = await world.mutes()
  world.script.next = answer
  await world.does(muting('web-1', { end: { kind: 'for', ms: 2 * hourMs } }))
  const { muteId, untilMs, reason } = before ?? {}
  const stands = { muteId, untilMs, reason, state: 'active', confirmation: 'confirmed' }
  expect(await world.mutes()).toMatchObject([stands])
  expect(await world.store.switches()).toEqual([])
})

test('an undo within a minute ends a first mute, and a minute later it is too late', async () => {
  const world = await actingWorld()
  const { results } = as(await world.does(muting('web-1')), 'muted')
  const undo = undoing(results[0]?.mute)
  world.clock.advance(59_999)
  expect(await world.does(undo)).toEqual({ kind: 'undone', server: 'web-1', restored: null, isSure: true })
  expect(await world.mutes()).toEqual([])
  const second = as(await world.does(muting('web-1')), 'muted')
  world.clock.advance(minuteMs)
  const late = undoing(second.results[0]?.mute)
  expect(await world.does(late)).toMatchObject({ kind: 'refused', refusal: { why: 'undo_too_late' } })
  expect(await world.does(undo)).toMatchObject({
    refusal: { why: 'mute_replaced', mute: { state: 'active' } },
  })
  expect(world.calls).toEqual(['server web-1 off', 'server web-1 on', 'server web-1 off'])
})

test('an undo of a mute that is over said "is not muted" of a server that somebody else had muted since', async () => {
  const world = await actingWorld()
  const { results } = as(await world.does(muting('web-1')), 'muted')
  const undo = undoing(results[0]?.mute)
  await world.does(unmuting('web-1'), { userId: 'U0BEN' })
  expect(await world.does(undo)).toMatchObject({ refusal: { why: 'not_muted', server: 'web-1' } })
  await world.does(muting('web-1', { reason: 'bens' }), { userId: 'U0BEN' })
  const replaced = { why: 'mute_replaced', mute: { userId: 'U0BEN', reason: 'bens', state: 'active' } }
  expect(await world.does(undo)).toMatchObject({ kind: 'refused', refusal: replaced })
  expect(await world.mutes()).toMatchObject([{ userId: 'U0BEN', reason: 'bens' }])
})

test('a mute whose end the API has not confirmed is asked for again, and nobody waits for that end any more', async () => {
  const world = await actingWorld()
  await world.does(muting('web-1'))
  world.script.next = 503
  const unmuted = await world.does(unmuting('web-1'))
  expect(unmuted).toEqual({ kind: 'unmuted', server: 'web-1', isSure: false })
  const [ending] = await world.mutes()
  expect(ending).toMatchObject({ state: 'ended', confirmation: 'waiting', endedByUserId: 'U0ANA' })
  // A clear no leaves it to be ended: whether it is muted from before is not known.
  world.script.next = 422
  expect(await world.does(muting('web-1'))).toMatchObject({ kind: 'failed', isUnknown: true })
  expect(await world.mutes()).toMatchObject([{ state: 'ended', confirmation: 'waiting' }])
  expect(await world.store.switches()).toMatchObject([{ wanted: 'on' }])
  world.script.next = 200
  await world.does(muting('web-1'))
  expect(await world.mutes()).toMatchObject([{ state: 'active', confirmation: 'confirmed', endedBy: null }])
})

test('an extension is capped by the policy, and told', async () => {
  const world = await actingWorld()
  const day = 24 * hourMs
  const long = muting('web-1', { end: { kind: 'for', ms: 30 * day }, shown: showing('web-1') })
  const { results } = as(await world.does(long), 'muted')
  const extend = { kind: 'extend_mute', muteId: results[0]?.mute?.muteId ?? '', ms: hourMs } as const
  expect(await world.does(extend)).toMatchObject({ kind: 'refused', refusal: { why: 'too_long' } })
  world.clock.advance(minuteMs)
  const { mute } = as(await world.does(extend), 'extended')
  expect(mute.untilMs).toBe(world.clock.nowMs() + 30 * day)
  expect(await world.store.noticesOf('change_notice')).toHaveLength(2)
})

test('a time is one of the asker’s zone, and without the zone nothing is done', async () => {
  const at = muting('web-1', { end: { kind: 'at', hour: 15, minute: 0 } })
  const world = await actingWorld()
  await world.does(at)
  expect(await world.mutes()).toMatchObject([{ untilMs: Date.UTC(2026, 10, 21, 14, 0, 0) }])

  const zoneOf = async () => Promise.reject(answers['time-out'])
  const lost = await actingWorld({
    directory: {
      zoneOf,
      nameOf: zoneOf,
      membersOf: async () => new Set(),
      personIs: async () => 'person' as const,
    },
  })
  expect(await lost.does(at)).toMatchObject({ kind: 'failed', isUnknown: false })
  expect(lost.calls).toEqual([])
  expect(await lost.audit()).toMatchObject([{ outcome: 'failed', why: 'unreachable' }])
  // A duration needs no zone.
  expect(await lost.does(muting('web-1'))).toMatchObject({ kind: 'muted' })
})

test('unmuting what monbot did not mute switches it on all the same: somebody may have muted it elsewhere', async () => {
  const world = await actingWorld()
  const reply = await world.does(unmuting('web-1'))
  expect(renderReply(reply)?.text).toBe('🔔 web-1 is not muted. Notifications are on.')
  expect(world.calls).toEqual(['server web-1 on'])
})

test('everybody was told of a mute with the very terms that it had', async () => {
  const world = await actingWorld()
  const until = muting('web-1', { end: { kind: 'at', hour: 15, minute: 0 } })
  await world.does(until)
  const before = await world.mutes()
  expect(await world.does(until)).toMatchObject({ kind: 'muted' })
  expect(await world.mutes()).toEqual(before)
  expect(await world.store.noticesOf('change_notice')).toHaveLength(1)
  expect(await world.audit()).toMatchObject([{ outcome: 'done' }, { outcome: 'nothing', why: 'already' }])
  // It may have been unmuted elsewhere.
  expect(world.calls).toEqual(['server web-1 off', 'server web-1 off'])
})

test.each(['unmute_server', 'unmute_account'] as const)(
  'everybody was told by %s that what was not muted was unmuted',
  async (kind) => {
    const world = await actingWorld()
    const server = { by: 'name', name: 'web-1' } as const
    const unmute = kind === 'unmute_server' ? ({ kind, server } as const) : ({ kind } as const)
    expect(await world.does(unmute)).toMatchObject({ kind: 'unmuted', wasMuted: false })
    expect(await world.store.noticesOf('change_notice')).toEqual([])
    expect((await world.store.nextMarker(world.clock.nowMs())).job).toBeNull()
    expect(await world.audit()).toMatchObject([{ act: kind, outcome: 'nothing', why: 'not_muted' }])
    world.script.next = 'time-out'
    const lost = renderReply(await world.does(unmute))?.text
    expect(lost).toContain('still trying')
    expect(await world.audit()).toMatchObject([{ outcome: 'nothing' }, { outcome: 'unknown' }])
  },
)

test.each([404, 422] as const)(
  'a mute that failed by %s left “Muted by @ana · ending…” on the card, and hid what came',
  async (answer) => {
    const world = await actingWorld()
    await world.store.commit(opening([anAlert('1', { hostname: 'web-1' })], 'C0OPS', world.clock.nowMs()))
    world.script.next = answer
    await world.does(muting('web-1'))
    expect(await world.mutes()).toEqual([])
    const job = await world.store.nextJob('C0OPS', world.clock.nowMs(), ['post'])
    expect(job?.view).toMatchObject({ kind: 'alert', mute: null })
  },
)

test.each([503, 'time-out'] as const)(
  'a mute that the API answered by %s holds in Slack, says that it is not confirmed, and can be taken back',
  async (answer) => {
    const world = await actingWorld()
    await world.store.commit(opening([anAlert('1', { hostname: 'web-1' })], 'C0OPS', world.clock.nowMs()))
    world.script.next = answer
    const reply = as(await world.does(muting('web-1')), 'muted')
    const said = renderReply(reply)
    expect(said?.text).toMatch(
      /^🔕 web-1 is muted in Slack until .*\nThe monitoring API has not confirmed it yet; still trying\./,
    )
    expect(JSON.stringify(said?.blocks)).toContain('Undo (within 1 min)')
    const [mute] = await world.mutes()
    if (mute === undefined) throw new Error('it was just there')
    expect(mute).toMatchObject({ state: 'active', confirmation: 'waiting' })
    expect(isHidden(anAlert('1', { hostname: 'web-1' }), [mute])).toBe(true)
    expect(muteLine(mute)).toContain('not confirmed by the monitoring API yet')
    // Nobody else hears of it before the API has confirmed it.
    expect(await world.store.noticesOf('change_notice')).toEqual([])
    expect(await world.audit()).toMatchObject([{ outcome: 'unknown', why: 'unreachable' }])
    world.script.next = 200
    expect(await world.does(undoing(mute))).toMatchObject({ kind: 'undone', isSure: true })
    expect(await world.mutes()).toEqual([])
  },
)
