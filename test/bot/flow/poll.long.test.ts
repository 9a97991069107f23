/** Lists that are long or slow, or break off on the way: what is open is told all the same, and told once. */
import { describe, expect, test } from 'vitest'
import type { AlertRecord } from '../../../src/bot/domain/alert/alert.ts'
import { OutsideFailure, stoppingCode } from '../../../src/bot/domain/base/failure.ts'
import type { Monitor } from '../../../src/bot/flow/ports/ports.ts'
import { openListMsMax } from '../../../src/bot/monitor/listing/open-list.ts'
import { cards, polledWorld, pollWorld, states } from '../../support/poll-world.ts'
import { scriptedWorld } from '../../support/scripted-api.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Every alert that is told now and was not told before, once for each card or page that it stands on. */
async function told(
  town: Awaited<ReturnType<typeof pollWorld>>,
  before: readonly string[] = [],
): Promise<string[]> {
  const known = new Set(before)
  const jobs = await cards(town)
  return jobs
    .flatMap(({ view }) =>
      view.kind === 'alert'
        ? [view.alert.alertId]
        : view.kind === 'page'
          ? view.alerts.map(({ alertId }) => alertId)
          : [],
    )
    .filter((alertId) => !known.has(alertId))
}

describe('an open list that breaks off on the way', () => {
  const broken = { fromOffset: Number.POSITIVE_INFINITY }
  const breaksOff = (monitor: Monitor): Partial<Monitor> => ({
    alerts: async (ask) => {
      if (ask.lifecycle === 'start' && ask.offset >= broken.fromOffset)
        throw new OutsideFailure('unreachable', 'the monitoring API returned HTTP 500')
      return monitor.alerts(ask)
    },
  })

  test('is told as far as it was read, closes nothing, and is told to its end later, each alert once', async () => {
    const town = await polledWorld({ over: breaksOff })
    for (let n = 0; n < 400; n += 1) town.service.open({ hostname: `h-${n}` })
    broken.fromOffset = 180
    await expect(town.tick()).rejects.toThrow('HTTP 500')
    const first = await told(town)
    expect(first.length).toBeGreaterThanOrEqual(180 + 5)
    for (let n = 0; n < 3; n += 1) await expect(town.tick()).rejects.toThrow('HTTP 500')
    expect(await told(town)).toEqual([])
    broken.fromOffset = Number.POSITIVE_INFINITY
    await town.tick()
    const rest = await told(town, first)
    expect([...first, ...rest].sort()).toEqual(town.service.openIds().sort())
    expect(await town.saidAfter(3)).toEqual([])
  })

  test('is not followed by the history: an API that has just failed is left alone', async () => {
    const town = await pollWorld({ over: breaksOff })
    for (let n = 0; n < 400; n += 1) town.service.open({ hostname: `h-${n}` })
    broken.fromOffset = 90
    const before = town.service.requests()
    await expect(town.poll()).rejects.toThrow('HTTP 500')
    expect(town.service.requests() - before).toBe(2)
  })
})

test.each(['alerts', 'roles'] as const)(
  'a poll whose %s are broken off because monbot stops decides nothing: an alert would be routed without its roles',
  async (what) => {
    const stopping = { is: true }
    const stop = (isNow: boolean) => {
      if (stopping.is && isNow)
        throw new OutsideFailure('unreachable', 'monbot stops', { code: stoppingCode })
    }
    const town = await pollWorld({
      routes: [{ match: { role: 'db' }, channel: 'CDB', mention: null }],
      over: (monitor) => ({
        alerts: async (ask) => {
          stop(what === 'alerts' && ask.lifecycle === 'start' && ask.offset > 90)
          return monitor.alerts(ask)
        },
        roles: async () => {
          stop(true)
          return { message: '', roles: new Map([['db', ['h-0']]]), skipped: 0 }
        },
      }),
    })
    const alertId = town.service.open({ hostname: 'h-0' })
    for (let n = 0; n < 400; n += 1) town.service.open({ hostname: `web-${n}` })
    await expect(town.poll()).rejects.toThrow('monbot stops')
    expect((await town.store.recall()).alerts.size).toBe(0)
    stopping.is = false
    town.restart()
    await town.poll()
    expect(JSON.stringify(await cards(town, 'CDB'))).toContain(`"${alertId}"`)
  },
)

