/**
 * The process dies, or the disk fails, at each step of a change to a mute: the row that is left says what is to be done, and
 * nothing is lost.
 */
import { describe, expect, test, vi } from 'vitest'
import { type MuteStanding, standingOf } from '../../../src/bot/domain/mute/mute.ts'
import type { OpenStore } from '../../../src/bot/store/open/open-store.ts'
import { StoreError } from '../../../src/bot/store/open/store-error.ts'
import { actingWorld, hourMs, muting, mutingAccount, undoing, unmuting } from '../../support/acting-world.ts'
import { letPass } from '../../support/delivery-world.ts'
import { memoryStore, mortal } from '../../support/memory-store.ts'
import { manyAlerts } from '../../support/storm-rows.ts'
import { stormWorld } from '../../support/storm-world.ts'

/** Dies before the commit with this number (from 0), or while the API is being asked. */
type Death = { readonly commits: number } | { readonly inCall: true }

async function crashing(death: Death, before: 'nothing' | 'muted', act: 'mute' | 'unmute') {
  const store = await memoryStore()
  if (before === 'muted') await (await actingWorld({ store })).does(muting('web-1'))
  let commitsLeft = 'commits' in death ? death.commits : Number.POSITIVE_INFINITY
  const { life, wrapped } = mortal(store, (name) => name === 'commit' && commitsLeft-- <= 0)
  const world = await actingWorld({ store, wrap: () => wrapped })
  if ('inCall' in death) {
    world.script.meanwhile = async () => {
      life.isOver = true
    }
  }
  const change =
    act === 'mute' ? muting('web-1', { end: { kind: 'for', ms: 2 * hourMs } }) : unmuting('web-1')
  const reply = await world.does(change)
  return { reply, calls: world.calls, left: (await store.mutes()).mutes, store }
}

const cases: [string, Death, 'nothing' | 'muted', 'mute' | 'unmute', MuteStanding | null, number][] = [
  ['before the deadline is on disk', { commits: 0 }, 'nothing', 'mute', null, 0],
  ['while the API is asked to mute', { inCall: true }, 'nothing', 'mute', 'asked', 1],
  ['before the mute is confirmed on disk', { commits: 1 }, 'nothing', 'mute', 'asked', 1],
  ['before the new terms are on disk', { commits: 0 }, 'muted', 'mute', 'active', 0],
  ['while the API is asked to mute again', { inCall: true }, 'muted', 'mute', 'asked', 1],
  ['before the end is on disk', { commits: 0 }, 'muted', 'unmute', 'active', 0],
  ['while the API is asked to unmute', { inCall: true }, 'muted', 'unmute', 'ending', 1],
  ['before the end is confirmed on disk', { commits: 1 }, 'muted', 'unmute', 'ending', 1],
]

describe('a crash', () => {
  test.each(cases)('%s', async (_, death, before, act, state, calls) => {
    const crashed = await crashing(death, before, act)
    expect(crashed.reply.kind).toBe('broken')
    expect(crashed.calls).toHaveLength(calls)
    // One row at most, and never none where the API may have been asked.
    expect(crashed.left.map(standingOf)).toEqual(state === null ? [] : [state])
    if (state === 'active') expect(crashed.left[0]?.untilMs).not.toBeNull()
  })

  test('leaves a row that the next process can go on with', async () => {
    const { store, left } = await crashing({ inCall: true }, 'nothing', 'mute')
    const next = await actingWorld({ store })
    expect(await next.does(muting('web-1'))).toMatchObject({ kind: 'muted' })
    expect(await next.mutes()).toMatchObject([{ muteId: left[0]?.muteId, state: 'active' }])
  })
})

test('a fault that is no crash wakes whoever takes the mute back, and is told, logged and audited with one id', async () => {
  const world = await actingWorld({ isRunning: true })
  await letPass(world.clock, 0)
  const looks = world.looks()
  // The one that takes over finds an API that is slow.
  const slow = Promise.withResolvers<void>()
  let calls = 0
  world.script.meanwhile = () => {
    calls += 1
    return calls === 1 ? Promise.reject(new Error('a bug')) : slow.promise
  }
  const reply = await world.does(muting('web-1'))
  const errorId = reply.kind === 'broken' ? reply.errorId : ''
  expect(world.logger.entries.filter(({ level }) => level === 'error')).toMatchObject([
    { level: 'error', event: 'request:broken', facts: { errorId, intent: 'mute_server' } },
  ])
  expect(await world.audit()).toMatchObject([{ auditId: errorId, outcome: 'unknown', why: 'broken' }])
  expect(await world.mutes()).toMatchObject([{ state: 'active', confirmation: 'waiting' }])
  await letPass(world.clock, 0)
  expect(world.looks()).toBeGreaterThan(looks)
  slow.resolve()
})

