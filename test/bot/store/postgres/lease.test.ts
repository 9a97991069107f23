/** One of several processes on one Postgres leads; who, since when and for how long it is trusted, at the edges of each time limit. */
import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { openLease } from '../../../../src/bot/store/postgres/lease.ts'
import { openLeaseRows } from '../../../../src/bot/store/postgres/lease-rows.ts'
import { openPostgresPool } from '../../../../src/bot/store/postgres/pool.ts'
import { realClock } from '../../../../src/shared/clock.ts'
import { type LeaseWorld, openLeaseWorld } from '../../../support/lease-world.ts'
import { manualClock } from '../../../support/manual-clock.ts'

let world: LeaseWorld
afterEach(() => world.close())

const dayMs = 24 * 60 * 60 * 1_000
const deadLeads = "update leader set holder = 'dead', name = 'dead', term = 7, beat = 70, free = false"

test('the first to look leads at once; the next stands by, and both know of each other', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  await world.pass(60_000)
  expect(a.led()).toMatchObject({ holder: 'a-0', term: 1, forgot: false })
  expect(a.lease.isTrusted()).toBe(true)
  expect(b.led()).toBeUndefined()
  expect(b.lease.isTrusted()).toBe(false)
  const sinceMs = a.led()?.sinceMs
  expect(b.lease.state()).toEqual({
    role: 'stands_by',
    awayMs: null,
    leader: { name: 'a', url: 'http://a', sinceMs },
    standbys: [],
  })
  expect(a.lease.state()).toEqual({
    role: 'leads',
    awayMs: null,
    leader: { name: 'a', url: 'http://a', sinceMs },
    standbys: [{ name: 'b', url: 'http://b', reachesSlack: true }],
  })
})

test('it is renewed every 5 s, also while a claim or a commit holds the row', async () => {
  world = await openLeaseWorld()
  await world.start('a')
  const { beat } = await world.row()
  await world.pass(4_999)
  expect((await world.row()).beat).toBe(beat)
  await world.pass(1)
  expect((await world.row()).beat).toBe(beat + 1)
  const claim = await world.claim()
  await world.pass(55_000)
  await claim.commit()
  expect((await world.row()).beat).toBe(beat + 12)
})

test('released while it asks who stands by, it ends without a word', async () => {
  world = await openLeaseWorld()
  const broken = vi.fn()
  process.on('unhandledRejection', broken)
  onTestFinished(() => void process.off('unhandledRejection', broken))
  const rows = openLeaseRows(
    openPostgresPool(world.postgres.url(world.database), { clock: realClock, connections: 1 }),
  )
  const [asks, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const standbys = async () => {
    asks.resolve()
    await released.promise
    return rows.standbys()
  }
  const clock = manualClock()
  const [silent, told] = [() => undefined, vi.fn()]
  const lease = openLease({
    rows: { ...rows, standbys },
    holder: 'a-0',
    name: 'a',
    url: 'http://a',
    clock,
    logger: { debug: silent, info: silent, warn: told, error: told },
    reachesSlack: () => true,
    onDeposed: told,
    onForgotten: told,
  })
  await lease.lead(new AbortController().signal)
  clock.advance(5_000)
  await asks.promise
  await lease.release()
  released.resolve()
  for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  expect([told.mock.calls, broken.mock.calls]).toEqual([[], []])
})

test('it is trusted for less than 19 s from the start of the last renewal that succeeded', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  await world.pass(10_000)
  a.gate.cut()
  await world.pass(18_999)
  expect(a.lease.isTrusted()).toBe(true)
  await world.pass(1)
  expect(a.lease.isTrusted()).toBe(false)
  expect(a.led()?.isTrusted()).toBe(false)
  expect(a.lease.state()).toMatchObject({ role: 'leads', awayMs: expect.any(Number) })
})

test.each([
  ['a clock that is set ahead by 19 s', 19_000, 0, false],
  ['a clock that is set ahead by a little less', 18_999, 0, true],
  ['a machine that slept for a minute: its steady clock stood still', 60_000, 0, false],
  ['a clock that is set back by a day', -dayMs, 18_999, true],
  ['a clock that is set back by a day, and 19 s that pass', -dayMs, 19_000, false],
] as const)('trust and clocks: %s', async (_, setMs, passMs, isTrusted) => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  a.gate.cut()
  a.clock.set(setMs)
  await world.pass(passMs)
  expect(a.lease.isTrusted()).toBe(isTrusted)
  a.gate.open()
  await world.pass(6_000)
  expect(a.lease.isTrusted()).toBe(true)
})

