/** A lock per name: two people, or a person and a deadline, never change one server's notifications at the same time. */
export type Lock = {
  /** Runs `work` once all earlier work under this name is done; passes on its result or exception. */
  hold<T>(name: string, work: () => Promise<T>): Promise<T>
}

export function openLock(): Lock {
  const last = new Map<string, Promise<unknown>>()
  return {
    hold: (name, work) => {
      const before = last.get(name) ?? Promise.resolve()
      // An earlier failure is reported to its own caller, and must not hold up the next.
      const mine = before.then(work, work)
      last.set(name, mine)
      const forget = () => {
        if (last.get(name) === mine) last.delete(name)
      }
      mine.then(forget, forget)
      return mine
    },
  }
}

/** Runs `work` under all of these names. They are always locked in the same order, so that two callers sharing some never deadlock. */
export function holdAll<T>(lock: Lock, names: readonly string[], work: () => Promise<T>): Promise<T> {
  const inOrder = [...new Set(names)].sort()
  return inOrder.reduceRight((inner, name) => () => lock.hold(name, inner), work)()
}
