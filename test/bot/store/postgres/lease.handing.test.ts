/** A lease is handed on: after a clean stop, by one that reaches no Slack, and where the answer to a statement was lost. */
import { afterEach, expect, test } from 'vitest'
import { type LeaseWorld, openLeaseWorld } from '../../../support/lease-world.ts'

let world: LeaseWorld
afterEach(() => world.close())

const deadLeads = "update leader set holder = 'dead', name = 'dead', term = 7, beat = 70, free = false"

async function present(): Promise<string[]> {
  const rows = await world.query<{ name: string }>('select name from presence order by name')
  return rows.map(({ name }) => name)
}

test('a clean stop is renewed until its last moment, and followed at the next look', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  await world.pass(7_000)
  const released = a.lease.release()
  expect(a.lease.isTrusted()).toBe(false)
  await released
  expect(await world.row()).toMatchObject({ holder: 'a-0', free: true })
  await world.pass(2_000)
  expect(b.led()).toMatchObject({ term: 2 })
  expect(b.lease.isTrusted()).toBe(true)
  expect(a.lease.state()).toMatchObject({ role: 'released', leader: null })
})

test('the answer to setting it free is lost: it is free all the same', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  const lost = a.gate.loseAnswerTo('update leader set free')
  await a.lease.release()
  await lost
  await world.pass(2_000)
  expect(b.led()).toMatchObject({ term: 2 })
})

test('it cannot be set free: whoever stands by waits for its 30 s', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  a.gate.cut()
  await a.lease.release()
  expect(a.told).toContain('lease:not_released')
  await world.pass(29_750)
  expect(b.led()).toBeUndefined()
  await world.pass(4_250)
  expect(b.led()).toMatchObject({ term: 2 })
})

test('the answer to a renewal is lost: it is asked again at once, and stays trusted', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  await world.pass(2_000)
  const { beat } = await world.row()
  const lost = a.gate.loseAnswerTo('update leader set beat')
  await world.pass(3_000)
  await lost
  expect((await world.row()).beat).toBe(beat + 2)
  await world.pass(18_000)
  expect(a.lease.isTrusted()).toBe(true)
  expect(a.told).not.toContain('lease:away')
})

test('the answer to taking it is lost: it is found to be taken, renewed, and trusted from that on', async () => {
  world = await openLeaseWorld()
  await world.query(deadLeads)
  const b = await world.start('b')
  const c = await world.start('c')
  await world.pass(27_000)
  c.freeze()
  const lost = b.gate.loseAnswerTo('update leader set holder')
  await world.pass(3_000)
  await lost
  await world.pass(3_000)
  expect(b.led()).toMatchObject({ term: 8 })
  expect(b.lease.isTrusted()).toBe(true)
  c.thaw()
  await world.pass(60_000)
  expect(c.led()).toBeUndefined()
  expect((await world.row()).term).toBe(8)
})

test('one that stood by leaves: nobody waits for it, and it is gone from the list', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  await world.pass(6_000)
  expect(await present()).toEqual(['b'])
  b.leave()
  await b.lease.release()
  expect(b.led()).toBeNull()
  expect(await present()).toEqual([])
  await world.pass(6_000)
  expect(a.lease.state().standbys).toEqual([])
})

test('one that died while it stood by is listed for 15 s, and its row is removed after a minute', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  await world.pass(20_000)
  b.freeze()
  await world.pass(14_000)
  expect(a.lease.state().standbys).toHaveLength(1)
  await world.pass(7_000)
  expect(a.lease.state().standbys).toEqual([])
  expect(await present()).toEqual(['b'])
  await world.pass(50_000)
  expect(await present()).toEqual([])
  // It was only stopped: it says again that it is there.
  b.thaw()
  await world.pass(11_000)
  expect(a.lease.state().standbys).toHaveLength(1)
})

