/** An hour and a bit of a busy week, with a memory that forgets within minutes: `npm run week` does the same for longer. */
import { expect, test } from 'vitest'
import { busyTown } from '../../week/life.ts'
import { runWeek } from '../../week/run.ts'

const hours = 1.05
const seed = 3
const keptMs = 20 * 60_000
/** Each of them comes within the time. */
const town = {
  ...busyTown,
  labAlerts: 8,
  stormEverySteps: 90,
  stormAlertsMax: 40,
  awayEverySteps: 110,
  awaySteps: [8],
}
test('through a busy hour every open alert has one card, no mute outlasts its end, and what is over is forgotten', async () => {
  const { samples, breaches, tables, events } = await runWeek({ hours, seed, town, keptMs })
  expect(breaches).toEqual([])
  const last = samples.at(-1)
  expect(last?.changes).toBeGreaterThan(2_500)
  expect(last?.failedPolls).toBeGreaterThan(0)
  for (const event of [
    'mute:ended',
    'alert:opened_again',
    'picture:ready',
    'memory:pruned',
    'card:unknown',
  ]) {
    expect(events.get(event) ?? 0, event).toBeGreaterThan(0)
  }
  const rows = tables.find(({ table }) => table === 'alerts')?.rows
  expect(rows).toBeLessThan(0.8 * (events.get('alert:opened') ?? 0))
})
