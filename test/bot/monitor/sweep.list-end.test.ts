/** A page that is short or empty is not the end of a list: what is listed behind it is open, and is told. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AlertRecord } from '../../../src/bot/domain/alert/alert.ts'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { sweep } from '../../../src/bot/monitor/listing/sweep.ts'
import { pollWorld } from '../../support/poll-world.ts'
import { pageRecords, scriptedWorld } from '../../support/scripted-api.ts'
import { sightingOf } from '../flow/moving-list.ts'

type Town = Awaited<ReturnType<typeof scriptedWorld>>

async function openIds({ store }: Town): Promise<string[]> {
  return [...(await store.recall()).alerts.keys()].sort()
}

async function withMany(count: number, form: 'flip' | 'pair' = 'flip') {
  const town = await scriptedWorld({ lifecycle: form })
  await town.poll()
  const records = Array.from({ length: count }, (_, n) => town.record(`${1000 + n}`, { hostname: `h-${n}` }))
  town.api.start = records
  town.api.all = records
  const ticks = async (polls: number) => {
    for (let n = 0; n < polls; n += 1) await town.tick()
    return town.said()
  }
  return { ...town, records, ticks }
}

const idsOf = (records: readonly AlertRecord[]) => records.map(({ alertId }) => alertId).sort()
const notTenth = ({ alertId }: AlertRecord) => Number(alertId) % 10 !== 3

describe.each(['flip', 'pair'] as const)('in %s form', (form) => {
  test('open alerts turned green when every tenth record was left out after paging', async () => {
    const town = await withMany(75, form)
    await town.ticks(1)
    expect(await openIds(town)).toEqual(idsOf(town.records))
    town.api.keep = notTenth
    await town.ticks(4)
    const listed = idsOf(town.records.filter(notTenth))
    expect((await openIds(town)).filter((alertId) => listed.includes(alertId))).toEqual(listed)
  })

  test('alerts behind a page that is short got no cards at all', async () => {
    const town = await withMany(75, form)
    town.api.keep = notTenth
    await town.ticks(1)
    expect(await openIds(town)).toEqual(idsOf(town.records.filter(notTenth)))
    // What comes at the far end later on is told as well.
    const late = town.record('2000')
    town.api.start = [...town.records, late]
    town.api.all = [late, ...town.records]
    await town.ticks(1)
    expect(await openIds(town)).toContain('2000')
  })

  test('a page in the middle that is empty is not the end', async () => {
    const town = await withMany(180, form)
    const isKept = ({ alertId }: AlertRecord) => Number(alertId) < 1050 || Number(alertId) >= 1120
    town.api.keep = isKept
    await town.ticks(1)
    expect(await openIds(town)).toEqual(idsOf(town.records.filter(isKept)))
    await town.ticks(4)
    expect(await openIds(town)).toEqual(idsOf(town.records.filter(isKept)))
  })

  test('what was listed behind many pages that are empty by now turned green', async () => {
    const town = await withMany(400, form)
    await town.ticks(1)
    const isKept = ({ alertId }: AlertRecord) => Number(alertId) >= 1380
    town.api.keep = isKept
    expect(await town.ticks(4)).toEqual([])
    expect(await openIds(town)).toEqual(idsOf(town.records))
  })

  test('an alert that is gone from a list that leaves others out is not over: it may be left out too', async () => {
    const town = await withMany(75, form)
    town.api.keep = notTenth
    await town.ticks(1)
    const [gone] = town.records
    town.api.start = town.records.slice(1)
    town.api.all = town.records.slice(1)
    await town.said()
    expect(await town.ticks(4)).toEqual([])
    expect(await openIds(town)).toContain(gone?.alertId)
  })
})

/** An API whose pages hold so many records at most, wherever they begin. */
const pagesOf = (town: Town, size: number, isCut: (lifecycle: string) => boolean = () => true) => {
  town.api.page = ({ lifecycle, offset }) => {
    const list = lifecycle === 'start' ? town.api.start : town.api.all
    return list.slice(offset, offset + (isCut(lifecycle) ? size : pageRecords))
  }
}

