/**
 * Where the service's state lives between two runs: small documents by kind and key, and points, in memory or in a SQLite file.
 * Who changes something writes it first and remembers it second: what could not be written never took effect.
 */
import type { z } from 'zod'
import { type Archive, memoryArchive } from './archive.ts'

export type Kind =
  | 'account'
  | 'alert'
  | 'deleted-metric'
  | 'deleted-server'
  | 'gone-server'
  | 'key'
  | 'marker'
  | 'metric'
  | 'overlay'
  | 'role'
  | 'secret'
  | 'server'
  | 'silence'
  | 'target'
  | 'tombstone'
  | 'upstream'

/** Synchronous, so that a change and its record cannot be torn apart by an await. */
export type Ledger = {
  /** Whether the state outlives the process. */
  readonly isKept: boolean
  /** Every document of a kind, in the order of their keys. Throws where one is not what the schema says. */
  load<Value>(
    kind: Kind,
    schema: z.ZodType<Value>,
  ): readonly { readonly key: string; readonly value: Value }[]
  put(kind: Kind, key: string, value: object): void
  remove(kind: Kind, key: string): void
  /** One write for all the changes that `run` makes; those made before it refused are kept, as they are in memory. */
  together<Result>(run: () => Result): Result
  readonly archive: Archive
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
    archive: memoryArchive(),
    close() {},
  }
}
