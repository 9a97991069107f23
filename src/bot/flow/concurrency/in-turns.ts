/** Splits long work, so that other work has its turn in between: the same thread answers people. */
import type { Steps } from '../../domain/base/steps.ts'
import type { Clock } from '../ports/ports.ts'

/** A few milliseconds, if each thing is only looked at. */
const turnSize = 2_000

/** Yields to others before work on so many things, unless it is done in a moment. */
export async function yieldIfLarge(clock: Pick<Clock, 'wait'>, count: number): Promise<void> {
  if (count > turnSize) await clock.wait(0)
}

/** Runs work that has its own steps. What it works on may have changed by the end: the commit must detect that. */
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
