/** Draws what is aimed at, and strikes the moment that its sign is seen. */
import { type Aim, aims } from './aims.ts'
import type { Chance } from './chance.ts'
import type { World } from './world.ts'

/** A sign that has not come by then does not come: the kill is counted as one at a random time. */
const signWithinMs = 6_000
const randomWithinMs = 2_500

/** Strikes from within the sign, where nothing can come between; answers whether the sign came. */
export function awaited(world: World, aim: Aim, chance: Chance, strike: () => void): Promise<boolean> {
  let left = 1 + chance.below(aim.nthMax ?? 1)
  const waitMs = chance.below((aim.withinMs ?? 0) + 1)
  return new Promise((resolve) => {
    const done = (came: boolean) => {
      clearTimeout(timer)
      world.watch(null)
      if (came && aim.drops === true) world.dropRequests(true)
      if (!came || waitMs === 0) strike()
      else setTimeout(strike, waitMs)
      setTimeout(() => resolve(came), waitMs)
    }
    const timer = setTimeout(
      () => done(aim.when === null),
      aim.when === null ? chance.below(randomWithinMs) : (aim.patienceMs ?? signWithinMs),
    )
    world.watch((sign) => {
      if (aim.when?.test(sign) !== true) return
      left -= 1
      if (left === 0) done(true)
    })
  })
}

export function drawn(bag: Aim[], chance: Chance): Aim {
  if (bag.length === 0) bag.push(...aims.flatMap((aim) => Array.from({ length: aim.weight ?? 1 }, () => aim)))
  const [aim] = bag.splice(chance.below(bag.length), 1)
  if (aim === undefined) throw new Error('there is nothing to aim at')
  return aim
}
