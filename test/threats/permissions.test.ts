/** A permission that is lost between being asked and answering: what was allowed to be asked is refused when it is confirmed. */
import { describe, expect, test } from 'vitest'
import type { Mute } from '../../src/bot/domain/mute/mute.ts'
import { actions, type Change } from '../../src/bot/domain/request/actions.ts'
import type { Audience, Permissions } from '../../src/bot/domain/request/authorise.ts'
import type { Intent } from '../../src/bot/domain/request/intent.ts'
import { actingWorld, hourMs, muting, undoing } from '../support/acting-world.ts'
import { everyone } from '../support/bot-in-memory.ts'
import { anAlert, opening } from '../support/delivery-world.ts'

/** A policy that names a group, from which somebody can be taken. */
async function groupWorld(first: Audience = ['S0OPS']) {
  const group = new Set(['U0ANA'])
  const permissions = Object.fromEntries(
    Object.keys(everyone).map((permission) => [permission, first]),
  ) as Permissions
  const world = await actingWorld({
    permissions,
    directory: {
      personIs: async () => 'person' as const,
      zoneOf: async () => 'Etc/UTC',
      nameOf: async (userId: string) => userId,
      membersOf: async () => new Set(group),
    },
  })
  await world.store.commit(opening([anAlert('1', { hostname: 'web-1' })], 'C0OPS', world.clock.nowMs()))
  return { ...world, leave: () => group.delete('U0ANA') }
}

const wide: Readonly<Record<string, Change>> = {
  'a mute of several servers': muting(['web-1', 'web-2']),
  'a mute of a glob': muting('web-*'),
  'a long mute': muting('web-1', { end: { kind: 'for', ms: 48 * hourMs } }),
  'a mute without an end': muting('web-1', { end: { kind: 'unmuted' } }),
}

describe.each(Object.entries(wide))('%s', (_, change) => {
  test('is not done for who may no longer, and the question is gone for good', async () => {
    const world = await groupWorld()
    const asked = await world.does(change)
    if (asked.kind !== 'confirm') throw new Error(`it was not asked for confirmation: ${asked.kind}`)
    world.leave()
    const confirm: Intent = { kind: 'confirm', pendingId: asked.pendingId }
    expect(await world.does(confirm, { via: 'button' })).toMatchObject({
      kind: 'refused',
      refusal: { why: 'not_permitted', act: change.kind },
    })
    expect(world.calls).toEqual([])
    expect(await world.mutes()).toEqual([])
    expect((await world.audit()).map(({ act, outcome }) => `${act} ${outcome}`)).toEqual([
      `${change.kind} refused`,
    ])
    expect((await world.does(confirm, { via: 'button' })).kind).not.toBe('muted')
    expect(world.calls).toEqual([])
  })

  test('is not confirmed by somebody else, whoever they are', async () => {
    const world = await groupWorld('everyone')
    const asked = await world.does(change)
    if (asked.kind !== 'confirm') throw new Error(`it was not asked for confirmation: ${asked.kind}`)
    const reply = await world.does(
      { kind: 'confirm', pendingId: asked.pendingId },
      { userId: 'U0BEN', via: 'button' },
    )
    expect(reply).toMatchObject({ kind: 'refused', refusal: { why: 'pending_gone' } })
    expect(world.calls).toEqual([])
  })
})

test('a form that was opened with the permission is refused when it is sent without it', async () => {
  const world = await groupWorld()
  const given = { end: { kind: 'for', ms: hourMs }, reason: 'moving' } as const
  const mute: Change = { kind: 'mute_account', ...given, shown: null }
  expect((await world.does(mute)).kind).toBe('form')
  world.leave()
  const sent = await world.does({ ...mute, shown: { servers: [], open: 0, mutes: [] } }, { via: 'modal' })
  expect(sent).toMatchObject({ kind: 'refused', refusal: { why: 'not_permitted', act: 'mute_account' } })
  expect(world.calls).toEqual([])
  expect(await world.mutes()).toEqual([])
})

/** What a card or an answer offers of a mute that is there. */
const offered = {
  unmute_server: () => ({ kind: 'unmute_server', server: { by: 'name', name: 'web-1' } }),
  extend_mute: (mute) => ({ kind: 'extend_mute', muteId: mute?.muteId ?? '', ms: hourMs }),
  undo_mute: undoing,
} as const satisfies Record<string, (mute: Mute | undefined) => Change>

test.each(Object.entries(offered))(
  '%s of a mute of one’s own is refused by whoever lost the permission since',
  async (kind, change) => {
    const world = await groupWorld()
    expect((await world.does(muting('web-1'))).kind).toBe('muted')
    const [mute] = await world.mutes()
    const calls = world.calls.length
    world.leave()
    expect(await world.does(change(mute), { via: 'button' })).toMatchObject({
      kind: 'refused',
      refusal: { why: 'not_permitted' },
    })
    expect(world.calls).toHaveLength(calls)
    expect(await world.mutes()).toMatchObject([{ state: 'active' }])
    expect((await world.audit()).at(-1)).toMatchObject({ act: kind, outcome: 'refused' })
  },
)

test('every change has a permission that guards it', () => {
  expect(new Set(Object.values(actions).map(({ guard }) => guard))).toEqual(new Set(Object.keys(everyone)))
})
