/** The bot is killed for real and started again, a few times; long runs of the same are `npm run kills`. */
import { test } from 'vitest'
import { runKills } from '../kills/harness.ts'

/**
 * Each in a world of its own, side by side. The seed decides the steps at which the bot is killed. 2: Slack has just taken a
 * post, a storm is committed, Slack takes a post after the kill (alerts in pairs). 23: a poll is committed, a mute's answer has
 * come, the end of a mute is asked for.
 */
const seeds = [2, 23]
const killsEach = 3

test.concurrent.for(seeds)(
  'whenever the bot is killed, every alert has one card, no mute is left behind, and the database is whole (seed %i)',
  async (seed, { expect }) => {
    const { tally, violation } = await runKills({ kills: killsEach, seed })
    expect(violation).toBeNull()
    // One that is needed to go on may come on top.
    expect(tally.kills()).toBeGreaterThanOrEqual(killsEach)
  },
)
