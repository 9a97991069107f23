/** Nothing that stays listed during one sweep is missed, or the sweep says that it is in doubt. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAlerts } from '../../../src/bot/api/parse.ts'
import { openSweeps } from '../../../src/bot/api/sweep.ts'
import { realClock } from '../../../src/bot/clock.ts'

type Item = { id: number; lifecycle: 'start' | 'end' }
type Change = { kind: 'insert' | 'remove' | 'close' | 'move'; at: number; count: number }

const day = Date.UTC(2026, 10, 21)

/** A list that changes between two requests, with pages of `size` records, of which those that `isHole` are left out after paging. */
function openList(items: Item[], size = 50, changes: Change[][] = [], isHole = (_: number) => false) {
  const list = [...items]
  const gone = new Set<number>()
  const born = new Set<number>()
  let requests = 0
  const change = ({ kind, at, count }: Change) => {
    for (let n = 0; n < count; n += 1) {
      const place = Math.floor(at * list.length)
      const item = list[place]
      if (kind === 'insert') {
        const id = 100_000 + born.size
        born.add(id)
        list.splice(place, 0, { id, lifecycle: 'start' })
      } else if (item !== undefined) {
        // What moves says so: no list shows that a record moved which stayed as it was.
        if (kind === 'move' && item.lifecycle === 'end') continue
        if (kind !== 'close') list.splice(place, 1)
        if (kind === 'remove') gone.add(item.id)
        // Closed ones move to the end, with another content.
        if (kind === 'move') list.push({ ...item, lifecycle: 'end' })
        if (kind !== 'remove') gone.add(item.id)
        if (kind === 'close') list[place] = { ...item, lifecycle: 'end' }
      }
    }
  }
  const ask = async (_: string, offset: number) => {
    if (requests > 0) for (const one of changes[requests - 1] ?? []) change(one)
    requests += 1
    const page = list.slice(offset, offset + size).filter(({ id }) => !isHole(id))
    const results = page.map(({ id, lifecycle }) => ({
      id,
      lifecycle,
      time: new Date(day - id * 60_000).toISOString(),
      title: `alert ${id}`,
    }))
    const parsed = parseAlerts({ results }, day)
    if (parsed === null) throw new Error('expected a page')
    return parsed
  }
  return { list, ask, requests: () => requests, stayed: () => items.filter(({ id }) => !gone.has(id)) }
}

const items = (count: number): Item[] =>
  Array.from({ length: count }, (_, id) => ({ id, lifecycle: 'start' as const }))
const keyOf = ({ id }: { id: number }) => `${id}@${day - id * 60_000}`
const numbersOf = (alerts: readonly { number: string }[]) =>
  alerts.map(({ number }) => Number(number)).sort((a, b) => a - b)
const sweepOf = (ask: ReturnType<typeof openList>['ask'], known: string[] = []) =>
  openSweeps(ask, realClock).open(known)

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('insert', 'remove', 'remove', 'close', 'move'),
  at: fc.oneof(fc.double({ min: 0, max: 0.99, noNaN: true }), fc.double({ min: 0, max: 0.2, noNaN: true })),
  count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 30 })),
})
const world = (sizes: fc.Arbitrary<number>, most: number) =>
  fc.record({
    count: fc.integer({ min: 0, max: most }),
    size: sizes,
    changes: fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 20 }),
  })

describe('a moving list', () => {
  test.each([
    { pages: 'of fifty', drawn: world(fc.constant(50), 400) },
    { pages: 'of one to five', drawn: world(fc.integer({ min: 1, max: 5 }), 40) },
  ])('is read whole, or in doubt: pages $pages', async ({ drawn }) => {
    let sure = 0
    let runs = 0
    const property = fc.asyncProperty(drawn, async ({ count, size, changes }) => {
      const { ask, stayed } = openList(items(count), size, changes)
      const { alerts, doubt } = await sweepOf(ask, items(count).map(keyOf))
      runs += 1
      if (doubt !== null) return
      sure += 1
      const seen = new Set(numbersOf(alerts))
      expect(stayed().filter(({ id }) => !seen.has(id))).toEqual([])
    })
    await fc.assert(property, {
      numRuns: 400,
      ...(process.env.SEED ? { seed: Number(process.env.SEED) } : {}),
    })
    // A sweep that always doubts would miss nothing either.
    expect(sure / runs).toBeGreaterThan(0.3)
  })

  test('a shared record counts by its content: by its id alone it may be the one that moved', async () => {
    const moves: Change[] = [
      { kind: 'move', at: 0, count: 1 },
      { kind: 'remove', at: 0, count: 10 },
    ]
    const { ask, stayed } = openList(items(80), 50, [moves])
    const { alerts } = await sweepOf(ask)
    expect(numbersOf(alerts)).toEqual(expect.arrayContaining(stayed().map(({ id }) => id)))
  })
})

