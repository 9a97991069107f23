/** Waits until the bots have come to rest, and compares Slack, their memory and the API. */
import type { Driver } from '../driver.ts'
import { breaches } from '../judge.ts'
import { noteUnmuted } from '../mutes.ts'
import { keyOf, type World } from '../world.ts'
import { pause, type Town } from './town.ts'

/** A promise that was broken; the message says which, and what was there instead. */
export class Violation extends Error {}

/** Without anything getting better: a take-over takes 34 s, a post of unknown fate 70 s more, and a page comes at Slack's pace. */
const restWithinMs = 200_000
/** What waiting does not mend; that a card has a copy it does, where one may have come about. */
const wrongWithinMs = 8_000
const wrong = /^(TWICE|STRANGER|FORGOTTEN|PLACE|GREEN|SHOWN)/
const copiesWithinMs = 60_000
const nextTryMs = 6 * 60_000
const endPatienceMs = 15_000
const lookEveryMs = 150

export type Resting = {
  readonly town: Town
  readonly driver: Driver
  /** Grows by itself: what was wrong for a moment. */
  readonly greens: readonly string[]
  /** A card may have a copy until it is deleted. */
  mayCopy(): boolean
  /** The memory forgot something: what was said before is unknown to it. */
  hasForgotten(): boolean
  /** Called at each look; throws where something else has gone wrong. */
  look(): void
  restart(passMs: number): Promise<void>
}

export async function rest(resting: Resting): Promise<void> {
  const { town, driver, greens } = resting
  const fromMs = Date.now()
  let fewest = Number.POSITIVE_INFINITY
  let betterMs = fromMs
  for (;;) {
    const found = [...(await breachesOf(resting)), ...greens]
    if (found.length === 0) break
    resting.look()
    if (found.length < fewest) {
      fewest = found.length
      betterMs = Date.now()
    }
    const tookMs = Date.now() - betterMs
    if (tookMs > restWithinMs) throw new Violation(found.join('\n'))
    const wrongs = found.filter((line) => wrong.test(line))
    if (wrongs.length > 0 && tookMs > (resting.mayCopy() ? copiesWithinMs : wrongWithinMs)) {
      if (!resting.mayCopy() || tookMs > 3 * copiesWithinMs) throw new Violation(wrongs.join('\n'))
      await resting.restart(nextTryMs)
    }
    if (tookMs > endPatienceMs && found.every((line) => /^(UNSETTLED|OVERDUE|NOT SAID AGAIN)/.test(line)))
      await resting.restart(nextTryMs)
    await pause(lookEveryMs)
  }
  await noteUnmuted(town.world, driver)
}

/** All that is not as it must be; Postgres may be on its way back. */
async function breachesOf({ town, driver, hasForgotten }: Resting): Promise<string[]> {
  try {
    const found = await breaches(town.world, driver)
    return hasForgotten() ? found.filter((line) => !/^(STRANGER|FORGOTTEN|MUTE LEFT)/.test(line)) : found
  } catch (error) {
    return [`AWAY: the memory cannot be read: ${String(error)}`]
  }
}

/** Counts every message that comes while another of the same card stands in its channel. */
export function watchCopies({ workspace }: World): readonly string[] {
  const copies: string[] = []
  workspace.events.listen(({ event }) => {
    if (event.type !== 'message_posted') return
    const key = keyOf(event.message)
    if (key === '') return
    const same = workspace.messages(event.channel).filter((message) => keyOf(message) === key)
    if (same.length > 1) copies.push(`COPY: ${key} stands ${same.length} times in ${event.channel}`)
  })
  return copies
}
