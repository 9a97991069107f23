/** What could not be read at a first start is history up to the start: what happens after it is news, whatever fails. */
import { describe, expect, test } from 'vitest'
import type { AlertRecord } from '../../src/domain/alert/alert.ts'
import { scriptedWorld } from '../support/scripted-api.ts'

const minuteMs = 60_000
const orders = ['newest', 'oldest'] as const

/** 120 alerts of the last day that are over, and a list of everything that fails from its second page on. */
async function start(order: (typeof orders)[number], form: 'flip' | 'pair' = 'flip') {
  const town = await scriptedWorld({ lifecycle: form })
  const startMs = town.clock.nowMs()
  const past: AlertRecord[] = Array.from({ length: 120 }, (_, n) => {
    const timeMs = startMs - (121 - n) * 10 * minuteMs
    const about = { hostname: `h-${n}`, title: `Probe ${n} failed` }
    return n % 3 === 0
      ? town.record(`${1000 + n}`, { ...about, timeMs, lifecycle: 'oneoff' })
      : town.record(`${1000 + n}`, { ...about, timeMs, lifecycle: 'end' })
  })
  const list = (records: readonly AlertRecord[]) => {
    town.api.all = records.toSorted((a, b) =>
      order === 'oldest' ? a.timeMs - b.timeMs : b.timeMs - a.timeMs,
    )
  }
  const poll = async (polls: number) => {
    for (let n = 0; n < polls; n += 1) await town.tick().catch(() => null)
    return await town.said()
  }
  list(past)
  town.api.failsFrom = 40
  return { ...town, past, list, poll }
}

describe.each(orders)('a history that fails half way at a first start, %s first', (order) => {
  test('swallowed what happened before it could be read', async () => {
    const town = await start(order)
    expect(await town.poll(2)).toEqual([])
    town.clock.advance(minuteMs)
    const event = town.record('2000', { lifecycle: 'oneoff', title: 'Restarted' })
    const passed = town.record('2001', { lifecycle: 'end', hostname: 'db-8' })
    town.list([...town.past, event, passed])
    const told = await town.poll(4)
    town.api.failsFrom = Number.POSITIVE_INFINITY
    told.push(...(await town.poll(8)))
    expect(told.sort()).toEqual(['post 2000 oneoff', 'post 2001 closed'])
  })

  test('and cannot be read at all is history up to the start', async () => {
    const town = await start(order)
    town.api.failsFrom = 0
    town.api.start = []
    const starts = town.api
    starts.page = ({ lifecycle }) => (lifecycle === 'start' ? [] : town.api.all)
    expect(await town.poll(2)).toEqual([])
    starts.page = null
    town.api.failsFrom = Number.POSITIVE_INFINITY
    expect(await town.poll(8)).toEqual([])
  })
})

test('a list of more records than one reading takes, oldest first, swallowed what came at its far end', async () => {
  const town = await scriptedWorld({ lifecycle: 'flip' })
  const past = Array.from({ length: 12_000 }, (_, n) =>
    town.record(`${100_000 + n}`, {
      lifecycle: 'end',
      hostname: `h-${n % 50}`,
      timeMs: town.clock.nowMs() - (12_000 - n) * 1_000,
    }),
  )
  town.api.all = past
  await town.poll()
  expect(await town.saidAfter(6)).toEqual([])
  town.api.all = [...past, town.record('900000', { lifecycle: 'oneoff', title: 'Restarted' })]
  const before = town.api.asked.length
  expect(await town.saidAfter(8)).toEqual(['post 900000 oneoff'])
  // As long as this it is not read at every poll.
  expect(town.api.asked.length - before).toBeLessThan(3 * 300)
})

test.each(orders)(
  'in pair form, with a page that fails at the first start, long-closed alerts were told as open: %s first',
  async (order) => {
    const town = await start(order, 'pair')
    const pairs = Array.from({ length: 100 }, (_, n) => {
      const timeMs = town.clock.nowMs() - (200 - n) * 10 * minuteMs
      const begin = town.record(`${3000 + n}`, { hostname: `h-${n}`, timeMs })
      return [
        begin,
        { ...begin, alertId: `${4000 + n}`, lifecycle: 'end' as const, timeMs: timeMs + 5 * minuteMs },
      ]
    })
    town.list(pairs.flat())
    town.api.failsFrom = 90
    expect(await town.poll(4)).toEqual([])
    town.api.failsFrom = Number.POSITIVE_INFINITY
    expect(await town.poll(8)).toEqual([])
    expect((await town.store.recall()).alerts.size).toBe(0)
  },
)