describe.each(['flip', 'pair'] as const)('pages of few records, in %s form', (form) => {
  const sizes = [1, 2, 4, 5, 6, 49, 50]
  const cases = [20, 50, 51, 200].flatMap((open) => sizes.map((size) => [size, open] as const))

  test.each(cases)('closed open alerts: of %i, of %i open', async (size, open) => {
    for (const polls of [1, 3]) {
      const town = await withMany(open, form)
      await town.ticks(2)
      // In both lists, or in that of what is open alone.
      pagesOf(town, size, (lifecycle) => polls > 1 || lifecycle === 'start')
      expect(await town.ticks(polls)).toEqual([])
      expect(await openIds(town)).toEqual(idsOf(town.records))
      // What opens meanwhile is told, and what is over closes.
      const late = town.record('9000', { hostname: 'late' })
      const stay = town.records.slice(1)
      town.api.start = [...stay, late]
      town.api.all = [late, ...stay]
      await town.ticks(6)
      expect(await openIds(town)).toEqual(idsOf([...stay, late]))
      town.api.page = null
      expect(await town.ticks(2)).toEqual([])
    }
  })
})

test.each([
  ['the last four of twenty', (_: AlertRecord, at: number) => at > 15],
  ['every other record', (_: AlertRecord, at: number) => at % 2 === 0],
  ['all but one in the middle', (_: AlertRecord, at: number) => at !== 9],
  ['all but the last but one', (_: AlertRecord, at: number) => at !== 18],
  ['all but the first', (_: AlertRecord, at: number) => at > 0],
])('pages that show only %s of what they hold closed the rest', async (_, isShown) => {
  const town = await withMany(20)
  await town.ticks(2)
  town.api.keep = (one) => isShown(one, Number(one.alertId) - 1000)
  for (let n = 0; n < 4; n += 1) await town.tick()
  expect(await town.said()).toEqual([])
  expect(await openIds(town)).toEqual(idsOf(town.records))
  town.api.keep = () => true
  await town.ticks(2)
  expect(await openIds(town)).toEqual(idsOf(town.records))
})

describe('an API that does not say where its list ends', () => {
  const endless: [string, (offset: number, count: number) => number][] = [
    ['gives its first page whatever is asked for', () => 0],
    ['gives its last page again', (offset, count) => Math.min(offset, Math.max(0, count - 5))],
  ]
  test.each(endless)(
    'and %s closes nothing by absence, and is said not to be read whole',
    async (_, toOffset) => {
      let list: readonly AlertRecord[] = []
      const town = await scriptedWorld({
        lifecycle: 'flip',
      })
      await town.poll()
      const answers = town.api
      const records = Array.from({ length: 30 }, (_one, n) =>
        town.record(`${1000 + n}`, { hostname: `h-${n}` }),
      )
      list = records
      answers.page = ({ offset }) =>
        list.slice(toOffset(offset, list.length), toOffset(offset, list.length) + 50)
      await town.tick()
      expect(await openIds(town)).toEqual(idsOf(records))
      list = records.slice(5)
      const before = answers.asked.length
      for (let n = 0; n < 4; n += 1)
        expect(await town.tick()).toMatchObject({ coverage: { open: 'partial' } })
      expect(await openIds(town)).toEqual(idsOf(records))
      expect(answers.asked.length - before).toBeLessThan(4 * 12)
      expect(town.logger.entries.filter(({ event }) => event === 'listing:incomplete')).toHaveLength(1)
    },
  )

  test('and fails behind it is the same, and what is open is told', async () => {
    const town = await withMany(30)
    town.api.failsFrom = pageRecords
    expect(await town.tick()).toMatchObject({ coverage: { open: 'partial' } })
    expect(await openIds(town)).toEqual(idsOf(town.records))
    town.api.start = town.records.slice(1)
    town.api.all = []
    await town.ticks(3)
    expect(await openIds(town)).toEqual(idsOf(town.records))
  })

  test('and lets nobody behind an offset is not asked for thousands of pages', async () => {
    const town = await scriptedWorld({ lifecycle: 'flip' })
    await town.poll()
    const records = Array.from({ length: 400 }, (_, n) => town.record(`${1000 + n}`, { hostname: `h-${n}` }))
    town.api.page = ({ offset }) => (offset > 200 ? [] : records.slice(offset, offset + 50))
    const before = town.api.asked.length
    expect(await town.tick()).toMatchObject({ coverage: { open: 'partial' } })
    expect(town.api.asked.length - before).toBeLessThan(150)
    expect((await openIds(town)).length).toBeGreaterThan(200)
  })
})

test('what the list of everything shows as open is open, in flip form, though the other list does not show it', async () => {
  const town = await withMany(3)
  await town.ticks(1)
  town.api.start = town.records.slice(1)
  expect(await town.ticks(4)).toEqual([])
  town.api.all = town.records.slice(1)
  expect(await town.ticks(4)).toEqual(['update 1000 closed'])
})

