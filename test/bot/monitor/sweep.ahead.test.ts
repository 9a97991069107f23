/** A long list is asked for ahead of its turn: still nothing that keeps its place in it is missed, in whatever order the answers are made. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AlertRecord } from '../../../src/bot/domain/alert/alert.ts'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { type AskPage, sweep } from '../../../src/bot/monitor/listing/sweep.ts'
import { type Form, type Move, movingList, orders, sightingOf, type World } from '../flow/moving-list.ts'

const seeds = [1, 20_260, 777_777, 31_337]
const runsPerSeed = 60
const requestsMax = 200

const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom('insert', 'close', 'close', 'remove', 'age_out'),
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
})
/** Mostly calm, so that pages meet and are asked for ahead; now and then more goes than an overlap holds. */
const moves = fc.array(
  fc.oneof(
    { arbitrary: fc.array(move, { maxLength: 2 }), weight: 6 },
    { arbitrary: fc.array(move, { minLength: 6, maxLength: 20 }), weight: 1 },
  ),
  { maxLength: 40 },
)

function drawn(order: World['order'], form: Form) {
  return fc.record({
    world: fc.record({
      order: fc.constant(order),
      form: fc.constant(form),
      filter: fc.constantFrom('start' as const, 'all' as const),
      records: fc.integer({ min: 200, max: 900 }),
      moves,
    }),
    /** How many turns of the loop each request takes to the service, and its answer back. */
    turns: fc.array(fc.nat(9), { minLength: 7, maxLength: 20 }),
  })
}

/** The page port over a slow road: what is asked first is not what is answered first. */
function overRoad(page: AskPage, turns: readonly number[]): { page: AskPage; mostUnderWay: () => number } {
  let asked = 0
  let underWay = 0
  let most = 0
  const road = async () => {
    asked += 1
    for (let turn = turns[asked % turns.length] ?? 0; turn > 0; turn -= 1) await null
  }
  return {
    mostUnderWay: () => most,
    page: async (offset) => {
      underWay += 1
      most = Math.max(most, underWay)
      await road()
      const answer = await page(offset)
      await road()
      underWay -= 1
      return answer
    },
  }
}

type Pager = (page: AskPage) => Promise<{ alertRecords: readonly AlertRecord[]; complete: boolean }>

type Tally = { runs: number; complete: number; ahead: number }

function missesNothing(pager: Pager, of: ReturnType<typeof drawn>, tally: Tally) {
  return fc.asyncProperty(of, async ({ world, turns }) => {
    const list = movingList(world)
    const { page, mostUnderWay } = overRoad(list.page, turns)
    const { alertRecords, complete } = await pager(page)
    tally.runs += 1
    if (mostUnderWay() > 1) tally.ahead += 1
    if (!complete) return
    tally.complete += 1
    const seen = new Set(alertRecords.map((alertRecord) => alertRecord.alertId))
    expect(list.stayed().filter((alertId) => !seen.has(alertId))).toEqual([])
  })
}

/** Windows asked for at once, and taken as they come. */
const uncheckedWindows: Pager = async (page) => {
  const alertRecords: AlertRecord[] = []
  for (let offset = 0; ; offset += 4 * 45) {
    const pages = await Promise.all([0, 45, 90, 135].map((further) => page(offset + further)))
    alertRecords.push(...pages.flatMap(({ records }) => records))
    if (pages.some(({ size }) => size < 50)) return { alertRecords, complete: true }
  }
}

describe.each(orders)('a long list ordered %s', (order) => {
  test.each(['flip', 'flip_and_move', 'pair'] as const)(
    'is swept whole while it moves and is asked for ahead (%s)',
    async (form) => {
      const tally = { runs: 0, complete: 0, ahead: 0 }
      const theSweep: Pager = (page) => sweep(page, { requestsMax })
      for (const seed of seeds) {
        await fc.assert(missesNothing(theSweep, drawn(order, form), tally), { seed, numRuns: runsPerSeed })
      }
      expect(tally.runs).toBe(seeds.length * runsPerSeed)
      expect(tally.complete / tally.runs).toBeGreaterThan(0.95)
      // Else nothing was asked for ahead, and nothing of it was proven.
      expect(tally.ahead / tally.runs).toBeGreaterThan(0.5)
    },
  )

  test.each(['flip', 'flip_and_move', 'pair'] as const)(
    'is not read whole by windows whose neighbours are not compared (%s)',
    async (form) => {
      for (const seed of seeds) {
        const outcome = await fc.check(
          missesNothing(uncheckedWindows, drawn(order, form), { runs: 0, complete: 0, ahead: 0 }),
          { seed, numRuns: runsPerSeed, endOnFailure: true },
        )
        expect(outcome.failed).toBe(true)
      }
    },
  )
})

