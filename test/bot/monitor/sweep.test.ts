/** The sweep misses nothing that keeps its place in a moving list; pagers without its anchors do. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AlertRecord } from '../../../src/bot/domain/alert/alert.ts'
import type { Page } from '../../../src/bot/flow/ports/ports.ts'
import { isNewestFirst } from '../../../src/bot/monitor/listing/newest-first.ts'
import { sweep } from '../../../src/bot/monitor/listing/sweep.ts'
import {
  type Form,
  type Move,
  movingList,
  naivePager,
  type Order,
  orders,
  sightingOf,
  variantPager,
  type World,
} from '../flow/moving-list.ts'

const seeds = [1, 20_260, 777_777, 31_337]
const runsPerSeed = 150
const requestsMax = 60

const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom('insert', 'close', 'close', 'remove', 'age_out'),
  at: fc.oneof(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.double({ min: 0, max: 0.3, noNaN: true })),
})
const quiet = fc.array(move, { maxLength: 4 })
const burst = fc.array(move, { minLength: 6, maxLength: 25 })

/** Up to nine pages, moving for a while and then still, as every list is sooner or later. */
function worlds(order: Order, form: Form): fc.Arbitrary<World> {
  return fc.record({
    order: fc.constant(order),
    form: fc.constant(form),
    filter: fc.constantFrom('start' as const, 'all' as const),
    records: fc.integer({ min: 0, max: 400 }),
    moves: fc.array(fc.oneof({ arbitrary: quiet, weight: 3 }, { arbitrary: burst, weight: 1 }), {
      maxLength: 20,
    }),
  })
}

type Pager = (
  page: (offset: number) => Promise<Page>,
) => Promise<{ alertRecords: readonly AlertRecord[]; complete: boolean }>

const theSweep: Pager = (page) => sweep(page, { requestsMax })

/** "Nothing missed" (docs/promises.md#the-promises) as a property of any pager; counts what it tried and what came to an end. */
function missesNothing(pager: Pager, world: fc.Arbitrary<World>, tally = { runs: 0, complete: 0 }) {
  return fc.asyncProperty(world, async (drawn) => {
    const list = movingList(drawn)
    const { alertRecords, complete } = await pager(list.page)
    tally.runs += 1
    if (!complete) return
    tally.complete += 1
    const seen = new Set(alertRecords.map((alertRecord) => alertRecord.alertId))
    const missed = list.stayed().filter((alertId) => !seen.has(alertId))
    expect(missed).toEqual([])
  })
}

describe.each(orders)('a list ordered %s', (order) => {
  test.each(['flip', 'flip_and_move', 'pair'] as const)(
    'is swept whole while it moves (%s)',
    async (form) => {
      const tally = { runs: 0, complete: 0 }
      for (const seed of seeds) {
        await fc.assert(missesNothing(theSweep, worlds(order, form), tally), { seed, numRuns: runsPerSeed })
      }
      expect(tally.runs).toBe(seeds.length * runsPerSeed)
      // The promise would be kept by a sweep that never ends: nearly all of them must.
      expect(tally.complete / tally.runs).toBeGreaterThan(0.95)
    },
  )

  test.each(['flip', 'flip_and_move', 'pair'] as const)(
    'is not read whole by a naive pager (%s)',
    async (form) => {
      const naive: Pager = async (page) => ({ alertRecords: await naivePager(page), complete: true })
      for (const seed of seeds) {
        const outcome = await fc.check(missesNothing(naive, worlds(order, form)), {
          seed,
          numRuns: runsPerSeed,
          endOnFailure: true,
        })
        expect(outcome.failed).toBe(true)
      }
    },
  )
})

describe('first designs that missed alerts', () => {
  const drawn = (form: Form) => fc.constantFrom(...orders).chain((order) => worlds(order, form))

  test('an overlap without the content check misses what a larger gap swallows', async () => {
    const unchecked: Pager = (page) => variantPager(page, requestsMax, () => true)
    const outcome = await fc.check(missesNothing(unchecked, drawn('flip')), {
      seed: 1,
      numRuns: 300,
      endOnFailure: true,
    })
    expect(outcome.failed).toBe(true)
  })

  test('an anchor compared by id only misses: it can be the thing that moved', async () => {
    const world = movedAnchor()
    const byId: Pager = (page) =>
      variantPager(page, requestsMax, (one, other) => {
        const ids = new Set(one.map((alertRecord) => alertRecord.alertId))
        return other.some((alertRecord) => ids.has(alertRecord.alertId))
      })
    await expect(fc.assert(missesNothing(byId, fc.constant(world)), { numRuns: 1 })).rejects.toThrow()
    const random = await fc.check(missesNothing(byId, drawn('flip_and_move')), {
      seed: 1,
      numRuns: 2_000,
      endOnFailure: true,
    })
    expect(random.failed).toBe(true)
    await fc.assert(missesNothing(theSweep, fc.constant(world)), { numRuns: 1 })
  })
})

