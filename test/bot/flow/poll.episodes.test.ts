/** Numbers that come back: the same alert again, another one under its number, and what only looks like either. */
import { describe, expect, test } from 'vitest'
import type { AlertRecord, Lifecycle } from '../../../src/bot/domain/alert/alert.ts'
import { numberOf } from '../../../src/bot/domain/alert/episode.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { episodeMeant } from '../../../src/bot/flow/episode-meant.ts'
import { cards, states } from '../../support/poll-world.ts'
import { scriptedWorld } from '../../support/scripted-api.ts'

const minuteMs = 60_000

/** One alert is open and told. `list` says what the API lists from then on, and answers what Slack is told. */
async function withOne(form: 'flip' | 'pair' = 'flip') {
  const town = await scriptedWorld({ lifecycle: form })
  await town.poll()
  const old = town.record('7')
  const list = async (open: readonly AlertRecord[], closed: readonly AlertRecord[] = [], polls = 1) => {
    town.api.start = open
    town.api.all = [...open, ...closed]
    const told: string[] = []
    for (let n = 0; n < polls; n += 1) {
      await town.tick()
      told.push(...(await town.said()))
    }
    return told
  }
  expect(await list([old])).toEqual(['post 7 open'])
  const end = (alertRecord: AlertRecord, over: Partial<AlertRecord> = {}): AlertRecord => ({
    ...alertRecord,
    lifecycle: 'end',
    ...over,
  })
  return { ...town, old, list, end }
}

describe('an alert that closed and opened again on the same record', () => {
  test('was told nowhere', async () => {
    const { old, list, end, store, clock } = await withOne()
    const [known] = await store.recallByIds(['7'])
    if (known === undefined) throw new Error('the alert is not remembered')
    const acked = { ...known, ackedBy: 'U0ANA', ackedMs: clock.nowMs(), version: known.version + 1 }
    await store.commit({ ...emptyPlan(clock.nowMs()), alerts: [{ alert: acked, was: known.version }] })
    expect(await list([], [end(old)])).toEqual(['update 7 closed'])
    expect(await list([old], [], 3)).toEqual(['post 7~2 open'])
    // Who held it then does not hold it now.
    expect(await episodeMeant('7', store)).toMatchObject({ alertId: '7~2', state: 'open', ackedBy: null })
    expect(await list([], [end(old)], 3)).toEqual(['update 7~2 closed'])
  })

  test('and did so while the bot was away is told with what is open', async () => {
    const { old, list, end, clock, restart } = await withOne()
    expect(await list([], [end(old)])).toEqual(['update 7 closed'])
    clock.advance(60 * minuteMs)
    restart()
    expect(await list([old])).toEqual(['post 7~2 open'])
  })

  test('again and again is one card that comes and goes, and does not grow for ever', async () => {
    const { old, list, end, store } = await withOne()
    const told: string[] = []
    for (let n = 0; n < 30; n += 1) {
      told.push(...(await list([], [end(old)])), ...(await list([old])))
    }
    expect(told.filter((job) => job.startsWith('post')).length).toBeLessThanOrEqual(3)
    expect(told.at(-1)).toMatch(/^update 7~\d open$/)
    expect((await store.recallByNumbers(['7'])).length).toBeLessThanOrEqual(4)
  })

  test('is not open where the record that is listed beside it says that it closed', async () => {
    const { old, list, end } = await withOne()
    expect(await list([old], [end(old)], 3)).toEqual(['update 7 closed'])
  })
})