describe('a still list', () => {
  test.each([1, 2, 3, 4, 5, 6, 49, 50])('is read whole with pages of %i', async (size) => {
    const { ask } = openList(items(120), size)
    expect(numbersOf((await sweepOf(ask)).alerts)).toEqual(items(120).map(({ id }) => id))
  })

  test('with holes is read whole, and its absences prove nothing', async () => {
    const { ask } = openList(items(180), 50, [], (id) => id % 10 === 3 || (id >= 50 && id < 120))
    const { alerts, doubt } = await sweepOf(ask, items(180).map(keyOf))
    expect(numbersOf(alerts)).toEqual(
      items(180)
        .map(({ id }) => id)
        .filter((id) => id % 10 !== 3 && (id < 50 || id >= 120)),
    )
    expect(doubt).toBe('the pages of its list do not fit together')
  })

  test('what was known is looked for behind many empty pages', async () => {
    const { ask } = openList(items(400), 50, [], (id) => id < 380)
    const { alerts, doubt } = await sweepOf(ask, items(400).map(keyOf))
    expect([numbersOf(alerts).length, doubt]).toEqual([20, 'the pages of its list do not fit together'])
  })

  test('one that closed is no doubt, and an empty list is one that is proven', async () => {
    const { ask } = openList(items(4))
    expect(await sweepOf(ask, items(6).map(keyOf))).toMatchObject({ doubt: null })
    expect(await sweepOf(openList([]).ask, items(3).map(keyOf))).toEqual({
      alerts: [],
      unreadable: 0,
      doubt: null,
    })
  })
})

describe('the requests of a poll', () => {
  test('are two while nothing changes', async () => {
    const { ask, requests } = openList(items(20))
    const sweeps = openSweeps(ask, realClock)
    const known = items(20).map(keyOf)
    const poll = async () => {
      const before = requests()
      await sweeps.open(known)
      await sweeps.head([])
      return requests() - before
    }
    await poll()
    expect([await poll(), await poll()]).toEqual([2, 2])
  })

  test('go on to what came since the reading before', async () => {
    const town = openList(items(300))
    const sweeps = openSweeps(town.ask, realClock)
    await sweeps.head([])
    town.list.unshift(...Array.from({ length: 120 }, (_, n): Item => ({ id: n - 120, lifecycle: 'end' })))
    expect(numbersOf((await sweeps.head([])).alerts).slice(0, 120)).toEqual(
      Array.from({ length: 120 }, (_, n) => n - 120),
    )
  })

  test.each([
    { why: 'it is found', order: 1, wanted: keyOf({ id: 170 }), found: true, requestsMax: 7 },
    {
      why: 'its place is passed',
      order: 1,
      wanted: `9999@${day - 100 * 60_000 - 9_000}`,
      found: false,
      requestsMax: 4,
    },
    {
      why: 'the list that begins with the oldest ends',
      order: -1,
      wanted: keyOf({ id: 3 }),
      found: true,
      requestsMax: 12,
    },
  ])('look for what is absent until $why', async ({ order, wanted, found, requestsMax }) => {
    const listed = items(300)
    const { ask, requests } = openList(order === 1 ? listed : listed.toReversed())
    const { alerts, isWhole } = await openSweeps(ask, realClock).head([wanted])
    expect([alerts.some(({ key }) => key === wanted), isWhole]).toEqual([found, true])
    expect(requests()).toBeLessThanOrEqual(requestsMax)
  })

  test('look for what is too old to be listed once a minute, and not at each poll', async () => {
    const { ask, requests } = openList(items(300))
    let nowMs = day
    const sweeps = openSweeps(ask, { ...realClock, nowMs: () => nowMs, steadyMs: () => nowMs })
    const old = [`9999@${day - 40 * 24 * 60 * 60_000}`]
    const head = async () => {
      const before = requests()
      await sweeps.head(old)
      return requests() - before
    }
    await head()
    nowMs += 15_000
    expect(await head()).toBe(1)
    nowMs += 60_000
    expect(await head()).toBeGreaterThan(6)
  })
})
