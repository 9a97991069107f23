/** Decides again where what a decision was made on changed before it was written. */

/** What the first try that was not stale gives; `stale` if all of them were. Each try reads everything again. */
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
