/** Long work on many things, in parts between which others have their turn: people are answered by the same thread. */
import type { Clock } from './ports.ts'

const partSize = 200

/** The results of all parts, in their order. What it was begun on may have changed in the end: that is for the commit to notice. */
export async function inTurns<Item, Result>(
  clock: Clock,
  items: readonly Item[],
  work: (some: readonly Item[]) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += partSize) {
    if (from > 0) await clock.wait(0)
    results.push(work(items.slice(from, from + partSize)))
  }
  return results
}
