/** One of several processes on one Postgres leads; who, and for how long it is trusted, at the edges of each time limit. */
import { afterEach, expect, test } from 'vitest'
import { type LeaseWorld, openLeaseWorld } from '../../../support/lease-world.ts'

let world: LeaseWorld
afterEach(() => world.close())

test('the first to look leads at once, the next stands by and knows who leads', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  await world.pass(60_000)
  expect(a.led()).toMatchObject({ holder: 'a-0', term: 1, forgot: false })
  expect(a.lease.isTrusted()).toBe(true)
  expect(b.led()).toBeUndefined()
  expect(b.lease.isTrusted()).toBe(false)
  expect(b.lease.state()).toMatchObject({ role: 'stands_by', leader: { name: 'a', url: 'http://a' } })
  expect(a.lease.state().standbys).toEqual([{ name: 'b', url: 'http://b', reachesSlack: true }])
})

test('a silent leader is followed after 30 s of stillness, not before, and at most 34 s after it died', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  await world.pass(10_250)
  a.isFrozen = true
  await world.pass(29_500)
  expect(b.led()).toBeUndefined()
  await world.pass(4_250)
  expect(b.led()).toMatchObject({ term: 2 })
  expect(b.lease.isTrusted()).toBe(true)
  a.clock.advance(33_750)
  expect(a.lease.isTrusted()).toBe(false)
  a.isFrozen = false
  await world.pass(250)
  expect(a.lease.state().role).toBe('deposed')
  expect(a.told.filter((word) => word === 'onDeposed')).toHaveLength(1)
})

test('a clean stop is followed at the next look', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  await world.pass(7_000)
  await a.lease.release()
  expect(a.lease.isTrusted()).toBe(false)
  await world.pass(2_000)
  expect(b.led()).toMatchObject({ term: 2 })
})
