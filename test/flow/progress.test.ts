/** A long list says in the log how far it has been read, and never a share that nobody can know. */
import { expect, test } from 'vitest'
import type { AlertRecord } from '../../src/domain/alert/alert.ts'
import { scriptedWorld } from '../support/scripted-api.ts'

const dayMs = 24 * 60 * 60_000

/** 2,000 closed alerts over 20 days; each page takes a second. */
async function longList(sorted: (a: AlertRecord, b: AlertRecord) => number) {
  const town = await scriptedWorld({ lifecycle: 'flip' })
  const startMs = town.clock.nowMs()
  town.api.all = Array.from({ length: 2_000 }, (_, n) =>
    town.record(`${n}`, { timeMs: startMs - (n * 20 * dayMs) / 2_000, lifecycle: 'end', hostname: `h-${n}` }),
  ).toSorted(sorted)
  town.api.page = ({ lifecycle, offset }) => {
    if (lifecycle === 'start') return []
    town.clock.advance(1_000)
    return town.api.all.slice(offset, offset + 50)
  }
  await town.poll()
  return town.logger.entries.filter(({ event }) => event === 'listing:progress')
}

test('newest first: pages, records, the share of the 30 days, and about how long the rest takes', async () => {
  const told = await longList((a, b) => b.timeMs - a.timeMs)
  expect(told.length).toBeGreaterThan(4)
  const shares = told.map(({ facts }) => Number(facts.percent))
  expect(shares).toEqual(shares.toSorted((a, b) => a - b))
  expect(shares.at(-1)).toBeGreaterThan(50)
  expect(shares.every((share) => share <= 67)).toBe(true)
  expect(told[0]?.facts).toMatchObject({ pages: expect.any(Number), leftSeconds: expect.any(Number) })
})

test('oldest first: what has been read, and no share', async () => {
  const told = await longList((a, b) => a.timeMs - b.timeMs)
  expect(told.length).toBeGreaterThan(4)
  for (const { facts } of told) expect(Object.keys(facts)).toEqual(['pages', 'records'])
})