describe('asking ahead', () => {
  const list = Array.from({ length: 2_000 }, (_, n) => sightingOf(n))

  /** A still list that shows how many of its requests are open at once. */
  function stillList(failsAt: (offset: number) => boolean = () => false) {
    const counts = { underWay: 0, most: 0, asked: 0 }
    const page: AskPage = async (offset) => {
      counts.asked += 1
      counts.underWay += 1
      counts.most = Math.max(counts.most, counts.underWay)
      await new Promise(setImmediate)
      counts.underWay -= 1
      if (failsAt(offset)) throw new OutsideFailure('unreachable', `no page at ${offset}`)
      const records = list.slice(offset, offset + 50)
      return { records, size: records.length, skipped: 0 }
    }
    return { page, counts }
  }

  test('has four pages under way, and asks for three in vain at the end', async () => {
    const { page, counts } = stillList()
    const listing = await sweep(page, { requestsMax })
    expect(listing).toMatchObject({ complete: true, alertRecords: list })
    expect(counts).toEqual({ underWay: 0, most: 4, asked: Math.ceil((2_000 - 50) / 45) + 1 + 3 })
    expect(listing.requests).toBe(counts.asked)
  })

  test('asks for none in vain where the list ends where it ended lately, and still finds what was added', async () => {
    const { page, counts } = stillList()
    const needed = Math.ceil((2_000 - 50) / 45) + 1
    const lastOffset = (needed - 1) * 45
    expect(await sweep(page, { requestsMax, reachesTo: lastOffset + 50 })).toMatchObject({
      complete: true,
      alertRecords: list,
    })
    expect(counts).toMatchObject({ most: 4, asked: needed })
    const grown = await sweep(page, { requestsMax, reachesTo: 1_000 })
    expect(grown).toMatchObject({ complete: true, alertRecords: list })
  })

  test('keeps to the budget, and gives what came', async () => {
    const { page, counts } = stillList()
    const listing = await sweep(page, { requestsMax: 12 })
    expect(listing).toMatchObject({ complete: false, requests: 12 })
    expect(counts).toMatchObject({ asked: 12, underWay: 0 })
    expect(listing.alertRecords).toEqual(list.slice(0, 11 * 45 + 50))
  })

  test('leaves nothing under way when a page fails, and throws the first failure in the order of the list', async () => {
    const { page, counts } = stillList((offset) => offset >= 450)
    await expect(sweep(page, { requestsMax })).rejects.toThrow('no page at 450')
    expect(counts.underWay).toBe(0)
  })

  test('is not spoiled by the failure of a page that nobody needed', async () => {
    const { page } = stillList((offset) => offset > 2_000)
    expect(await sweep(page, { requestsMax })).toMatchObject({ complete: true, alertRecords: list })
  })

  test('does not hide a bug in a page that nobody needed', async () => {
    const { page } = stillList()
    const buggy: AskPage = async (offset) => {
      if (offset > 2_000) throw new TypeError('a bug')
      return page(offset)
    }
    await expect(sweep(buggy, { requestsMax })).rejects.toThrow('a bug')
  })

  test('ends when it is late, with what came until then', async () => {
    const { page, counts } = stillList()
    const listing = await sweep(page, { requestsMax, isLate: () => counts.asked >= 10 })
    expect(listing.complete).toBe(false)
    expect(counts).toMatchObject({ asked: 10, underWay: 0 })
    expect(listing.alertRecords).toEqual(list.slice(0, 9 * 45 + 50))
  })
})