describe.each(['flip', 'pair'] as const)('a number that comes back as another alert, in %s form', (form) => {
  const others: [string, Partial<AlertRecord>][] = [
    ['on another server with another title', { hostname: 'db-8', serverName: 'db-8', title: 'Disk full' }],
    ['with another title', { title: 'Disk full' }],
    ['at another time', {}],
  ]
  const timeOf = (what: string, town: { clock: { nowMs(): number } }, old: AlertRecord) =>
    what === 'with another title' ? old.timeMs : town.clock.nowMs() + 15_000

  test.each(others)('%s was lost after the old one had closed', async (what, over) => {
    const town = await withOne(form)
    const { old, list, end } = town
    const closed = form === 'flip' ? end(old) : { ...end(old), alertId: '8', timeMs: old.timeMs + 5_000 }
    expect(await list([], [closed], 2)).toEqual(['update 7 closed'])
    const fresh = { ...old, ...over, timeMs: timeOf(what, town, old) }
    expect(await list([fresh], form === 'flip' ? [] : [closed], 3)).toEqual(['post 7~2 open'])
    const [known] = await town.store.recallByIds(['7~2'])
    expect(known).toMatchObject({ title: fresh.title, hostname: fresh.hostname, startedMs: fresh.timeMs })
  })

  test.each(others)('%s was shown as the old one, which was still open', async (what, over) => {
    const town = await withOne(form)
    const { old, list } = town
    const fresh = { ...old, ...over, timeMs: timeOf(what, town, old) }
    // Where both are open on one server, each card also says so of the other.
    const news = (await list([fresh], [], 3)).filter((line) => !/^update .* open$/.test(line))
    expect(news).toEqual(['post 7~2 open', 'update 7 closed'])
  })

  test('only in the list of everything, is told, and the old one ends', async () => {
    const { old, list, end, api, tick, clock, ...town } = await withOne(form)
    const fresh = { ...old, title: 'Disk full', timeMs: clock.nowMs() + 1_000 }
    const past = { ...end(town.record('1', { hostname: 'past-1' })), timeMs: 0 }
    await list([], [past])
    api.all = [fresh, past]
    await tick()
    expect(states(await cards({ ...town, clock }))).toEqual(['post 7~2 open', 'update 7 closed'])
  })

  test('that only happened is told', async () => {
    const { old, list, clock } = await withOne(form)
    const event = {
      ...old,
      lifecycle: 'oneoff' as Lifecycle,
      title: 'Restarted',
      timeMs: clock.nowMs() + 1_000,
    }
    expect(await list([], [event], 3)).toEqual(['post 7~2 oneoff', 'update 7 closed'])
    const next = { ...event, title: 'Restarted by hand', timeMs: clock.nowMs() + 1_000 }
    expect(await list([], [next], 3)).toEqual(['post 7~3 oneoff'])
  })

  test('several times in a row is each of them, and only the last one is open', async () => {
    const { old, list, clock, store } = await withOne(form)
    for (let n = 2; n <= 12; n += 1) {
      const told = await list([
        { ...old, hostname: `db-${n}`, title: `${'x'.repeat(n)} full`, timeMs: clock.nowMs() },
      ])
      expect(told.sort()).toEqual([`post 7~${n} open`, `update ${n === 2 ? 7 : `7~${n - 1}`} closed`])
    }
    expect([...(await store.recall()).alerts.keys()]).toEqual(['7~12'])
  })
})

test('a number of the API that looks like the key of an episode is an alert of its own', async () => {
  const { old, list, end, ...town } = await withOne()
  const like = ['7~2', '7~1', '7~2~1', 'a~b'].map((id) =>
    town.record(id, { hostname: `like-${id}`, title: `Disk of ${id}` }),
  )
  expect((await list([old, ...like])).length).toBeGreaterThan(0)
  const again = town.record('7', { hostname: 'db-8', title: 'Disk full' })
  await list([again, ...like], [end(old)], 3)
  const open = [...(await town.store.recall()).alerts.values()]
  expect(open.map(({ alertId, hostname }) => `${numberOf(alertId)} ${hostname}`).sort()).toEqual(
    ['7 db-8', ...like.map(({ alertId, hostname }) => `${alertId} ${hostname}`)].sort(),
  )
  for (const { alertId, hostname } of like) {
    expect(await episodeMeant(alertId, town.store)).toMatchObject({ hostname })
  }
  await list(
    [again],
    like.map((one) => end(one)),
    3,
  )
  expect([...(await town.store.recall()).alerts.values()].map(({ hostname }) => hostname)).toEqual(['db-8'])
})

test('a number that comes back and closes between two polls is told', async () => {
  const { old, list, end, clock } = await withOne()
  expect(await list([], [end(old)])).toEqual(['update 7 closed'])
  clock.advance(minuteMs)
  const passed = end(old, { hostname: 'db-8', title: 'Disk full', timeMs: clock.nowMs() })
  expect(await list([], [passed], 3)).toEqual(['post 7~2 closed'])
})

test('one number for two servers at the same time is two alerts', async () => {
  const { old, list } = await withOne()
  const other = { ...old, hostname: 'db-8', serverName: 'db-8', title: 'Disk full' }
  expect(await list([old, other], [], 3)).toEqual(['post 7~2 open'])
  expect(await list([old], [], 3)).toEqual(['update 7~2 closed'])
})

