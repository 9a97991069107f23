/** What a database does for the bot: lead alone, keep rows, load them. `sqlite.ts` and `postgres.ts` do it; `journal.ts` uses it. */
import type { Kind } from './types.ts'

/** `live`: in the world. A row that is past is found by `past` only; `doc` null deletes the row. `atMs`: when it ended, for pruning. */
export type Row = {
  readonly kind: Kind
  readonly id: string
  readonly live: boolean
  readonly atMs: number
  readonly doc: string | null
}

/** The right to write. Each `write` is one transaction, and may be repeated whole after an unclear answer. */
export type Lease = {
  /** Throws `LostLead` when another one leads, `RefusedRows`; any other error means unknown: write it again. */
  write(rows: readonly Row[]): Promise<void>
  /** May still act: by the monotonic and by the wall clock. Always true for a file. */
  isFresh(): boolean
  /** The database holds a lower batch number than it has acknowledged: it forgot, as after a failover. True once for each time. */
  readonly hasForgotten: () => boolean
  /** Settles once the lead is lost. */
  readonly lost: Promise<void>
  free(): Promise<void>
}

export class LostLead extends Error {}

/** The database cannot be used as it is, and a person must act: exit code 78. `message` says what was expected and what came. */
export class UnfitStore extends Error {}

/** The database refuses one of these rows for good, and none of them was written. */
export class RefusedRows extends Error {}

/** Another process uses the file, or it cannot be used now (read-only, full, damaged): exit code 1. */
export class LockedStore extends Error {}

export type Store = {
  /** Waits until it leads; null when the signal ends the wait. `onWait` hears who leads meanwhile, or why the database is away. */
  lead(name: string, signal: AbortSignal, onWait: (wait: Wait) => void): Promise<Lease | null>
  /** The live rows. */
  load(): Promise<Row[]>
  /** Past rows of a kind, the newest first. */
  past(kind: Kind, fromMs: number, untilMs: number, limit: number): Promise<Row[]>
  /** Deletes past rows that ended earlier. */
  prune(kind: Kind, beforeMs: number): Promise<void>
  close(): Promise<void>
}
export type Wait = { readonly leader: string | null } | { readonly away: string }
