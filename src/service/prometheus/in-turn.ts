/** Runs work in sequence for each key, with a limit on the total at once. */

export type Turns = {
  /** Starts when all earlier work for this key is done, whether it succeeded or failed. */
  inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result>
  /** Resolves when no work is running. */
  idle(): Promise<void>
}

export function openTurns(): Turns {
  const last = new Map<string, Promise<unknown>>()
  return {
    inTurn(key, work) {
      const mine = (last.get(key) ?? Promise.resolve()).then(work, work)
      last.set(key, mine)
      const forget = (): void => {
        if (last.get(key) === mine) last.delete(key)
      }
      mine.then(forget, forget)
      return mine
    },
    async idle() {
      while (last.size > 0) await Promise.allSettled(last.values())
    },
  }
}

/** At most this many at once, the others in order of arrival. */
export function openGate(atOnceMax: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let underWay = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    // The next in line takes over the free place directly, so that no newcomer can take it.
    if (underWay >= atOnceMax) await new Promise<void>((resolve) => waiting.push(resolve))
    else underWay += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) underWay -= 1
      else next()
    }
  }
}