test('one that leads stands by no more', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  const c = await world.start('c')
  await world.pass(6_000)
  await a.lease.release()
  await world.pass(10_000)
  const [leader, other] = b.led() === undefined ? [c, b] : [b, c]
  expect(leader.lease.isTrusted()).toBe(true)
  expect(other.led()).toBeUndefined()
  expect(leader.lease.state().standbys).toHaveLength(1)
})

test('it is given up only to one that reaches Slack, and waits until that has taken it', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  expect(a.lease.hasHeir()).toBe(false)
  const b = await world.start('b')
  b.reachesSlack = false
  await world.pass(11_000)
  expect(a.lease.state().standbys).toEqual([{ name: 'b', url: 'http://b', reachesSlack: false }])
  expect(a.lease.hasHeir()).toBe(false)
  b.reachesSlack = true
  await world.pass(10_000)
  expect(a.lease.hasHeir()).toBe(true)
  let isGiven = false
  void a.lease.giveUp().then(() => {
    isGiven = true
  })
  await world.settle()
  expect(a.lease.isTrusted()).toBe(false)
  expect(isGiven).toBe(false)
  await world.pass(3_000)
  expect(b.led()).toMatchObject({ term: 2 })
  expect(isGiven).toBe(true)
})

test('who gave it up is not given it back for 5 minutes', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  await world.pass(6_000)
  void a.lease.giveUp()
  await world.pass(2_000)
  expect(b.led()).toMatchObject({ term: 2 })
  await world.start('a')
  await world.pass(290_000)
  expect(b.lease.state().standbys).toMatchObject([{ name: 'a', reachesSlack: true }])
  expect(b.lease.hasHeir()).toBe(false)
  await world.pass(20_000)
  expect(b.lease.hasHeir()).toBe(true)
})

test('who ended cleanly may be given it at once', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const b = await world.start('b')
  await world.pass(6_000)
  await a.lease.release()
  await world.pass(2_000)
  expect(b.led()).toMatchObject({ term: 2 })
  const again = await world.start('a')
  await world.pass(10_000)
  expect(b.lease.hasHeir()).toBe(true)
  // And once that has given it up, nobody gives it back.
  void b.lease.giveUp()
  await world.pass(3_000)
  expect(again.led()).toMatchObject({ term: 3 })
  await world.start('b')
  await world.pass(10_000)
  expect(again.lease.hasHeir()).toBe(false)
})

test('nobody takes what is given up: its process ends after 10 s all the same', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  let isGiven = false
  void a.lease.giveUp().then(() => {
    isGiven = true
  })
  await world.pass(9_000)
  expect(isGiven).toBe(false)
  await world.pass(2_000)
  expect(isGiven).toBe(true)
})

test('one that reaches no Slack lets one go first that does', async () => {
  world = await openLeaseWorld()
  const a = await world.start('a')
  const deaf = await world.start('deaf')
  deaf.reachesSlack = false
  await world.pass(1_000)
  const other = await world.start('other')
  await world.pass(10_000)
  await a.lease.release()
  await world.pass(3_000)
  expect(deaf.led()).toBeUndefined()
  expect(other.led()).toMatchObject({ term: 2 })
})

test('one that reaches no Slack leads if nobody else stands by, or none of them takes it', async () => {
  world = await openLeaseWorld()
  await world.query(deadLeads)
  const deaf = await world.start('deaf')
  deaf.reachesSlack = false
  await world.pass(30_000)
  expect(deaf.led()).toMatchObject({ term: 8 })
  await deaf.lease.release()
  await world.query(deadLeads)
  const second = await world.start('second')
  second.reachesSlack = false
  await world.query("insert into presence values ('odd', 'odd', '', 0, true)")
  const beats = async (ms: number) => {
    for (let left = ms; left > 0; left -= 5_000) {
      await world.query('update presence set beat = beat + 1')
      await world.pass(Math.min(5_000, left))
    }
  }
  await beats(59_000)
  expect(second.led()).toBeUndefined()
  await beats(3_000)
  expect(second.led()).toMatchObject({ term: 8 })
})
