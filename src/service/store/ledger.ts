/**
 * Stores the service's state between runs: small documents by kind and key, and points, in memory or in an SQLite file.
 * Changes are written first and then applied in memory: what could not be written never took effect.
 */
import type { z } from 'zod'

export type Kind =
  | 'account'
  | 'alert'
  | 'deleted-metric'
  | 'deleted-server'
  | 'gone-server'
  | 'key'
  | 'marker'
  | 'metric'
  | 'names'
  | 'overlay'
  | 'pushed-silence'
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

export type SeriesRow = { readonly id: number; readonly hostname: string; readonly key: string }
export type Chunk = { readonly atMs: number; readonly body: Uint8Array }

/** Does not interpret bodies. Synchronous, and part of the ledger's `together`. */
export type Archive = {
  series(): readonly SeriesRow[]
  /** Returns an id that no other series has or had. */
  addSeries(hostname: string, key: string): number
  /** Removes its chunks as well. */
  removeSeries(id: number): void
  /** Chunks that start in this time, oldest first. */
  chunks(seriesId: number, stepMs: number, fromMs: number, untilMs: number): readonly Chunk[]
  firstChunk(seriesId: number, stepMs: number): Chunk | null
  putChunk(seriesId: number, stepMs: number, chunk: Chunk): void
  /** Forgets some that started earlier, oldest first; returns their series. */
  removeChunks(stepMs: number, beforeMs: number, countMax: number): readonly number[]
  /** Data of every server that is in no chunk yet, oldest first. */
  minutes(): readonly Uint8Array[]
  addMinutes(hostname: string, body: Uint8Array): void
  /** Its series stay. */
  removeMinutes(hostname: string): void
}

function memoryArchive(): Archive {
  const rows = new Map<number, SeriesRow>()
  const chunks = new Map<number, Map<number, Map<number, Chunk>>>()
  let nextId = 1

  const shelf = (seriesId: number, stepMs: number): ReadonlyMap<number, Chunk> =>
    chunks.get(seriesId)?.get(stepMs) ?? new Map<number, Chunk>()
  const sorted = (seriesId: number, stepMs: number): readonly Chunk[] =>
    [...shelf(seriesId, stepMs).values()].sort((a, b) => a.atMs - b.atMs)

  return {
    series: () => [...rows.values()],
    addSeries(hostname, key) {
      const id = nextId
      nextId += 1
      rows.set(id, { id, hostname, key })
      return id
    },
    removeSeries(id) {
      rows.delete(id)
      chunks.delete(id)
    },
    chunks: (seriesId, stepMs, fromMs, untilMs) =>
      sorted(seriesId, stepMs).filter(({ atMs }) => atMs >= fromMs && atMs < untilMs),
    firstChunk: (seriesId, stepMs) => sorted(seriesId, stepMs)[0] ?? null,
    putChunk(seriesId, stepMs, chunk) {
      const own = chunks.get(seriesId) ?? new Map<number, Map<number, Chunk>>()
      chunks.set(seriesId, own.set(stepMs, new Map(own.get(stepMs)).set(chunk.atMs, chunk)))
    },
    removeChunks(stepMs, beforeMs, countMax) {
      const old = [...chunks].flatMap(([id, own]) =>
        [...(own.get(stepMs)?.keys() ?? [])].filter((atMs) => atMs < beforeMs).map((atMs) => ({ id, atMs })),
      )
      const gone = old.sort((a, b) => a.atMs - b.atMs).slice(0, countMax)
      for (const { id, atMs } of gone) chunks.get(id)?.get(stepMs)?.delete(atMs)
      return gone.map(({ id }) => id)
    },
    // The process has them in memory, and nothing is kept after it ends.
    minutes: () => [],
    addMinutes() {},
    removeMinutes() {},
  }
}