/** Oldest first: the first alert closes and moves behind the gap that eleven removals tear before the second page. */
function movedAnchor(): World {
  const removals = Array.from({ length: 11 }, (): Move => ({ kind: 'remove', at: 0 }))
  return {
    order: 'oldest',
    form: 'flip_and_move',
    filter: 'all',
    records: 80,
    moves: [[{ kind: 'close', at: 0 }, ...removals]],
  }
}

describe('a sweep', () => {
  const still =
    (records: readonly AlertRecord[]) =>
    async (offset: number): Promise<Page> => {
      const part = records.slice(offset, offset + 50)
      return { records: part, size: part.length, skipped: 0 }
    }
  const many = (count: number): AlertRecord[] => Array.from({ length: count }, (_, n) => sightingOf(n))

  test.each([
    [0, 1],
    [49, 1],
    [50, 2],
    [95, 3],
    [94, 2],
    [229, 5],
    // Three are asked for ahead and not needed.
    [500, 15],
  ])('of %i still records costs %i requests', async (records, requests) => {
    const answer = await sweep(still(many(records)), { requestsMax })
    expect(answer).toMatchObject({
      alertRecords: many(records),
      complete: true,
      hasGaps: false,
      requests,
      skipped: 0,
    })
  })

  test('over budget says so, and gives what it has seen', async () => {
    const answer = await sweep(still(many(500)), { requestsMax: 3 })
    expect(answer).toMatchObject({ complete: false, requests: 3 })
    expect(answer.alertRecords).toHaveLength(140)
  })

  test('never ends its search for an anchor beyond the budget', async () => {
    let n = 0
    const everNew = async (): Promise<Page> => {
      const records = Array.from({ length: 50 }, () => sightingOf(n++))
      return { records, size: 50, skipped: 0 }
    }
    expect(await sweep(everNew, { requestsMax: 9 })).toMatchObject({ complete: false, requests: 9 })
  })

  test('refuses a budget of no request', async () => {
    await expect(sweep(still([]), { requestsMax: 0 })).rejects.toThrow('whole number from 1; came 0')
  })

  test('passes on what the port throws', async () => {
    const broken = async (): Promise<Page> => Promise.reject(new Error('the port is broken'))
    await expect(sweep(broken, { requestsMax })).rejects.toThrow('the port is broken')
  })

  test('keeps the content that it saw last', async () => {
    const list = many(60)
    let requests = 0
    const page = async (offset: number): Promise<Page> => {
      requests += 1
      const now = requests === 1 ? list : list.map((alertRecord) => ({ ...alertRecord, value: 77 }))
      // One record in the overlap stays as it was, so that the pages meet.
      return still(now.with(49, sightingOf(49)))(offset)
    }
    const { alertRecords } = await sweep(page, { requestsMax })
    expect(alertRecords.map(({ value }) => value).slice(44, 51)).toEqual([4, 77, 77, 77, 77, 9, 77])
  })

  test.each([
    ['before', ['end', 'start']],
    ['after', ['start', 'end']],
  ] as const)('lets an end beat a start of the same id that is listed %s it', async (_where, states) => {
    const records = states.map((lifecycle) => sightingOf(7, { lifecycle }))
    const { alertRecords } = await sweep(still(records), { requestsMax })
    expect(alertRecords).toEqual([sightingOf(7, { lifecycle: 'end' })])
  })

  test.each([5, 20, 25])('gets past %i bad records in a row across the edge of a page', async (bad) => {
    const list = many(200)
    const isBad = (alertRecord: AlertRecord): boolean =>
      Math.abs(Number(alertRecord.alertId) - 49.5) < bad / 2
    const page = async (offset: number): Promise<Page> => {
      const part = list.slice(offset, offset + 50)
      const records = part.filter((alertRecord) => !isBad(alertRecord))
      return { records, size: part.length, skipped: part.length - records.length }
    }
    const answer = await sweep(page, { requestsMax })
    expect(answer.complete).toBe(true)
    expect(answer.alertRecords.map((alertRecord) => alertRecord.alertId).sort()).toEqual(
      list
        .filter((alertRecord) => !isBad(alertRecord))
        .map((alertRecord) => alertRecord.alertId)
        .sort(),
    )
    expect(answer.skipped).toBeGreaterThanOrEqual(bad)
  })
})

describe('isNewestFirst', () => {
  const bootMs = Date.UTC(2026, 10, 21)
  const times = (...ms: number[]) => ms.map((timeMs, n) => sightingOf(n, { timeMs }))

  test.each([
    [[], true],
    [[5], true],
    [[5, 4, 4, 1], true],
    [[1, 2], false],
    [[9, 8, 3, 4], false],
    // One of ten is dated a day ahead, then two are; such a list proves nothing.
    [[9, 8, 90_000_000, 7, 6, 5, 4, 3, 2, 1], true],
    [[9, 8, 90_000_000, 7, 6, 5, 90_000_000, 3, 2, 1], false],
    [[90_000_001, 90_000_000, 9], true],
    [[1, 90_000_000], false],
  ])('%j: %s', (ms, expected) => {
    expect(isNewestFirst(times(...ms.map((one) => one + bootMs)), bootMs)).toBe(expected)
  })
})
