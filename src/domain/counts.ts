/** How often each name comes, most first; of those that come equally often, by name. */
import type { Count } from './answer.ts'

export function countsOf(names: readonly string[]): readonly Count[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
}