test('while nothing changes, a poll costs two requests', async () => {
  const town = await withMany(40)
  await town.ticks(2)
  const before = town.api.asked.length
  await town.ticks(10)
  expect(town.api.asked.length - before).toBe(20)
})

describe('whatever is left out after paging, while the list moves', () => {
  const drawn = fc.record({
    records: fc.integer({ min: 0, max: 260 }),
    every: fc.integer({ min: 2, max: 12 }),
    gap: fc.record({ from: fc.integer({ min: 0, max: 260 }), length: fc.integer({ min: 0, max: 60 }) }),
    moves: fc.array(fc.constantFrom('none', 'none', 'first', 'last', 'add'), { maxLength: 12 }),
  })
  type Drawn = typeof drawn extends fc.Arbitrary<infer One> ? One : never

  function world({ records, every, gap, moves }: Drawn) {
    let list = Array.from({ length: records }, (_, n) => sightingOf(n))
    const isKept = ({ alertId }: AlertRecord) =>
      Number(alertId) % every !== 0 &&
      (Number(alertId) < gap.from || Number(alertId) >= gap.from + gap.length)
    const stayed = new Set(list.filter(isKept).map(({ alertId }) => alertId))
    let asked = 0
    const page = async (offset: number) => {
      const move = moves[asked]
      asked += 1
      const gone = move === 'first' ? list[0] : move === 'last' ? list.at(-1) : undefined
      if (gone !== undefined) stayed.delete(gone.alertId)
      list = list.filter((one) => one !== gone)
      if (move === 'add') list.push(sightingOf(1000 + asked))
      const part = list.slice(offset, offset + 50).filter(isKept)
      return { records: part, size: part.length, skipped: 0 }
    }
    return { page, stayed }
  }

  test.each([1, 77, 20_261])('a list that counts as complete was seen whole (seed %i)', async (seed) => {
    let complete = 0
    await fc.assert(
      fc.asyncProperty(drawn, async (one) => {
        const { page, stayed } = world(one)
        const list = await sweep(page, { requestsMax: 400, isProofWanted: () => true })
        if (!list.complete) return
        complete += 1
        const seen = new Set(list.alertRecords.map(({ alertId }) => alertId))
        expect([...stayed].filter((alertId) => !seen.has(alertId))).toEqual([])
      }),
      { seed, numRuns: 250 },
    )
    expect(complete).toBeGreaterThan(175)
  })

  test('and a reading that takes a short page for the end misses some', async () => {
    const outcome = await fc.check(
      fc.asyncProperty(drawn, async (one) => {
        const { page, stayed } = world({ ...one, moves: [] })
        const { alertRecords } = await sweep(page, { requestsMax: 400 })
        expect(alertRecords).toHaveLength(stayed.size)
      }),
      { seed: 1, numRuns: 250, endOnFailure: true },
    )
    expect(outcome.failed).toBe(true)
  })
})

test('while it is not known how alerts close, what the list of everything shows as open turned green', async () => {
  const town = await scriptedWorld()
  await town.poll()
  const records = ['1', '2', '3'].map((id) => town.record(id, { hostname: `h-${id}` }))
  town.api.start = records
  town.api.all = records
  await town.tick()
  town.api.start = []
  await town.tick(4)
  expect(await openIds(town)).toEqual(['1', '2', '3'])
  // The record itself says how it goes on.
  town.api.all = records.map((one, at) => (at === 0 ? { ...one, lifecycle: 'end' } : one))
  await town.tick(2)
  expect(await openIds(town)).toEqual(['2', '3'])
})

test('an open list that always fails on its second page leaves no warning at every poll', async () => {
  const away = new OutsideFailure('unreachable', 'the second page is away')
  const town = await pollWorld({
    over: ({ alerts }) => ({ alerts: (ask) => (ask.offset > 0 ? Promise.reject(away) : alerts(ask)) }),
  })
  for (let n = 0; n < 60; n += 1) town.service.open({ hostname: `h-${n}` })
  for (let n = 0; n < 10; n += 1) await expect(town.tick()).rejects.toBe(away)
  // Of ten polls the first.
  const warnings = town.logger.entries.filter(({ level }) => level === 'warn')
  expect(warnings.map(({ event }) => event)).toEqual(['poll:failed'])
})
