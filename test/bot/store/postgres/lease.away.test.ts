/** A lease where Postgres is away, cut off, restarted, or fails over to a server that forgot the last seconds. */
import { afterAll, afterEach, expect, test } from 'vitest'
import { type LeaseWorld, openLeaseWorld } from '../../../support/lease-world.ts'
import { openPostgres, type Postgres } from '../../../support/postgres.ts'

let world: LeaseWorld
let own: Promise<Postgres> | null = null
afterEach(() => world.close())
afterAll(async () => (await own)?.close())

/** On a server that no other test uses. */
async function ownWorld(): Promise<LeaseWorld> {
  own ??= openPostgres()
  world = await openLeaseWorld(await own)
  return world
}

test.each(['SIGINT', 'SIGKILL'] as const)(
  'Postgres is away for ten minutes, by %s: who led leads on',
  async (signal) => {
    const { postgres } = await ownWorld()
    const a = await world.start('a')
    const b = await world.start('b')
    await world.pass(10_000)
    await postgres.stop(signal)
    await world.pass(18_750)
    expect(a.lease.isTrusted()).toBe(true)
    await world.pass(250)
    expect(a.lease.isTrusted()).toBe(false)
    await world.pass(600_000)
    expect(a.lease.state()).toMatchObject({ role: 'leads', awayMs: expect.any(Number) })
    expect(a.lease.state().awayMs).toBeGreaterThan(610_000)
    expect(b.lease.state().awayMs).toBeGreaterThan(610_000)
    await postgres.start()
    await world.pass(1_000)
    expect(a.lease.isTrusted()).toBe(true)
    expect(a.lease.state().awayMs).toBeNull()
    await world.pass(60_000)
    expect(b.led()).toBeUndefined()
    expect(await world.row()).toMatchObject({ holder: 'a-0', term: 1 })
  },
)

test('whoever led died while Postgres was away: it is followed once it had its time to come back', async () => {
  const { postgres } = await ownWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  // Long enough for the last beat to be seen.
  await world.pass(13_000)
  await postgres.stop()
  a.freeze()
  await world.pass(60_000)
  await postgres.start()
  await world.pass(9_000)
  expect(b.led()).toBeUndefined()
  await world.pass(6_000)
  expect(b.led()).toMatchObject({ term: 2 })
})

test('Postgres ends every connection: nobody notices', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  await world.pass(10_000)
  await world.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${world.database}' and pid <> pg_backend_pid()`,
  )
  await world.pass(60_000)
  expect([...a.told, ...b.told]).not.toContain('lease:away')
  expect(a.lease.isTrusted()).toBe(true)
})

test.each(['cut', 'swallow'] as const)('the network of the leader alone: %s', async (fault) => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  await world.pass(10_000)
  a.gate[fault]()
  a.isCutOff = fault === 'swallow'
  await world.pass(19_000)
  expect(a.lease.isTrusted()).toBe(false)
  await world.pass(10_750)
  expect(b.led()).toBeUndefined()
  await world.pass(4_250)
  expect(b.led()).toMatchObject({ term: 2 })
  expect(a.lease.state().role).toBe('leads')
  a.gate.open()
  a.isCutOff = false
  await world.pass(7_000)
  expect(a.lease.state().role).toBe('deposed')
  expect(a.lease.isTrusted()).toBe(false)
  expect(b.lease.isTrusted()).toBe(true)
})

test('a network that swallows for less than a statement may take: nothing is noticed', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  await world.pass(4_000)
  a.gate.swallow()
  a.isCutOff = true
  await world.pass(10_000)
  a.gate.open()
  a.isCutOff = false
  await world.pass(5_000)
  expect(a.lease.isTrusted()).toBe(true)
  expect(a.told).not.toContain('lease:away')
})

test('the network of one that stands by: it takes nothing, and a moment after it is back neither', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  await world.pass(10_000)
  b.gate.cut()
  await world.pass(120_000)
  b.gate.open()
  await world.pass(20_000)
  expect(b.led()).toBeUndefined()
  expect(a.lease.isTrusted()).toBe(true)
  expect(b.told.filter((word) => word === 'lease:away' || word === 'lease:back')).toEqual([
    'lease:away',
    'lease:back',
  ])
})

