/** The bot is killed for real and started again, a few times; long runs of the same are `npm run kills`. */
import { test } from 'vitest'
import { runKills } from '../kills/harness.ts'

/**
 * Each in a world of its own, side by side. The seed decides the steps at which the bot is killed. 2: a post is committed, a
 * storm has its card and no list, Slack's answer to a post has come (alerts in pairs). 2383: a poll is committed, the answer to an
 * unmute has come, the end of an alert's mute is decided.
 */
const seeds = [2, 2_383]
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
