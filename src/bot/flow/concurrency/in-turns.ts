/** Long work on many things, in parts, with turns for others in between: the same thread answers people. */
import type { Steps } from '../../domain/base/steps.ts'
import type { Clock } from '../ports/ports.ts'

const partSize = 200

/** The results of all parts, in order. Its input may have changed by the end: the commit must detect that. */
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

/** A few milliseconds, if each item is only looked at. */
const turnSize = 2_000

/** Gives others a turn before work on this many things, unless it is done in a moment. */
export async function othersFirst(clock: Pick<Clock, 'wait'>, count: number): Promise<void> {
  if (count > turnSize) await clock.wait(0)
}

/** The same for work that has its own steps. */
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
