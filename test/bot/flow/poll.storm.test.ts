/** Many alerts at once, from the API's listing to the cards on disk: one storm, one summary, and nothing twice. */
import { describe, expect, test } from 'vitest'
import type { AlertRecord } from '../../../src/bot/domain/alert/alert.ts'
import { linesOf } from '../../../src/bot/domain/card/storm.ts'
import type { Page } from '../../../src/bot/flow/ports/ports.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { cards, type PollWorld, pollEveryMs, polledWorld } from '../../support/poll-world.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** So many servers get an alert each. */
function openMany(town: PollWorld, count: number, prefix = 'web'): string[] {
  return Array.from({ length: count }, (_, n) => town.service.open({ hostname: `${prefix}-${n}` }))
}

/** What a service answers that holds so many that its model would be slow. */
function pageOf(records: readonly AlertRecord[], offset: number): Page {
  const page = records.slice(offset, offset + 50)
  return { records: page, size: page.length, skipped: 0 }
}

function sightingOf(n: number, timeMs: number): AlertRecord {
  const { hostname, serverName, title, plugin, metric, value, url, triggerId, saidSeverity } = anAlert(`${n}`)
  const facts = { hostname, serverName, title, plugin, metric, value, url, triggerId, saidSeverity }
  return { ...facts, alertId: `${n}`, timeMs, lifecycle: 'start' }
}

describe('at one poll', () => {
  test('three alerts get three cards, and four one storm with a page', async () => {
    const town = await polledWorld()
    openMany(town, 3)
    await town.tick()
    expect(await town.said()).toEqual(['post 1 open', 'post 2 open', 'post 3 open'])
    openMany(town, 4, 'db')
    await town.tick()
    expect(await town.said()).toEqual(['post storm 4', 'post page 4'])
    expect(town.logger.entries).toContainEqual(
      expect.objectContaining({ event: 'storm:began', facts: { channel: 'C1', alerts: 4 } }),
    )
  })

  test('every channel has a storm of its own, or none', async () => {
    const routes = [{ match: { server: 'db-*' }, channel: 'C2', mention: null }]
    const town = await polledWorld({ routes })
    openMany(town, 40)
    openMany(town, 2, 'db')
    await town.tick()
    expect(await town.said()).toEqual(['post storm 40', 'post page 40'])
    expect(await town.store.nextJob('C2', town.clock.nowMs() + 2_000, ['post'])).toMatchObject({
      view: { kind: 'alert' },
    })
  })

  test('the alerts of a storm have no pictures, and those of cards that it takes go with them', async () => {
    const town = await polledWorld({ images: 'auto' })
    town.service.open({ hostname: 'web-1' })
    await town.tick()
    openMany(town, 3, 'db')
    await town.tick()
    expect(await town.said()).toEqual(['post storm 4', 'post page 4'])
    expect(await town.store.nextPicture(town.clock.nowMs())).toEqual({ job: null, nextMs: null })
  })
})

test('an alert that closes while its card waits stands on the storm that takes the card', async () => {
  const town = await polledWorld()
  const [first = ''] = openMany(town, 1)
  await town.tick()
  town.service.close(first)
  openMany(town, 4, 'db')
  await town.tick()
  const [storm, page] = await cards(town)
  expect([storm?.view.kind, page?.view.kind]).toEqual(['storm', 'page'])
  expect(storm?.view).toMatchObject({
    alerts: expect.arrayContaining([expect.objectContaining({ alertId: first, state: 'closed' })]),
  })
  expect(await town.store.cardById(`alert:${first}:C1`)).toBeNull()
})

describe('what comes after it', () => {
  test('joins it for a minute, and gets a card of its own from then on', async () => {
    const town = await polledWorld()
    openMany(town, 10)
    await town.tick()
    expect(await town.said()).toEqual(['post storm 10', 'post page 10'])
    town.service.open({ hostname: 'db-1' })
    await town.tick()
    expect(await town.said()).toEqual(['update storm 11', 'update page 11'])
    expect(town.logger.entries).toContainEqual(
      expect.objectContaining({ event: 'storm:grew', facts: { channel: 'C1', alerts: 1 } }),
    )
    town.clock.advance(minuteMs)
    const late = town.service.open({ hostname: 'db-2' })
    await town.tick()
    expect(await town.said()).toEqual([`post ${late} open`])
  })

  test('joins it for as long as more than one in two seconds comes', async () => {
    const town = await polledWorld()
    openMany(town, 100)
    await town.saidAfter(1)
    for (let n = 0; n < 20; n += 1) {
      openMany(town, 8, `wave-${n}`)
      await town.tick()
      expect((await town.said()).filter((line) => line.startsWith('post storm'))).toEqual([])
    }
    expect(await town.store.cardsOfKind('alert')).toEqual([])
    const [storm, ...none] = await town.store.cardsOfKind('storm')
    expect(none).toEqual([])
    expect(storm?.alertIds).toHaveLength(260)
  })

  test('a second wave, after the first was told as over, has a card of its own', async () => {
    const town = await polledWorld()
    const wave = (of: string) =>
      Array.from({ length: 60 }, (_, n) => town.service.open({ hostname: `${of}-${n}` }))
    const first = wave('web')
    await town.saidAfter(1)
    await town.tick(2)
    for (const alertId of first) town.service.close(alertId)
    await town.saidAfter(1)
    await town.tick(2)
    await town.said()
    wave('db')
    expect(await town.saidAfter(1)).toContain('post storm 60')
    expect(await town.store.cardsOfKind('storm')).toHaveLength(2)
  })

  test('a storm that closes and opens again all over does not grow its pages', async () => {
    const town = await polledWorld()
    const subjects = Array.from({ length: 100 }, (_, n) => ({ hostname: `web-${n}`, metric: 'm1' }))
    let open = subjects.map((subject) => town.service.open(subject))
    await town.saidAfter(1)
    for (let times = 2; times <= 5; times += 1) {
      for (const alertId of open) town.service.close(alertId)
      open = subjects.map((subject) => town.service.open(subject))
      await town.saidAfter(1)
    }
    const pages = await town.store.cardsOfKind('page')
    expect(pages).toHaveLength(2)
    const lines = []
    for (const { alertIds } of pages) lines.push(...linesOf(await town.store.recallByIds(alertIds)))
    expect(lines).toHaveLength(100)
    expect(lines.every(({ times, alert }) => times === 5 && alert.state === 'open')).toBe(true)
    expect(await town.store.cardsOfKind('alert')).toEqual([])
  })
})

