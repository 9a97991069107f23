/** Splits long work into turns: other work of the process waits for at most one turn. */
import { setImmediate } from 'node:timers/promises'

const turnMs = 10

export type Turn = {
  /** Check this between two pieces of work. */
  isOver(): boolean
  /** Lets other work run, then starts the next turn. */
  next(): Promise<void>
}

export function openTurn(): Turn {
  let begunMs = performance.now()
  return {
    isOver: () => performance.now() - begunMs >= turnMs,
    async next() {
      await setImmediate()
      begunMs = performance.now()
    },
  }
}

/** Filters in turns. */
export async function filterInTurns<One>(all: readonly One[], passes: (one: One) => boolean): Promise<One[]> {
  const turn = openTurn()
  const passed: One[] = []
  for (const one of all) {
    if (turn.isOver()) await turn.next()
    if (passes(one)) passed.push(one)
  }
  return passed
}

/** Runs the work, never twice at once: calls while it runs share that run. */
export function oneAtATime<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | null = null
  return () => {
    current ??= work().finally(() => {
      current = null
    })
    return current
  }
}
