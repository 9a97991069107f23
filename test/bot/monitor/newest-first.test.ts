/** The head costs one request while nothing happens, and goes as deep as what is new or missing stands. */
import { describe, expect, test } from 'vitest'
import type { AlertRecord } from '../../../src/bot/domain/alert/alert.ts'
import type { Page } from '../../../src/bot/flow/ports/ports.ts'
import { readHead } from '../../../src/bot/monitor/listing/newest-first.ts'
import { movingList, sightingOf } from '../flow/moving-list.ts'

/** A still list of `count` alerts, newest first: ids count-1 down to 0. */
function newestFirst(count: number): AlertRecord[] {
  return Array.from({ length: count }, (_, n) => sightingOf(count - 1 - n))
}

function pagesOf(list: readonly AlertRecord[]): {
  page: (offset: number) => Promise<Page>
  offsets: number[]
} {
  const offsets: number[] = []
  return {
    offsets,
    async page(offset) {
      offsets.push(offset)
      const records = list.slice(offset, offset + 50)
      return { records, size: records.length, skipped: 0 }
    },
  }
}

const nothing = [] as const
/** As old as the list itself. */
const missed = (...numbers: string[]) => numbers.map((number) => ({ number, startedMs: 0 }))
const knownBelow = (id: number) => (alertRecord: AlertRecord) => Number(alertRecord.alertId) < id

describe('the head of a list', () => {
  test('is one request where all of it is known', async () => {
    const list = pagesOf(newestFirst(300))
    const recent = await readHead(list.page, { isKnown: knownBelow(300), missing: nothing, requestsMax: 20 })
    expect(recent).toMatchObject({ complete: true, requests: 1, skipped: 0 })
    expect(list.offsets).toEqual([0])
  })

  test('is one request where the list ends on the first page with what is known', async () => {
    const list = pagesOf(newestFirst(49))
    const options = { isKnown: () => true, missing: nothing, requestsMax: 20 }
    expect(await readHead(list.page, options)).toMatchObject({ complete: true, requests: 1 })
  })

  test('looks behind a first page that is new to its last record, and short', async () => {
    const list = pagesOf(newestFirst(49))
    const options = { isKnown: () => false, missing: nothing, requestsMax: 20 }
    expect(await readHead(list.page, options)).toMatchObject({ complete: true })
    expect(list.offsets).toEqual([0, 44, 49, 50, 100, 150])
  })

  test.each([
    ['45 new, so that 5 known end the first page', 45, [0]],
    ['46 new, so that 4 known do not', 46, [0, 45]],
    ['120 new', 120, [0, 45, 90]],
  ])('pages on until five in a row are known: %s', async (_case, fresh, offsets) => {
    const list = pagesOf(newestFirst(300))
    const recent = await readHead(list.page, {
      isKnown: knownBelow(300 - fresh),
      missing: nothing,
      requestsMax: 20,
    })
    expect(recent.complete).toBe(true)
    expect(list.offsets).toEqual(offsets)
    const ids = new Set(recent.alertRecords.map((alertRecord) => alertRecord.alertId))
    for (let id = 299; id >= 300 - fresh; id -= 1) expect(ids.has(String(id))).toBe(true)
  })

  test('is not misled by known records that are not in a row', async () => {
    const list = pagesOf(newestFirst(300))
    const isKnown = (alertRecord: AlertRecord): boolean =>
      Number(alertRecord.alertId) < 200 || Number(alertRecord.alertId) % 5 > 0
    await readHead(list.page, { isKnown, missing: nothing, requestsMax: 20 })
    expect(list.offsets).toEqual([0, 45, 90])
  })

  test('goes on below what is known until every missing record has turned up', async () => {
    const list = pagesOf(newestFirst(300))
    const recent = await readHead(list.page, {
      isKnown: knownBelow(300),
      missing: missed('298', '190'),
      requestsMax: 20,
    })
    expect(recent.complete).toBe(true)
    expect(list.offsets).toEqual([0, 45, 90])
    expect(recent.alertRecords.map((alertRecord) => alertRecord.alertId)).toContain('190')
  })

  test('looks for a missing record to the end of the list, which it proves', async () => {
    const list = pagesOf(newestFirst(120))
    const recent = await readHead(list.page, {
      isKnown: () => true,
      missing: missed('gone'),
      requestsMax: 20,
    })
    expect(recent.complete).toBe(true)
    expect(list.offsets).toEqual([0, 45, 90, 115, 120, 140, 190, 240])
    expect(recent.alertRecords).toHaveLength(120)
  })

  test('says so when its budget ends first', async () => {
    const list = pagesOf(newestFirst(300))
    const options = { isKnown: () => false, missing: nothing, requestsMax: 2 }
    expect(await readHead(list.page, options)).toMatchObject({ complete: false, requests: 2 })
  })

  test('steps back over a gap like a sweep does, and misses nothing new', async () => {
    const removals = Array.from({ length: 12 }, () => ({ kind: 'remove' as const, at: 0 }))
    const list = movingList({ order: 'newest', form: 'flip', filter: 'all', records: 300, moves: [removals] })
    const recent = await readHead(list.page, { isKnown: knownBelow(200), missing: nothing, requestsMax: 20 })
    const ids = new Set(recent.alertRecords.map((alertRecord) => alertRecord.alertId))
    expect(recent.complete).toBe(true)
    expect(list.stayed().filter((id) => Number(id) >= 200 && !ids.has(id))).toEqual([])
  })
})
