/** Rounds: one at a time, soon after a wake, later after an error, none after a lost lead; and how fast Slack may be called. */
import { describe, expect, it } from 'vitest'
import { silentLog } from '../../../src/bot/log.ts'
import { soonest, startCalls, startLoop } from '../../../src/bot/loops/loop.ts'
import { openBuckets } from '../../../src/bot/loops/refusals.ts'
import { LostLead } from '../../../src/bot/world/store.ts'
import { handClock } from '../worlds/hand-clock.ts'

function loopOf(run: () => unknown) {
  const clock = handClock(0)
  return { clock, loop: startLoop({ name: 'x', everyMs: 10_000, run, clock, log: silentLog }) }
}

describe('a loop', () => {
  it('makes one round of many wakes', async () => {
    let rounds = 0
    const { clock, loop } = loopOf(() => {
      rounds += 1
    })
    await clock.runFor(1)
    for (let i = 0; i < 5; i += 1) loop.wake()
    await clock.runFor(1)
    expect(rounds).toBe(2)
  })

  it('never begins a round during another one', async () => {
    let underWay = 0
    let most = 0
    const { clock, loop } = loopOf(async () => {
      underWay += 1
      most = Math.max(most, underWay)
      await clock.wait(3000)
      underWay -= 1
    })
    for (let i = 0; i < 20; i += 1) {
      loop.wake()
      await clock.runFor(700)
    }
    expect(most).toBe(1)
  })

  it('is stopped once its round is over', async () => {
    let underWay = 0
    const { clock, loop } = loopOf(async () => {
      underWay += 1
      await clock.wait(3000)
      underWay -= 1
    })
    await clock.runFor(1)
    const stopped = loop.stop().then(() => underWay)
    await clock.runFor(5000)
    expect(await stopped).toBe(0)
  })

  it('waits longer after each error, whatever wakes it, and recovers', async () => {
    const atMs: number[] = []
    const { clock, loop } = loopOf(() => {
      atMs.push(clock.nowMs())
      if (atMs.length < 6) throw new Error('bug')
    })
    await clock.runFor(1)
    loop.wake()
    await clock.runFor(60_000)
    expect(atMs).toEqual([0, 10_000, 20_000, 30_000, 40_000, 56_000])
    expect(loop.failed()).toBe(5)
  })

  it('ends when the lead is lost', async () => {
    let rounds = 0
    const { clock } = loopOf(() => {
      rounds += 1
      throw new LostLead('gone')
    })
    await clock.runFor(60_000)
    expect(rounds).toBe(1)
  })

  it('waits for its calls when it stops', async () => {
    const clock = handClock(0)
    let isDone = false
    const call = async () => {
      await clock.wait(500)
      isDone = true
    }
    const round = (calls: { start(name: string, work: () => Promise<void>): void; size: number }) => {
      if (calls.size === 0 && !isDone) calls.start('a', call)
      return 10_000
    }
    const loop = startCalls({ name: 'x', everyMs: 10_000, round, clock, log: silentLog })
    await clock.runFor(1)
    const stopped = loop.stop().then(() => isDone)
    await clock.runFor(1000)
    expect(await stopped).toBe(true)
  })
})

describe('the buckets', () => {
  it('let at most 50 edits go in any minute', () => {
    const buckets = openBuckets(0)
    const atMs: number[] = []
    for (let nowMs = 0; nowMs < 300_000; nowMs += 50) {
      if (buckets.editAtMs(true, nowMs) > nowMs) continue
      buckets.takeEdit(nowMs)
      atMs.push(nowMs)
    }
    const most = Math.max(...atMs.map((from) => atMs.filter((ms) => ms >= from && ms < from + 60_000).length))
    expect(most).toBeLessThanOrEqual(50)
    expect(atMs.length).toBeGreaterThan(200)
  })

  it('keep a little for what a person just did', () => {
    const buckets = openBuckets(0)
    while (buckets.editAtMs(false, 0) === 0) buckets.takeEdit(0)
    expect(buckets.editAtMs(true, 0)).toBe(0)
  })

  it('keep a channel whose calls hang from being asked on and on', () => {
    const buckets = openBuckets(0)
    const ends = [1, 2, 3].map(() => buckets.beginPost('C1'))
    expect(buckets.postAtMs('C1')).toBeNull()
    ends[0]?.()
    expect(buckets.postAtMs('C1')).toBe(0)
  })

  it('let one message a second go to a channel, whatever another one does', () => {
    const buckets = openBuckets(0)
    buckets.takePost('C1', 5000)
    expect([buckets.postAtMs('C1'), buckets.postAtMs('C2')]).toEqual([6000, 0])
    buckets.restPosts(9000)
    expect([buckets.postAtMs('C1'), buckets.postAtMs('C2')]).toEqual([9000, 9000])
  })
})

it('takes a time that a wrong clock wrote, over 35 minutes away, for now', () => {
  expect([10, 30, 40].map((minutes) => soonest(minutes * 60_000, 0) / 60_000)).toEqual([10, 30, 0])
})