test('an open list that is too slow is told as far as it was read in two minutes, and none of it is closed', async () => {
  const slow = { pageMs: 0 }
  const town = await pollWorld({
    over: (monitor) => ({
      alerts: async (ask) => {
        if (ask.lifecycle === 'start') town.clock.advance(slow.pageMs)
        return monitor.alerts(ask)
      },
    }),
  })
  for (let n = 0; n < 600; n += 1) town.service.open({ hostname: `h-${n}` })
  await town.poll()
  expect((await told(town)).length).toBe(600)
  slow.pageMs = openListMsMax / 6
  const startedMs = town.clock.nowMs()
  const late = town.service.open({ hostname: 'late' })
  for (let n = 0; n < 3; n += 1) await town.poll()
  expect(town.clock.nowMs() - startedMs).toBeLessThanOrEqual(3 * (openListMsMax + 4 * slow.pageMs))
  expect(await told(town)).toEqual([late])
  expect((await town.store.recall()).alerts.size).toBe(601)
  expect(town.logger.entries).toContainEqual({
    level: 'warn',
    event: 'listing:incomplete',
    facts: expect.objectContaining({ list: 'open' }),
  })
})

describe('back after three days, with 50,000 records in the list', () => {
  test('what is open is told, what is over is only recorded, and the next polls cost little', async () => {
    const town = await pollWorld()
    const { service, clock } = town
    const before = Array.from({ length: 30 }, (_, n) => service.open({ hostname: `before-${n}` }))
    await town.poll()
    await town.said()
    // Ten of them close at once, so that their records stand deeper in the list than it is read.
    for (const alertId of before.slice(0, 10)) service.close(alertId)
    for (let n = 0; n < 50_000; n += 1) {
      clock.advance((3 * dayMs) / 50_000)
      const alertId = service.open({ hostname: `h-${n % 500}` })
      if (n % 500 > 0) service.close(alertId)
      if (n === 49_000) for (const one of before.slice(10, 20)) service.close(one)
    }
    service.oneoff()
    await town.poll()
    const jobs = await cards(town)
    const posts = jobs.filter(({ task, view }) => task === 'post' && view.kind !== 'page')
    expect(states(posts)).toEqual(['post summary 100'])

    const perPoll: number[] = []
    const later: string[] = []
    for (let n = 0; n < 8; n += 1) {
      const asked = service.requests()
      await town.tick()
      perPoll.push(service.requests() - asked)
      later.push(...(await town.said()))
    }
    // 120 are open: three pages, and one of the history. What is missing is looked for once, as far down as it began.
    expect(perPoll[0]).toBeGreaterThan(50_000 / 50)
    expect(perPoll.slice(1)).toEqual(Array(7).fill(4))
    expect(later.filter((job) => job.startsWith('post'))).toEqual([])
    const { alerts } = await town.store.recall()
    expect([...alerts.keys()].sort()).toEqual(service.openIds().sort())

    // The whole list is read again, and is as long as before.
    clock.advance(16 * minuteMs)
    await town.poll()
    expect(await town.said()).toEqual([])
    const fresh = service.open({ hostname: 'fresh' })
    expect(await town.saidAfter(1)).toEqual([`post ${fresh} open`])
  }, 300_000)
})

type Order = (a: AlertRecord, b: AlertRecord) => number
const newestFirst: Order = (a, b) => b.timeMs - a.timeMs
const oldestFirst: Order = (a, b) => a.timeMs - b.timeMs