describe('a crash in the middle of ending several mutes left servers unmuted of which nobody was told', () => {
  // More than are written down at once.
  const alerts = manyAlerts(60)
  const names = alerts.map(({ hostname }) => hostname)
  test.each(['undo', 'unmute'])('%s', async (how) => {
    const store = await memoryStore()
    const { life, wrapped } = mortal(store)
    const world = await stormWorld(alerts, { store, wrap: () => wrapped })
    const { came: muted } = await world.mutesForAnHour()
    if (muted.kind !== 'muted') throw new Error('they are muted')
    let calls = 0
    world.script.meanwhile = async () => {
      calls += 1
      if (calls !== 55) return
      // What was answered before it is written meanwhile.
      await vi.waitFor(async () => expect((await store.mutes()).mutes.length).toBeLessThan(60))
      life.isOver = true
    }
    const undo = { ...undoing(muted.results[0]?.mute), auditId: muted.auditId ?? '' }
    await world.does(how === 'undo' ? undo : unmuting(...names))
    const left = (await store.mutes()).mutes.map(({ subject: hostname }) => hostname)
    const cards = await store.noticesOf('change_notice')
    // In each channel that it concerns.
    const told = await Promise.all(
      [...new Set(cards.map(({ subjectId }) => subjectId ?? ''))].map(store.auditById),
    )
    const over = told.flatMap((entry) => (entry?.act === 'mute_server' ? [] : (entry?.detail.names ?? [])))
    expect(left.length).toBeLessThan(60)
    expect([...left, ...over].toSorted()).toEqual(names.toSorted())
  })
})

/** Full after so many commits. */
async function fullAfter(commits: number, store?: OpenStore) {
  const own = store ?? (await memoryStore())
  let left = commits
  const commit: OpenStore['commit'] = async (plan) => {
    if (left-- <= 0) throw new StoreError('The database is on a disk that is full.', 'SQLITE_FULL')
    return own.commit(plan)
  }
  return actingWorld({ store: own, wrap: (under) => ({ ...under, commit }) })
}

const told = { kind: 'broken', isDatabaseError: true, mayBeDone: true }

test.each([
  ['a server', muting('web-1'), 'server web-1'],
  ['the account', mutingAccount, 'account'],
])(
  'a mute of %s whose commit fails is taken back at the API at once, and its row says so to the next start',
  async (_, mute, what) => {
    const world = await fullAfter(1)
    expect(await world.does(mute)).toMatchObject(told)
    expect(world.calls).toEqual([`${what} off`, `${what} on`])
    expect(await world.mutes()).toMatchObject([{ state: 'active', confirmation: 'waiting' }])
  },
)

test('it is not taken back where the old one holds: its deadline is on disk', async () => {
  const store = await memoryStore()
  await (await actingWorld({ store })).does(muting('web-1'))
  const world = await fullAfter(1, store)
  expect(await world.does(muting('web-1', { end: { kind: 'for', ms: 2 * hourMs } }))).toMatchObject(told)
  expect(world.calls).toEqual(['server web-1 off'])
  expect(await world.mutes()).toMatchObject([{ state: 'active', previous: { mode: 'timed' } }])
})

test('what cannot even be asked for is not asked of the API', async () => {
  const world = await fullAfter(0)
  expect(await world.does(muting('web-1'))).toMatchObject(told)
  expect(world.calls).toEqual([])
})

test('who takes it back and cannot reach the API either, passes on that the disk is full', async () => {
  const world = await fullAfter(1)
  world.script.answerTo = (call) => (call.endsWith(' on') ? 503 : undefined)
  expect(await world.does(muting('web-1'))).toMatchObject(told)
  expect(world.logger.entries.filter(({ level }) => level !== 'debug')).toMatchObject([
    { event: 'request:broken', facts: { error: { name: 'StoreError', code: 'SQLITE_FULL' } } },
    { event: 'request:untraced' },
  ])
})
