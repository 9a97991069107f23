/**
 * Stores the service's state between runs: small documents by kind and key, and points, in memory or in an SQLite file.
 * Changes are written first and then applied in memory: what could not be written never took effect.
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

/** Synchronous, so that no await can separate a change from its record. */
export type Ledger = {
  /** Whether the state outlives the process. */
  readonly isKept: boolean
  /** Every document of a kind, ordered by key. Throws if one does not match the schema. */
  load<Value>(
    kind: Kind,
    schema: z.ZodType<Value>,
  ): readonly { readonly key: string; readonly value: Value }[]
  put(kind: Kind, key: string, value: object): void
  remove(kind: Kind, key: string): void
  /** One write for all changes made by `run`; those made before it throws a refusal are kept, as they are in memory. */
  together<Result>(run: () => Result): Result
  readonly archive: Archive
  close(): void
}

/** Stores nothing: the parts hold their own state while the process runs. */
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
