/** The bot is killed for real, again and again, and started again: `npm run kills` does the same as often as it is told. */
import { test } from 'vitest'
import { runKills } from '../kills/harness.ts'

/** Each in a world of its own, side by side. */
const seeds = [9, 10, 11]
const killsEach = 4

const withinMs = 240_000

test.concurrent.for(seeds)(
  'whenever the bot is killed, every alert has one card, no mute is left behind, and the database is whole (seed %i)',
  { timeout: withinMs },
  async (seed, { expect }) => {
    const { tally, violation } = await runKills({ kills: killsEach, seed })
    expect(violation).toBeNull()
    // One that is needed to go on may come on top.
    expect(tally.kills()).toBeGreaterThanOrEqual(killsEach)
  },
)
