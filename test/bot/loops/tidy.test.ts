/** What leaves the world after two weeks, and what stays because something that lives refers to it. */
import { expect, it } from 'vitest'
import { day, minute } from '../../../src/bot/clock.ts'
import { silentLog } from '../../../src/bot/log.ts'
import { startTidy, tidy } from '../../../src/bot/loops/tidy.ts'
import { journalOf } from '../../../src/bot/world/journal.ts'
import type { Kind, Records } from '../../../src/bot/world/types.ts'
import { World } from '../../../src/bot/world/world.ts'
import { actOf, alertOf, effectOf, muteOf, postOf, sceneOf, switchOf } from '../worlds/builders.ts'
import { fakeStore } from '../worlds/fake-store.ts'
import { handClock } from '../worlds/hand-clock.ts'

const nowMs = 100 * day
const old = nowMs - 15 * day
const young = nowMs - 13 * day
const shows = (alert: string) => [{ alert, isQuiet: false, atMs: 0 }]
const closed = (id: string, closedMs: number | null) => alertOf({ id, key: id, closedMs })
const live = { state: 'live', ts: '1.1' } as const
const past = { atMs: old, by: 'time' }
type Row = readonly [kind: Kind, record: Records[Kind]]
const rows: readonly [why: string, isKept: boolean, record: Row, ...others: Row[]][] = [
  ['it is open', true, ['alerts', closed('a', null)]],
  ['it closed lately', true, ['alerts', closed('a', young)]],
  ['it closed long ago', false, ['alerts', closed('a', old)]],
  ['a one-off is over at once', false, ['alerts', alertOf({ id: 'a', isOneoff: true, firstSeenMs: old })]],
  [
    'its list shows one that is open',
    true,
    ['alerts', closed('a', old)],
    ['alerts', closed('b', null)],
    ['posts', postOf({ ...live, shows: [...shows('a'), ...shows('b')] })],
  ],
  [
    'its alert is open',
    true,
    ['posts', postOf({ ...live, shows: shows('a') })],
    ['alerts', closed('a', null)],
  ],
  ['it is young', true, ['posts', postOf({ ...live, createdMs: young })]],
  ['it may have a copy', true, ['posts', postOf({ ...live, recheckMs: 1 })]],
  ['its edit is to be repeated', true, ['posts', postOf({ ...live, repeatMs: 1 })]],
  ['it is dead', false, ['posts', postOf({ state: 'dead' })]],
  ['its outage is over', false, ['posts', postOf({ ...live, kind: 'outage', data: { untilMs: 5 } })]],
  [
    'it is the card of a reply that stays',
    true,
    ['posts', postOf({ ...live, id: 'card' })],
    ['posts', postOf({ ...live, id: 'reply', thread: 'card', createdMs: young })],
  ],
  [
    'a reminder elsewhere is about it',
    true,
    ['posts', postOf({ ...live, id: 'card' })],
    ['posts', postOf({ ...live, id: 'reply', data: { about: 'card' }, createdMs: young })],
  ],
  ['its alert is gone', false, ['posts', postOf({ ...live, shows: shows('a') })]],
  [
    'its alert is over',
    false,
    ['posts', postOf({ ...live, shows: shows('a') })],
    ['alerts', closed('a', young)],
  ],
  ['it is a board', true, ['posts', postOf({ ...live, kind: 'board' })]],
  ['the outage lasts', true, ['posts', postOf({ ...live, kind: 'outage', data: { untilMs: null } })]],
  ['nobody knows whether it arrived', true, ['posts', postOf({ state: 'unsure' })]],
  [
    'it tells of a mute in force',
    true,
    ['posts', postOf({ ...live, kind: 'said', data: { act: 'act-1' } })],
    ['mutes', muteOf()],
    ['acts', actOf()],
  ],
  ['its mute is in force', true, ['acts', actOf()], ['mutes', muteOf()]],
  [
    'a message that stays tells it',
    true,
    ['acts', actOf({ atMs: old })],
    ['posts', postOf({ ...live, createdMs: young, data: { act: 'act-1' } })],
  ],
  ['it was done lately', true, ['acts', actOf({ atMs: young })]],
  ['it is history', false, ['acts', actOf({ atMs: old })]],
  ['it is in force', true, ['mutes', muteOf()]],
  ['it ended lately', true, ['mutes', muteOf({ ended: { ...past, atMs: young } })]],
  [
    'an act that stays made it',
    true,
    ['mutes', muteOf({ ended: past })],
    ['acts', actOf({ atMs: young, data: { mutes: ['mute-1'] } })],
  ],
  ['a mute in force is about it', true, ['alerts', closed('a', old)], ['mutes', muteOf({ alert: 'a' })]],
  ['it ended long ago', false, ['mutes', muteOf({ ended: past })]],
  [
    'it is still to be told',
    true,
    ['switches', switchOf({ told: 'off' })],
    ['mutes', muteOf({ ended: past })],
  ],
  ['it is to be repeated', true, ['switches', switchOf({ repeatsMs: [nowMs + 1] })]],
  ['its server was missing once', true, ['switches', switchOf({ missingMs: 1 })]],
  ['all agree', false, ['switches', switchOf({})]],
  ['it is not done', true, ['effects', effectOf({ state: 'new' })]],
  ['it failed', false, ['effects', effectOf({ state: 'failed' })]],
  ['it was done lately', true, ['effects', effectOf({ state: 'done', atMs: young })]],
  [
    'it is the card of a call under way',
    true,
    ['posts', postOf({ ...live, id: 'card' })],
    ['effects', effectOf({ state: 'unknown', data: { post: 'card' } })],
  ],
  ['it is done', false, ['effects', effectOf({ state: 'done' })]],
  [
    'it called about an open alert',
    true,
    ['effects', effectOf({ does: 'page', state: 'done', data: { alert: 'a' } })],
    ['alerts', closed('a', null)],
  ],
  ['it was asked just now', true, ['requests', { id: 'r', atMs: nowMs - 1, answer: null }]],
  ['it was asked two hours ago', false, ['requests', { id: 'r', atMs: nowMs - day / 12, answer: null }]],
]

it.each(rows)('%s: %s', (_, isKept, ...records) => {
  const world = new World()
  for (const [kind, record] of records) world.put(kind, record)
  tidy(sceneOf(world, { nowMs }))
  const [kind, { id }] = records[0]
  expect(world[kind].has(id)).toBe(isKept)
})

it('lets 500 go at once, so that nobody waits; acts and alerts stay on disk for a year', async () => {
  const clock = handClock(nowMs)
  const { store, rows, lead } = fakeStore(clock)
  const world = new World()
  const log = silentLog
  world.listen(journalOf({ world, lease: lead(), clock, log }).add)
  for (const id of ['old', 'older']) {
    const atMs = nowMs - (id === 'old' ? 364 : 366) * day
    rows.set(id, { kind: 'acts', id, live: false, atMs, doc: '{}' })
  }
  world.decide(() => {
    for (let at = 0; at < 700; at += 1) world.put('mutes', muteOf({ id: `${at}`, ended: past }))
    world.put('acts', actOf({ id: 'past', atMs: old }))
  })
  const sizes: number[] = []
  const scene = () => {
    sizes.push(world.mutes.size)
    return sceneOf(world, { nowMs: clock.nowMs() })
  }
  const loop = startTidy({ store, scene, clock, log })
  await clock.runFor(minute)
  await loop.stop()
  expect(sizes).toEqual([700, 200])
  expect([...rows.values()].map(({ id, live }) => [id, live])).toEqual([
    ['old', false],
    ['past', false],
  ])
})
