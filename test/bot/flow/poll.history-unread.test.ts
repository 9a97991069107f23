/**
 * What was over before the first start is never told, and what happens after it is news, whatever could not be read, was lost
 * from the lists, or has one id twice.
 */
import { describe, expect, test } from 'vitest'
import type { AlertRecord } from '../../../src/bot/domain/alert/alert.ts'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { pollWorld } from '../../support/poll-world.ts'
import { scriptedWorld } from '../../support/scripted-api.ts'

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

test('after the first poll the past counted as known, although what had closed was stored only by the second', async () => {
  const town = await scriptedWorld()
  const past = ['1', '2', '3'].map((id, n) =>
    town.record(id, {
      lifecycle: 'end',
      hostname: `h-${n}`,
      timeMs: town.clock.nowMs() - (n + 1) * 10 * minuteMs,
    }),
  )
  town.api.start = [town.record('9')]
  town.api.all = [...town.api.start, ...past]
  const stored = async () =>
    (await town.store.findAlerts({ state: 'closed', hostname: null, offset: 0, limit: 10 })).total
  const came = []
  for (let n = 0; n < 2; n += 1) {
    const { coverage } = await town.tick()
    const { coverage: told } = await town.health()
    came.push({ past: coverage.past, stored: await stored(), told: told.past })
  }
  expect(came).toEqual([
    { past: 'partial', stored: 0, told: 'partial' },
    { past: 'complete', stored: 3, told: 'complete' },
  ])
})

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
const nothing = { records: [], size: 0, skipped: 0 }

async function emptied(setting: Parameters<typeof pollWorld>[0] = {}) {
  const api = { isEmpty: false }
  const town = await pollWorld({
    ...setting,
    over: (monitor) => ({ alerts: async (ask) => (api.isEmpty ? nothing : monitor.alerts(ask)) }),
  })
  await town.poll()
  return { ...town, api }
}

test('two empty lists closed an open alert, and called it well', async () => {
  const town = await emptied()
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.tick()
  expect(await town.said()).toEqual([`post ${alertId} open`])
  town.api.isEmpty = true
  for (let n = 0; n < 3; n += 1) {
    await expect(town.tick()).rejects.toThrow(
      new OutsideFailure(
        'unreachable',
        'the monitoring API lists nothing at all, not even what ended lately',
      ),
    )
  }
  // Nor after a restart, which remembers no list.
  town.restart()
  await expect(town.tick()).rejects.toThrow('lists nothing at all')
  expect(await town.said()).toEqual([])
  town.api.isEmpty = false
  await town.tick()
  expect(await town.said()).toEqual([])
  town.service.close(alertId)
  await town.tick()
  expect(await town.said()).toEqual([`update ${alertId} closed`])
})

test('after a day of nothing else they are believed: somebody deleted it all', async () => {
  const town = await emptied()
  const alertId = town.service.open()
  await town.tick()
  await town.said()
  town.api.isEmpty = true
  await expect(town.tick()).rejects.toThrow('lists nothing at all')
  town.clock.advance(dayMs + hourMs)
  await town.tick(3)
  expect(await town.said()).toEqual([`update ${alertId} closed`])
})

test('where nothing began for 30 days, and where nothing is known, empty lists are as they should be', async () => {
  const town = await emptied()
  town.api.isEmpty = true
  await town.tick()
  town.api.isEmpty = false
  town.service.close(town.service.open())
  await town.tick()
  town.clock.advance(31 * dayMs)
  town.api.isEmpty = true
  await town.tick()
  expect((await town.store.recall()).alerts.size).toBe(0)
})

test('an alert that closed within a minute of the first start had all that was over before it told as news', async () => {
  const town = await pollWorld({ hasPast: true })
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.poll()
  expect(await town.said()).toEqual([`post ${alertId} open`])
  town.service.close(alertId)
  expect(await town.saidAfter(2)).toEqual([`update ${alertId} closed`])
  expect(await town.store.recallByIds(['0'])).toMatchObject([{ alertId: '0', state: 'closed' }])
})

async function pairs(lifecycle: 'pair' | 'auto') {
  const town = await scriptedWorld({ lifecycle })
  const nowMs = town.clock.nowMs()
  const open = town.record('1', { timeMs: nowMs - 15 * minuteMs })
  /** The records of an alert that began and ended so long ago. */
  const over = (alertId: string, beganMs: number, endedMs: number): [AlertRecord, AlertRecord] => {
    const start = town.record(alertId, { hostname: `pay-${alertId}`, timeMs: town.clock.nowMs() - beganMs })
    return [start, { ...start, lifecycle: 'end', timeMs: town.clock.nowMs() - endedMs }]
  }
  const said: string[] = []
  return {
    ...town,
    over,
    /** What is said while this is listed beside the one that is open. */
    lists: async (...records: readonly AlertRecord[]) => {
      town.api.start = [open]
      town.api.all = [...records, open].toSorted((a, b) => b.timeMs - a.timeMs)
      said.length = 0
      for (let n = 0; n < 4; n += 1) {
        await town.tick()
        said.push(...(await town.said()))
      }
      return [...said]
    },
  }
}

describe.each(['pair', 'auto'] as const)('lifecycle %s', (lifecycle) => {
  test('an alert that opened and closed between two polls is told once, with its length', async () => {
    const town = await pairs(lifecycle)
    expect(await town.lists()).toEqual(['post 1 open'])
    const both = town.over('12', 50_000, 20_000)
    expect(await town.lists(...both)).toEqual(['post 12 closed'])
    const [alert] = await town.store.recallByIds(['12'])
    expect(Number(alert?.closedMs) - Number(alert?.startedMs)).toBe(30_000)
    expect(await town.lists(...both, ...town.over('13', 40_000, 10_000))).toEqual(['post 13 closed'])
  })

  test('one that was over before the first start is recorded, and never told', async () => {
    const town = await pairs(lifecycle)
    const old = town.over('90', 120 * minuteMs, 60 * minuteMs)
    expect(await town.lists(...old)).toEqual(['post 1 open'])
    // Whatever the form is learned from.
    expect(await town.lists(...old, ...town.over('91', 50_000, 20_000))).toEqual(['post 91 closed'])
    expect(await town.store.recallByIds(['90'])).toMatchObject([{ state: 'closed', closedBy: 'pair' }])
  })
})
