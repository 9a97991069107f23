/** Each rule of the bot, broken: then the laws must fail. The same nights hold them while nothing is broken. */
import { expect, it } from 'vitest'
import type { Break } from '../worlds/bot.ts'
import { type Happening, historyOf } from './history.ts'
import { play } from './play.ts'

const nightsMax = 200

/** Which nights show it: with only these things in them. */
const rules: readonly [breaks: Break, only: readonly Happening['does'][]][] = [
  ['goes out before the disk', ['no disk', 'kill', 'close']],
  ['acts after losing the lead', ['take', 'hand back', 'depose', 'close', 'rough slack']],
  ['splits a decision', ['mute', 'kill']],
  ['takes an unclear write for done', ['take', 'mute', 'kill', 'rough disk']],
  ['sends again what was under way', ['kill', 'rough slack']],
  ['edits without forgetting what is shown', ['take', 'hand back', 'rough slack']],
  ['forgets to repeat an edit', ['take', 'hand back', 'rough slack']],
  ['forgets to repeat a switch', ['mute', 'unmute', 'rough monitoring']],
  ['never looks for copies', ['rough slack', 'no slack', 'take']],
  ['lets go of a switch with its mute', ['mute', 'unmute', 'rough monitoring']],
]

/** The first night after which a law does not hold; null where there is none. */
async function badNight(only: readonly Happening['does'][], breaks?: Break): Promise<number | null> {
  for (let seed = 1; seed <= nightsMax; seed += 1) {
    const { problems } = await play(seed, historyOf(seed, only), breaks)
    if (problems.length > 0) return seed
  }
  return null
}

it.each(rules)('the laws notice a bot that %s', async (breaks, only) => {
  expect(await badNight(only, breaks)).not.toBeNull()
})
