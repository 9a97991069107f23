/** Where the service's state lives between two runs: small documents by kind and key, in memory or in a SQLite file. */

export type Kind =
  | 'account'
  | 'alert'
  | 'bucket'
  | 'deleted-metric'
  | 'deleted-server'
  | 'key'
  | 'marker'
  | 'metric'
  | 'overlay'
  | 'role'
  | 'secret'
  | 'server'

/** Synchronous, so that a change and its record cannot be torn apart by an await. */
export type Ledger = {
  /** Whether the state outlives the process. */
  readonly isKept: boolean
  /** Every document of a kind, in the order of their keys. Unchecked: the reader parses it. */
  load(kind: Kind): readonly { readonly key: string; readonly value: unknown }[]
  put(kind: Kind, key: string, value: object): void
  remove(kind: Kind, key: string): void
  /** One write for all the changes that `run` makes; those made before it threw are kept, as they are in memory. */
  together<Result>(run: () => Result): Result
  close(): void
}

/** Keeps nothing: the parts hold their own state while the process lives. */
export function memoryLedger(): Ledger {
  return {
    isKept: false,
    load: () => [],
    put() {},
    remove() {},
    together: (run) => run(),
    close() {},
  }
}