/** What is told while so many closed alerts over so many days are read, at so many milliseconds a page. */
async function longList(order: Order, { alerts = 2_000, days = 20, pageMs = 1_000 } = {}) {
  const town = await scriptedWorld({ lifecycle: 'flip' })
  const startMs = town.clock.nowMs()
  town.api.all = Array.from({ length: alerts }, (_, n) =>
    town.record(`${n}`, {
      timeMs: startMs - (n * days * dayMs) / alerts,
      lifecycle: 'end',
      hostname: `h-${n}`,
    }),
  ).toSorted(order)
  town.api.page = ({ lifecycle, offset }) => {
    if (lifecycle === 'start') return []
    town.clock.advance(pageMs)
    return town.api.all.slice(offset, offset + 50)
  }
  await town.poll().catch(() => undefined)
  return progressOf(town.logger)
}

const progressOf = ({ entries }: Awaited<ReturnType<typeof pollWorld>>['logger']) =>
  entries.filter(({ event }) => event === 'listing:progress').map(({ facts }) => facts)

test('newest first: pages, records, the share of the 30 days, and about how long the rest takes', async () => {
  const told = await longList(newestFirst)
  expect(told.length).toBeGreaterThan(4)
  const shares = told.map(({ percent }) => Number(percent))
  expect(shares).toEqual(shares.toSorted((a, b) => a - b))
  expect(shares.at(-1)).toBeGreaterThan(50)
  expect(shares.every((share) => share <= 67)).toBe(true)
  expect(told[0]).toMatchObject({ list: 'all', pages: expect.any(Number), leftSeconds: expect.any(Number) })
  expect(Number(told.at(-1)?.records)).toBeLessThanOrEqual(2_000)
})

test.each([
  ['200 requests', { alerts: 12_000, days: 5, pageMs: 500 }, 200 * 0.5],
  ['two minutes', { alerts: 12_000, days: 5, pageMs: 1_000 }, 120],
])(
  'a reading that will end at its %s says how long that takes, not the 30 days',
  async (_, list, seconds) => {
    const told = await longList(newestFirst, list)
    for (const [at, { leftSeconds }] of told.entries()) {
      const wantedSeconds = seconds - (at + 1) * 5
      expect(Math.abs(Number(leftSeconds) - wantedSeconds)).toBeLessThanOrEqual(2)
    }
    expect(told.length).toBeGreaterThan(15)
    expect(Number(told.at(-1)?.percent)).toBeGreaterThan(94)
  },
)

test('oldest first: what has been read, and no share', async () => {
  const told = await longList(oldestFirst)
  expect(told.length).toBeGreaterThan(4)
  for (const facts of told) expect(Object.keys(facts)).toEqual(['list', 'pages', 'records'])
})

test('the open list says how far it is read too, with the share once it was read before', async () => {
  const town = await pollWorld({
    over: (monitor) => ({
      alerts: async (ask) => {
        if (ask.lifecycle === 'start') town.clock.advance(1_000)
        return monitor.alerts(ask)
      },
    }),
  })
  const open = (count: number) => {
    for (let n = 0; n < count; n += 1) town.service.open({ hostname: `h-${n}` })
  }
  const told = async () => {
    const before = progressOf(town.logger).length
    await town.poll()
    const facts = progressOf(town.logger).slice(before)
    expect(new Set(facts.map(({ list }) => list))).toEqual(new Set(['open']))
    return facts
  }
  open(2_000)
  const first = await told()
  expect(first.length).toBeGreaterThan(5)
  for (const facts of first) expect(Object.keys(facts)).toEqual(['list', 'pages', 'records'])
  const second = await told()
  expect(second[0]).toMatchObject({ pages: 5, percent: 11, leftSeconds: 39 })
  expect(Number(second.at(-1)?.percent)).toBeGreaterThan(85)
  // Beyond what was open the last time nobody knows how many more there are.
  open(1_000)
  const third = await told()
  expect(third[0]).toHaveProperty('percent')
  expect(third.at(-1)).not.toHaveProperty('percent')
})
