/** One at a time for each name: two people, or a person and a deadline, never change the notifications of one server at once. */
export type Lock = {
  /** Runs `work` once everything that was begun before under this name is done; passes on what it answers or throws. */
  hold<T>(name: string, work: () => Promise<T>): Promise<T>
}

export function openLock(): Lock {
  const last = new Map<string, Promise<unknown>>()
  return {
    hold: (name, work) => {
      const before = last.get(name) ?? Promise.resolve()
      // What failed before is told to who began it, and is no reason to hold up the next.
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

/** Runs `work` under all of these names. They are always taken in one order, so that two who share some never wait for each other. */
export function holdAll<T>(lock: Lock, names: readonly string[], work: () => Promise<T>): Promise<T> {
  const inOrder = [...new Set(names)].sort()
  return inOrder.reduceRight((inner, name) => () => lock.hold(name, inner), work)()
}
