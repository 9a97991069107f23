/**
 * What concerns everybody is told to everybody: a mute of the account or of several servers, its changes and its end; and what
 * was done to several servers at once stands once in the audit and in the handoff.
 */
import { expect, test } from 'vitest'
import type { AuditEntry } from '../../../src/bot/domain/request/audit.ts'
import { tellHandoff } from '../../../src/bot/flow/queries/overviews.ts'
import {
  actingWorld,
  hourMs,
  minuteMs,
  muting,
  mutingAccountOver,
  showing,
  undoing,
  unmuting,
} from '../../support/acting-world.ts'
import { anAlert, closing, letPass, opening } from '../../support/delivery-world.ts'
import { well } from '../slack/answers.ts'

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
      ...(await world.store.noticesOf('change_notice')),
      ...(await world.store.cardsOfKind('mute_ended')),
    ]
    const lines = cards.map(async ({ kind, topic, channel, parentId, subjectId }) => {
      const row = topic !== null ? await world.store.auditById(subjectId ?? '') : null
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

const onGreenCard = { via: 'modal', card: { cardId: 'alert:1:C0OPS', version: 9 } } as const

test('a mute of the account stood in the thread of a green card', async () => {
  const world = await town()
  expect(await world.does(mutingAccountOver(2), onGreenCard)).toMatchObject({ kind: 'account_muted' })
  const begun = ['mute_account C0DB alone', 'mute_account C0OPS alone']
  expect(await world.told()).toEqual(begun)
  await world.does({ kind: 'unmute_account' }, { channel: 'C0NET' })
  expect(await world.told()).toEqual([...begun, 'unmute_account C0DB alone', 'unmute_account C0OPS alone'])
})

test('that it is over by its time is told where it was begun, with what is still open', async () => {
  const world = await town()
  await world.does(mutingAccountOver(2), onGreenCard)
  await world.ended()
  expect((await world.told()).filter((line) => line.startsWith('mute_ended'))).toEqual([
    'mute_ended C0DB alone',
    'mute_ended C0OPS alone',
  ])
})

test('a longer mute of the account is told where it was begun', async () => {
  const world = await town()
  await world.does(mutingAccountOver(2), onGreenCard)
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
  await world.confirms(asked, { via: 'button' })
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
    return world.confirms(asked, { via: 'button' })
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
  await world.does(unmuting('db-1', 'web-1'))
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

type World = Awaited<ReturnType<typeof actingWorld>>

const listed = ({ act, hostname, outcome, detail }: AuditEntry) =>
  `${act} ${hostname ?? detail.names?.join(',') ?? ''} ${outcome}`

async function done({ store, clock }: World): Promise<readonly string[]> {
  const reply = await tellHandoff({ ms: 12 * 3_600_000 }, { store, clock, health: () => well() })
  if (reply.kind !== 'answer' || reply.answer.kind !== 'handoff') throw new Error('a handoff was asked for')
  return reply.answer.handoff.done.map(listed).toReversed()
}

async function auditOf({ store }: World, hostname: string): Promise<readonly string[]> {
  const { entries } = await store.audit({ hostname, sinceMs: 0, offset: 0, limit: 10 })
  return entries.map(listed).toReversed()
}

const three = ['web-1', 'web-2', 'web-3']
const mute = muting(three, { shown: showing(...three) })

test('A mute of several servers, its undo, and their unmute are counted once each', async () => {
  const world = await actingWorld()
  const came = await world.does(mute)
  if (came.kind !== 'muted') throw new Error('they are muted')
  await world.does({ ...undoing(came.results[0]?.mute), auditId: came.auditId ?? '' })
  await world.does(mute)
  await world.does(unmuting('web-1', 'web-2', 'web-3'))
  const names = 'web-1,web-2,web-3 done'
  const rows = ['mute_server', 'undo_mute', 'mute_server', 'unmute_server'].map((act) => `${act} ${names}`)
  expect(await done(world)).toEqual(rows)
  expect((await world.audit()).map(listed)).toEqual(rows)
  expect((await world.store.audit({ hostname: null, sinceMs: 0, offset: 1, limit: 2 })).total).toBe(4)
  for (const name of three) {
    expect(await auditOf(world, name)).toEqual(rows.map((row) => row.replace(/ .* /, ` ${name} `)))
  }
})

test('One of several that failed stands for itself beside those that were muted', async () => {
  const world = await actingWorld()
  world.script.answerTo = (call) => (call.includes('web-2') ? 422 : 200)
  await world.does(mute)
  expect((await world.audit()).map(listed).toSorted()).toEqual([
    'mute_server web-1,web-3 done',
    'mute_server web-2 failed',
  ])
})