test('one that stands by takes it 30 s after it first saw it so, and not a millisecond before', async () => {
  world = await openLeaseWorld()
  await world.query(deadLeads)
  const b = await world.start('b')
  await world.pass(29_999)
  expect(b.lease.state().leader).toMatchObject({ name: 'dead' })
  expect(b.led()).toBeUndefined()
  await world.pass(1)
  expect(b.led()).toMatchObject({ term: 8 })
  expect(await world.row()).toMatchObject({ holder: 'b-0', term: 8, free: false })
})

test.each([
  ['beat', 'beat = beat + 1'],
  ['term', 'term = term + 1'],
  ['holder', "holder = 'another'"],
])('whatever moves begins the 30 s anew: %s', async (_, change) => {
  world = await openLeaseWorld()
  await world.query(deadLeads)
  const b = await world.start('b')
  await world.pass(29_000)
  await world.query(`update leader set ${change}`)
  await world.pass(28_000)
  expect(b.led()).toBeUndefined()
  await world.pass(4_000)
  expect(b.led()).toMatchObject({ holder: 'b-0' })
})

test('a leader that is stopped is followed 34 s later at most; thawed, it is not trusted for a moment, and is deposed', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  await world.pass(10_000)
  a.freeze()
  await world.pass(29_750)
  expect(b.led()).toBeUndefined()
  await world.pass(4_250)
  expect(b.led()).toMatchObject({ term: 2 })
  expect(b.lease.isTrusted()).toBe(true)
  a.thaw()
  expect(a.lease.isTrusted()).toBe(false)
  await world.pass(250)
  expect(a.lease.state()).toMatchObject({ role: 'deposed', leader: null })
  expect(a.told.filter((word) => word === 'onDeposed')).toHaveLength(1)
})

test('one that was deposed never leads again, even if the row names it again', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const before = await world.row()
  await world.query("update leader set holder = 'another'")
  await world.pass(5_000)
  expect(a.lease.state().role).toBe('deposed')
  await world.query("update leader set holder = 'a-0'")
  await world.pass(60_000)
  expect(a.lease.isTrusted()).toBe(false)
  expect((await world.row()).beat).toBe(before.beat)
})

test('a write that found another leader deposes at once, and it is told once', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  a.lease.depose()
  a.lease.depose()
  expect(a.lease.isTrusted()).toBe(false)
  await world.pass(20_000)
  expect(a.told.filter((word) => word === 'onDeposed')).toHaveLength(1)
})

test('clocks that are a day apart decide nothing', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  const c = await world.start('c')
  b.clock.set(dayMs)
  c.clock.set(-dayMs)
  await world.pass(120_000)
  expect([b.led(), c.led()]).toEqual([undefined, undefined])
  a.freeze()
  await world.pass(28_000)
  expect([b.led(), c.led()]).toEqual([undefined, undefined])
  await world.pass(6_000)
  expect([b, c].filter((one) => one.lease.isTrusted())).toHaveLength(1)
})

test('of three that take it at the same moment one leads', async () => {
  world = await openLeaseWorld()
  await world.query(deadLeads)
  const all = [await world.start('a'), await world.start('b'), await world.start('c')]
  // They wait for this, so that all three are under way together.
  const claim = await world.claim()
  for (const { clock } of all) clock.advance(30_000)
  await world.waiting(3)
  await claim.commit()
  await world.settle()
  expect(all.filter((one) => one.lease.isTrusted())).toHaveLength(1)
  expect((await world.row()).term).toBe(8)
  await world.pass(60_000)
  expect(all.filter((one) => one.led() !== undefined)).toHaveLength(1)
})

test('taking waits for a claim that holds the row, and trust counts from before it', async () => {
  world = await openLeaseWorld()
  await world.query(deadLeads)
  const b = await world.start('b')
  const claim = await world.claim()
  b.clock.advance(30_000)
  await world.waiting(1)
  expect(b.led()).toBeUndefined()
  expect(await world.row()).toMatchObject({ holder: 'dead' })
  b.clock.advance(2_000)
  await claim.commit()
  await world.settle()
  expect(b.led()).toMatchObject({ term: 8 })
  b.gate.cut()
  b.clock.advance(16_999)
  expect(b.lease.isTrusted()).toBe(true)
  b.clock.advance(1)
  expect(b.lease.isTrusted()).toBe(false)
})

test('a claim that is held for longer than taking may wait: it is taken once that ends, and noticed', async () => {
  world = await openLeaseWorld()
  await world.query(deadLeads)
  const b = await world.start('b')
  const claim = await world.claim()
  b.clock.advance(30_000)
  await world.settle()
  expect(b.told).toContain('lease:away')
  await claim.commit()
  await world.pass(15_000)
  expect(b.lease.isTrusted()).toBe(true)
  expect(await world.row()).toMatchObject({ holder: 'b-0', term: 8 })
})
