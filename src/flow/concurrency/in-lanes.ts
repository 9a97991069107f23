/** Does the same for each of many things, a few at a time: one for which the API hangs holds up the others no longer than it must. */

export const lanesMax = 4

/**
 * In their order, until `work` answers `stop` for one: what is under way comes to its end, and those that were not begun
 * are the answer. Throws what the first lane that failed threw, once all lanes are done.
 */
export async function inLanes<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<'go_on' | 'stop'>,
): Promise<readonly Item[]> {
  const waiting = [...items]
  let isStopped = false
  const lane = async () => {
    for (;;) {
      const [item] = isStopped ? [] : waiting.splice(0, 1)
      if (item === undefined) return
      if ((await work(item)) === 'stop') isStopped = true
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: lanesMax }, lane))
  for (const came of lanes) if (came.status === 'rejected') throw came.reason
  return waiting
}
