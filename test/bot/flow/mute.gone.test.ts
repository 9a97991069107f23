/** Ends of mutes that were taken for done without evidence: each test is the sentence of a bug. */
import { describe, expect, test } from 'vitest'
import { render } from '../../../src/bot/slack/render/render.ts'
import { renderReply } from '../../../src/bot/slack/render/replies/reply.ts'
import { actingWorld, minuteMs, muting, showing, undoing, unmuting } from '../../support/acting-world.ts'
import { letPass } from '../../support/delivery-world.ts'
import { type ExpiryWorld, runningWorld } from '../../support/expiry-world.ts'
import { cards } from '../../support/poll-world.ts'

async function dueTown(hostname: string | null = 'web-1'): Promise<ExpiryWorld & { muteId: string }> {
  const town = await runningWorld()
  const { muteId } = await town.mute(hostname, 5)
  await town.pass(4)
  return { ...town, muteId }
}

const ended = async (town: ExpiryWorld) =>
  (await cards(town)).map(({ view }) => view).filter(({ kind }) => kind === 'mute_ended')

test('a single 404 at the deadline counted as unmuted', async () => {
  const town = await dueTown()
  town.fails('missing', 404)
  await town.pass(2)
  town.fails(null)
  expect(await town.store.muteById(town.muteId)).toMatchObject({ state: 'ended', confirmation: 'waiting' })
  expect(await ended(town)).toEqual([])
  await town.pass(2)
  expect(await town.store.muteById(town.muteId)).toMatchObject({ state: 'ended', endedBy: 'deadline' })
  expect(town.calls.slice(1)).toContain('web-1 on')
})

test('a server that the API does not know was said to have its notifications on again', async () => {
  const town = await dueTown()
  town.fails('missing', 404)
  await town.pass(3)
  expect(await town.store.muteById(town.muteId)).toMatchObject({ state: 'ended', endedBy: 'gone' })
  const [view, ...others] = await ended(town)
  expect(others).toEqual([])
  if (view?.kind !== 'mute_ended') throw new Error('its end was to be told')
  const { text } = render({ ...view, rest: [] } as Parameters<typeof render>[0])
  expect(text).toContain('the monitoring API does not know web-1 any more')
  expect(text).not.toContain('on again')
  expect(await town.audit()).toEqual(['end_mute failed', 'end_mute unknown'])
  const { job } = await town.store.nextMarker(town.clock.nowMs())
  expect(job?.text).toBe('unmuted web-1 (the monitoring does not know it any more) — deploying')
  // It may turn up again: it is tried a little longer, quietly.
  const before = town.calls.length
  town.fails(null)
  await town.pass(40)
  expect(town.calls.slice(before)).toEqual(['web-1 on', 'web-1 on', 'web-1 on'])
})

describe.each([
  ['while nothing could be read', 'missing', 'web-1', true],
  ['of the account', 'missing', null, false],
  ['whose words were not those of the API', 'unreachable', 'web-1', false],
  ['that was a 410', 'rejected', 'web-1', false],
  ['of a refused key', 'forbidden', 'web-1', false],
] as const)('an answer %s', (_, kind, hostname, outage) => {
  test('ended a mute for good', async () => {
    const town = await dueTown(hostname)
    town.fails(kind, 404)
    await town.pass(30, { outage })
    expect(await town.store.muteById(town.muteId)).toMatchObject({ state: 'ended', confirmation: 'stuck' })
    // Everyone was told once that it does not end.
    const views = (await cards(town)).map(({ view }) => view)
    expect(views).toMatchObject([{ kind: 'notice', topic: 'change_notice', entry: { act: 'end_mute' } }])
    town.fails(null)
    await town.pass(2)
    expect(await town.store.muteById(town.muteId)).toMatchObject({ state: 'ended', endedBy: 'deadline' })
    const on = `${hostname ?? 'account'} on`
    expect(town.calls.at(-1)).toBe(on)
  })
})

test('a 404 to a person who unmutes counted as unmuted', async () => {
  const world = await actingWorld()
  await world.does(muting('web-1'))
  world.script.next = 404
  const reply = await world.does(unmuting('web-1'))
  expect(renderReply(reply)?.text).toContain("Couldn't confirm it yet")
  expect(await world.mutes()).toMatchObject([
    { state: 'ended', confirmation: 'waiting', endedByUserId: 'U0ANA' },
  ])
})

test('a 404 to an undo counted as unmuted', async () => {
  const world = await actingWorld()
  await world.does(muting('web-1'))
  const [mute] = await world.mutes()
  world.script.next = 404
  const undone = await world.does(undoing(mute))
  expect(undone).toMatchObject({ kind: 'undone', isSure: false })
  expect(await world.mutes()).toMatchObject([{ state: 'ended', confirmation: 'waiting' }])
})

test('one server that the API does not know left the other unmutes to be told one by one', async () => {
  const world = await actingWorld()
  const three = ['web-1', 'web-2', 'web-3']
  await world.does(muting(three, { shown: showing(...three) }))
  world.script.answerTo = (call) => (call.includes('web-1') ? 404 : 200)
  const reply = await world.does(unmuting('web-1', 'web-2', 'web-3'))
  expect(reply).toMatchObject({ kind: 'unmuted', isSure: false })
  expect(await world.mutes()).toMatchObject([{ subject: 'web-1', state: 'ended', confirmation: 'waiting' }])
})

test('a server that was deleted here kept its mute, which nobody could end', async () => {
  const world = await actingWorld({ isRunning: true })
  await letPass(world.clock, minuteMs)
  await world.does(muting('web-1'))
  const [mute] = await world.mutes()
  world.script.answerTo = (call) => (call === 'server web-1 on' ? 404 : 200)
  expect(await world.does({ kind: 'delete_server', server: 'web-1', typed: 'web-1' })).toMatchObject({
    kind: 'done',
  })
  expect(await world.mutes()).toEqual([])
  expect(await world.store.muteById(mute?.muteId ?? '')).toMatchObject({ state: 'ended', endedBy: 'gone' })
  const last = (await world.audit()).at(-1)
  expect(last).toMatchObject({
    act: 'end_mute',
    hostname: 'web-1',
    outcome: 'unknown',
    why: 'unknown_server',
  })
})
