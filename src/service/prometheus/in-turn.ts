/** Work that must not meet: one after the other for each key, and so many at once in all. */

export type Turns = {
  /** Begins when all that came before under this key is over, well or not. */
  inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result>
  /** Resolves when nothing is at work. */
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

/** At most so many at once, the others in the order in which they came. */
export function openGate(atOnceMax: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let underWay = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    // Whoever is let in takes the place of the one that left: nobody who comes meanwhile can.
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
