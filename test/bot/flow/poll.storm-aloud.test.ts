/** What a storm does not swallow: other trouble and what is critical are told aloud by name, in a message that notifies. */
import { describe, expect, test } from 'vitest'
import type { AlertRecord } from '../../../src/bot/domain/alert/alert.ts'
import { render } from '../../../src/bot/slack/render/render.ts'
import { cards, type PollWorld, polledWorld } from '../../support/poll-world.ts'

type Given = Partial<AlertRecord>

const timeouts = { plugin: 'Upstream', metric: 'timeouts' } as const
const noData = { plugin: 'Server', metric: 'seconds_since_report', saidSeverity: 'critical' } as const
const replication = { plugin: 'MySQL', metric: 'replication_lag' } as const

function openOn(town: PollWorld, prefix: string, count: number, given: Given = timeouts): string[] {
  return Array.from({ length: count }, (_, n) => town.service.open({ hostname: `${prefix}-${n}`, ...given }))
}

/** What is posted next, pages left out: a storm by how many it counts, an alert by its server and plugin. */
async function aloud(town: PollWorld): Promise<string[]> {
  return (await cards(town)).flatMap(({ task, view }) => {
    if (task !== 'post' || view.kind === 'page') return []
    if (view.kind === 'alert') return [`${view.alert.hostname} ${view.alert.plugin}`]
    return 'alerts' in view ? [`${view.kind} ${view.alerts.length}`] : [view.kind]
  })
}

async function tickedAloud(town: PollWorld): Promise<string[]> {
  await town.tick()
  return aloud(town)
}

/** A storm of timeouts that Slack shows, of so many servers. */
async function stormy(count = 10) {
  const town = await polledWorld()
  const ids = openOn(town, 'web', count)
  expect(await tickedAloud(town)).toEqual([`storm ${count}`])
  return { ...town, ids }
}

describe('during a storm', () => {
  test.each([4, 10])(
    'of %s timeouts, a critical server without data and a broken replication were lines of its thread',
    async (count) => {
      const town = await stormy(count)
      openOn(town, 'cache', 1, noData)
      openOn(town, 'db', 1, replication)
      openOn(town, 'app', 2)
      expect(await tickedAloud(town)).toEqual(['cache-0 Server', 'db-0 MySQL'])
      const [storm] = await town.store.cardsOfKind('storm')
      expect(storm?.alertIds).toHaveLength(count + 2)
    },
  )

  test.each<[string, Given, Given]>([
    ['the first critical one', {}, { saidSeverity: 'critical' }],
    ['another metric of the same plugin', {}, { metric: 'errors' }],
    [
      'another limit of the same metric',
      { title: 'Timeouts met or exceeded 10.00, increasing to 12.00' },
      { title: 'Timeouts met or exceeded 90.00, increasing to 120.00' },
    ],
    ['another trigger, where one is of many servers', { triggerId: 't1' }, { triggerId: 't2' }],
    [
      'other words, where there is no metric',
      { metric: null, title: 'Check 7 of web-1 timed out' },
      { metric: null, title: 'Replication of db-0 stopped' },
    ],
    ['what only happened', {}, { lifecycle: 'oneoff' }],
  ])('%s was an edit', async (_, usual, other) => {
    const town = await polledWorld()
    openOn(town, 'web', 5, { ...timeouts, ...usual })
    expect(await tickedAloud(town)).toEqual(['storm 5'])
    openOn(town, 'db', 1, { ...timeouts, ...usual, ...other })
    openOn(town, 'app', 1, { ...timeouts, ...usual })
    expect(await tickedAloud(town)).toEqual(['db-0 Upstream'])
  })

  test.each<[string, readonly Given[]]>([
    [
      'servers that number a trigger each',
      ['t1', 't2', 't3', 't4', 't5'].map((triggerId) => ({ triggerId })),
    ],
    [
      'values that differ',
      [1, 2, 3, 4, 5].map((n) => ({ title: `Timeouts met or exceeded 10.00, increasing to ${n}0.00` })),
    ],
    [
      'names in the words',
      [1, 2, 3, 4, 5].map((n) => ({ metric: null, title: `Pod pay-${n}/api is crash looping` })),
    ],
    ['limits of each server', [1, 2, 3, 4, 5].map((n) => ({ title: `Timeouts met or exceeded ${n}0.00` }))],
    [
      'a warning after critical ones',
      ['critical', 'critical', 'critical', 'critical', 'warning'].map(
        (saidSeverity) => ({ saidSeverity }) as Given,
      ),
    ],
  ])('a second wave of the same kind joins, also with %s', async (_, given) => {
    const town = await polledWorld()
    const [last] = given.slice(-1)
    given.slice(0, 4).forEach((one, n) => void openOn(town, `web${n}`, 1, { ...timeouts, ...one }))
    expect(await tickedAloud(town)).toEqual(['storm 4'])
    for (const one of [...given.slice(4), last]) openOn(town, 'db', 1, { ...timeouts, ...one })
    expect(await tickedAloud(town)).toEqual([])
    expect((await town.store.cardsOfKind('storm'))[0]?.alertIds).toHaveLength(given.length + 1)
  })

  test('other kinds are a storm of their own once they are more than three, which takes what follows of them', async () => {
    const town = await stormy()
    openOn(town, 'db', 3, replication)
    openOn(town, 'cache', 1, noData)
    expect(await tickedAloud(town)).toEqual(['storm 4'])
    openOn(town, 'mail', 6, replication)
    openOn(town, 'app', 6)
    expect(await tickedAloud(town)).toEqual([])
    const sizes = (await town.store.cardsOfKind('storm')).map(({ alertIds }) => alertIds.length)
    expect(sizes.toSorted((a, b) => a - b)).toEqual([10, 16])
  })

  test('a hundred kinds in ten polls are told in ten messages at most, and none is left out', async () => {
    const town = await stormy(40)
    const posted: string[] = []
    for (let n = 0; n < 10; n += 1) {
      for (let m = 0; m < 10; m += 1)
        openOn(town, `db${n}-${m}`, 1, { plugin: `Disk ${n}-${m}`, metric: 'used' })
      posted.push(...(await tickedAloud(town)))
    }
    expect(posted).toEqual(Array.from({ length: 10 }, () => 'storm 10'))
  })

  test('what is told aloud is told over a kill', async () => {
    const town = await stormy()
    town.restart()
    openOn(town, 'cache', 1, noData)
    openOn(town, 'app', 1)
    await town.tick()
    town.restart()
    expect(await aloud(town)).toEqual(['cache-0 Server'])
  })

  test('while Slack is away the storm that waits takes what are too many for cards of their own', async () => {
    const town = await polledWorld()
    for (let n = 0; n < 60; n += 1) {
      openOn(town, `web${n}`, 2)
      openOn(town, `db${n}`, 1, { plugin: `Disk ${n}`, metric: 'used' })
      await town.tick()
    }
    const posted = await aloud(town)
    expect(posted.length).toBeLessThanOrEqual(4)
    const told = await Promise.all(
      ['storm', 'alert'].map((kind) => town.store.cardsOfKind(kind as 'storm' | 'alert')),
    )
    expect(new Set(told.flat().flatMap(({ alertIds }) => alertIds)).size).toBe(180)
  })
})