describe('is the same alert', () => {
  const hourMs = 60 * minuteMs
  const rows: [string, (old: AlertRecord, n: number, nowMs: number) => Partial<AlertRecord>][] = [
    [
      'with another number in its title',
      (_, n) => ({ title: `Load Average met or exceeded ${n}.${n} %`, value: n }),
    ],
    [
      'with another unit in its title',
      (_, n) => ({ title: `Load Average met or exceeded ${n + 1} ${n % 2 ? 'h' : 'min'}` }),
    ],
    ['with a time before 2000', (_, n) => ({ timeMs: n })],
    ['with a time a year ahead', (_, n, nowMs) => ({ timeMs: nowMs + 365 * 24 * hourMs + n })],
    ['with a time that is set right', (old) => ({ timeMs: old.timeMs - hourMs })],
  ]
  test.each(rows)('%s', async (_, over) => {
    const { old, list, clock } = await withOne()
    const told: string[] = []
    for (let n = 0; n < 6; n += 1) told.push(...(await list([{ ...old, ...over(old, n, clock.nowMs()) }])))
    expect(told).toEqual([])
  })

  test('listed twice with another title, however often they change places', async () => {
    const { old, list } = await withOne()
    const twice = { ...old, title: 'Load Average met or exceeded 3.00, again' }
    const told: string[] = []
    for (let n = 0; n < 6; n += 1) told.push(...(await list(n % 2 === 0 ? [old, twice] : [twice, old])))
    expect(told).toEqual([])
  })

  test('whose end carries the closing time, or says so in its title', async () => {
    const { old, list, end, clock } = await withOne()
    const closed = end(old, { timeMs: clock.nowMs(), title: `Resolved: ${old.title}` })
    expect(await list([], [closed], 4)).toEqual(['update 7 closed'])
  })

  test.each([
    ['first seen with a time that cannot be, it closed with its own, and had a second card', 1],
    ['first seen with a time ahead, it closed with its own, and had a second card', hourMs / 20],
  ])('%s', async (_, aheadMs) => {
    const { old, list, end, record, clock } = await withOne()
    const real = record('8', { hostname: 'db-1', timeMs: clock.nowMs() })
    clock.advance(10_000)
    const wrong = { ...real, timeMs: aheadMs === 1 ? 1 : clock.nowMs() + aheadMs }
    expect(await list([old, wrong])).toEqual(['post 8 open'])
    expect(await list([old], [end(real)], 4)).toEqual(['update 8 closed'])
  })

  test('dated anew at every poll, it is not told for ever', async () => {
    const { old, list, clock, store } = await withOne()
    for (let n = 0; n < 40; n += 1) await list([{ ...old, timeMs: clock.nowMs() + 15_000 }])
    expect((await store.recallByNumbers(['7'])).length).toBeLessThanOrEqual(4)
    expect((await store.recall()).alerts.size).toBe(1)
  })

  test('whose server is called something else now: its card shows the new name, and it is found by it', async () => {
    const { old, list, store } = await withOne()
    const renamed = { ...old, hostname: 'db-8', serverName: 'Database 8' }
    expect(await list([renamed], [], 3)).toEqual(['update 7 open'])
    expect(await store.openAlerts(['db-8'])).toMatchObject([{ alertId: '7', serverName: 'Database 8' }])
    expect(await store.openAlerts(['web-2'])).toEqual([])
  })

  test('that somebody silences elsewhere: its card says so, until when, and is itself again: it is no news', async () => {
    const { old, list, end, store } = await withOne()
    const titles = async () => (await store.openAlerts([old.hostname])).map(({ title }) => title)
    for (const remark of [' (silenced by ana until 15:04 UTC)', ' (silenced by bo until 9:04 UTC)', '']) {
      const title = `${old.title}${remark}`
      expect(await list([{ ...old, title }], [], 3)).toEqual(['update 7 open'])
      expect(await titles()).toEqual([title])
    }
    await list([{ ...old, title: `${old.title} (inhibited)` }])
    expect(await list([], [end(old)], 4)).toEqual(['update 7 closed'])
    expect([...(await store.recallByNumbers(['7']))].map(({ title }) => title)).toEqual([old.title])
  })
})

test('an alert that comes back under its number while others stay is told, though exactly an hour later', async () => {
  const { old, list, record, clock } = await withOne()
  const other = record('8', { hostname: 'db-8', title: 'Disk full' })
  await list([other, old])
  clock.advance(60 * minuteMs)
  await list([other, old])
  const news = await list([other, { ...old, timeMs: old.timeMs + 60 * minuteMs }], [], 3)
  expect(news).toContain('post 7~2 open')
})

test('two servers whose names are alike under one number stay two', async () => {
  const { old, list } = await withOne()
  const other = { ...old, hostname: 'web-02', title: 'Disk full' }
  expect(await list([old, other], [], 3)).toEqual(['post 7~2 open'])
})

test('a time that moves for the whole list makes no news of what is over', async () => {
  const { list, end, record, clock } = await withOne()
  clock.advance(2 * 60 * minuteMs)
  const over = Array.from({ length: 40 }, (_, n) => end(record(`${100 + n}`, { hostname: `h-${n}` })))
  await list([], over, 2)
  clock.advance(2 * 60 * minuteMs)
  expect(
    await list(
      [],
      over.map((one) => ({ ...one, timeMs: one.timeMs + 60 * minuteMs })),
      3,
    ),
  ).toEqual([])
})
