/** The bot is killed for real, again and again, and started again: `npm run kills` does the same for longer. */
import { expect, test } from 'vitest'
import { runKills } from '../kills/harness.ts'

const kills = 12
const seed = 9

const withinMs = 120_000

test('whenever the bot is killed, every alert has one card, no mute is left behind, and the database is whole', {
  timeout: withinMs,
}, async () => {
  const { tally, violation } = await runKills({ kills, seed })
  expect(violation).toBeNull()
  expect(tally.kills()).toBe(kills)
})
