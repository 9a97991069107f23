/** Decides each record by itself: one that throws is set aside, counted and told, and hinders no other. */
import type { World } from '../world/world.ts'

const aside = new WeakMap<World, Map<string, string>>()

/** Undefined where it threw; then the world is as it was before. */
export function apart<T>(world: World, name: string, work: () => T): T | undefined {
  const set = setAside(world)
  try {
    const result = world.decide(work)
    if (set.size > 0) set.delete(name)
    return result
  } catch (error) {
    set.set(name, error instanceof Error ? (error.stack ?? error.message) : String(error))
    return undefined
  }
}

/** What threw at its last turn, and why. */
export function setAside(world: World): Map<string, string> {
  let set = aside.get(world)
  if (set === undefined) {
    set = new Map()
    aside.set(world, set)
  }
  return set
}
