/** The memory goes away at each of its methods, before and after it did what it was asked: nothing is lost, doubled or left unsaid. */
import { expect, test } from 'vitest'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { type Absence, absences } from '../../support/away-store.ts'
import { awayTown, passStory, seenIn } from '../../support/away-town.ts'

async function undisturbed() {
  const town = await awayTown()
  await passStory(town)
  const calls = new Map(town.memory.calls)
  return { seen: await seenIn(town), calls }
}

/** What came of it where the memory went away at that call, for half a minute. */
async function disturbed(method: string, call: number, how: Absence) {
  const town = await awayTown()
  town.memory.awayAt(method, call, how)
  await passStory(town, async () => {
    await town.pass(30_000)
    town.memory.comeBack()
    await town.pass(30_000)
  })
  return { seen: await seenIn(town), dead: await town.dead(), town }
}

let once: ReturnType<typeof undisturbed> | undefined
const usual = () => (once ??= undisturbed())

const empty = await openStore(':memory:')
await empty.close()
const ofFile = ['changes', 'close', 'copy', 'durability']
const methods = Object.keys(empty).filter((method) => !ofFile.includes(method))
// All of them take a quarter of an hour; else each method has one.
const isAll = process.env.AWAY_ALL === '1'
const cases = methods.flatMap((method, at) =>
  absences
    .filter((_, nth) => isAll || at % absences.length === nth)
    .map((how) => [method, how, isAll ? [0, 0.5] : [0.5]] as const),
)

test.each(cases)('%s, %s', { timeout: 60_000 }, async (method, how, parts) => {
  const { seen: expected, calls } = await usual()
  // The tests of requests have what this story does not ask for.
  const times = calls.get(method) ?? 0
  if (times === 0) return
  for (const call of new Set(parts.map((part) => Math.floor(times * part)))) {
    const { seen, dead, town } = await disturbed(method, call, how)
    expect(town.memory.calls.get(method), `${call}`).toBeGreaterThan(call)
    expect(town.logger.events(), `${call}`).toContain('memory:away')
    expect(dead, `${call}`).toBe(0)
    expect(seen, `${call}`).toEqual(expected)
  }
})
