/** Decides each record by itself: one that throws is set aside, counted and told, and hinders no other. */
import type { World } from '../world/world.ts'

/** Since it was told last; and all that was told, so that it is told once. */
type Aside = { readonly fresh: Map<string, string>; readonly told: Map<string, string> }
const asides = new WeakMap<World, Aside>()

/** Undefined where it threw; then the world is as it was before. */
export function apart<T>(world: World, name: string, work: () => T): T | undefined {
  try {
    return world.decide(work)
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
    asideOf(world).fresh.set(name, why)
    return undefined
  }
}

/** Tells what threw since the last call and was not told before. */
export function tellSetAside(world: World, tell: (name: string, why: string) => void): void {
  const { fresh, told } = asideOf(world)
  for (const [name, why] of fresh) if (told.get(name) !== why) tell(name, why)
  for (const [name, why] of fresh) told.set(name, why)
  fresh.clear()
}

function asideOf(world: World): Aside {
  const known = asides.get(world)
  if (known !== undefined) return known
  const aside = { fresh: new Map<string, string>(), told: new Map<string, string>() }
  asides.set(world, aside)
  return aside
}
