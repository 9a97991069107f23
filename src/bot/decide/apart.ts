/** Decides each record by itself: one that throws is set aside, counted and told, and hinders no other. */
import type { World } from '../world/world.ts'

/** Why, by record: each is told once, though it throws in every round and in several parts. */
type Aside = Map<string, { readonly why: string; isTold: boolean }>
const asides = new WeakMap<World, Aside>()

/** Undefined where it threw; then the world is as it was before. */
export function apart<T>(world: World, name: string, work: () => T): T | undefined {
  try {
    return world.decide(work)
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const aside = asides.get(world) ?? new Map()
    asides.set(world, aside)
    if (!aside.has(name)) aside.set(name, { why, isTold: false })
    return undefined
  }
}

/** Tells what threw since the last call and was not told before. */
export function tellSetAside(world: World, tell: (name: string, why: string) => void): void {
  for (const [name, one] of asides.get(world) ?? []) {
    if (!one.isTold) tell(name, one.why)
    one.isTold = true
  }
}