/** Whoever follows a server as it was at this moment; until it is promoted it writes nothing. */
async function standbyServerOf(postgres: Postgres): Promise<Postgres> {
  await postgres.stop()
  const next = await openPostgres({ from: postgres.folder, isStandby: true })
  await postgres.start()
  return next
}

async function failOver(next: Postgres): Promise<void> {
  await world.postgres.stop('SIGKILL')
  world.leadTo(next.port)
  await next.query('select pg_promote()')
}

test('a failover that forgot a few beats: who leads is told, leads on, and says when it is put right', async () => {
  const { postgres } = await ownWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  await world.pass(10_000)
  const next = await standbyServerOf(postgres)
  await world.pass(12_000)
  const before = await world.row()
  await failOver(next)
  await world.pass(10_000)
  expect(a.told.filter((word) => word === 'onForgotten')).toHaveLength(1)
  expect(a.lease.isTrusted()).toBe(true)
  expect(a.lease.state().role).toBe('leads')
  const [forgotten] = await next.query<{ beat: number; timeline: string }>(
    'select * from leader',
    world.database,
  )
  expect(Number(forgotten?.beat)).toBeLessThanOrEqual(before.beat + 1)
  expect(forgotten?.timeline).toBe(before.timeline)
  // It is killed before it put anything right: its follower knows.
  a.freeze()
  await world.pass(34_000)
  expect(b.led()).toMatchObject({ term: 2, forgot: true })
  await b.lease.noteTimeline()
  const [noted] = await next.query<{ timeline: string }>('select * from leader', world.database)
  expect(noted?.timeline).not.toBe(before.timeline)
  await b.lease.release()
  const c = await world.start('c')
  expect(c.led()).toMatchObject({ term: 3, forgot: false })
  await next.close()
  await postgres.start()
})

test('a failover that forgot who took it: the one is deposed, and the other waits until the first trusts it no more', async () => {
  const { postgres } = await ownWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  await world.pass(10_000)
  const next = await standbyServerOf(postgres)
  a.freeze()
  await world.pass(36_000)
  expect(b.led()).toMatchObject({ term: 2 })
  await failOver(next)
  // Cut off, it cannot learn that it is forgotten.
  b.gate.cut()
  a.thaw()
  await world.pass(1_500)
  expect(a.lease.state()).toMatchObject({ role: 'leads', awayMs: null })
  expect([a.lease.isTrusted(), b.lease.isTrusted()]).toEqual([false, true])
  await world.pass(28_000)
  expect([a.lease.isTrusted(), b.lease.isTrusted()]).toEqual([false, false])
  await world.pass(3_000)
  expect(a.lease.isTrusted()).toBe(true)
  b.gate.open()
  await world.pass(2_000)
  expect(b.lease.state().role).toBe('deposed')
  await next.close()
  await postgres.start()
})

test('a failover that forgot who took what was free: whoever finds it free again waits all the same', async () => {
  const { postgres } = await ownWorld()
  const a = await world.start('a')
  await world.pass(10_000)
  await a.lease.release()
  const next = await standbyServerOf(postgres)
  const b = await world.start('b')
  expect(b.led()).toMatchObject({ term: 2 })
  b.gate.cut()
  await failOver(next)
  const c = await world.start('c')
  await world.pass(18_000)
  expect([b.lease.isTrusted(), c.lease.isTrusted()]).toEqual([true, false])
  await world.pass(11_750)
  expect(c.led()).toBeUndefined()
  await world.pass(250)
  expect(c.led()).toMatchObject({ term: 2, forgot: true })
  expect([b.lease.isTrusted(), c.lease.isTrusted()]).toEqual([false, true])
  await next.close()
  await postgres.start()
})

test('a server that only follows another one is as good as away', async () => {
  const { postgres } = await ownWorld()
  const a = await world.start('a')
  await world.pass(10_000)
  const next = await standbyServerOf(postgres)
  await postgres.stop()
  world.leadTo(next.port)
  const b = await world.start('b')
  await world.pass(60_000)
  expect([a.lease.isTrusted(), b.lease.isTrusted()]).toEqual([false, false])
  expect([a, b].map(({ lease }) => lease.state().awayMs === null)).toEqual([false, false])
  await next.query('select pg_promote()')
  await world.pass(32_000)
  expect([a.lease.isTrusted(), b.lease.isTrusted()]).toEqual([true, false])
  await next.close()
  await postgres.start()
})