describe('at its beginning', () => {
  test('the few of another kind, or that are critical, have cards of their own', async () => {
    const town = await polledWorld()
    openOn(town, 'web', 30)
    openOn(town, 'cache', 1, noData)
    openOn(town, 'db', 1, replication)
    openOn(town, 'app', 1, { ...timeouts, saidSeverity: 'critical' })
    expect((await tickedAloud(town)).toSorted()).toEqual([
      'app-0 Upstream',
      'cache-0 Server',
      'db-0 MySQL',
      'storm 30',
    ])
  })

  test.each([
    [3, ['storm 30', 'x-0 Disk 0', 'x-0 Disk 1', 'x-0 Disk 2']],
    [4, ['storm 30', 'storm 4']],
    [50, ['storm 30', 'storm 50']],
  ])('thirty and %s of as many kinds', async (count, expected) => {
    const town = await polledWorld()
    openOn(town, 'web', 30)
    for (let n = 0; n < count; n += 1) openOn(town, 'x', 1, { plugin: `Disk ${n}` })
    expect((await tickedAloud(town)).toSorted()).toEqual(expected)
  })

  test('kinds of which there are many are one storm', async () => {
    const town = await polledWorld()
    openOn(town, 'web', 30)
    openOn(town, 'db', 4, replication)
    expect(await tickedAloud(town)).toEqual(['storm 34'])
  })

  test('four of as many kinds are one storm', async () => {
    const town = await polledWorld()
    for (let n = 0; n < 4; n += 1) openOn(town, 'x', 1, { plugin: `Disk ${n}` })
    expect(await tickedAloud(town)).toEqual(['storm 4'])
  })
})

describe('after it was told as over', () => {
  async function over() {
    const town = await stormy()
    for (const id of town.ids) town.service.close(id)
    await town.saidAfter(1)
    await town.said()
    return town
  }

  test('a one-off edited it', async () => {
    const town = await over()
    openOn(town, 'worker', 1, { plugin: 'Log Watcher', metric: null, lifecycle: 'oneoff' })
    await town.tick()
    expect(await town.said()).toEqual(['post 11 oneoff'])
  })

  test('more of it on other servers was an edit that nobody saw', async () => {
    const town = await over()
    openOn(town, 'app', 1)
    expect(await tickedAloud(town)).toEqual(['app-0 Upstream'])
    openOn(town, 'db', 4)
    expect(await tickedAloud(town)).toEqual(['storm 4'])
  })

  test('its own alerts that come back at once stay on it', async () => {
    const town = await over()
    openOn(town, 'web', 10)
    expect(await tickedAloud(town)).toEqual([])
    expect((await town.store.cardsOfKind('storm')).map(({ alertIds }) => alertIds.length)).toEqual([20])
  })
})

test.each([
  [4, 4],
  [5, 5],
  [6, 0],
  [30, 0],
])(
  '%s critical alerts of as many kinds among thirty were a number that said nothing of what broke',
  async (critical, named) => {
    const town = await polledWorld()
    for (let n = 0; n < 30; n += 1) {
      const saidSeverity = n < critical ? 'critical' : 'warning'
      openOn(town, `web${n}`, 1, { plugin: `Disk ${n}`, saidSeverity })
    }
    await town.tick()
    const storm = (await cards(town)).find(({ view }) => view.kind === 'storm')?.view
    if (storm?.kind !== 'storm') throw new Error('thirty kinds are a storm')
    const lines = render(storm).text.split('\n')
    expect(lines.filter((line) => line.startsWith('🚨 CRITICAL')).length).toBe(named)
    expect(lines[1]).toMatch(named > 0 ? /^🚨 CRITICAL web.*Disk / : /^👀 /)
  },
)
