/** The archive in the tables of the service's SQLite file. */
import { z } from 'zod'
import type { Archive } from './archive.ts'
import type { Disk } from './disk.ts'

const seriesRow = z.object({ id: z.number(), hostname: z.string(), key: z.string() })
const body = z.instanceof(Uint8Array)
const chunkRow = z.object({ atMs: z.number(), body })

export function openSqliteArchive({ db, read, write }: Disk): Archive {
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