describe('when Slack or the bot was away', () => {
  test('three days without Slack, with an alert every ten minutes, are one card', async () => {
    const town = await polledWorld()
    for (let n = 0; n < 6 * 24 * 3; n += 1) {
      town.clock.advance(10 * minuteMs - pollEveryMs)
      const alertId = town.service.open({ hostname: `web-${n}` })
      await town.tick()
      if (n % 2 === 0) town.service.close(alertId)
    }
    const lines = await town.said()
    expect(lines.filter((line) => !line.includes('page'))).toEqual(['post storm 432'])
    expect(lines).toHaveLength(1 + 6)
  })

  test('a Slack that leaves open whether it took the posts is not left with one more at every alert', async () => {
    const town = await polledWorld()
    for (let n = 0; n < 40; n += 1) {
      town.service.open({ hostname: `web-${n}` })
      await town.tick()
      for (;;) {
        const job = await town.store.nextJob('C1', town.clock.nowMs() + 2_000, ['post'])
        if (job === null) break
        await town.store.settle(job.cardId, { state: 'unknown', sendingMs: town.clock.nowMs() })
      }
      town.clock.advance(5 * minuteMs)
    }
    expect(await town.store.cardsOfKind('alert')).toHaveLength(3)
    expect((await town.store.cardsOfKind('storm')).map(({ alertIds }) => alertIds.length)).toEqual([37])
  })

  test('fifty thousand open after an absence are one summary, with every one of them in its thread', async () => {
    const records: AlertRecord[] = []
    const town = await polledWorld({
      over: () => ({ alerts: async ({ offset }) => pageOf(records, offset) }),
    })
    town.clock.advance(3 * dayMs)
    for (let n = 0; n < 50_000; n += 1) records.push(sightingOf(n, town.clock.nowMs()))
    town.restart()
    expect(await town.poll()).toMatchObject({ coverage: { open: 'complete' } })
    const [summary, ...none] = await town.store.cardsOfKind('summary')
    expect(none).toEqual([])
    expect(summary?.alertIds).toHaveLength(50_000)
    const pages = await town.store.cardsOfKind('page')
    expect(pages).toHaveLength(625)
    expect(new Set(pages.flatMap(({ alertIds }) => alertIds)).size).toBe(50_000)
    expect(await town.store.cardsOfKind('alert')).toEqual([])
  })

  test('a summary takes the cards that still wait for Slack', async () => {
    const town = await polledWorld()
    openMany(town, 3)
    await town.tick()
    town.clock.advance(dayMs)
    openMany(town, 2, 'db')
    town.restart()
    await town.poll()
    expect(await town.said()).toEqual(['post summary 5', 'post page 5'])
  })
})

test('a card that is being sent at the moment in which a storm takes it stays, and is not told twice', async () => {
  let sending: string | null = null
  const town = await polledWorld({
    before: (store) => ({
      queues: async (channels) => {
        const queues = await store.queues(channels)
        const job = await store.nextJob('C1', Date.now() + 2_000, ['post'])
        // Deliver takes the oldest of them just after it was seen waiting.
        if (sending === null && job !== null) {
          sending = job.cardId
          await store.settle(job.cardId, { state: 'sending', sendingMs: 0 })
        }
        return queues
      },
    }),
  })
  openMany(town, 3)
  await town.tick()
  openMany(town, 4, 'db')
  await town.tick()
  expect(sending).toBe('alert:1:C1')
  expect(town.logger.entries.map(({ event }) => event)).toContain('poll:stale')
  const [storm] = await town.store.cardsOfKind('storm')
  expect([...(storm?.alertIds ?? [])].sort()).toEqual(['2', '3', '4', '5', '6', '7'])
  expect((await town.store.cardsOfKind('alert')).map(({ cardId }) => cardId)).toEqual([sending])
})
