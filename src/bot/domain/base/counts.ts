/** Counts how often each name occurs. */
import type { Count } from '../request/answer.ts'
import { byName } from './by-name.ts'

export type Counted = {
  /** The most frequent names first; equally frequent ones by name. */
  readonly most: readonly Count[]
  /** How many names there are, and how many of them occur more than once. */
  readonly names: number
  readonly repeated: number
}

/** `max`: how many names are wanted. There may be tens of thousands, and sorting them all would keep everybody waiting. */
export function countsOf(names: Iterable<string>, max: number): Counted {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const most: Count[] = []
  let repeated = 0
  for (const [name, count] of counts) {
    if (count > 1) repeated += 1
    const one = { name, count }
    const last = most.at(-1)
    if (most.length === max && (last === undefined || byCount(last, one) < 0)) continue
    most.splice(most.findLastIndex((other) => byCount(other, one) < 0) + 1, 0, one)
    if (most.length > max) most.pop()
  }
  return { most, names: counts.size, repeated }
}

function byCount(a: Count, b: Count): number {
  return b.count - a.count || byName(a.name, b.name)
}
