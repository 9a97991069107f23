/** A lease through PgBouncer in transaction mode, where each statement may run on another connection of two. */
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { type LeaseWorld, openLeaseWorld } from '../../../support/lease-world.ts'
import { isPgBouncerMissing, openPgBouncer, type PgBouncer } from '../../../support/pgbouncer.ts'
import { sharedPostgres } from '../../../support/postgres.ts'

let world: LeaseWorld
let pooler: PgBouncer
afterEach(async () => {
  await world.close()
  await pooler.close()
})

async function open(): Promise<void> {
  const postgres = await sharedPostgres()
  pooler = await openPgBouncer(postgres)
  world = await openLeaseWorld(postgres, pooler)
}

test.skipIf(isPgBouncerMissing)(
  'three behind a pooler: taken, renewed, handed on, and taken from the dead',
  async () => {
    await open()
    const a = await world.start('a')
    const b = await world.start('b')
    const c = await world.start('c')
    await world.pass(60_000)
    expect(a.lease.isTrusted()).toBe(true)
    await a.lease.release()
    await world.pass(2_000)
    const [leader, other] = b.led() === undefined ? [c, b] : [b, c]
    expect(leader.led()).toMatchObject({ term: 2 })
    leader.freeze()
    await world.pass(34_000)
    expect(other.led()).toMatchObject({ term: 3 })
    leader.thaw()
    await world.pass(250)
    expect(leader.lease.state().role).toBe('deposed')
  },
)

test.skipIf(isPgBouncerMissing)(
  'others take both connections: the lease is renewed as soon as one is free, and is trusted',
  async () => {
    await open()
    const a = await world.start('a')
    await world.pass(4_000)
    const clients = [new pg.Client(pooler.url(world.database)), new pg.Client(pooler.url(world.database))]
    for (const client of clients) {
      await client.connect()
      await client.query('begin')
    }
    a.isCutOff = true
    await world.pass(8_000)
    for (const client of clients) {
      await client.query('commit')
      await client.end()
    }
    a.isCutOff = false
    await world.pass(15_000)
    expect(a.lease.isTrusted()).toBe(true)
  },
)

test.skipIf(isPgBouncerMissing)('taking waits for a claim behind a pooler too', async () => {
  await open()
  await world.query("update leader set holder = 'dead', term = 7, free = false")
  const b = await world.start('b')
  const claim = await world.claim()
  b.clock.advance(30_000)
  await world.waiting(1)
  expect(b.led()).toBeUndefined()
  await claim.commit()
  await world.settle()
  expect(b.led()).toMatchObject({ term: 8 })
})
