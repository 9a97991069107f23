/** Reads the tables beside the store, for what the bot itself never reads. */
import type { Store } from '../../src/bot/flow/ports/store.ts'

type Read = (query: string) => Promise<unknown[]>

const reads = new WeakMap<Store, Read>()

/** Whoever opens a store for tests says how its rows are read. */
export function readBy<Opened extends Store>(store: Opened, read: Read): Opened {
  reads.set(store, read)
  return store
}

export function rowsIn(store: Store, query: string): Promise<unknown[]> {
  const read = reads.get(store)
  if (read === undefined) throw new Error('Only a store that a test opened can be looked into')
  return read(query)
}
