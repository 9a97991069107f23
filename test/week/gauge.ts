/** How large everything is: rows and bytes of the file by table, and what the process holds once the garbage is gone. */
import { statSync } from 'node:fs'
import SQLite from 'better-sqlite3'

export type Sizes = {
  readonly heapBytes: number
  readonly rssBytes: number
  /** The file and its journal. */
  readonly fileBytes: number
  readonly journalBytes: number
  /** Pages of the file that hold nothing now. */
  readonly freeBytes: number
  readonly rows: number
}

export type TableSize = { readonly table: string; readonly rows: number; readonly bytes: number }

export type Gauge = {
  read(): Sizes
  /** With the indices of each; largest first. */
  tables(): readonly TableSize[]
  close(): void
}

export function openGauge(path: string): Gauge {
  const db = new SQLite(path, { readonly: true })
  const number = (sql: string) => db.prepare(sql).pluck().get() as number
  const names = db
    .prepare("select name from sqlite_master where type = 'table' and name not like 'kysely_%'")
    .pluck()
    .all()
    .map(String)
  const rowsOf = (table: string) => number(`select count(*) from "${table}"`)

  return {
    read: () => {
      // Only where Node was started with --expose-gc; without it the figures hold garbage as well.
      globalThis.gc?.()
      const { heapUsed, rss } = process.memoryUsage()
      return {
        heapBytes: heapUsed,
        rssBytes: rss,
        fileBytes: statSync(path).size,
        journalBytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
        freeBytes: number('pragma freelist_count') * number('pragma page_size'),
        rows: names.reduce((sum, table) => sum + rowsOf(table), 0),
      }
    },
    tables: () => {
      const bytes = db.prepare<[string], { bytes: number }>(
        `select coalesce(sum(pgsize), 0) as bytes from dbstat
         where name in (select name from sqlite_master where tbl_name = ?)`,
      )
      return names
        .map((table) => ({ table, rows: rowsOf(table), bytes: bytes.get(table)?.bytes ?? 0 }))
        .sort((a, b) => b.bytes - a.bytes)
    },
    close: () => db.close(),
  }
}
