/** What concerns everybody is told to everybody: a mute of the account or of several servers, its changes and its end. */
import { expect, test } from 'vitest'
import type { Reply } from '../../src/domain/request/reply.ts'
import { actingWorld, hourMs, minuteMs, muting, showing } from '../support/acting-world.ts'
import { anAlert, closing, letPass, opening } from '../support/delivery-world.ts'

const accountMute = {
  kind: 'mute_account',
  end: { kind: 'for', ms: hourMs },
  reason: 'moving',
  shown: showing(),
} as const

/** web-1 is over in C0OPS and open in C0DB, db-1 is open in C0DB, and nothing ever was in C0NET. */
async function town() {
  const world = await actingWorld({ isRunning: true })
  const nowMs = world.clock.nowMs()
  const over = anAlert('1', { hostname: 'web-1' })
  await world.store.commit(opening([over], 'C0OPS', nowMs))
  await world.store.commit(closing(over, nowMs))
  const open = [anAlert('2', { hostname: 'web-1' }), anAlert('3', { hostname: 'db-1' })]
  await world.store.commit(opening(open, 'C0DB', nowMs))
  /** `act channel parent` of all that was told. */
  const told = async () => {
    const cards = [
      ...(await world.store.cardsOfKind('told')),
      ...(await world.store.cardsOfKind('mute_ended')),
    ]
    const lines = cards.map(async ({ kind, channel, parentId, subjectId }) => {
      const row = kind === 'told' ? await world.store.auditById(subjectId ?? '') : null
      return `${row?.act ?? kind} ${channel} ${parentId ?? 'alone'}`
    })
    return (await Promise.all(lines)).toSorted()
  }
  const ended = async () => {
    // What is open stays so: nothing can be read that says otherwise.
    world.script.isAway = true
    await letPass(world.clock, hourMs + minuteMs)
    expect(await world.mutes()).toEqual([])
  }
  return { ...world, told, ended }
}

function pendingOf(reply: Reply): string {
  if (reply.kind !== 'confirm') throw new Error(`a receipt was expected; came ${reply.kind}`)
  return reply.pendingId
}

const onGreenCard = { via: 'modal', card: { cardId: 'alert:1:C0OPS', version: 9 } } as const

test('a mute of the account stood in the thread of a green card', async () => {
  const world = await town()
  expect(await world.does(accountMute, onGreenCard)).toMatchObject({ kind: 'account_muted' })
  const begun = ['mute_account C0DB alone', 'mute_account C0OPS alone']
  expect(await world.told()).toEqual(begun)
  await world.does({ kind: 'unmute_account' }, { channel: 'C0NET' })
  expect(await world.told()).toEqual([...begun, 'unmute_account C0DB alone', 'unmute_account C0OPS alone'])
})

test('that it is over by its time is told where it was begun, with what is still open', async () => {
  const world = await town()
  await world.does(accountMute, onGreenCard)
  await world.ended()
  expect((await world.told()).filter((line) => line.startsWith('mute_ended'))).toEqual([
    'mute_ended C0DB alone',
    'mute_ended C0OPS alone',
  ])
})

test('a longer mute of the account is told where it was begun', async () => {
  const world = await town()
  await world.does(accountMute, onGreenCard)
  const [mute] = await world.mutes()
  await world.does({ kind: 'extend_mute', muteId: mute?.muteId ?? '', ms: hourMs })
  expect((await world.told()).filter((line) => line.startsWith('extend_mute'))).toEqual([
    'extend_mute C0DB alone',
    'extend_mute C0OPS alone',
  ])
})

test('a mute of several servers is told where it was asked and where it hides something; so is its end, once for all', async () => {
  const world = await town()
  const asked = await world.does(muting(['db-1', 'web-1']))
  await world.does({ kind: 'confirm', pendingId: pendingOf(asked) }, { via: 'button' })
  expect(await world.told()).toEqual(['mute_server C0DB alone', 'mute_server C0OPS alone'])
  await world.ended()
  expect((await world.told()).filter((line) => line.startsWith('end_mute'))).toEqual([
    'end_mute C0DB alone',
    'end_mute C0OPS alone',
  ])
  expect((await world.told()).filter((line) => line.startsWith('mute_ended'))).toEqual([])
})

test('unmuted together by hand, and undone together, they are told where the mute was', async () => {
  const world = await town()
  const mute = async () => {
    const asked = await world.does(muting(['db-1', 'web-1']))
    return world.does({ kind: 'confirm', pendingId: pendingOf(asked) }, { via: 'button' })
  }
  const first = await mute()
  if (first.kind !== 'muted') throw new Error('they are muted')
  const [one] = await world.mutes()
  const undo = {
    kind: 'undo_mute',
    muteId: one?.muteId ?? '',
    termsMs: 0,
    auditId: first.auditId ?? '',
  } as const
  expect(await world.does(undo)).toMatchObject({ kind: 'undone' })
  expect((await world.told()).filter((line) => line.startsWith('undo_mute'))).toEqual([
    'undo_mute C0DB alone',
    'undo_mute C0OPS alone',
  ])
  await mute()
  const servers = ['db-1', 'web-1'].map((name) => ({ by: 'name', name }) as const)
  const [server] = servers
  if (server === undefined) throw new Error('there are two')
  await world.does({ kind: 'unmute_server', server, servers })
  expect((await world.told()).filter((line) => line.startsWith('unmute_server'))).toEqual([
    'unmute_server C0DB alone',
    'unmute_server C0OPS alone',
  ])
})

test('a mute of one server asked for below its green card is told where something of it is open', async () => {
  const world = await town()
  await world.does(muting('web-1'), { ...onGreenCard, via: 'modal' })
  expect(await world.told()).toEqual(['mute_server C0DB alert:2:C0DB'])
})
