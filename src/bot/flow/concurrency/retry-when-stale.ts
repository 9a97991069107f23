/** Repeats a decision if what it is based on changed before it was written. */

/** The first result that was not stale; `stale` if all tries were. Each try reads everything again. */
export async function retryWhenStale<Result>(
  triesMax: number,
  once: (tries: number) => Promise<Result | 'stale'>,
): Promise<Result | 'stale'> {
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const result = await once(tries)
    if (result !== 'stale') return result
  }
  return 'stale'
}
