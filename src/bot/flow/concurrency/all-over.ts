/** Resolves once all are over, and only then throws the first failure: what still goes on may have a result to write. */
export async function allOver(works: Iterable<Promise<unknown>>): Promise<void> {
  const all = await Promise.allSettled(works)
  for (const one of all) if (one.status === 'rejected') throw one.reason
}
