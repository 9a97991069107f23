/** What leaves the world after two weeks, and what stays because something that lives refers to it. */
import { expect, it } from 'vitest'
import { day, minute } from '../../../src/bot/clock.ts'
import { silentLog } from '../../../src/bot/log.ts'
import { startTidy, tidy } from '../../../src/bot/loops/tidy.ts'
import { journalOf } from '../../../src/bot/world/journal.ts'
import type { Act, Effect, Kind, Mute, Post, Records, Switch } from '../../../src/bot/world/types.ts'
import { World } from '../../../src/bot/world/world.ts'
import { actOf, alertOf, effectOf, muteOf, postOf, sceneOf, switchOf } from '../worlds/builders.ts'
import { fakeStore } from '../worlds/fake-store.ts'
import { handClock } from '../worlds/hand-clock.ts'

const nowMs = 100 * day
const old = nowMs - 15 * day
const young = nowMs - 13 * day
const shows = (alert: string) => [{ alert, isQuiet: false, atMs: 0 }]
const closed = (id: string, closedMs: number | null): Row => ['alerts', alertOf({ id, key: id, closedMs })]
const live = { state: 'live', ts: '1.1' } as const
const past = { atMs: old, by: 'time' }
type Row = readonly [kind: Kind, record: Records[Kind]]
const post = (over: Partial<Post>): Row => ['posts', postOf({ ...live, ...over })]
const mute = (over: Partial<Mute> = {}): Row => ['mutes', muteOf(over)]
const act = (over: Partial<Act> = {}): Row => ['acts', actOf(over)]
const effect = (over: Partial<Effect>): Row => ['effects', effectOf(over)]
const told = (over: Partial<Switch>): Row => ['switches', switchOf(over)]
const rows: readonly [why: string, isKept: boolean, record: Row, ...others: Row[]][] = [
  ['it is open', true, closed('a', null)],
  ['it closed lately', true, closed('a', young)],
  ['it closed long ago', false, closed('a', old)],
  ['a one-off is over at once', false, ['alerts', alertOf({ id: 'a', isOneoff: true, firstSeenMs: old })]],
  [
    'its list shows one that is open',
    true,
    closed('a', old),
    closed('b', null),
    post({ shows: [...shows('a'), ...shows('b')] }),
  ],
  ['its alert is open', true, post({ shows: shows('a') }), closed('a', null)],
  ['it is young', true, post({ createdMs: young })],
  ['it may have a copy', true, post({ recheckMs: 1 })],
  ['its edit is to be repeated', true, post({ repeatMs: 1 })],
  ['it is dead', false, ['posts', postOf({ state: 'dead' })]],
  ['its outage is over', false, post({ kind: 'outage', data: { untilMs: 5 } })],
  [
    'it is the card of a reply that stays',
    true,
    post({ id: 'card' }),
    post({ id: 'reply', thread: 'card', createdMs: young }),
  ],
  [
    'a reminder elsewhere is about it',
    true,
    post({ id: 'card' }),
    post({ id: 'reply', data: { about: 'card' }, createdMs: young }),
  ],
  ['its alert is gone', false, post({ shows: shows('a') })],
  ['its alert is over', false, post({ shows: shows('a') }), closed('a', young)],
  ['it is a board', true, post({ kind: 'board' })],
  ['the outage lasts', true, post({ kind: 'outage', data: { untilMs: null } })],
  ['nobody knows whether it arrived', true, ['posts', postOf({ state: 'unsure' })]],
  ['it tells of a mute in force', true, post({ kind: 'said', data: { act: 'act-1' } }), mute(), act()],
  ['its mute is in force', true, act(), mute()],
  [
    'a message that stays tells it',
    true,
    act({ atMs: old }),
    post({ createdMs: young, data: { act: 'act-1' } }),
  ],
  ['it was done lately', true, act({ atMs: young })],
  ['it is history', false, act({ atMs: old })],
  ['it is in force', true, mute()],
  ['it ended lately', true, mute({ ended: { ...past, atMs: young } })],
  [
    'an act that stays made it',
    true,
    mute({ ended: past }),
    act({ atMs: young, data: { mutes: ['mute-1'] } }),
  ],
  ['a mute in force is about it', true, closed('a', old), mute({ alert: 'a' })],
  ['it ended long ago', false, mute({ ended: past })],
  ['it is still to be told', true, told({ told: 'off' }), mute({ ended: past })],
  ['it is to be repeated', true, told({ repeatsMs: [nowMs + 1] })],
  ['its server was missing once', true, told({ missingMs: 1 })],
  ['all agree', false, told({})],
  ['it is not done', true, effect({ state: 'new' })],
  ['it failed', false, effect({ state: 'failed' })],
  ['it was done lately', true, effect({ state: 'done', atMs: young })],
  [
    'it is the card of a call under way',
    true,
    post({ id: 'card' }),
    effect({ state: 'unknown', data: { post: 'card' } }),
  ],
  ['it is done', false, effect({ state: 'done' })],
  [
    'it called about an open alert',
    true,
    effect({ does: 'page', state: 'done', data: { alert: 'a' } }),
    closed('a', null),
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

it('leaves acts and alerts on disk for a year', async () => {
  const clock = handClock(nowMs)
  const { store, rows, lead } = fakeStore(clock)
  const world = new World()
  const log = silentLog
  world.listen(journalOf({ world, lease: lead(), clock, log }).add)
  for (const id of ['old', 'older']) {
    const atMs = nowMs - (id === 'old' ? 364 : 366) * day
    rows.set(id, { kind: 'acts', id, live: false, atMs, doc: '{}' })
  }
  world.put('acts', actOf({ id: 'past', atMs: old }))
  const scene = () => sceneOf(world, { nowMs: clock.nowMs() })
  const loop = startTidy({ store, scene, clock, log })
  await clock.runFor(minute)
  await loop.stop()
  expect([...rows.values()].map(({ id, live }) => [id, live])).toEqual([
    ['old', false],
    ['past', false],
  ])
})
