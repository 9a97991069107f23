/** Long work on many things, in parts between which others have their turn: people are answered by the same thread. */
import type { Steps } from '../../domain/base/steps.ts'
import type { Clock } from '../ports/ports.ts'

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

/** A few milliseconds, where things are only looked at. */
const turnSize = 2_000

/** Between two pieces of work on so many: others have their turn, where it is not done in a moment. */
export async function othersFirst(clock: Pick<Clock, 'wait'>, count: number): Promise<void> {
  if (count > turnSize) await clock.wait(0)
}

/** The same for work that has steps of its own. */
export async function stepByStep<Result>(clock: Pick<Clock, 'wait'>, steps: Steps<Result>): Promise<Result> {
  let looked = 0
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    looked += step.value
    if (looked < turnSize) continue
    looked = 0
    await clock.wait(0)
  }
}
