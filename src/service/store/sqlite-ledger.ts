/** A ledger in an SQLite file that survives kills and power cuts. Loads a native module: check the Node version first. */
import { z } from 'zod'
import { type Disk, type DiskEvents, openDisk } from './disk.ts'
import type { Archive, Kind, Ledger } from './ledger.ts'
import { LedgerError } from './ledger-error.ts'

const row = z.object({ key: z.string(), body: z.string() })

/** File errors are thrown as a `LedgerError` with the file's name; the first one after the start also goes to `onLost`. */
export function openSqliteLedger(file: string, events: DiskEvents): Ledger {
  const disk = openDisk(file, events)
  const { db, read, write } = disk
  const load = db.prepare('SELECT key, body FROM documents WHERE kind = ? ORDER BY key')
  const put = db.prepare('INSERT OR REPLACE INTO documents (kind, key, body) VALUES (?, ?, ?)')
  const remove = db.prepare('DELETE FROM documents WHERE kind = ? AND key = ?')
  return {
    isKept: true,
    load: (kind, schema) =>
      documentsIn(
        file,
        kind,
        schema,
        read(() => load.all(kind)),
      ),
    put: (kind, key, value) => write(() => void put.run(kind, key, JSON.stringify(value))),
    remove: (kind, key) => write(() => void remove.run(kind, key)),
    together(run) {
      if (db.inTransaction) return run()
      write(() => db.exec('BEGIN'))
      try {
        const result = run()
        write(() => db.exec('COMMIT'))
        return result
      } catch (error) {
        if (error instanceof LedgerError) rollBack()
        else write(() => db.exec('COMMIT'))
        throw error
      }
    },
    archive: openSqliteArchive(disk),
    close: disk.close,
  }

  /** On a full disk SQLite has already done so. */
  function rollBack(): void {
    if (db.inTransaction) db.exec('ROLLBACK')
  }
}

/** Rows of one kind, with their bodies read. Throws a `LedgerError` if one does not match the schema. */
export function documentsIn<Value>(
  file: string,
  kind: Kind,
  schema: z.ZodType<Value>,
  rows: readonly unknown[],
): readonly { readonly key: string; readonly value: Value }[] {
  return rows.map((found) => {
    const { key, body } = row.parse(found)
    const value = schema.safeParse(parseJson(body)).data
    // Skipping it would act as if it had never existed: an open alert would appear closed.
    if (value === undefined) {
      throw new LedgerError(
        `The file ${file} is damaged, its document ${kind} ${JSON.stringify(key)} cannot be read: bring it back from a backup, or move it away to start with an empty one.`,
      )
    }
    return { key, value }
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const seriesRow = z.object({ id: z.number(), hostname: z.string(), key: z.string() })
const body = z.instanceof(Uint8Array)
const chunkRow = z.object({ atMs: z.number(), body })

/** The points, in tables of their own. */
function openSqliteArchive({ db, read, write }: Disk): Archive {
  const series = db.prepare('SELECT id, hostname, key FROM series ORDER BY id')
  const addSeries = db.prepare('INSERT INTO series (hostname, key) VALUES (?, ?)')
  const removeSeries = db.prepare('DELETE FROM series WHERE id = ?')
  const removeChunksOf = db.prepare('DELETE FROM chunks WHERE series = ?')
  const chunks = db.prepare(
    'SELECT at_ms AS atMs, body FROM chunks WHERE series = ? AND step_ms = ? AND at_ms >= ? AND at_ms < ? ORDER BY at_ms',
  )
  const firstChunk = db.prepare(
    'SELECT at_ms AS atMs, body FROM chunks WHERE series = ? AND step_ms = ? ORDER BY at_ms LIMIT 1',
  )
  const putChunk = db.prepare(
    `INSERT INTO chunks (series, step_ms, at_ms, body) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET body = excluded.body`,
  )
  const removeOld = db
    .prepare(
      `DELETE FROM chunks WHERE id IN (
         SELECT id FROM chunks WHERE step_ms = ? AND at_ms < ? ORDER BY at_ms LIMIT ?
       ) RETURNING series`,
    )
    .pluck()
  const minutes = db.prepare('SELECT body FROM minutes ORDER BY id').pluck()
  const addMinutes = db.prepare('INSERT INTO minutes (hostname, body) VALUES (?, ?)')
  const removeMinutes = db.prepare('DELETE FROM minutes WHERE hostname = ?')
  return {
    series: () => read(() => seriesRow.array().parse(series.all())),
    addSeries: (hostname, key) => write(() => Number(addSeries.run(hostname, key).lastInsertRowid)),
    removeSeries: (id) =>
      write(() => {
        removeChunksOf.run(id)
        removeSeries.run(id)
      }),
    chunks: (seriesId, stepMs, fromMs, untilMs) =>
      read(() => chunks.all(seriesId, stepMs, fromMs, untilMs).map((row) => chunkRow.parse(row))),
    firstChunk: (seriesId, stepMs) =>
      read(() => chunkRow.nullable().parse(firstChunk.get(seriesId, stepMs) ?? null)),
    putChunk: (seriesId, stepMs, chunk) =>
      write(() => void putChunk.run(seriesId, stepMs, chunk.atMs, chunk.body)),
    removeChunks: (stepMs, beforeMs, countMax) =>
      write(() =>
        z
          .number()
          .array()
          .parse(removeOld.all(stepMs, beforeMs, countMax)),
      ),
    minutes: () => read(() => body.array().parse(minutes.all())),
    addMinutes: (hostname, packed) => write(() => void addMinutes.run(hostname, packed)),
    removeMinutes: (hostname) => write(() => void removeMinutes.run(hostname)),
  }
}
