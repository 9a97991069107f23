/** Work that may be long, done in turns: nobody else of the process waits for more than one of them. */
import { setImmediate } from 'node:timers/promises'

const turnMs = 10

export type Turn = {
  /** To be asked between two pieces of work. */
  isOver(): boolean
  /** Lets others go first, and begins the next turn. */
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

/** Those that pass. */
export async function filterInTurns<One>(all: readonly One[], passes: (one: One) => boolean): Promise<One[]> {
  const turn = openTurn()
  const passed: One[] = []
  for (const one of all) {
    if (turn.isOver()) await turn.next()
    if (passes(one)) passed.push(one)
  }
  return passed
}
