/** Polling, from the API's listings to what is on disk: real SQLite, a model of the service, a clock by hand. */
import { describe, expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { cards, polledWorld, pollWorld } from '../../support/poll-world.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

describe.each(['flip', 'pair'] as const)('in the %s form', (form) => {
  test('an alert gets one card when it opens, and the same card closes', async () => {
    const town = await polledWorld({ form })
    const alertId = town.service.open({ hostname: 'web-1', serverName: 'web-1' })
    await town.tick()
    const [first, ...none] = await cards(town)
    expect(none).toEqual([])
    expect(first?.view).toMatchObject({ kind: 'alert', alert: { alertId, state: 'open', roles: ['web'] } })
    town.clock.advance(10 * minuteMs)
    town.service.close(alertId)
    expect(await town.saidAfter(2)).toEqual([`update ${alertId} closed`])
  })

  test('an alert that opened and closed between two polls gets one closed card', async () => {
    const town = await polledWorld({ form })
    town.service.open({ hostname: 'web-1' })
    await town.saidAfter(1)
    const alertId = town.service.open({ hostname: 'web-2', metric: 'm7' })
    town.service.close(alertId)
    expect(await town.saidAfter(2)).toEqual([`post ${alertId} closed`])
  })

  test('alerts of one subject each keep their own card', async () => {
    const town = await polledWorld({ form })
    const subject = { hostname: 'web-1', metric: 'm1' }
    const first = town.service.open(subject)
    const second = town.service.open(subject)
    await town.tick()
    town.service.close(first)
    expect(await town.saidAfter(2)).toEqual([`post ${second} open`, `post ${first} closed`].sort().reverse())
  })

  test('a first start with closed history records it and posts nothing', async () => {
    const town = await pollWorld({ form })
    for (let n = 0; n < 70; n += 1) {
      town.clock.advance(minuteMs)
      town.service.close(town.service.open({ hostname: `web-${n}` }))
    }
    town.service.oneoff()
    await town.poll()
    expect(await town.saidAfter(2)).toEqual([])
    expect(await town.store.recallByIds(['1'])).toMatchObject([{ state: 'closed' }])
  })

  test('a first start with three alerts open posts three cards, with four a summary and its thread', async () => {
    for (const count of [3, 4]) {
      const town = await pollWorld({ form })
      for (let n = 0; n < count; n += 1) town.service.open({ hostname: `web-${n}` })
      await town.poll()
      const posted = await town.said()
      const single = ['post 1 open', 'post 2 open', 'post 3 open']
      expect(posted).toEqual(count === 3 ? single : ['post summary 4', 'post page 4'])
    }
  })

  test('a summary follows its alerts', async () => {
    const town = await pollWorld({ form })
    const ids = [0, 1, 2, 3, 4].map((n) => town.service.open({ hostname: `web-${n}` }))
    await town.poll()
    await town.said()
    town.service.close(ids[0] ?? '')
    expect(await town.saidAfter(2)).toEqual(['update summary 5', 'update page 5'])
  })

  test('a return after a long absence tells what is open and records what passed', async () => {
    const town = await pollWorld({ form })
    const before = town.service.open({ hostname: 'web-1' })
    await town.poll()
    await town.said()
    town.clock.advance(3 * dayMs)
    town.service.close(before)
    for (let n = 0; n < 60; n += 1) town.service.close(town.service.open({ hostname: `db-${n}` }))
    for (let n = 0; n < 5; n += 1) town.service.open({ hostname: `app-${n}` })
    town.restart()
    await town.poll()
    await town.tick(2)
    const told = (await town.said()).sort()
    expect(told).toEqual([`post page 5`, `post summary 5`, `update ${before} closed`])
  })

  test('an idle poll costs two requests and writes nothing', async () => {
    const town = await pollWorld({ form })
    const kept = [1, 2, 3].map((n) => town.service.open({ hostname: `web-${n}` }))
    for (let n = 0; n < 200; n += 1) town.service.close(town.service.open({ hostname: `db-${n}` }))
    await town.poll()
    await town.saidAfter(1)
    const before = { changes: await town.store.changes(), requests: town.service.requests() }
    for (let n = 0; n < 10; n += 1) expect(await town.tick()).toMatchObject({ saved: false })
    expect(town.service.requests() - before.requests).toBe(20)
    expect(await town.store.changes()).toBe(before.changes)
    expect(kept).toHaveLength(3)
  })

  test('a restart repeats nothing', async () => {
    const town = await polledWorld({ form })
    town.service.open({ hostname: 'web-1' })
    town.service.close(town.service.open({ hostname: 'web-2' }))
    town.service.oneoff()
    await town.tick(2)
    expect(await cards(town)).toHaveLength(3)
    town.restart()
    await town.poll()
    expect(await town.saidAfter(1)).toEqual([])
  })
})

test('an open list that cannot be read writes nothing, and the next poll makes up for it', async () => {
  const town = await polledWorld()
  town.service.open()
  const before = await town.store.changes()
  town.service.failNext(new OutsideFailure('unreachable', 'gone'))
  await expect(town.tick()).rejects.toThrow(OutsideFailure)
  expect(await town.store.changes()).toBe(before)
  expect(await town.saidAfter(1)).toEqual(['post 1 open'])
})

test('an alert that nobody closed and that grew too old is no longer reported, never closed', async () => {
  const town = await pollWorld()
  const alertId = town.service.open()
  await town.poll()
  await town.said()
  town.clock.advance(30 * dayMs + minuteMs)
  expect(await town.saidAfter(1)).toEqual([`update ${alertId} unreported`])
})

test('an alert that vanished from two sweeps in a row counts as closed, and is told anew when it is back', async () => {
  const town = await polledWorld({ hasPast: true })
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.saidAfter(1)
  const seen = await town.service.monitor.alerts({ lifecycle: 'all', offset: 0 })
  town.service.remove(alertId)
  expect(await town.saidAfter(1)).toEqual([])
  expect(await town.saidAfter(1)).toEqual([`update ${alertId} closed`])
  town.service.open({ ...seen.records[0] })
  expect(await town.saidAfter(1)).toEqual([`post ${alertId}~2 open`])
})

test('a record that turns bad while its alert is open does not close it', async () => {
  const bad = { alertId: '' }
  const town = await pollWorld({
    over: (monitor) => ({
      alerts: async (ask) => {
        const page = await monitor.alerts(ask)
        const records = page.records.filter((record) => record.alertId !== bad.alertId)
        return { ...page, records, skipped: page.records.length - records.length }
      },
    }),
  })
  const alertId = town.service.open({ hostname: 'db-1' })
  await town.poll()
  await town.said()
  bad.alertId = alertId
  expect(await town.saidAfter(3)).toEqual([])
})

test.each([-minuteMs, minuteMs])(
  'with a clock %i ms off, an alert of 30 days is not told as closed',
  async (aheadMs) => {
    const town = await pollWorld({ aheadMs })
    const alertId = town.service.open({ hostname: 'db-1' })
    await town.poll()
    await town.said()
    town.clock.advance(30 * dayMs - 10_000)
    expect(await town.saidAfter(10)).toEqual([`update ${alertId} unreported`])
  },
)

test('an alert that is no longer reported and is listed again is open again', async () => {
  const town = await pollWorld()
  const alertId = town.service.open({ hostname: 'db-1' })
  await town.poll()
  await town.said()
  const [record] = (await town.service.monitor.alerts({ lifecycle: 'start', offset: 0 })).records
  town.clock.advance(31 * dayMs)
  await town.saidAfter(1)
  town.service.open({ ...record })
  town.clock.advance(-31 * dayMs)
  expect(await town.saidAfter(1)).toEqual([`update ${alertId} open`])
})

test('a lone end in the first listing of a pair service does not pass for the flip form', async () => {
  const town = await pollWorld({ form: 'pair' })
  const old = town.service.open({ hostname: 'old' })
  town.clock.advance(30 * dayMs + 1)
  town.service.close(old)
  await town.poll()
  await town.saidAfter(1)
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.saidAfter(1)
  town.service.close(alertId)
  expect(await town.saidAfter(4)).toEqual([`update ${alertId} closed`])
})

test('a form that was set wrongly by hand is not kept for auto', async () => {
  const town = await polledWorld({ form: 'pair', lifecycle: 'flip' })
  await town.tick()
  town.restart({ lifecycle: 'auto' })
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.saidAfter(1)
  town.service.close(alertId)
  expect(await town.saidAfter(4)).toEqual([`update ${alertId} closed`])
})

test('the whole list is read again every quarter of an hour, and finds what no head can show', async () => {
  const town = await pollWorld()
  for (let n = 0; n < 80; n += 1) town.service.close(town.service.open({ hostname: `h-${n}` }))
  await town.poll()
  await town.saidAfter(1)
  // Older than a whole page of what is known, as a server tells that had no line for an hour.
  const late = town.service.open({ hostname: 'late', timeMs: town.clock.nowMs() - 60 * minuteMs })
  town.service.close(late)
  expect(await town.saidAfter(50)).toEqual([])
  expect(await town.saidAfter(15)).toEqual([`post ${late} closed`])
})

test('a list that stops being ordered is read whole, at once', async () => {
  const town = await pollWorld()
  town.service.close(town.service.open({ hostname: 'web-1' }))
  await town.poll()
  await town.tick()
  const before = town.service.requests()
  town.service.oneoff()
  town.service.reverse()
  town.clock.advance(minuteMs)
  town.service.oneoff()
  await town.tick()
  // What is open; the head and the whole list, each with a look behind its end.
  expect(town.service.requests() - before).toBe(1 + 6 + 6)
  expect(town.logger.events()).toContain('listing:unordered')
})

test('a plan that was stale again and again ended the process, though the next poll would have done', async () => {
  let isContended = true
  const town = await pollWorld({
    before: (store) => ({ commit: async (plan) => (isContended ? 'stale' : store.commit(plan)) }),
  })
  const alertId = town.service.open({ hostname: 'web-1' })
  await expect(town.poll()).rejects.toThrow(OutsideFailure)
  isContended = false
  expect(await town.saidAfter(1)).toEqual([`post ${alertId} open`])
})
